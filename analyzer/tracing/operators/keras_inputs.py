"""What a Keras layer's `call` is given: `__call__` converts floating tensors and arrays to the layer's own type."""

from __future__ import annotations

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Instance, ListV, Value


def as_inputs(owner: Instance, given: Value) -> Value:
    """`given` as `call` sees it. The layer's type is float32 unless a policy says otherwise.

    Keras 3 converts every floating tensor and array in the arguments, Keras 2 those of the first: where the given type
    is another than float32, the type that `call` sees is left open.
    """
    if not any(base.startswith("keras.") for base in owner.cls.library_bases):
        return given
    return _converted(given)


def _converted(given: Value) -> Value:
    if isinstance(given, tuple) and type(given) is tuple:
        return tuple(map(_converted, given))
    if isinstance(given, ListV) and any(isinstance(item, Tensor) for item in given.items):
        return ListV([_converted(item) for item in given.items], given.open)
    if not isinstance(given, Tensor) or given.dtype not in ("float64", "float16", "bfloat16"):
        return given
    return Tensor(
        given.shape, None, given.framework, site=given.site, name=given.name, sources=(given,), graph=given.graph,
        tags=given.tags,
    )  # fmt: skip
