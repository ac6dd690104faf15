"""``onnx.reference``: the specification as NumPy code. Knob ``precision`` (float32 as declared, float64 as oracle)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .contract import Arrays
from .onnx_model import FLOATS, OnnxModel, in_float64, opset_of


class Reference:
    def __init__(self, knobs: Mapping[str, Any]) -> None:
        self.knobs = {"precision": "float32", **knobs}

    def fingerprint(self) -> dict[str, Any]:
        import onnx

        return {"versions": {"onnx": onnx.__version__}, "device": "cpu"}

    def load(self, model: dict[str, Any], folder: Path) -> dict[str, Any]:
        self.model = OnnxModel(folder / model["path"])
        description = self.model.describe()
        if self.knobs["precision"] == "float64":
            self.model.proto = in_float64(self.model.proto)
            graph = self.model.proto.graph
            self.model.initializers = {i.name: i for i in graph.initializer}
            self.model.declared = {i.name: i for i in graph.input if i.name not in self.model.initializers}
            self.model.types = {v.name: v for v in (*graph.value_info, *graph.input, *graph.output)}
        self.half = any(i.data_type in FLOATS[1:] for i in self.model.initializers.values())
        return description

    def weights(self) -> Mapping[str, np.ndarray]:
        return self.model.weights()

    def cut(self, inputs: Sequence[str], outputs: Sequence[str]) -> tuple[dict[str, Any], Arrays]:
        return self.model.cut(inputs, outputs)

    def evaluate(self, feeds: Arrays, fetches: Sequence[str] | None) -> Arrays:
        from onnx.reference import ReferenceEvaluator

        from .reference_operators import operators_for

        if self.knobs["precision"] == "float64":
            feeds = {n: a.astype(np.float64) if a.dtype.kind == "f" else a for n, a in feeds.items()}
        if fetches is None and self.model.needs_carriers:
            fetches = self.model.outputs
        if fetches is None:
            proto = self.model.proto
            names = self.model.outputs
        else:
            proto = self.model.extract(feeds, fetches)
            names = [o.name for o in proto.graph.output]
            feeds = {i.name: feeds[i.name.removesuffix("/fed")] for i in proto.graph.input}
        evaluator = ReferenceEvaluator(proto, new_ops=operators_for(opset_of(proto)))
        with np.errstate(all="ignore"):
            values = evaluator.run(names, feeds)
        return {
            n.removesuffix("/fetched"): np.asarray(v)
            for n, v in zip(names, values, strict=False)
            if v is not None and not isinstance(v, (list, dict))
        }
