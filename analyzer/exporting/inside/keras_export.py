"""A Keras model (2 or 3, on any backend) -> a graph with Keras' layer names.

On TensorFlow the call is traced by ``tf.function``; on Torch the model is an ``nn.Module``; on JAX its architecture and
weights are saved, for they say all that there is to say unless a layer is the project's own.
"""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Iterator, Mapping
from typing import Any

from . import compiled_loss, creation
from .entry import Built
from .examples import array, concrete, match
from .failure import ExportFailure, Project, describe
from .tensorflow_export import export_function
from .tensorflow_signature import examples_of, parameters, spec_of


def export(built: Built, request: Mapping[str, Any], out: str, project: Project) -> dict[str, Any]:
    """Write the graph to `out`; returns what else there is to tell."""
    backend = _backend(built.model)
    if backend == "tensorflow":
        calls = _watch_calls(built.model)
        result = _with_tensorflow(built, request, out, project)
        result["scopes"] = dict(calls.scopes)
    elif backend == "torch":
        from . import torch_export

        if built.inputs is None and not request.get("inputs"):
            built.inputs, built.made_up = _example_inputs(built), True
        result = torch_export.export(built, request, out, project)
    else:
        result = _saved(built, request, out)
    result["classes"] = {path: type(layer).__name__ for path, layer in _layers(built.model)}
    places = {path: creation.place_of(layer) for path, layer in _layers(built.model)}
    result["created"] = {
        **{path: list(place) for path, place in places.items() if place is not None},
        **result.get("created", {}),
    }
    result.setdefault("versions", {})["keras backend"] = backend
    return result


def _backend(model: Any) -> str:
    import sys

    keras = sys.modules.get("keras")
    if any(c.__module__.startswith(("tf_keras", "tensorflow.python.keras")) for c in type(model).__mro__):
        return "tensorflow"
    backend = getattr(keras, "backend", None)
    return str(backend.backend()) if backend is not None and hasattr(backend, "backend") else "tensorflow"


def _with_tensorflow(built: Built, request: Mapping[str, Any], out: str, project: Project) -> dict[str, Any]:
    import tensorflow as tf

    model = built.model
    described: Mapping[str, Any] = request.get("inputs") or {}
    declared = _declared(model)
    if built.inputs is not None:
        structure: Any = built.inputs
    elif declared is not None:
        structure = None
    elif described:
        names = [n for n in parameters(model.call) if n not in ("training", "mask")]
        chosen = match(names or list(described), described)
        structure = dict.fromkeys(chosen)
    else:
        raise ExportFailure(
            f"{request['entry']}: the model {model.name!r} has not been built, so its inputs are unknown; return "
            "(model, inputs) or describe them under `inputs:` in the configuration",
            built.place,
        )
    notes = ["exported in inference mode (training=False)"]
    if structure is None:
        assert declared is not None
        names = [_name(t) for t in tf.nest.flatten(declared)]
        by_name = match(names, described)
        specs = [_declared_spec(t, n, by_name.get(n), tf) for t, n in zip(tf.nest.flatten(declared), names)]  # noqa: B905

        def call(*flat: Any) -> Any:
            return model(tf.nest.pack_sequence_as(declared, list(flat)), training=False)

        made = export_function(call, (tuple(specs), {}), ((), {}), built, request, out, project, notes, {})
        return {**made, **compiled_loss.exported(model, call, specs, made, out, tf)}
    items = list(structure.items()) if isinstance(structure, dict) else list(enumerate(structure))
    accepted = parameters(model.call)
    labels = [
        str(k) if isinstance(structure, dict) else (accepted[i] if i < len(accepted) else f"input_{i}")
        for i, (k, _) in enumerate(items)
    ]
    by_name = match(labels, described)
    flat_specs = [spec_of(n, v, by_name.get(n), request, tf) for n, (_, v) in zip(labels, items)]  # noqa: B905

    def call_with(*flat: Any) -> Any:
        if isinstance(structure, dict):
            named = dict(zip(structure, flat))  # noqa: B905
            if all(name in accepted for name in named):
                return model(**named, training=False) if "training" in accepted else model(**named)
            return _run(model, named, accepted)
        if len(flat) == 1:
            return _run(model, flat[0], accepted)
        if declared is not None:
            return _run(model, list(flat), accepted)
        return model(*flat)

    shown = examples_of(built.inputs, accepted, tf)
    values: tuple[Any, dict[str, Any]] = (tuple(value for _, value in items), {})
    signature: tuple[tuple[Any, ...], dict[str, Any]] = (tuple(flat_specs), {})
    made = export_function(call_with, signature, values, built, request, out, project, notes, shown)
    return {**made, **compiled_loss.exported(model, call_with, flat_specs, made, out, tf)}


