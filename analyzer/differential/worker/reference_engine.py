"""``onnx.reference``: the specification as NumPy code. Knob ``precision`` (float32 as declared, float64 as oracle)."""

from __future__ import annotations

import gc
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import NoneType
from typing import Any

import numpy as np
import onnx

from .contract import Arrays
from .onnx_model import OnnxModel, in_float64, opset_of

PORTION = 128 << 20  # bytes of weights that are widened at once
KEPT = 512 << 20  # bytes of hidden states of a first run: those of ResNet-50 on one picture are 270 MB


class Reference:
    def __init__(self, knobs: Mapping[str, Any]) -> None:
        self.knobs = {"precision": "float32", **knobs}
        self.whole: Any = None  # what evaluates the model as it stands
        self.kept: tuple[Arrays, Arrays] | None = None  # of the first whole run: what was fed, and every tensor

    def fingerprint(self) -> dict[str, Any]:
        import onnx

        return {"versions": {"onnx": onnx.__version__}, "device": "cpu"}

    def load(self, model: dict[str, Any], folder: Path) -> dict[str, Any]:
        self.model = OnnxModel(folder / model["path"])
        description = self.model.describe()
        if self.knobs["precision"] == "float64" and not self.model.external:
            self.model.proto = in_float64(self.model.proto)
            graph = self.model.proto.graph
            self.model.initializers = {i.name: i for i in graph.initializer}
            self.model.declared = {i.name: i for i in graph.input if i.name not in self.model.initializers}
            self.model.types = {v.name: v for v in (*graph.value_info, *graph.input, *graph.output)}
        self.whole, self.kept = None, None
        return description

    def weights(self) -> Mapping[str, np.ndarray]:
        return self.model.weights()

    def cut(self, inputs: Sequence[str], outputs: Sequence[str]) -> tuple[dict[str, Any], Arrays]:
        return self.model.cut(inputs, outputs)

    def evaluate(self, feeds: Arrays, fetches: Sequence[str] | None) -> Arrays:
        if self.model.external:
            return self._in_portions(feeds, self.model.outputs if fetches is None else fetches)
        if self.knobs["precision"] == "float64":
            feeds = {n: _as(a, True) for n, a in feeds.items()}
        if fetches is None and self.model.needs_carriers:
            fetches = self.model.outputs
        if fetches is None:
            if self.whole is not None:
                return _run(self.whole, self.model.outputs, feeds)
            self.whole = _evaluator(self.model.proto)
            return self._first_run(feeds)
        known = self._known(feeds, fetches)
        if known is not None:
            return known
        proto = self.model.extract(feeds, fetches)
        names = [o.name for o in proto.graph.output]
        feeds = {i.name: feeds[i.name.removesuffix("/fed")] for i in proto.graph.input}
        return _run(_evaluator(proto), names, feeds)

    def _first_run(self, feeds: Arrays) -> Arrays:
        """As every whole run; its hidden states are kept, for they are what is asked next."""
        with np.errstate(all="ignore"):
            values = self.whole.run(None, feeds, intermediate=True)
        made = {n: v for n, v in values.items() if isinstance(v, np.ndarray) and n not in self.model.initializers}
        if sum(v.nbytes for v in made.values()) <= KEPT:
            self.kept = feeds, made
        told = {n: values[n] for n in self.model.outputs}
        return {n: np.asarray(v) for n, v in told.items() if not isinstance(v, (list, dict, NoneType))}

    def _known(self, feeds: Arrays, fetches: Sequence[str]) -> Arrays | None:
        """What the first run made from the same inputs, where it says all that is asked."""
        if self.kept is None or any(n not in self.kept[1] or self.model.is_bfloat16(n) for n in fetches):
            return None
        fed, made = self.kept
        same = feeds.keys() == fed.keys() and all(_identical(a, fed[n]) for n, a in feeds.items())
        return {n: made[n] for n in fetches} if same else None

    def _in_portions(self, feeds: Arrays, fetches: Sequence[str]) -> Arrays:
        """As `evaluate`, with the weights of a few nodes in memory at a time."""
        wide = self.knobs["precision"] == "float64"
        known = {n: _as(a, wide) for n, a in feeds.items()}
        portions = self.model.portions(known, fetches, PORTION)
        for index, portion in enumerate(portions):
            later = {name for p in portions[index + 1 :] for name in p.inputs}
            wanted = [n for n in portion.outputs if n in later or n in fetches]
            given: Arrays = {n: known[n] for n in portion.inputs if n in known}
            given |= {n: _as(self.model.mapped(n), wide) for n in portion.weights}
            part = self.model.extract(given, wanted)
            proto = in_float64(part) if wide else part
            feeds = {i.name: given[i.name.removesuffix("/fed")] for i in proto.graph.input}
            known |= _run(_evaluator(proto), [o.name for o in proto.graph.output], feeds)
            known = {n: a for n, a in known.items() if n in later or n in fetches}
            given = feeds = {}
            gc.collect()  # evaluators refer to themselves
        return {n: known[n] for n in fetches if n in known}


def _identical(one: np.ndarray, other: np.ndarray) -> bool:
    return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()


def _as(array: np.ndarray, wide: bool) -> np.ndarray:
    return array.astype(np.float64) if wide and array.dtype.kind == "f" else array


def _evaluator(proto: onnx.ModelProto) -> Any:
    from onnx.reference import ReferenceEvaluator

    from .reference_contributed import CONTRIBUTED
    from .reference_operators import operators_for

    return ReferenceEvaluator(proto, new_ops=[*operators_for(opset_of(proto)), *CONTRIBUTED])


def _run(evaluator: Any, names: Sequence[str], feeds: Arrays) -> Arrays:
    with np.errstate(all="ignore"):
        values = evaluator.run(list(names), feeds)
    return {
        n.removesuffix("/fetched"): np.asarray(v)
        for n, v in zip(names, values, strict=False)
        if v is not None and not isinstance(v, (list, dict))
    }
