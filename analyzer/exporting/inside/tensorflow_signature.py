"""What a TensorFlow model is called with: its ``TensorSpec`` and its examples, by the names of the placeholders."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from .entry import Built
from .examples import array, check, match
from .failure import ExportFailure


def callable_of(model: Any) -> Any:
    if callable(model):
        return model
    for name in ("call", "forward", "predict", "serve"):
        if callable(getattr(model, name, None)):
            return getattr(model, name)
    raise ExportFailure(f"a {type(model).__name__} that cannot be called; give it a __call__ method")


def signature_of(built: Built, request: Mapping[str, Any], tf: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Positional and keyword ``TensorSpec``: from the examples, or from the configuration alone."""
    described: Mapping[str, Any] = request.get("inputs") or {}
    names = parameters(callable_of(built.model))
    if built.inputs is None:
        stated = getattr(built.model, "input_signature", None)
        if not described and stated:
            return tuple(stated), {}
        if not described:
            raise ExportFailure(
                f"{request['entry']}: gives a callable without example inputs; return (callable, inputs) or describe "
                "them under `inputs:` in the configuration",
                built.place,
            )
        chosen = match(names or list(described), described)
        specs = {name: spec_of(name, None, spec, request, tf) for name, spec in chosen.items()}
        return (tuple(specs.values()), {}) if list(specs) == names[: len(specs)] or not names else ((), specs)
    if isinstance(built.inputs, dict):
        by_name = match(list(built.inputs), described)
        return (), {k: spec_of(k, v, by_name.get(k), request, tf) for k, v in built.inputs.items()}
    labels = names + [f"input_{i}" for i in range(len(names), len(built.inputs))]
    by_name = match(labels[: len(built.inputs)], described)
    return tuple(spec_of(labels[i], v, by_name.get(labels[i]), request, tf) for i, v in enumerate(built.inputs)), {}


def spec_of(name: str, example: Any, spec: Mapping[str, Any] | None, request: Mapping[str, Any], tf: Any) -> Any:
    """A ``TensorSpec`` with None where the configuration has a symbol; structures keep their form."""
    if isinstance(example, (tuple, list)) and not hasattr(example, "shape"):
        return type(example)(spec_of(f"{name}_{i}", v, None, request, tf) for i, v in enumerate(example))
    if isinstance(example, dict):
        return {k: spec_of(f"{name}_{k}", v, None, request, tf) for k, v in example.items()}
    if isinstance(example, (bool, str)) or (isinstance(example, int) and not hasattr(example, "shape")):
        return example  # a Python value shapes the trace, it is no input
    label = _label(name)
    if example is None:
        if not spec or spec.get("shape") is None:
            array(name, spec or {}, {}, {})  # says what is missing
        assert spec is not None
        dims = [d if isinstance(d, int) else None for d in spec["shape"]]
        return tf.TensorSpec(dims, tf.dtypes.as_dtype(str(spec.get("dtype") or "float32")), name=label)
    if isinstance(example, tf.TensorSpec):
        return tf.TensorSpec(example.shape, example.dtype, name=example.name or label)
    value = tf.convert_to_tensor(example)
    check(name, tuple(value.shape.as_list()), spec)
    wanted = (spec or {}).get("shape") or value.shape.as_list()
    return tf.TensorSpec([d if isinstance(d, int) else None for d in wanted], value.dtype, name=label)


def _label(name: str) -> str:
    """What TensorFlow takes as the name of a placeholder."""
    label = "".join(c if c.isalnum() or c in "._-" else "_" for c in name)
    return label if label[:1].isalpha() else "x" + label


def examples_of(inputs: Any, names: Sequence[str], tf: Any) -> dict[str, Any]:
    """Example tensors by the names that `spec_of` gives their placeholders; none for a name that occurs twice."""
    items = inputs.items() if isinstance(inputs, dict) else enumerate(inputs or ())
    stack = [(k if isinstance(k, str) else names[k] if k < len(names) else f"input_{k}", v) for k, v in items]
    found: dict[str, list[Any]] = {}
    while stack:
        name, value = stack.pop()
        if isinstance(value, dict):
            stack += [(f"{name}_{k}", v) for k, v in value.items()]
        elif isinstance(value, (tuple, list)) and not hasattr(value, "shape"):
            stack += [(f"{name}_{i}", v) for i, v in enumerate(value)]
        elif not isinstance(value, (bool, str, tf.TensorSpec)) and value is not None:
            found.setdefault(_label(name), []).append(value)
    return {label: values[0] for label, values in found.items() if len(values) == 1}


def parameters(function: Any) -> list[str]:
    """Names of the positional parameters of a callable, `self` left out."""
    target = getattr(function, "python_function", function)
    if not inspect.isroutine(target) and not inspect.isclass(target):
        target = type(target).__call__ if callable(target) else target
    try:
        found = inspect.signature(target).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p.name for p in found if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.name != "self"]
