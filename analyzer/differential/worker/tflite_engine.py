"""TensorFlow Lite files on the interpreter that TensorFlow brings along.

Tensors inside are called by their index and name; what a layer gives of the model that the file was made from has the
name it has there. A part of the model is a file of its own. Knob: ``threads``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .contract import KEPT, Arrays, EngineError, node, tensor
from .tflite_layers import LayerOutput, Made, matched
from .tflite_parts import Parts

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
        """With ``like`` (inputs, outputs and layers of another model) tensors get the names they have there."""
        content = (folder / model["path"]).read_bytes()
        foreign = foreign_operators(content)
        if foreign:
            raise EngineError("unsupported", f"it has operators of other libraries ({', '.join(foreign[:5])})")
        lite = self._open(content)
        given, made = _signed(lite)
        like = model.get("like") or {"inputs": [], "outputs": [], "layers": []}
        if model.get("like"):
            given = _renamed(given, [str(i["name"]) for i in like["inputs"]], "input")
            made = _renamed(made, [str(o) for o in like["outputs"]], "output")
        self.whole = Executable(lite, given, made)
        self.executables: dict[tuple[Any, ...], Executable] = {}
        self.parts = Parts(content)
        nodes = self._layers([LayerOutput(*each) for each in like["layers"]])
        return {
            "nodes": nodes,
            "inputs": [tensor(name, _kind(d), self.whole.sizes(d)) for name, d in given.items()],
            "outputs": list(made),
            "alive": list(self.indices),
            "dtypes": {},
            "notes": [],
            "steps": self.steps,
        }

    def _open(self, content: bytes) -> Any:
        import tensorflow as tf

        return tf.lite.Interpreter(model_content=content, num_threads=int(self.knobs["threads"] or 1))

    def _layers(self, layers: Sequence[LayerOutput]) -> list[dict[str, Any]]:
        """The operations between named tensors."""
        details = {int(d["index"]): d for d in self.whole.lite.get_tensor_details()}
        readers: dict[int, list[int]] = {}
        for _, inputs, made in self.parts.operations:
            for index in inputs:
                readers.setdefault(index, []).extend(made)
        inner = [
            Made(index, str(details[index]["name"]), _signature(details[index]), tuple(readers.get(index, ())))
            for _, _, made in self.parts.operations
            for index in made
        ]
        found = matched(inner, [each for each in layers if each.tensor not in self.whole.outputs])
        self.names = {each.index: f"{each.index}:{each.name}" for each in inner}
        self.names |= {index: each.tensor for index, each in found.items()}
        for name, d in (*self.whole.inputs.items(), *self.whole.outputs.items()):
            self.names[int(d["index"])] = name
        self.indices = {name: index for index, name in self.names.items()}
        kept = {name: (details[index], _quantized(details[index])) for name, index in self.indices.items()}
        limits = {name: np.iinfo(np.dtype(d["dtype"])) for name, (d, scale) in kept.items() if scale is not None}
        self.steps = {n: (*scale, int(limits[n].min), int(limits[n].max)) for n, (_, scale) in kept.items() if scale}
        ends = {each.tensor: each.layer for each in layers}
        return [
            node(
                str(details[made[0]]["name"]), code, [self.names[i] for i in inputs if i in self.names],
                [self.names[i] for i in made], layer=ends.get(self.names[made[0]], ""),
            )
            for code, inputs, made in self.parts.operations
        ]  # fmt: skip

    def weights(self) -> Mapping[str, np.ndarray]:
        return {}  # the interpreter maps the file and writes nothing into it

    def cut(self, inputs: Sequence[str], outputs: Sequence[str]) -> tuple[dict[str, Any], Arrays]:
        raise EngineError("unreplayed", "a part of a TensorFlow Lite file is for no script")

    def evaluate(self, feeds: Arrays, fetches: Sequence[str] | None) -> Arrays:
        names = list(self.whole.outputs) if fetches is None else list(fetches)
        if set(names) <= set(self.whole.outputs) and set(self.whole.inputs) <= set(feeds):
            found = self.whole.run(feeds)
            return {name: found[name] for name in names}
        if not set(names) <= set(self.indices):
            raise EngineError("unreplayed", "this part of a TensorFlow Lite file cannot be told from the others")
        inputs = [name for name in feeds if name in self.indices]
        fetched = [name for name in names if name not in feeds]
        part = self._part(tuple(inputs), tuple(fetched))
        return {**{name: feeds[name] for name in names if name in feeds}, **part.run(feeds)}

    def _part(self, inputs: tuple[str, ...], fetched: tuple[str, ...]) -> Executable:
        key = (inputs, fetched)
        if key not in self.executables:
            lite = self._open(self.parts.extract([self.indices[n] for n in inputs], [self.indices[n] for n in fetched]))
            while len(self.executables) >= KEPT:
                del self.executables[next(iter(self.executables))]
            given, made = lite.get_input_details(), lite.get_output_details()
            self.executables[key] = Executable(lite, dict(zip(inputs, given)), dict(zip(fetched, made)))  # noqa: B905
        return self.executables[key]


class Executable:
    """An interpreter with what it takes and gives. One for a single instance runs on each of many by itself."""

    def __init__(self, lite: Any, inputs: Mapping[str, Details], outputs: Mapping[str, Details]) -> None:
        self.lite, self.inputs, self.outputs = lite, inputs, outputs
        self.rows = all(len(d["shape"]) and d["shape"][0] == 1 for d in (*inputs.values(), *outputs.values()))

    def run(self, feeds: Arrays) -> Arrays:
        count = max((len(feeds[n]) for n in self.inputs if feeds[n].ndim), default=1)
        fixed = any(list(d["shape_signature"][:1]) != [-1] for d in self.inputs.values())
        if self.rows and fixed and count > 1:
            each = [self._once({n: feeds[n][i : i + 1] for n in self.inputs}) for i in range(count)]
            return {n: np.concatenate([one[n] for one in each]) for n in self.outputs}
        return self._once(feeds)

    def _once(self, feeds: Arrays) -> Arrays:
        lite = self.lite
        for name, details in self.inputs.items():
            lite.resize_tensor_input(details["index"], list(feeds[name].shape))
        lite.allocate_tensors()
        lite.reset_all_variables()
        for name, details in self.inputs.items():
            lite.set_tensor(details["index"], _stored(feeds[name], details))
        lite.invoke()
        return {n: _meant(lite.get_tensor(d["index"]), d) for n, d in self.outputs.items()}

    def sizes(self, details: Details) -> list[int | None]:
        """Sizes; None where the model, or running each instance by itself, leaves them open."""
        found = _signature(details)
        return [None, *found[1:]] if self.rows else found


def _signature(details: Details) -> list[int | None]:
    told = [int(s) for s in details["shape_signature"]] or [int(s) for s in details["shape"]]
    return [None if size < 0 else size for size in told]


def _signed(lite: Any) -> tuple[dict[str, Details], dict[str, Details]]:
    """Inputs and outputs under the names of the signature, where there is one, in its order."""
    own = {d["name"]: d for d in lite.get_input_details()}, {d["name"]: d for d in lite.get_output_details()}
    signatures = lite.get_signature_list()
    if not signatures:
        return own
    key = "serving_default" if "serving_default" in signatures else next(iter(signatures))
    runner = lite.get_signature_runner(key)
    given, made = dict(runner.get_input_details()), dict(runner.get_output_details())
    if all(re.fullmatch(r"output_\d+", name) for name in made):
        made = {name: made[name] for name in sorted(made, key=lambda n: int(n.rpartition("_")[2]))}
    for named, graph in zip((given, made), own):  # noqa: B905
        if not {(d["index"], d["name"]) for d in named.values()} <= {(d["index"], d["name"]) for d in graph.values()}:
            raise EngineError("unsupported", f"its signature {key} stands for another graph than its first")
    return given, made


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
        return np.asarray(array, dtype, order="C")
    limits = np.iinfo(dtype)  # type: ignore[type-var]
    whole: np.ndarray = np.clip(np.rint(array / parameters[0]) + parameters[1], limits.min, limits.max)
    return whole.astype(dtype)


def _meant(array: np.ndarray, details: Details) -> np.ndarray:
    """The real numbers that a tensor holds."""
    parameters = _quantized(details)
    if parameters is None:
        return np.array(array)
    return ((array.astype(np.float64) - parameters[1]) * parameters[0]).astype(np.float32)
