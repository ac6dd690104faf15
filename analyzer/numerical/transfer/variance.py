"""Variances as ``E[x²] - E[x]²``: negative by rounding alone, whatever the weights of the mean.

With weights w >= 0 whose sum is at most W, Cauchy and Schwarz give ``sum(w x)² <= W sum(w x²)``. The means may be
reductions, poolings or convolutions, one after another: what is linear with the same weights on both sides. Of two
variables at once, ``E[x² + y²] - (E[x]² + E[y]²)``, the same holds of each.
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
from analyzer.operators.declaration import RESHAPES

Squared = tuple[AbstractTensor, ...]  # one variable, or two
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
    means = _all_squared(square)
    if not means or not square.dtype.is_float or mean_of_squares.nan or square.nan:
        return -np.inf
    gap = _gap(mean_of_squares, means, DEPTH)
    if gap is None:
        return -np.inf
    eps, added = float(square.dtype.eps), 1 + float(square.dtype.eps) * (len(means) - 1)
    largest = sum(min(gap.most, max(abs(m.low), abs(m.high))) ** 2 for m in means)
    slack = gap.scale + eps * len(means)
    return -float(gap.error + largest * slack * (1 + eps) * added + len(means) * square.dtype.tiny)


def _all_squared(x: AbstractTensor) -> Squared:
    """What `x` is the square of, or of which two it is the sum of squares."""
    one = _squared(x)
    if one is not None:
        return (one,)
    if x.origin is None or x.origin.rule.name != "Add" or len(x.origin.inputs) != 2:
        return ()
    both = tuple(_squared(t) if isinstance(t, AbstractTensor) and t.shape == x.shape else None for t in x.origin.inputs)
    return tuple(t for t in both if t is not None) if None not in both else ()


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


def _gap(a: AbstractTensor, means: Squared, depth: int) -> Gap | None:
    """How far `a`, some mean of squares, may lie below the squares of `means`, the same means of what is squared."""
    base = _all_squared(a)
    if base and sorted(t.key for t in base) == sorted(t.key for t in means):
        times = len(means)
        most = max(max(abs(t.low), abs(t.high)) for t in means)
        return Gap(2 * times * float(a.dtype.eps), times * float(a.dtype.tiny), most)
    first = a.origin
    if depth == 0 or first is None or not first.inputs or not isinstance(first.inputs[0], AbstractTensor):
        return None
    x, inner_means = first.inputs[0], tuple(t for m in means if (t := _operand_alike(a, m)) is not None)
    if len(inner_means) < len(means):
        return None
    if all(_moved_alike(a, m) for m in means):
        return _gap(x, inner_means, depth - 1)
    weighings = [_weighing(a, m) for m in means]
    weighing = weighings[0]
    if weighing is None or any(w != weighing for w in weighings):
        return None
    weight, roundings = weighing
    inner = _gap(x, inner_means, depth - 1)
    if inner is None:
        return None
    whole = max(weight, 1.0)
    unit = max(float(a.dtype.eps), accumulation_unit(a.dtype)) * roundings
    unit += float(a.dtype.eps)  # the sum itself is rounded to the dtype
    top = max(abs(x.low), abs(x.high))
    most = min(inner.most, max(max(abs(y.low), abs(y.high)) for y in inner_means))
    lost = unit * whole * most  # of each mean
    of_means = len(means) * 2 * (whole * most + lost) * lost
    error = whole * inner.error + unit * whole * top + of_means + float(a.dtype.tiny)
    return Gap((1 + inner.scale) * whole - 1, error, whole * most + lost)


def _operand_alike(a: AbstractTensor, b: AbstractTensor) -> AbstractTensor | None:
    """What `b` is made of, by the operator that makes `a` of something of the same shape."""
    first, second = a.origin, b.origin
    if first is None or second is None or first.rule is not second.rule:
        return None
    x, y = first.inputs[0], second.inputs[0]
    alike = isinstance(x, AbstractTensor) and isinstance(y, AbstractTensor) and x.shape is not None
    return y if alike and x.shape == y.shape else None


def _moved_alike(a: AbstractTensor, b: AbstractTensor) -> bool:
    """Whether both hold the same places of their operands, or zeros."""
    rule = a.origin.rule
    reshaped = rule.operator.traits & RESHAPES and a.shape is not None and a.shape == b.shape
    return bool(reshaped) or selected_alike(a, b) or (rule.name == "Pad" and _padded_alike(a, b))


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
    if name == "Conv" and context.is_tf:
        kernel = one.inputs[1]
        if context.op != "DepthwiseConv2dNative" or rest[0] != rest[1]:
            return None
        total, terms = _shares(kernel, (0, 1)), _elements((kernel.shape or ())[:2])
        if kernel.data is not None and kernel.low >= 0 and not kernel.nan:
            total = float(np.asarray(kernel.data, np.float64).sum((0, 1)).max(initial=0.0))
        return (total, rounding_terms(terms) + FAST_CONVOLUTION) if total is not None and terms else None
    if name == "Conv":
        if [keys[:1] for keys in rest] != [rest[0][:1]] * 2:
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


def _shares(weights: AbstractTensor, window: tuple[int, ...] | None = None) -> float | None:
    """What the weights of a window add up to: a softmax, or divided by their own sum, and repeated for each channel.

    `window`: the axes along which it lies; by default all but the first.
    """
    shape = weights.shape or ()
    each = _elements(shape[1:] if window is None else tuple(shape[i] for i in window if i < len(shape)))
    current = weights
    for _ in range(DEPTH):
        origin = current.origin
        if origin is None or not origin.inputs or not isinstance(origin.inputs[0], AbstractTensor):
            return None
        source, name = origin.inputs[0], origin.rule.name
        if name == "Softmax":
            along = (current.shape or (0,))[int(origin.context.attr("axis", -1))]
            known = each if _elements(current.shape or (0,)) == each == along and not current.nan else None
            return 1.0 + known * ACCUMULATED + 4 * float(current.dtype.eps) if known else None
        if name == "Div":
            kind, summed, axes, _ = origin.inputs[1].facts.get("reduced", ("", source, None, False))
            every = kind == "sum" and summed.key == source.key and over_everything(source, axes)
            known = each if every and source.shape is not None and _elements(source.shape) == each else None
            return 1.0 + known * ACCUMULATED + 4 * float(source.dtype.eps) if known and source.low >= 0 else None
        if name not in ("Unsqueeze", "Squeeze", "Reshape", "Transpose", "Expand", "Tile", "Identity"):
            return None
        if name in ("Expand", "Tile") and not _repeats_whole(source, current, window):
            return None
        if name in ("Reshape", "Transpose") and _elements(current.shape or (0,)) != each:
            return None  # what stood in one window may stand in several
        current = source
    return None


def _repeats_whole(source: AbstractTensor, result: AbstractTensor, window: tuple[int, ...] | None = None) -> bool:
    """Whether all of `source` is repeated along new or single leading axes, or along single ones beside a window."""
    if source.shape is None or result.shape is None:
        return False
    if window is not None:
        alike = len(source.shape) == len(result.shape)
        return alike and all(d == result.shape[i] if i in window else d == 1 for i, d in enumerate(source.shape))
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
