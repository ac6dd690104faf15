"""Shares of a whole and their entropy: numbers that are not negative and add up to 1 along an axis.

Of ``p`` that adds up to S <= T over K places and any ``q >= log p``, the sum of ``p q`` is at least
``sum(p log p) >= -max(T log K, K / e)``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from analyzer.numerical.domain import dims
from analyzer.numerical.domain.tensor import AbstractTensor, count
from analyzer.numerical.reduced_axes import UNKNOWN
from analyzer.numerical.transfer.order import at_least
from analyzer.numerical.transfer.rounding import accumulation_unit, rounding_terms
from analyzer.operators.declaration import CONVERTS, IDENTITY, RESHAPES

if TYPE_CHECKING:
    from analyzer.numerical.interpreter import Run

DEPTH = 12  # operators between shares and what makes them add up to 1
ERRORS = 256  # units in the last place: of an exponential of up to 104, a sum, a quotient and a logarithm


@dataclass(frozen=True, slots=True)
class Product:
    """p times q, or the same with the other sign; 0 instead where the condition is not `truth`, if there is one."""

    p: AbstractTensor
    q: AbstractTensor
    negated: bool
    condition: AbstractTensor | None = None
    truth: bool = True


def sum_of_products(run: Run, x: AbstractTensor, axes: Any) -> tuple[float, float]:
    """Bounds of the sum of x over `axes` where x holds shares times their logarithms, or the same with another sign."""
    product = _product(x)
    if product is None or axes is UNKNOWN or x.nan or not x.dtype.is_float or x.low == -np.inf or x.high == np.inf:
        return -np.inf, np.inf
    most = _entropy(run, x, product, axes)
    return (-np.inf, most) if product.negated else (-most, np.inf)


def _product(x: AbstractTensor) -> Product | None:
    name, inputs = _made(x)
    if name == "Neg":
        inner = _product(inputs[0])
        return None if inner is None else replace(inner, negated=not inner.negated)
    if name == "Where" and len(inputs) == 3:  # what is left out adds nothing
        for truth, left in ((True, inputs[2]), (False, inputs[1])):
            if left.low == 0 == left.high and not left.nan:
                inner = _product(inputs[1] if truth else inputs[2])
                alone = inner is None or inner.condition is not None
                return None if inner is None or alone else replace(inner, condition=inputs[0], truth=truth)
    if name != "Mul" or len(inputs) != 2:
        return None
    parts = [(factor, *_made(factor)) for factor in inputs]
    p, q = (before[0] if name == "Neg" else factor for factor, name, before in parts)
    return Product(p, q, (parts[0][1] == "Neg") != (parts[1][1] == "Neg"))


def _entropy(run: Run, x: AbstractTensor, product: Product, axes: Any) -> float:
    """The most that the entropies along one axis, added over the others, can be."""
    p, q = product.p, product.q
    if x.shape is None or p.shape != x.shape or q.shape != x.shape:
        return np.inf
    which = tuple(range(len(x.shape))) if axes is None else tuple(a % len(x.shape) for a in axes)
    best = np.inf
    for shares, logarithm in ((p, q), (q, p)):
        if shares.low < 0 or shares.nan or logarithm.nan:
            continue
        for axis in which:
            size = dims.high(x.shape[axis])
            total = most_along(shares, axis - len(x.shape), DEPTH)
            if not math.isfinite(total) or not math.isfinite(size) or size < 1:
                continue
            exact = _at_least_logarithm(run, logarithm, shares, axis - len(x.shape), product)
            if exact is None:
                continue
            most = max(total * math.log(size), size / math.e if total > size / math.e else 0.0)
            eps, unit = float(x.dtype.eps), accumulation_unit(x.dtype)
            most = most * (1 + ERRORS * eps + rounding_terms(size) * unit) + 16 * eps * (1 + exact)
            lost = size * float(x.dtype.tiny) * max(abs(logarithm.low), abs(logarithm.high), 1.0)
            others = count(x.shape, [a for a in which if a != axis])[1]
            added = (most + lost) * others * (1 + rounding_terms(others) * unit)
            best = min(best, added if math.isfinite(added) else np.inf)
    return best


def _at_least_logarithm(run: Run, q: AbstractTensor, p: AbstractTensor, axis: int, product: Product) -> float | None:
    """The size of the numbers whose rounding q may carry, where q is at least the logarithm of p; None if it is not."""
    name, inputs = _made(q)
    if name == "Log":
        of = _where_counted(inputs[0], product)
        return 0.0 if of.key == p.key or at_least(run, of, p) else None
    if name in ("Max", "Clip") and inputs:
        found = [_at_least_logarithm(run, part, p, axis, product) for part in (inputs if name == "Max" else inputs[:1])]
        within = name == "Max" or len(inputs) < 3 or inputs[2].low >= 0
        return next((size for size in found if size is not None), None) if within else None
    scores = _scores(q, axis)
    if scores is None or max(abs(scores.low), abs(scores.high)) == np.inf:
        return None
    name, inputs = _made(p)
    same = (name == "Exp" and inputs[0].key == q.key) or (
        name == "Softmax" and inputs[0].key in (scores.key, q.key) and softmax_axis(p) == axis
    )
    return max(abs(scores.low), abs(scores.high)) if same else None


def _where_counted(x: AbstractTensor, product: Product) -> AbstractTensor:
    """What x is wherever the product counts."""
    name, inputs = _made(x)
    if product.condition is None or name != "Where" or inputs[0].key != product.condition.key:
        return x
    return inputs[1] if product.truth else inputs[2]


def _scores(q: AbstractTensor, axis: int) -> AbstractTensor | None:
    """What q is the logarithm of the softmax of along `axis`."""
    name, inputs = _made(q)
    if name == "LogSoftmax":
        return inputs[0] if softmax_axis(q) == axis else None
    if name == "Sub" and len(inputs) == 2:
        kind, source, axes, kept = inputs[1].facts.get("reduced", ("", inputs[1], None, False))
        over = axes is not None and source.rank is not None and [a for a in axes if isinstance(a, int)] == list(axes)
        alone = over and kept and [a % source.rank - source.rank for a in axes] == [axis]
        return source if kind == "logsumexp" and alone and source.key == inputs[0].key else None
    return None


def softmax_axis(x: AbstractTensor) -> int | None:
    """The axis (negative) of a softmax or its logarithm."""
    context, rank = x.origin.context, x.rank
    if not rank:
        return None
    return -1 if context.is_tf else int(context.attr("axis", -1)) % rank - rank if context.opset >= 13 else None


def most_along(x: AbstractTensor, axis: int, depth: int) -> float:
    """The most that elements add up to along `axis` (negative), none of them negative; infinity where not known."""
    if x.low < 0 or x.nan or depth == 0 or x.shape is None or len(x.shape) < -axis:
        return np.inf
    size = dims.high(x.shape[axis])
    slack = 1 + rounding_terms(size) * accumulation_unit(x.dtype) + ERRORS * float(x.dtype.eps)
    kind, source, axes, kept = x.facts.get("reduced", ("", x, None, False))
    if kind == "mean" and axes is not None and source.rank is not None:
        return _of_mean(source, axes, kept, x, axis, depth) * slack
    name, inputs = _made(x)
    traits = x.origin.rule.operator.traits if name else None
    if name == "Softmax":
        return slack if softmax_axis(x) == axis else np.inf
    if name == "Exp":
        return slack if _scores(inputs[0], axis) is not None else np.inf
    if name == "OneHot":
        place = int(x.origin.context.attr("axis", -1))
        known = [v.exact() for v in inputs[2:]]  # [off, on]; TensorFlow has an operand for each, on first
        values = [float(v) for array in known if array is not None for v in np.ravel(array)]
        one = values == ([1.0, 0.0] if x.origin.context.is_tf else [0.0, 1.0])
        return 1.0 if one and (place - len(x.shape) if place >= 0 else place) == axis else np.inf
    if name == "Equal":
        return 1.0 if any(_one_of_each(p, q, x, axis) for p, q in (inputs, inputs[::-1])) else np.inf
    if name == "Div" and len(inputs) == 2:
        return slack if _is_total(inputs[1], inputs[0], axis, depth - 1) else np.inf
    if traits is not None and traits & (IDENTITY | CONVERTS):
        return most_along(inputs[0], axis, depth - 1)
    if traits is not None and traits & RESHAPES and inputs[0].shape is not None:
        same = inputs[0].shape == x.shape or (axis == -1 and inputs[0].shape[-1:] == x.shape[-1:])
        return most_along(inputs[0], axis, depth - 1) if same else np.inf
    return np.inf


def _of_mean(source: AbstractTensor, axes: Any, kept: bool, x: AbstractTensor, axis: int, depth: int) -> float:
    """Means of shares over other axes are shares."""
    rank = source.rank or 0
    if any(not isinstance(a, int) for a in axes):
        return np.inf
    left = [a for a in range(rank) if a not in {b % rank for b in axes}]
    if kept and len(x.shape or ()) == rank:
        place = rank + axis
        return most_along(source, axis, depth - 1) if place in left else np.inf
    return most_along(source, left[axis] - rank, depth - 1) if len(left) == len(x.shape or ()) else np.inf


def _one_of_each(place: AbstractTensor, numbers: AbstractTensor, x: AbstractTensor, axis: int) -> bool:
    """Whether one number of each row is compared with others that all differ: it equals one of them at most."""
    known, rank = numbers.exact(), len(x.shape or ())
    if known is None or place.shape is None or known.ndim < -axis or known.size != known.shape[axis]:
        return False
    alone = len(place.shape) < -axis or place.shape[axis] == 1
    return alone and rank >= known.ndim and len(np.unique(known)) == known.size


def _is_total(b: AbstractTensor, a: AbstractTensor, axis: int, depth: int) -> bool:
    """Whether b is at least the sum of a along `axis`."""
    if depth <= 0 or a.low < 0:
        return False
    kind, source, axes, kept = b.facts.get("reduced", ("", b, None, False))
    absolute = _made(a)
    of = absolute[1][0] if kind == "sum of absolutes" and absolute[0] == "Abs" else a
    if kind in ("sum", "sum of absolutes") and kept and source.key == of.key and axes is not None:
        return all(isinstance(i, int) for i in axes) and axis in {i % (a.rank or 1) - (a.rank or 1) for i in axes}
    name, inputs = _made(b)
    if name == "Add":
        return any(q.low >= 0 and _is_total(p, a, axis, depth - 1) for p, q in (inputs, inputs[::-1]))
    return name == "Max" and any(_is_total(p, a, axis, depth - 1) for p in inputs)


def _made(x: AbstractTensor) -> tuple[str, tuple[AbstractTensor, ...]]:
    """The operator that made a value, and its operands; nothing where one of them is not a tensor."""
    origin = x.origin
    if origin is None or not origin.inputs or not all(isinstance(i, AbstractTensor) for i in origin.inputs):
        return "", ()
    return origin.rule.name, origin.inputs
