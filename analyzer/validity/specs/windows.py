"""Sliding windows: the arithmetic of convolution and pooling along one axis."""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.operators.windows import Window
from analyzer.validity.spec import Case, Category, Rule
from analyzer.validity.terms import Term, choose, floor_div, maximum

__all__ = ["Window"]

KERNEL_FITS = Rule(
    "kernel-fits",
    Category.ILLEGAL_SHAPE,
    "the kernel of {kernel}{dilated} does not fit the {axis} of {padded}{padding}",
    ("kernel_size", "padding", "dilation"),
)
POSITIVE_STRIDE = Rule(
    "positive-stride", Category.ILLEGAL_VALUE, "the stride is {stride}; it must be at least 1", ("stride",)
)
POSITIVE_KERNEL = Rule(
    "positive-kernel", Category.ILLEGAL_VALUE, "the kernel size is {kernel}; it must be at least 1", ("kernel_size",)
)
POSITIVE_DILATION = Rule(
    "positive-dilation", Category.ILLEGAL_VALUE, "the dilation is {dilation}; it must be at least 1", ("dilation",)
)
PADDING_SIGN = Rule(
    "padding-sign", Category.ILLEGAL_VALUE, "the padding is {padding}; it must not be negative", ("padding",)
)
STRIDE_EXCEEDS_KERNEL = Rule(
    "stride-exceeds-kernel",
    Category.ADVISORY,
    "stride {stride} is larger than the kernel of {kernel}, so that some of the input is never read",
    ("stride", "kernel_size"),
)
POSITIVE_OUTPUT = Rule(
    "positive-output", Category.ILLEGAL_SHAPE, "the {axis} of the result would be {size}", ("kernel_size", "padding")
)
INPUT_NOT_EMPTY = Rule("input-not-empty", Category.ILLEGAL_SHAPE, "the {axis} of the input is {size}")


def need_legal(case: Case, windows: Sequence[Window]) -> None:
    """Kernel, stride and dilation at least 1, paddings not negative."""
    for w in windows:
        case.require(POSITIVE_KERNEL, w.kernel >= 1, kernel=w.kernel)
        case.require(POSITIVE_STRIDE, w.stride >= 1, stride=w.stride)
        case.require(POSITIVE_DILATION, w.dilation >= 1, dilation=w.dilation)
        for padding in (w.before, w.after):
            case.require(PADDING_SIGN, padding >= 0, padding=padding)
    for w in windows:
        case.advise(STRIDE_EXCEEDS_KERNEL, w.stride > w.kernel, stride=w.stride, kernel=w.kernel)


def slide(
    case: Case,
    sizes: Sequence[Term],
    windows: Sequence[Window],
    axes: Sequence[str],
    *,
    ceil: bool = False,
) -> tuple[Term, ...]:
    """Output sizes of explicit padding: ⌊(n + p − d(k−1) − 1) / s⌋ + 1, each at least 1.

    With `ceil` the last window may hang over the end, but must start inside the input or its left padding.
    """
    result = []
    for size, w, axis in zip(sizes, windows, axes, strict=True):
        padded = size + w.before + w.after
        dilated = "" if is_one(w.dilation) else f" (dilation {w.dilation}, spanning {w.extent})"
        padding = "" if is_zero(w.before) and is_zero(w.after) else " (padding included)"
        if not ceil:
            facts = {"kernel": w.kernel, "dilated": dilated, "axis": axis, "padded": padded, "padding": padding}
            case.require(KERNEL_FITS, w.room(size) >= 0, **facts)
            result.append(w.positions(size, floor_div))
            continue
        count = w.positions_hanging_over(size, floor_div, choose)
        case.require(POSITIVE_OUTPUT, count >= 1, axis=axis, size=count)
        result.append(count)
    return tuple(result)


def slide_same(case: Case, sizes: Sequence[Term], windows: Sequence[Window], axes: Sequence[str]) -> tuple[Term, ...]:
    """Output sizes of ``same`` padding: ⌈n / s⌉."""
    result = []
    for size, w, axis in zip(sizes, windows, axes, strict=True):
        case.require(INPUT_NOT_EMPTY, size >= 1, axis=axis, size=size)
        result.append(w.positions_same(size, floor_div))
    return tuple(result)


def unslide(
    case: Case, sizes: Sequence[Term], windows: Sequence[Window], extra: Sequence[Term], axes: Sequence[str]
) -> tuple[Term, ...]:
    """Output sizes of a transposed convolution: s(n − 1) + d(k−1) + 1 − p + extra, each at least 1."""
    result = []
    for size, w, more, axis in zip(sizes, windows, extra, axes, strict=True):
        grown = w.spread(size, more)
        case.require(POSITIVE_OUTPUT, grown >= 1, axis=axis, size=grown)
        result.append(grown)
    return tuple(result)


def unslide_valid(sizes: Sequence[Term], windows: Sequence[Window]) -> tuple[Term, ...]:
    """Keras and TensorFlow, ``valid``: n s + max(d(k−1)+1 − s, 0)."""
    return tuple(n * w.stride + maximum(w.extent - w.stride, 0) for n, w in zip(sizes, windows, strict=True))


def is_one(value: Term) -> bool:
    return isinstance(value, int) and value == 1


def is_zero(value: Term) -> bool:
    return isinstance(value, int) and value == 0
