"""A Keras model as a whole: under another precision, with the weights of another build."""

from __future__ import annotations

import contextlib
import inspect
import json
import re
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .contract import Arrays, EngineError


def declare_precision(openvino: Any) -> None:
    """OpenVINO computes float32 in bfloat16 where the processor is fast at it, and Keras has no setting for that."""
    compile_model = openvino.compile_model

    def exactly(model: Any, device_name: str = "AUTO", config: Any = None) -> Any:
        return compile_model(model, device_name, {"INFERENCE_PRECISION_HINT": "f32", **(config or {})})

    openvino.compile_model = exactly


def keep_float64() -> None:
    """Outside TensorFlow, Keras turns results of float64 into float32, as JAX does by default: no oracle for float32.

    The table has no public switch; where a version of Keras has none, layers compute as that version does.
    """
    with contextlib.suppress(ImportError):
        from keras.src.backend.common import dtypes

        narrowing = getattr(dtypes, "BIT64_TO_BIT32_DTYPE", {})
        if "float64" in narrowing:
            narrowing["float64"] = "float64"


def read(path: Path) -> Any:
    """The model in a file. One that a newer Keras wrote is expected not to load here: no crash of this version."""
    import keras

    try:
        return keras.saving.load_model(str(path), compile=False)
    except (TypeError, ValueError) as error:
        saved = _saved_by(path)
        if saved is None or _order(saved) <= _order(keras.__version__):
            raise
        found = re.search(r"Exception encountered: (.*)", str(error))
        raise EngineError(
            "unsupported",
            f"Keras {keras.__version__} cannot read what Keras {saved} saved: {found[1] if found else error}",
        ) from error


def _saved_by(path: Path) -> str | None:
    """The version of Keras that a `.keras` file names."""
    try:
        with zipfile.ZipFile(path) as archive:
            return str(json.loads(archive.read("metadata.json"))["keras_version"])
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile):
        return None


def _order(version: str) -> tuple[int, ...]:
    return tuple(int(n) for n in re.findall(r"\d+", version)[:3])


def with_policy(model: Any, policy: str) -> Any:
    """The same architecture and weights under another dtype policy."""

    def change(value: Any) -> Any:
        if isinstance(value, dict):
            if value.get("class_name") == "DTypePolicy":
                return {**value, "config": {**value["config"], "name": policy}}
            layer = "trainable" in value and "batch_shape" not in value  # else an input, or a note on a tensor
            mine = policy if layer else "float32" if policy.startswith("mixed_") else policy
            return {k: mine if (k, v) == ("dtype", "float32") else change(v) for k, v in value.items()}
        if isinstance(value, (list, tuple)):
            return type(value)(change(v) for v in value)
        return value

    import keras

    own = {type(layer).__name__: type(layer) for layer in model._flatten_layers()}
    own = {name: kind for name, kind in own.items() if not kind.__module__.startswith("keras.")}
    with keras.saving.custom_object_scope(own):
        twin = type(model).from_config(change(model.get_config()))
    if model.weights and not twin.weights:
        twin.build(model.input_shape)
    twin.set_weights([np.asarray(as_array(w)) for w in model.weights])
    _finish(twin)
    return twin


def variables_of(model: Any) -> list[Any]:
    """All that a model computes with; generators of random numbers are not carried over."""
    return [v for v in model.variables if "seed_generator" not in path_of(v)]


def path_of(variable: Any) -> str:
    return str(getattr(variable, "path", variable.name))


def symbolically_called(model: Any, examples: Sequence[Any] | Mapping[str, Any]) -> Any:
    """A subclassed model as a functional one of a single layer, called on symbolic inputs like the examples.

    Raises `EngineError` where Keras cannot call it so: its code asks for values, or is another framework's.
    """
    import keras

    accepted = [name for name in inspect.signature(model.call).parameters if name not in ("training", "mask")]
    named = isinstance(examples, Mapping)
    labels = list(examples) if isinstance(examples, Mapping) else accepted
    values = list(examples.values()) if isinstance(examples, Mapping) else list(examples)
    arrays = [as_array(value) for value in values]
    if len(labels) < len(arrays) or any(array.ndim == 0 for array in arrays):
        raise EngineError("unreplayed", "a subclassed Keras model whose inputs have no names")
    symbols = [
        keras.Input(array.shape[1:], dtype=str(array.dtype), name=label)
        for label, array in zip(labels, arrays)  # noqa: B905
    ]
    try:
        results = model(**dict(zip(labels, symbols))) if named else model(*symbols)  # noqa: B905
        return keras.Model(symbols, results)
    except Exception as error:
        raise EngineError(
            "unreplayed", f"a subclassed Keras model that cannot be called symbolically ({error})"
        ) from error


def restore(model: Any, state: Arrays) -> None:
    """Give the model the weights of the build that was kept: by path, else (names may be numbered) by position."""
    variables = variables_of(model)
    by_path = {name.partition("/")[2]: array for name, array in state.items()}
    paths = [path_of(v) for v in variables]
    unique = len(by_path) == len(state) and len(set(paths)) == len(paths) and set(paths) == set(by_path)
    values = [by_path[p] for p in paths] if unique else list(state.values())
    if [tuple(v.shape) for v in variables] != [a.shape for a in values]:
        raise EngineError("unsupported", "the entry point builds other weights each time, so nothing can be compared")
    for variable, value in zip(variables, values):  # noqa: B905
        variable.assign(value)
    _finish(model)


def _finish(model: Any) -> None:
    """Normalization computes with constants that it derives from its variables when it is built or loaded."""
    import keras

    for layer in model._flatten_layers():
        if isinstance(layer, keras.layers.Normalization):
            layer.finalize_state()


def as_array(value: Any) -> np.ndarray:
    import keras

    array = np.asarray(keras.ops.convert_to_numpy(value))
    return array.astype(np.float32) if array.dtype.kind not in "biufcOSU" else array
