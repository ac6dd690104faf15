"""Euclidean norms of rows: a vector divided by its own norm has norm 1, and Cauchy and Schwarz bound its products.

The norm may be a root of a sum of squares, and a division a product with its reciprocal. The fact
``unit: (axis, most)`` of a quotient says that its Euclidean norm along `axis` (negative) is at most `most`, and so is
each of its elements. Of n numbers the root of the mean square is the norm over the root of n.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from analyzer.numerical.decided import MIRRORED
from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.numerical.reduced_axes import UNKNOWN
from analyzer.numerical.transfer.facts import are_axes
from analyzer.numerical.transfer.magnitudes import root_of, same_magnitude
from analyzer.numerical.transfer.rounding import ACCUMULATED

NORM_FACT, SQUARES_FACT = "norm", "sum of squares"
DEPTH = 6  # operators between a norm and its division: an epsilon, a clip, a reshape
UNDERFLOWN = 1e3  # a norm below this many times the root of the least normal number may have lost squares
NORM = 64  # units in the last place: room for a root, an epsilon, a clip and a division
LOST = 1e-6  # of the norm's square, at most, for each element whose square has underflown


def unit_fact(a: AbstractTensor, b: AbstractTensor) -> dict[str, Any]:
    """The fact of a / b where b is at least the norm of a along one axis."""
    return {} if b.nan or b.low < 0 else _unit_along(a, _norm_along(NORM_FACT, b, a, DEPTH), b.low)


def unit_product(a: AbstractTensor, b: AbstractTensor) -> dict[str, Any]:
    """The fact of a * b where one of them is the reciprocal of what is at least the norm of the other.

    Or another number divided by it, as the length that weight normalisation gives each row.
    """
    for x, inverse in ((a, b), (b, a)):
        origin = inverse.origin
        name = origin.rule.name if origin is not None else ""
        if name == "Div" and x.shape is not None and x.rank == inverse.rank:
            length, norm = origin.inputs[:2]
            axis, most = unit_fact(x, norm).get("unit", (0, 1.0))
            longest = max(abs(length.low), abs(length.high)) * most * (1 + 4 * float(x.dtype.eps))
            alike = norm.shape == inverse.shape and inverse.shape is not None and axis and inverse.shape[axis] == 1
            if alike and math.isfinite(longest) and not length.nan:
                largest = max(abs(x.low), abs(x.high))  # of what a quotient that underflows is multiplied with
                lost = float(x.dtype.tiny) * (1 + float(x.dtype.eps) * largest)
                return {"unit": (axis, longest + lost * math.sqrt(float(_size(x, axis))))}
        if name not in ("Rsqrt", "Reciprocal") or x.shape is None or x.rank != inverse.rank:
            continue
        below = origin.inputs[0]
        if name == "Reciprocal":
            return unit_fact(x, below)
        if below.low >= 0 and not below.nan:
            found = _norm_along(SQUARES_FACT, below, x, DEPTH)
            return _unit_along(x, found and replace(found, times=math.sqrt(found.times)), math.sqrt(below.low))
    return {}


def scaled_unit(a: AbstractTensor, b: AbstractTensor, result: AbstractTensor) -> dict[str, Any]:
    """The fact of a * b where the norm of one of them is known: factors make it longer by the largest of them."""
    for x, factor in ((a, b), (b, a)):
        axis, most = x.facts.get("unit", (0, math.inf))
        longest = max(abs(factor.low), abs(factor.high)) * most * (1 + 4 * float(x.dtype.eps))
        if axis and math.isfinite(longest) and x.shape == result.shape and not (factor.nan or result.nan):
            return {"unit": (axis, longest + float(x.dtype.tiny) * math.sqrt(float(_size(x, axis))))}
    return {}


def selected_unit(
    condition: AbstractTensor, a: AbstractTensor, b: AbstractTensor, result: AbstractTensor
) -> dict[str, Any]:
    """The fact of a selection of whole rows: of each branch the norm is known, or compared with a number.

    ``where(norm > c, x / norm * c, x)`` has rows of norm c at most.
    """
    whole = result.shape is not None and a.shape == b.shape == result.shape
    if not whole or condition.rank != result.rank or condition.shape is None or result.nan:
        return {}
    for axis in (i - len(condition.shape) for i, size in enumerate(condition.shape) if size == 1):
        longest = max(_branch_norm(condition, t, x, axis) for x, t in ((a, True), (b, False)))
        if math.isfinite(longest):
            return {"unit": (axis, longest)}
    return {}


def _branch_norm(condition: AbstractTensor, truth: bool, x: AbstractTensor, axis: int) -> float:
    known, most = x.facts.get("unit", (0, math.inf))
    if known == axis:
        return float(most)
    origin = condition.origin
    if origin is None or origin.rule.name not in MIRRORED or x.shape is None or not x.dtype.is_float or x.nan:
        return math.inf
    larger, smaller = origin.inputs if origin.rule.name.startswith("Greater") else origin.inputs[::-1]
    norm, limit = (smaller, larger) if truth else (larger, smaller)
    size, high = _size(x, axis), limit.high
    clear = high >= UNDERFLOWN * math.sqrt(x.dtype.tiny) and math.isfinite(high) and not norm.nan
    along = _norm_along(NORM_FACT, norm, x, DEPTH)
    if not clear or not isinstance(size, int) or along is None or along.axis != axis:
        return math.inf
    return float(high * along.times * (1 + size * (2 * x.dtype.eps + LOST) + NORM * x.dtype.eps))


def _size(x: AbstractTensor, axis: int) -> Any:
    size = x.shape[axis] if x.shape is not None else None
    return size if isinstance(size, int) else math.inf


def within_norm(result: AbstractTensor) -> AbstractTensor:
    """A result whose rows have a known norm: no element is larger."""
    _, most = result.facts.get("unit", (0, math.inf))
    if most < max(abs(result.low), abs(result.high)):
        result.lo, result.hi = np.maximum(result.lo, -most), np.minimum(result.hi, most)
        result.tight = None
    return result


@dataclass(frozen=True, slots=True)
class _Norm:
    """Along `axis` (negative) a norm, or its square, is at most `times` a value; `alone` if that is nothing else."""

    axis: int
    times: float = 1.0
    alone: bool = True


def _unit_along(a: AbstractTensor, norm: _Norm | None, least: float) -> dict[str, Any]:
    """The fact of a over what was compared with its norm and is at least so large, and not 0.

    Squares of numbers near 0 are lost, each of them less than the least normal number: what is left of a norm that is
    not 0 is no less than that, so such a row is longer than 1 by no more than the root of its size.
    """
    size = None if norm is None or a.shape is None else a.shape[norm.axis]
    if norm is None or not isinstance(size, int) or not a.dtype.is_float or a.nan:
        return {}
    tiny, square = float(a.dtype.tiny), least * least
    lost = LOST if least >= UNDERFLOWN * math.sqrt(tiny) else tiny / square if square >= tiny else math.inf
    lost = min(lost, 1.0) if norm.alone else lost
    exact = math.sqrt(1 + (size + 1) * lost) if lost > LOST else 1 + size * LOST
    return {"unit": (norm.axis, norm.times * (exact + 2 * size * a.dtype.eps + NORM * a.dtype.eps))}


def _norm_along(fact: str, b: AbstractTensor, a: AbstractTensor, depth: int) -> _Norm | None:
    """How b is at least the Euclidean norm of a, or its square, along one axis; None if it is not."""
    if depth == 0:
        return None
    kind, source, axes, kept = b.facts.get("reduced", ("", b, None, False))
    times = 1.0
    if kind == "mean" and fact == SQUARES_FACT and kept and are_axes(axes) and len(axes) == 1:
        squared, size = root_of(source), _size(source, axes[0])
        if squared is not None and math.isfinite(size):
            kind, source, times = SQUARES_FACT, squared, float(size)
    if kind == fact and kept and are_axes(axes) and same_magnitude(source, a) and a.rank is not None:
        return _Norm(axes[0] % a.rank - a.rank, times) if len(axes) == 1 and a.rank > 1 else None
    for part in b.facts.get("above", ()):
        along = _norm_along(fact, part, a, depth - 1)
        if along is not None:
            return replace(along, alone=False)
    origin = b.origin
    if origin is None:
        return None
    name = origin.rule.name
    if name == "Add":
        x, y = origin.inputs[:2]
        for one, other in ((x, y), (y, x)):
            along = _norm_along(fact, one, a, depth - 1) if other.low >= 0 else None
            if along is not None:
                return replace(along, alone=False)
    if name in ("Expand", "BroadcastTo", "Identity") and b.shape == a.shape:
        return _norm_along(fact, origin.inputs[0], a, depth - 1)
    if name == "Sqrt" and fact == NORM_FACT:
        squares = _norm_along(SQUARES_FACT, origin.inputs[0], a, depth - 1)
        return squares and replace(squares, times=math.sqrt(squares.times))
    return None


def row_norm(x: AbstractTensor, axis: int) -> float:
    """The greatest Euclidean norm of `x` along `axis` (negative); infinity where nothing is known."""
    if x.nan or x.shape is None or len(x.shape) < -axis:
        return math.inf
    known, most = x.facts.get("unit", (None, math.inf))
    if known == axis:
        return min(float(most), _by_elements(x, axis))
    origin = x.origin
    if origin is not None and origin.rule.name == "Transpose" and x.rank is not None:
        order = origin.inputs[1].integers() if origin.context.is_tf else origin.context.attr("perm")
        order = order or (None if origin.context.is_tf else list(range(x.rank))[::-1])
        before = origin.inputs[0]
        if order is not None and isinstance(before, AbstractTensor) and before.rank == x.rank:
            return row_norm(before, int(order[axis]) - x.rank)
    return _by_elements(x, axis)


def _by_elements(x: AbstractTensor, axis: int) -> float:
    size = _size(x, axis)
    return math.sqrt(size) * max(abs(x.low), abs(x.high)) if math.isfinite(size) else math.inf


def has_unit(*tensors: AbstractTensor) -> bool:
    """Whether it is worth asking: one operand is, or shows, a vector of known norm."""
    return any("unit" in t.facts or (t.origin is not None and t.origin.rule.name == "Transpose") for t in tensors)


def product_bound(a: AbstractTensor, b: AbstractTensor, over_a: int, over_b: int) -> float:
    """The most that the absolute value of a sum of products along these axes can be, roundings included."""
    size = a.shape[over_a] if a.shape is not None and len(a.shape) >= -over_a else None
    if not isinstance(size, int) or not a.dtype.is_float:
        return math.inf
    exact = row_norm(a, over_a) * row_norm(b, over_b)
    return float(exact * (1 + 2 * size * max(float(a.dtype.eps), ACCUMULATED)) + size * a.dtype.tiny)


def bound_of_products(x: AbstractTensor, axes: Any) -> float:
    """What bounds the sum of x = u * v over one axis, where the norm of u or v along it is known."""
    u, v = factors(x)
    if u is None or v is None or axes is None or axes is UNKNOWN or len(axes) != 1 or x.shape is None:
        return math.inf
    if not has_unit(u, v) or x.low == -math.inf or x.high == math.inf:
        return math.inf
    axis = axes[0] % len(x.shape) - len(x.shape)
    if any(t.shape is None or len(t.shape) < -axis or t.shape[axis] != x.shape[axis] for t in (u, v)):
        return math.inf
    return product_bound(u, v, axis, axis)


def factors(x: AbstractTensor) -> tuple[AbstractTensor | None, AbstractTensor | None]:
    """What x is the product, or the square, of."""
    if x.origin is None:
        return None, None
    name, inputs = x.origin.rule.name, x.origin.inputs
    if name == "Mul":
        return inputs[0], inputs[1]
    if name == "Square" or (name == "Pow" and inputs[1].low == inputs[1].high == 2):
        return inputs[0], inputs[0]
    return None, None
