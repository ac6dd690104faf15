"""Sums in which something is taken away and given back: ``t + (s - t) / 2`` of numbers t <= s that are not negative.

What remains is not negative, and rounding does not make it so, because what cancels is no larger than what remains:
the roundings are small parts of the result, however large the bounds of its terms. So is a union ``p + q - t``, where t
is at most p and at most q: half of both remains; and ``s - s p``, where p is at most 0.999. Sums over axes are looked
into: ``sum(p + q) - sum(p q)`` is such a union too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from analyzer.numerical.domain.dtypes import ElementType
from analyzer.numerical.domain.tensor import AbstractTensor, count
from analyzer.numerical.reduced_axes import UNKNOWN, reduction_axes
from analyzer.numerical.transfer.facts import are_axes
from analyzer.numerical.transfer.order import at_least
from analyzer.numerical.transfer.rounding import accumulation_unit, rounding_terms

if TYPE_CHECKING:
    from analyzer.numerical.interpreter import Run

DEPTH = 8  # operators between a sum and its terms
MOST_LEAVES = 24
LEAST_KEPT = 1e-5  # of what covers something: less may be roundings alone
NEARLY = 1.01  # what is at most another one may be 1 % larger as computed: sums in different orders
UNDERFLOWN = 4.0  # units of the least normal number that each operator may lose where such numbers are flushed


@dataclass(frozen=True, slots=True)
class _Leaf:
    """``coefficient * tensor``, or its sum (mean) over axes; how often that was rounded on the way, and how much."""

    tensor: AbstractTensor
    coefficient: float
    summed: tuple[str, tuple[int, ...]] | None = None
    roundings: int = 1
    lost: float = 0.0  # relative, by sums


@dataclass(slots=True)
class _Term:
    leaf: _Leaf
    net: float = 0.0
    gross: float = 0.0  # sum of the coefficients' absolute values


def cancelled_bound(a: AbstractTensor, b: AbstractTensor, scale: float) -> float | None:
    """A lower bound (0 or nearly) of ``a + scale * b``; None where what remains may be negative, or nothing cancels."""
    if a.origin is None and b.origin is None:
        return None
    run: Run = (a.origin or b.origin).context.run
    leaves = _both(a, b, scale, frozenset())
    found = _bound(run, leaves, a.dtype)
    if found is None and leaves:  # ``s - s p``, where s is a sum itself
        factors = frozenset(t.key for x in leaves if x.coefficient < 0 for t in _factors(x.tensor))
        whole = _both(a, b, scale, factors) if factors else []
        found = _bound(run, whole, a.dtype) if len(whole) < len(leaves) else None
    return found


def _both(a: AbstractTensor, b: AbstractTensor, scale: float, whole: frozenset[int]) -> list[_Leaf]:
    """The leaves of both; none where they are too many. What is `whole` is not looked into."""
    leaves: list[_Leaf] = []
    for leaf in (*_leaves(_Leaf(a, 1.0), DEPTH, whole), *_leaves(_Leaf(b, scale), DEPTH, whole)):
        leaves.append(leaf)
        if len(leaves) > MOST_LEAVES:
            return []
    return leaves


def _factors(x: AbstractTensor) -> tuple[AbstractTensor, ...]:
    product = x.origin is not None and x.origin.rule.name == "Mul"
    return tuple(i for i in x.origin.inputs if isinstance(i, AbstractTensor)) if product else ()


def _bound(run: Run, leaves: Sequence[_Leaf], dtype: ElementType) -> float | None:
    terms: dict[object, _Term] = {}
    for leaf in leaves:
        term = terms.setdefault((leaf.tensor.key, leaf.summed), _Term(leaf))
        term.net, term.gross = term.net + leaf.coefficient, term.gross + abs(leaf.coefficient)
    known = all(x.tensor.low >= 0 and x.tensor.high < np.inf and not x.tensor.nan for x in leaves)
    if not known or all(t.gross == t.net for t in terms.values()):
        return None
    found = _remaining(run, list(terms.values()))
    if found is None:
        return None
    least, lost = found
    operators, eps = sum(x.roundings for x in leaves), float(dtype.eps)
    relative = (4 * operators * eps + 4 * max(x.lost for x in leaves)) * lost
    if relative > 0.5:
        return None
    elements = max(count(x.tensor.shape, x.summed[1])[1] if x.summed else 1.0 for x in leaves)
    flushed = UNDERFLOWN * operators * DEPTH * elements * float(dtype.tiny)
    return (1 - relative) * least - flushed if math.isfinite(flushed) else None


def _remaining(run: Run, terms: Sequence[_Term]) -> tuple[float, float] | None:
    """A lower bound of what remains, and what cancels in units of it; None where that may be negative.

    With a <= r t for each t over a, ``n a`` is at most the part ``n / sum(m / r)`` of the sum of ``m t``.
    """
    remaining = [t for t in terms if t.net > 0]
    kept = {id(t): 1.0 for t in remaining}  # the part of each that remains
    lost = 0.0
    for term in terms:
        if term.net >= 0:
            continue
        over = [(t, r) for t in remaining for r in (_ratio(run, t.leaf, term.leaf),) if r is not None]
        left = 1 + term.net / sum(t.net / r for t, r in over) if over else 0.0
        if left < LEAST_KEPT or min(kept[id(t)] for t, _ in over) < 1:
            return None
        for t, _ in over:
            kept[id(t)] = left
        lost += term.gross / (left * sum(t.net / r for t, r in over))
    for term in terms:
        if term.net > 0:
            lost += term.gross / (kept[id(term)] * term.net)
        elif term.net == 0:
            over = [(t, r) for t in remaining for r in (_ratio(run, t.leaf, term.leaf),) if r is not None]
            if not over:
                return None
            lost += term.gross / max(kept[id(t)] * t.net / r for t, r in over)
    # a sum of what is not negative is at least one of its elements, a mean at least the least of them
    return sum(kept[id(t)] * t.net * t.leaf.tensor.low for t in remaining), lost


def _leaves(leaf: _Leaf, depth: int, whole: frozenset[int]) -> Iterator[_Leaf]:
    """The terms that a value is the sum of, with their coefficients."""
    x, origin = leaf.tensor, leaf.tensor.origin
    inputs: tuple[AbstractTensor, ...] = origin.inputs if origin is not None else ()
    name = origin.rule.name if origin is not None else ""
    if depth == 0 or not inputs or not isinstance(inputs[0], AbstractTensor) or x.key in whole:
        yield leaf
    elif name in ("Add", "Sub") and len(inputs) == 2 and _whole(leaf, inputs):
        yield from _leaves(_within(leaf, inputs[0], 1.0, 0), depth - 1, whole)
        yield from _leaves(_within(leaf, inputs[1], 1.0 if name == "Add" else -1.0, 0), depth - 1, whole)
    elif name in ("Mul", "Div") and len(inputs) == 2 and _scaled(leaf, inputs) is not None:
        value, factor = _scaled(leaf, inputs) or (x, 1.0)
        exact = math.frexp(abs(factor))[0] == 0.5
        yield from _leaves(_within(leaf, value, factor, 0 if exact else 2), depth - 1, whole)
    elif name in ("ReduceSum", "ReduceMean") and leaf.summed is None:
        inner = _summed(leaf)
        if inner is None:
            yield leaf
        else:
            yield from _leaves(inner, depth - 1, whole)
    else:
        yield leaf


def _whole(leaf: _Leaf, inputs: tuple[AbstractTensor, ...]) -> bool:
    """Whether operands may be summed on their own: inside a sum over axes each must have all its elements."""
    tensors = all(isinstance(i, AbstractTensor) for i in inputs)
    return tensors and (leaf.summed is None or all(i.shape == leaf.tensor.shape for i in inputs))


def _within(leaf: _Leaf, x: AbstractTensor, factor: float, roundings: int) -> _Leaf:
    return _Leaf(x, leaf.coefficient * factor, leaf.summed, leaf.roundings + roundings, leaf.lost)


def _scaled(leaf: _Leaf, inputs: tuple[AbstractTensor, ...]) -> tuple[AbstractTensor, float] | None:
    """What a product or a quotient is a constant times of, and the constant, which is above 0."""
    division = leaf.tensor.origin.rule.name == "Div"
    for value, factor in (inputs,) if division else (inputs, inputs[::-1]):
        constant = factor.low == factor.high and 2**-20 <= factor.low <= 2**20 and not factor.nan
        if constant and _whole(leaf, (value,)) and value.dtype.is_float:
            return value, 1 / factor.low if division else factor.low
    return None


def _summed(leaf: _Leaf) -> _Leaf | None:
    """The elements that are summed, where their number is known."""
    origin = leaf.tensor.origin
    source = origin.inputs[0]
    axes, _ = reduction_axes(origin.context, source, origin.inputs[1] if len(origin.inputs) > 1 else None)
    if axes is UNKNOWN or source.shape is None or not source.dtype.is_float:
        return None
    which = tuple(range(len(source.shape))) if axes is None else axes
    few, many = count(source.shape, which)
    if few != many or few < 1:
        return None
    lost = rounding_terms(many) * accumulation_unit(source.dtype) + float(source.dtype.eps)
    return _Leaf(source, leaf.coefficient, (origin.rule.name, which), leaf.roundings, lost)


def _ratio(run: Run, b: _Leaf, a: _Leaf) -> float | None:
    """A bound of a / b, near 1 or below; None where none is known."""
    if b.summed != a.summed or a.tensor.origin is None or (b.summed and b.tensor.shape != a.tensor.shape):
        return None
    slack = 1 + 4 * float(a.tensor.dtype.eps)
    origin = a.tensor.origin
    if origin.rule.name == "Mul" and len(origin.inputs) == 2:
        for part, share in (origin.inputs, origin.inputs[::-1]):
            if share.low >= 0 and share.high < 1 and at_least(run, b.tensor, part):
                return max(float(share.high) * slack, LEAST_KEPT)
    if at_least(run, b.tensor, a.tensor) or _sides_at_least(run, b.tensor, a.tensor):
        return NEARLY if "reduced" in b.tensor.facts else 1.0
    return None


def _sides_at_least(run: Run, b: AbstractTensor, a: AbstractTensor) -> bool:
    """Whether both are products over the same axes, areas of boxes, and the factors are in order.

    Of more than two factors one order may underflow on the way where another does not.
    """
    (first, over, axes, _), (second, under, others, _) = (t.facts.get("reduced", ("", t, None, False)) for t in (b, a))
    if not first == second == "product" or b.shape != a.shape or not are_axes(axes) or axes != others:
        return False
    few, many = count(over.shape, axes)
    return bool(few <= many <= 2 and under.low >= 0 and over.shape == under.shape and at_least(run, over, under))