def _run(model: Any, value: Any, accepted: list[str]) -> Any:
    return model(value, training=False) if "training" in accepted or hasattr(model, "layers") else model(value)


def _declared(model: Any) -> Any:
    """The structure of symbolic inputs of a functional or built sequential model, else None."""
    with contextlib.suppress(AttributeError, ValueError, RuntimeError):
        return model.input
    with contextlib.suppress(AttributeError, ValueError, RuntimeError, TypeError, IndexError):
        return model.inputs[0]  # all that a sequential model of Keras 3 has
    return None


def _name(tensor: Any) -> str:
    return str(tensor.name).split(":")[0]


def _declared_spec(tensor: Any, name: str, spec: Mapping[str, Any] | None, tf: Any) -> Any:
    dims = list(tensor.shape)
    wanted = (spec or {}).get("shape")
    if wanted is not None:
        if len(wanted) != len(dims) or any(isinstance(w, int) and d not in (None, w) for w, d in zip(wanted, dims)):  # noqa: B905
            raise ExportFailure(
                f"input {name!r}: the configuration says shape {list(wanted)}, the model was built for {dims}; "
                "correct one of them"
            )
        dims = [d if d is not None else (w if isinstance(w, int) else None) for w, d in zip(wanted, dims)]  # noqa: B905
    return tf.TensorSpec(dims, tf.dtypes.as_dtype(str(tensor.dtype)), name=name)


def _example_inputs(built: Built) -> tuple[Any, ...] | None:
    """Torch tensors for the symbolic inputs of a model on the Torch backend."""
    import torch

    declared = getattr(built.model, "inputs", None)
    if not declared:
        return None
    taken: dict[str, int] = {}
    found = []
    for seed, tensor in enumerate(declared):
        shape = [d if d is not None else f"axis{i}" for i, d in enumerate(tensor.shape)]
        spec = {"shape": concrete(shape, {}, taken), "dtype": str(tensor.dtype)}
        found.append(torch.from_numpy(array(_name(tensor), spec, {}, taken, seed)))
    return tuple(found) if len(found) == 1 else (found,)


def _saved(built: Built, request: Mapping[str, Any], out: str) -> dict[str, Any]:
    try:
        built.model.save(os.path.join(out, "model.keras"))
    except Exception as error:
        raise ExportFailure(
            f"{request['entry']}: Keras runs on JAX here and could not save the model: {describe(error)}; install "
            "TensorFlow or Torch beside it for the export",
            built.place,
        ) from error
    return {
        "format": "keras",
        "notes": ["Keras runs on JAX here: the graph was read from the saved architecture"],
        "versions": {"keras": str(__import__("keras").__version__)},
    }


def _layers(model: Any, prefix: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Layers below `model` by path (``encoder/conv``), those of nested models and of custom layers included."""
    children = getattr(model, "layers", None)
    if children is None:
        children = getattr(model, "_layers", None)
    for layer in list(children or []) if depth < 32 else []:
        name = getattr(layer, "name", None)
        if isinstance(name, str) and hasattr(layer, "call"):
            path = prefix + name
            yield path, layer
            yield from _layers(layer, path + "/", depth + 1)


class _Calls:
    """The name scope in which each layer's call ran: TensorFlow makes scopes unique by numbers of its own."""

    def __init__(self) -> None:
        self.scopes: dict[str, str] = {}

    def watch(self, path: str, layer: Any) -> None:
        import tensorflow as tf

        original = layer.call

        @functools.wraps(original)
        def noting(*args: Any, **kwargs: Any) -> Any:
            scope = tf.get_current_name_scope()
            if scope:
                self.scopes[scope] = path
            return original(*args, **kwargs)

        object.__setattr__(layer, "call", noting)


def _watch_calls(model: Any) -> _Calls:
    calls = _Calls()
    for path, layer in _layers(model):
        with contextlib.suppress(Exception):  # without the scope the layer is named by its scope alone
            calls.watch(path, layer)
    return calls
