"""TensorFlow Lite files on the interpreter that TensorFlow brings along. No tensor inside of a model is handed out.

Knob: ``threads``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .contract import Arrays, EngineError, tensor

Details = Mapping[str, Any]  # of one tensor, as the interpreter tells them


class TensorFlowLite:
    def __init__(self, knobs: Mapping[str, Any]) -> None:
        self.knobs = {"threads": 0, **knobs}

    def fingerprint(self) -> dict[str, Any]:
        import tensorflow as tf

        if not hasattr(tf, "lite"):
            raise EngineError("missing", f"TensorFlow {tf.__version__} has no TensorFlow Lite")
        return {"versions": {"tensorflow": str(tf.__version__)}, "device": "cpu"}

    def load(self, model: dict[str, Any], folder: Path) -> dict[str, Any]:
        """With ``like`` (inputs and outputs of another model's description) tensors get the names they have there."""
        import tensorflow as tf

        path = folder / model["path"]
        foreign = foreign_operators(path.read_bytes())
        if foreign:
            raise EngineError("unsupported", f"it has operators of other libraries ({', '.join(foreign[:5])})")
        self.interpreter = tf.lite.Interpreter(model_path=str(path), num_threads=int(self.knobs["threads"] or 1))
        given, made = self._named()
        like = model.get("like")
        if like is not None:
            given = _renamed(given, [str(i["name"]) for i in like["inputs"]], "input")
            made = _renamed(made, [str(o) for o in like["outputs"]], "output")
        self.inputs, self.outputs = given, made
        # A model for one instance runs on each of many by itself.
        self.rows = all(len(d["shape"]) and d["shape"][0] == 1 for d in (*given.values(), *made.values()))
        return {
            "nodes": [],
            "inputs": [tensor(name, _kind(d), self._sizes(d)) for name, d in given.items()],
            "outputs": list(made),
            "alive": None,
            "dtypes": {},
            "notes": [],
            "replayable": False,
        }

    def weights(self) -> Mapping[str, np.ndarray]:
        return {}  # the interpreter maps the file and writes nothing into it

    def cut(self, inputs: Sequence[str], outputs: Sequence[str]) -> tuple[dict[str, Any], Arrays]:
        raise EngineError("unreplayed", "TensorFlow Lite hands out no part of a model")

    def evaluate(self, feeds: Arrays, fetches: Sequence[str] | None) -> Arrays:
        names = list(self.outputs) if fetches is None else list(fetches)
        if not set(names) <= set(self.outputs) or not set(self.inputs) <= set(feeds):
            raise EngineError("unreplayed", "TensorFlow Lite takes the model's inputs and gives its outputs alone")
        count = max((len(feeds[n]) for n in self.inputs if feeds[n].ndim), default=1)
        fixed = any(list(d["shape_signature"][:1]) != [-1] for d in self.inputs.values())
        if self.rows and fixed and count > 1:
            each = [self._once({n: feeds[n][i : i + 1] for n in self.inputs}, names) for i in range(count)]
            return {n: np.concatenate([one[n] for one in each]) for n in names}
        return self._once(feeds, names)

    def _once(self, feeds: Arrays, names: Sequence[str]) -> Arrays:
        lite = self.interpreter
        for name, details in self.inputs.items():
            lite.resize_tensor_input(details["index"], list(feeds[name].shape))
        lite.allocate_tensors()
        lite.reset_all_variables()
        for name, details in self.inputs.items():
            lite.set_tensor(details["index"], _stored(feeds[name], details))
        lite.invoke()
        return {n: _meant(lite.get_tensor(self.outputs[n]["index"]), self.outputs[n]) for n in names}

    def _sizes(self, details: Details) -> list[int | None]:
        """Sizes; None where the model, or running each instance by itself, leaves them open."""
        signature = [int(s) for s in details["shape_signature"]] or [int(s) for s in details["shape"]]
        sizes: list[int | None] = [None if size < 0 else size for size in signature]
        return [None, *sizes[1:]] if self.rows else sizes

    def _named(self) -> tuple[dict[str, Details], dict[str, Details]]:
        """Inputs and outputs under the names of the signature, where there is one, in its order."""
        lite = self.interpreter
        signatures = lite.get_signature_list()
        if signatures:
            key = "serving_default" if "serving_default" in signatures else next(iter(signatures))
            runner = lite.get_signature_runner(key)
            given, made = dict(runner.get_input_details()), dict(runner.get_output_details())
            if all(re.fullmatch(r"output_\d+", name) for name in made):
                made = {name: made[name] for name in sorted(made, key=lambda n: int(n.rpartition("_")[2]))}
            return given, made
        return {d["name"]: d for d in lite.get_input_details()}, {d["name"]: d for d in lite.get_output_details()}


def foreign_operators(content: bytes) -> list[str]:
    """Names of the operators that are not TensorFlow Lite's own; those of TensorFlow (``Flex…``) may touch files."""
    from tensorflow.lite.python import schema_py_generated as schema

    model = schema.Model.GetRootAs(bytearray(content), 0)
    codes = [model.OperatorCodes(index).CustomCode() for index in range(model.OperatorCodesLength())]
    return sorted({code.decode("utf-8", "replace") for code in codes if code})


def _renamed(found: Mapping[str, Details], names: Sequence[str], what: str) -> dict[str, Details]:
    """`found` under the other model's `names`: by name, or in order."""
    if set(found) == set(names):
        return {name: found[name] for name in names}
    if len(found) != len(names):
        raise EngineError("unsupported", f"it has {len(found)} {what}s and the other model {len(names)}")
    if what == "input" and len(names) > 1:
        raise EngineError("unsupported", f"its inputs are {', '.join(found)}, the other model's {', '.join(names)}")
    return dict(zip(names, found.values()))  # noqa: B905


def _quantized(details: Details) -> tuple[float, int] | None:
    """Scale and zero point of a tensor that stands for real numbers."""
    parameters = details["quantization_parameters"]
    whole = np.dtype(details["dtype"]).kind in "iu" and len(parameters["scales"]) == 1
    return (float(parameters["scales"][0]), int(parameters["zero_points"][0])) if whole else None


def _kind(details: Details) -> str:
    return "float32" if _quantized(details) else np.dtype(details["dtype"]).name


def _stored(array: np.ndarray, details: Details) -> np.ndarray:
    """Real numbers as the tensor holds them."""
    dtype, parameters = np.dtype(details["dtype"]), _quantized(details)
    if parameters is None:
        return np.ascontiguousarray(array, dtype)
    limits = np.iinfo(dtype)  # type: ignore[type-var]
    whole: np.ndarray = np.clip(np.rint(array / parameters[0]) + parameters[1], limits.min, limits.max)
    return whole.astype(dtype)


def _meant(array: np.ndarray, details: Details) -> np.ndarray:
    """The real numbers that a tensor holds."""
    parameters = _quantized(details)
    if parameters is None:
        return np.array(array)
    return ((array.astype(np.float64) - parameters[1]) * parameters[0]).astype(np.float32)
