"""TensorFlow's windows larger than the input: nothing of use when run eagerly, and not always a complaint.

A graph refuses them, and so do `Sequential`, functional models and `fit`, which infer the shapes of a graph first. An
average pool gives an empty tensor. A max pool is refused by the kernels of oneDNN, which TensorFlow takes by itself on
processors with AVX-512 VNNI or AMX (`TF_ENABLE_ONEDNN_OPTS` decides otherwise), and gives an empty tensor elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.operators.operands import unknown_tensor
from analyzer.tracing.operators.table import Op
from analyzer.tracing.paths.problems import Diagnostic


def empty_pool(
    op: Op, source: Tensor | None, window: Sequence[Any], steps: Sequence[Any], padding: Any, first: int
) -> Tensor | None:
    """The result of an eager pool over the axes from `first` on that has no output; None where it is an ordinary one.

    The kernel computes (n - k + s) / s in C, so a window larger than n + 2s - 1 is refused all the same.
    """
    if source is None or source.dims is None or source.graph or op.tr.compiled or not isinstance(padding, str):
        return None
    sizes = source.dims[first : first + len(window)]
    if len(sizes) != len(window) or not all(isinstance(n, int) for n in (*sizes, *window, *steps)):
        return None
    if padding.lower() != "valid":
        if 0 not in sizes or "max" in op.short.lower():
            return None
        return _pooled(source, first, [-(-n // s) for n, s in zip(sizes, steps, strict=True)], op)
    if any(n - k + 2 * s <= 0 for n, k, s in zip(sizes, window, steps, strict=True)):
        return None
    if all(n >= k for n, k in zip(sizes, window, strict=True)):
        return None
    result = _pooled(
        source, first, [max((n - k + s) // s, 0) for n, k, s in zip(sizes, window, steps, strict=True)], op
    )
    if "max" in op.short.lower():
        _report(
            op,
            f"the window of {show_shape(window)} is larger than the input {show_shape(sizes)}; on processors with "
            "AVX-512 VNNI TensorFlow's kernels refuse it, on others they give an empty tensor",
        )
        return unknown_tensor(op, "tf")
    op.tr.advise(
        "tracing/empty-result",
        f"{op.layer or op.short}: the window of {show_shape(window)} is larger than the input {show_shape(sizes)}; "
        f"TensorFlow gives an empty tensor of shape {show_shape(result.dims or ())} without complaint",
        op.where,
        op.name,
    )
    return result


def useless_convolution(op: Op, source: Tensor, weight: Tensor, steps: Sequence[Any], padding: str) -> bool:
    """Whether an eager convolution of `tf.nn` (channels last) has no output and says nothing of it.

    What the kernel then gives is no convolution: with oneDNN it is the input.
    """
    dims, kernel = source.dims or (), weight.dims or ()
    if source.graph or op.tr.compiled or padding.lower() != "valid" or len(dims) != len(kernel):
        return False
    sizes, windows = dims[1:-1], kernel[:-2]
    if len(steps) != len(dims) or not all(isinstance(n, int) for n in (*sizes, *windows, *steps[1:-1])):
        return False
    rows = list(zip(sizes, windows, steps[1:-1], strict=True))
    if any(n - k + 2 * s <= 0 for n, k, s in rows) or all(n >= k for n, k, _ in rows):
        return False
    _report(
        op,
        f"the kernel of {show_shape(windows)} is larger than the input {show_shape(sizes)}; TensorFlow gives a tensor "
        "without meaning and does not complain",
    )
    return True


def _report(op: Op, message: str) -> None:
    """A warning, not an error: what follows depends on how TensorFlow was built and on the processor."""
    op.tr.report(
        Diagnostic(
            "tracing/empty-result",
            "warning",
            f"{op.layer or op.short}: {message}",
            op.where,
            op.name,
            certain=op.tr.certain,
        )
    )


def _pooled(source: Tensor, first: int, sizes: Sequence[int], op: Op) -> Tensor:
    dims = source.dims or ()
    changed = (*dims[:first], *sizes, *dims[first + len(sizes) :])
    return Tensor(changed, source.dtype, "tf", site=op.where, sources=(source,))


def empty_pool_layer(op: Op, source: Tensor | None, arguments: dict[str, Any]) -> Tensor | None:
    """The same for `keras.layers.AveragePooling1D` to `3D` and `MaxPooling1D` to `3D`."""
    axes = int(op.short[-2])
    window = _each(arguments.get("pool_size", 2), axes)
    strides = arguments.get("strides")
    steps = window if strides is None else _each(strides, axes)
    last = arguments.get("data_format") in (None, "channels_last")
    if window is None or steps is None or source is None or source.dims is None or len(source.dims) != axes + 2:
        return None
    return empty_pool(op, source, window, steps, arguments.get("padding", "valid"), 1 if last else 2)


def _each(value: Any, axes: int) -> tuple[Any, ...] | None:
    if isinstance(value, int):
        return (value,) * axes
    return value if isinstance(value, tuple) and len(value) == axes else None
