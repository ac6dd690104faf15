"""Variances as ``E[x²] - E[x]²``: negative by rounding alone, whatever the weights of the mean.

With weights w >= 0 whose sum is at most W, Cauchy and Schwarz give ``sum(w x)² <= W sum(w x²)``. The means may be
reductions, poolings or convolutions, one after another: what is linear with the same weights on both sides.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analyzer.numerical.domain.dims import Shape
from analyzer.numerical.domain.tensor import AbstractTensor, block_sizes, count
from analyzer.numerical.reduced_axes import reduction_axes
from analyzer.numerical.transfer.facts import over_everything
from analyzer.numerical.transfer.order import selected_alike
from analyzer.numerical.transfer.rounding import ACCUMULATED, FAST_CONVOLUTION, accumulation_unit, rounding_terms

DEPTH = 12  # operators between the squares and their mean: two convolutions with their paddings and reshapes


@dataclass(frozen=True, slots=True)
class Gap:
    """``means of squares >= square of the mean / (1 + scale) - error``, of the numbers that kernels compute.

    `most`: a bound of the mean's absolute value, which its interval need not know.
    """

    scale: float
    error: float
    most: float


def least_variance(mean_of_squares: AbstractTensor, square: AbstractTensor) -> float:
    """A lower bound of their difference; -inf where `square` is no square of the mean of what is squared."""
    mean = _squared(square)
    if mean is None or not square.dtype.is_float or mean_of_squares.nan or square.nan:
        return -np.inf
    gap = _gap(mean_of_squares, mean, DEPTH)
    if gap is None:
        return -np.inf
    largest, eps = min(gap.most, max(abs(mean.low), abs(mean.high))), float(square.dtype.eps)
    return -float(gap.error + largest * largest * (gap.scale + eps) * (1 + eps) + square.dtype.tiny)


def _squared(x: AbstractTensor) -> AbstractTensor | None:
    """What `x` is the square of."""
    origin = x.origin
    if origin is None or not origin.inputs or not isinstance(origin.inputs[0], AbstractTensor):
        return None
    name, first = origin.rule.name, origin.inputs[0]
    if name == "Square":
        return first
    if name == "Mul" and len(origin.inputs) == 2 and origin.inputs[1].key == first.key:
        return first
    return first if name == "Pow" and origin.inputs[1].low == origin.inputs[1].high == 2 else None


def _gap(a: AbstractTensor, b: AbstractTensor, depth: int) -> Gap | None:
    """How far `a`, some mean of squares, may lie below the square of `b`, the same mean of what is squared."""
    base = _squared(a)
    if base is not None and base.key == b.key:
        return Gap(2 * float(a.dtype.eps), float(a.dtype.tiny), max(abs(b.low), abs(b.high)))
    first, second = a.origin, b.origin
    if depth == 0 or first is None or second is None or first.rule is not second.rule or not first.inputs:
        return None
    x, y = first.inputs[0], second.inputs[0]
    if not isinstance(x, AbstractTensor) or not isinstance(y, AbstractTensor) or x.shape is None or x.shape != y.shape:
        return None
    if selected_alike(a, b) or (first.rule.name == "Pad" and _padded_alike(a, b)):
        return _gap(x, y, depth - 1)
    weighing = _weighing(a, b)
    if weighing is None:
        return None
    weight, roundings = weighing
    inner = _gap(x, y, depth - 1)
    if inner is None:
        return None
    whole = max(weight, 1.0)
    unit = max(float(a.dtype.eps), accumulation_unit(a.dtype)) * roundings
    unit += float(a.dtype.eps)  # the sum itself is rounded to the dtype
    top, most = max(abs(x.low), abs(x.high)), min(inner.most, max(abs(y.low), abs(y.high)))
    lost = unit * whole * most  # of the mean
    error = whole * inner.error + unit * whole * top + 2 * (whole * most + lost) * lost + float(a.dtype.tiny)
    return Gap((1 + inner.scale) * whole - 1, error, whole * most + lost)


def _padded_alike(a: AbstractTensor, b: AbstractTensor) -> bool:
    """Whether both are padded alike, with zeros or with elements of their own."""
    one, other = a.origin, b.origin
    run = one.context.run
    alike = run.attributes(one.context) == run.attributes(other.context) and a.shape == b.shape
    fill = [t for o in (one, other) for t in o.inputs[2:3] if t is not None]
    zero = all(t.low == 0 == t.high for t in fill)
    sizes = [[None if t is None else t.key for t in (*o.inputs[1:2], *o.inputs[3:])] for o in (one, other)]
    mode = one.context.attr("mode", "constant")
    return bool(alike and sizes[0] == sizes[1] and (mode != "constant" or (zero and not one.context.attr("value", 0))))


def _weighing(a: AbstractTensor, b: AbstractTensor) -> tuple[float, float] | None:
    """The most that the weights of a mean add up to, and the roundings of its sums; None if it is no such mean."""
    one, other = a.origin, b.origin
    context, name, x = one.context, one.rule.name, one.inputs[0]
    if context.run.attributes(context) != other.context.run.attributes(other.context):
        return None
    rest = [[None if t is None else t.key for t in o.inputs[1:]] for o in (one, other)]
    if name == "Conv":
        if [keys[:1] for keys in rest] != [rest[0][:1]] * 2 or context.is_tf:
            return None
        if any(t is not None and (t.low != 0 or t.high != 0) for o in (one, other) for t in o.inputs[2:]):
            return None
        weights = one.inputs[1]
        total = _most_in_a_window(weights)
        terms = _elements((weights.shape or ())[1:])
        return (total, rounding_terms(terms) + FAST_CONVOLUTION) if total is not None and terms else None
    if rest[0] != rest[1]:
        return None
    if name in ("AveragePool", "GlobalAveragePool"):
        terms = _elements(tuple(context.attr("kernel_shape") or ()) if name == "AveragePool" else (x.shape or ())[2:])
        return (1.0, rounding_terms(terms)) if terms else None
    if name == "ReduceMean":
        axes, _ = reduction_axes(context, x, one.inputs[1] if len(one.inputs) > 1 else None)
        which = tuple(range(x.rank or 0)) if axes is None else axes
        terms = _elements(tuple((x.shape or ())[i] for i in which)) if isinstance(which, tuple) else None
        return (1.0, rounding_terms(terms)) if terms else None
    return None


def _elements(shape: Shape) -> float | None:
    """How many elements a shape holds; None where that is not known."""
    least, most = count(shape)
    return most if least == most else None


def _shares(weights: AbstractTensor) -> float | None:
    """What the weights of a window add up to: they were divided by their own sum, and repeated for each channel."""
    each = _elements((weights.shape or ())[1:])
    current = weights
    for _ in range(DEPTH):
        origin = current.origin
        if origin is None or not origin.inputs or not isinstance(origin.inputs[0], AbstractTensor):
            return None
        source = origin.inputs[0]
        if origin.rule.name == "Div":
            kind, summed, axes, _ = origin.inputs[1].facts.get("reduced", ("", source, None, False))
            every = kind == "sum" and summed.key == source.key and over_everything(source, axes)
            known = each if every and source.shape is not None and _elements(source.shape) == each else None
            return 1.0 + known * ACCUMULATED + 4 * float(source.dtype.eps) if known and source.low >= 0 else None
        if origin.rule.name not in ("Unsqueeze", "Squeeze", "Reshape", "Transpose", "Expand", "Tile", "Identity"):
            return None
        if origin.rule.name in ("Expand", "Tile") and not _repeats_whole(source, current):
            return None
        if origin.rule.name in ("Reshape", "Transpose") and _elements(current.shape or (0,)) != each:
            return None  # what stood in one window may stand in several
        current = source
    return None


def _repeats_whole(source: AbstractTensor, result: AbstractTensor) -> bool:
    """Whether all of `source` is repeated along new or single leading axes."""
    if source.shape is None or result.shape is None:
        return False
    tail = [d for i, d in enumerate(source.shape) if d != 1 or i]
    return list(result.shape[len(result.shape) - len(tail) :]) == tail if tail else True


def _most_in_a_window(weights: AbstractTensor) -> float | None:
    """The most that the weights of one output channel add up to; None where one may be negative."""
    each = _elements((weights.shape or ())[1:])
    if weights.low < 0 or weights.nan or each is None:
        return None
    whole = _shares(weights)
    if whole is not None:
        return whole
    if weights.data is not None:
        data = np.asarray(weights.data, np.float64)
        return float(data.reshape(data.shape[0], -1).sum(1).max(initial=0.0))
    if weights.starts is None:
        return float(weights.high * each)
    high = np.asarray(weights.hi)
    for axis, (own, size) in enumerate(zip(weights.starts, weights.shape or (), strict=True)):
        if axis:
            high = high * block_sizes(own, size)[1].reshape([-1 if i == axis else 1 for i in range(high.ndim)])
    return float(high.reshape(high.shape[0], -1).sum(1).max(initial=0.0))
