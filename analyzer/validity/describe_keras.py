"""A saved Keras model as a layer-level description, from its configuration alone: nothing is imported or executed."""

from __future__ import annotations

import inspect
import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from analyzer.problem import TargetProblem
from analyzer.validity.architecture import Architecture, ModelLayer
from analyzer.validity.registry import spec
from analyzer.validity.spec import TensorType
from analyzer.validity.terms import symbol

MAX_CONFIG = 64 << 20  # bytes of JSON


def architecture_of_keras(path: Path) -> Architecture | None:
    """The architecture of a ``.keras`` archive; None when its structure is not Sequential or Functional.

    Raises TargetProblem when the archive is damaged.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            info = archive.getinfo("config.json")
            if info.file_size > MAX_CONFIG:
                raise TargetProblem(f"{path.name}: its config.json is larger than 64 MiB; this is not a Keras model.")
            config = json.loads(archive.read(info))
    except (OSError, KeyError, ValueError, zipfile.BadZipFile):
        raise TargetProblem(f"{path.name} is not a readable Keras archive; save it again with model.save().") from None
    return describe_config(config)


def describe_config(config: Mapping[str, Any]) -> Architecture | None:
    """The architecture of a serialised Keras model configuration."""
    kind, body = config.get("class_name"), config.get("config", {})
    if kind == "Sequential":
        return _sequential(body)
    if kind in ("Functional", "Model"):
        return _functional(body)
    return None


def _input_type(shape: Any, dtype: Any) -> TensorType:
    dims = tuple(symbol("batch", 1) if d is None and i == 0 else d for i, d in enumerate(shape))
    return TensorType(dims, dtype if isinstance(dtype, str) else "float32")


def hyperparameters_of(class_name: str, config: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes of a layer that its refinement type knows."""
    found = spec(class_name, "keras")
    if found is None:
        return {}
    known = found.defaults
    open_ended = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in found.parameters.values())
    picked = {k: tuple(v) if isinstance(v, list) else v for k, v in config.items() if k in known}
    return {k: v for k, v in picked.items() if open_ended or not isinstance(v, dict)}


def _sequential(body: Mapping[str, Any]) -> Architecture | None:
    inputs: dict[str, TensorType] = {}
    layers: list[ModelLayer] = []
    previous = ""
    for item in body.get("layers", ()):
        kind, config = item["class_name"], item.get("config", {})
        name = str(config.get("name", kind))
        if kind == "InputLayer":
            shape = config.get("batch_shape") or config.get("batch_input_shape")
            inputs[name] = _input_type(shape, config.get("dtype"))
            previous = name
            continue
        if not previous:
            shape = (item.get("build_config") or {}).get("input_shape") or config.get("batch_input_shape")
            if not shape:
                return None
            previous = "input"
            inputs[previous] = _input_type(shape, "float32")
        layers.append(_layer(kind, config, name, (previous,)))
        previous = name
    return Architecture("keras", inputs, tuple(layers))


def _layer(kind: str, config: Mapping[str, Any], name: str, inputs: Sequence[str]) -> ModelLayer:
    outputs = (name, *(f"{name}:{i}" for i in range(1, 8)))
    if kind == "Bidirectional" and isinstance(config.get("layer"), dict):
        inner = config["layer"]
        attributes = hyperparameters_of(inner["class_name"], inner.get("config", {}))
        if spec(inner["class_name"], "keras") is not None:
            attributes |= {"bidirectional": True, "merge_mode": config.get("merge_mode")}
            return ModelLayer(name, inner["class_name"], "keras", tuple(inputs), outputs, attributes)
    return ModelLayer(name, kind, "keras", tuple(inputs), outputs, hyperparameters_of(kind, config))


def _functional(body: Mapping[str, Any]) -> Architecture | None:
    inputs: dict[str, TensorType] = {}
    layers: list[ModelLayer] = []
    for item in body.get("layers", ()):
        kind, config = item["class_name"], item.get("config", {})
        name = str(item.get("name") or config.get("name"))
        if kind == "InputLayer":
            shape = config.get("batch_shape") or config.get("batch_input_shape")
            inputs[name] = _input_type(shape, config.get("dtype"))
            continue
        calls = item.get("inbound_nodes", [])
        for number, call in enumerate(calls):
            operands = list(_operands(call))
            called = name if number == 0 else f"{name}@{number}"
            layers.append(_layer(kind, config, called, operands))
    return Architecture("keras", inputs, _ordered(layers, set(inputs)))


def _operands(call: Any) -> Any:
    """Names of the tensors of one call, in Keras 3's (``keras_history``) or Keras 2's (nested lists) form."""
    if isinstance(call, dict):
        if "keras_history" in call.get("config", {}) if isinstance(call.get("config"), dict) else False:
            layer, node, tensor = call["config"]["keras_history"]
            base = layer if node == 0 else f"{layer}@{node}"
            yield base if tensor == 0 else f"{base}:{tensor}"
            return
        for part in call.get("args", ()):
            yield from _operands(part)
    elif isinstance(call, list):
        if len(call) >= 3 and isinstance(call[0], str) and isinstance(call[1], int) and isinstance(call[2], int):
            base = call[0] if call[1] == 0 else f"{call[0]}@{call[1]}"
            yield base if call[2] == 0 else f"{base}:{call[2]}"
            return
        for part in call:
            yield from _operands(part)


def _ordered(layers: Sequence[ModelLayer], known: set[str]) -> tuple[ModelLayer, ...]:
    """Layers after what they read; the rest, if the graph is not closed, stays in its order."""
    pending, done = list(layers), []
    while pending:
        ready = [layer for layer in pending if all(i in known for i in layer.inputs)]
        if not ready:
            done.extend(pending)
            break
        for layer in ready:
            known.update(layer.outputs)
        done.extend(ready)
        pending = [layer for layer in pending if layer not in ready]
    return tuple(done)
