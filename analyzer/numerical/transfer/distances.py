"""Squared distances written out: ``|x|² + |y|² - 2 x·y`` is negative by rounding alone, in whatever form it stands.

Squares, sums of squares, products and matrix products are inner products of vectors, of which each axis lies along an
axis of the result or is summed. A sum of them whose coefficients form a positive semidefinite matrix over the vectors
is not negative in real numbers; how far below 0 its rounded value may lie follows from the size of what cancels.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from analyzer.numerical.domain import dims
from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.numerical.reduced_axes import UNKNOWN, reduction_axes
from analyzer.numerical.transfer.rounding import accumulation_unit, rounding_terms
from analyzer.numerical.transfer.views import AxisView, Role, Vector, aligned, viewed

DEPTH = 10  # operators between a sum and its terms: transposes, expansions, constant factors
MOST_TERMS = 8
SUMMED = "summed"


@dataclass(frozen=True, slots=True)
class _Inner:
    """``factor`` times the inner product of two vectors, computed with so many roundings of `size` at most."""

    first: AxisView
    second: AxisView
    factor: float
    terms: float
    roundings: int
    unit: float

    @property
    def size(self) -> float:
        return self.terms * self.first.largest * self.second.largest

    @property
    def error(self) -> float:
        return self.size * self.unit


def distance_bounds(a: AbstractTensor, b: AbstractTensor, scale: float) -> tuple[float, float]:
    """Bounds of ``a + scale * b``: the lower one of squared distances, the upper one of negated ones."""
    if a.shape is None or b.shape is None or not a.dtype.is_float:
        return -np.inf, np.inf
    rank = max(len(a.shape), len(b.shape))
    inner: list[_Inner] = []
    others: list[AxisView] = []
    for tensor, factor in ((a, 1.0), (b, scale)):
        start = AxisView(tensor, aligned(tensor, tuple(range(rank))), factor)
        for term in _terms(start, DEPTH):
            if isinstance(term, _Inner):
                inner.append(term)
            else:
                others.append(term)
            if len(inner) + len(others) > MOST_TERMS:
                return -np.inf, np.inf
    if not any(t.first.vector() != t.second.vector() for t in inner):
        return -np.inf, np.inf
    return _least(inner, others, a, 1.0), -_least(inner, others, a, -1.0)


def product_distance_bounds(
    x: AbstractTensor, y: AbstractTensor, alpha: float, rest: AbstractTensor, beta: float
) -> Any:
    """The same of ``alpha * x @ y + beta * rest``, as one operator computes it."""
    if x.shape is None or y.shape is None or rest.shape is None or len(x.shape) != 2 or len(y.shape) != 2:
        return -np.inf, np.inf
    first = _inner_product(AxisView(x, (0, (SUMMED, 0))), AxisView(y, ((SUMMED, 0), 1)), alpha, 4, x.shape[1])
    if first is None:
        return -np.inf, np.inf
    inner, others = [first], []
    for term in _terms(AxisView(rest, aligned(rest, (0, 1)), beta, 2), DEPTH):
        if isinstance(term, _Inner):
            inner.append(term)
        else:
            others.append(term)
    if len(inner) + len(others) > MOST_TERMS or not any(t.first.vector() != t.second.vector() for t in inner):
        return -np.inf, np.inf
    return _least(inner, others, x, 1.0), -_least(inner, others, x, -1.0)


def _least(inner: list[_Inner], others: list[AxisView], like: AbstractTensor, sign: float) -> float:
    """A lower bound of `sign` times the sum as it is computed; -inf where it is no sum of squares."""
    order: dict[Vector, int] = {}
    sizes: list[float] = []
    for term in inner:
        for value in (term.first, term.second):
            if order.setdefault(value.vector(), len(order)) == len(sizes):
                sizes.append(value.largest * value.largest * term.terms)  # infinite, where ``**`` raises
    matrix = np.zeros((len(order), len(order)))
    for term in inner:
        i, j = order[term.first.vector()], order[term.second.vector()]
        matrix[i, j] += sign * term.factor / 2
        matrix[j, i] += sign * term.factor / 2
    worst = float(np.linalg.eigvalsh(matrix)[0])
    if worst < -1e-6 * float(np.abs(matrix).max()):
        return -np.inf
    least = min(worst, 0.0) * sum(sizes)
    for value in others:
        coefficient = sign * value.factor
        least += coefficient * (value.tensor.low if coefficient > 0 else value.tensor.high)
    eps = float(like.dtype.eps)
    total = sum(abs(t.factor) * t.size for t in inner) + sum(abs(v.factor) * v.largest for v in others)
    roundings = sum(t.roundings for t in inner) + sum(v.roundings for v in others)
    lost = sum(abs(t.factor) * t.error for t in inner) + roundings * eps / 2 * total
    flushed = 4 * sum(abs(t.factor) * (t.terms + t.roundings) + 1 for t in inner) * float(like.dtype.tiny)
    bound = least - 1.01 * lost - flushed
    return bound if math.isfinite(bound) else -np.inf


def _terms(value: AxisView, depth: int) -> Iterator[_Inner | AxisView]:
    """What a value is the sum of."""
    value = viewed(value)
    origin = value.tensor.origin
    inputs: tuple[Any, ...] = origin.inputs if origin is not None else ()
    name = origin.rule.name if origin is not None else ""
    known = bool(inputs) and all(isinstance(i, AbstractTensor) and i.shape is not None for i in inputs)
    if known and depth and name in ("Add", "Sub") and len(inputs) == 2:
        for part, sign in zip(inputs, (1.0, 1.0 if name == "Add" else -1.0), strict=True):
            roles = aligned(part, value.roles)
            yield from _terms(AxisView(part, roles, value.factor * sign, value.roundings), depth - 1)
        return
    if known and depth and name == "Gemm" and len(inputs) == 3 and origin is not None:
        alpha, beta = (float(origin.context.attr(k, 1.0)) for k in ("alpha", "beta"))
        made = _matrix_product(value, origin, alpha, 4)
        if made is not None:
            yield made
            rest = AxisView(inputs[2], aligned(inputs[2], value.roles), value.factor * beta, value.roundings + 2)
            yield from _terms(rest, depth - 1)
            return
    yield (_contraction(value, origin) if known else None) or value


def _contraction(value: AxisView, origin: Any) -> _Inner | None:
    """The inner product that a value is."""
    name = origin.rule.name
    if name in ("ReduceSum", "ReduceSumSquare"):
        source = origin.inputs[0]
        axes, kept = reduction_axes(origin.context, source, origin.inputs[1] if len(origin.inputs) > 1 else None)
        if axes is UNKNOWN:
            return None
        which = tuple(range(len(source.shape))) if axes is None else axes
        outer = iter(value.roles if not kept else [r for i, r in enumerate(value.roles) if i not in which])
        roles: list[Role] = [(SUMMED, which.index(i)) if i in which else next(outer) for i in range(len(source.shape))]
        terms = math.prod(dims.high(source.shape[i]) for i in which)
        inner = AxisView(source, tuple(roles), 1.0)
        pair = (inner, inner) if name == "ReduceSumSquare" else _pair(inner)
        if pair is None or not all(_has_all(p, inner) for p in pair):
            return None
        return _inner_product(*pair, value.factor, value.roundings, terms)
    if name == "MatMul":
        return _matrix_product(value, origin, 1.0, 0)
    if name == "Einsum":
        return _einsum(value, origin)
    pair = _pair(value)
    return _inner_product(*pair, value.factor, value.roundings, 1) if pair is not None else None


def _has_all(part: AxisView, whole: AxisView) -> bool:
    """Whether `part` has all elements that are summed of `whole`: what repeats one is another vector."""
    first, second = (
        {role: size for role, size in zip(v.roles, v.tensor.shape or (), strict=True) if isinstance(role, tuple)}
        for v in (part, whole)
    )
    return first == second


def _pair(value: AxisView) -> tuple[AxisView, AxisView] | None:
    """The factors of an elementwise product or square."""
    origin = value.tensor.origin
    if origin is None or not origin.inputs or not all(isinstance(i, AbstractTensor) for i in origin.inputs):
        return None
    name, inputs = origin.rule.name, origin.inputs
    if any(i.shape is None for i in inputs):
        return None
    if name == "Mul" and len(inputs) == 2:
        return AxisView(inputs[0], aligned(inputs[0], value.roles)), AxisView(
            inputs[1], aligned(inputs[1], value.roles)
        )
    if name == "Square" or (name == "Pow" and inputs[1].low == inputs[1].high == 2):
        both = AxisView(inputs[0], aligned(inputs[0], value.roles))
        return both, both
    return None


def _matrix_product(value: AxisView, origin: Any, alpha: float, roundings: int) -> _Inner | None:
    x, y = origin.inputs[:2]
    if min(len(x.shape), len(y.shape)) < 2:
        return None
    attr = origin.context.attr
    flipped = [
        any(attr(name, 0) for name in names)
        for names in (("transA", "transpose_a", "adj_x"), ("transB", "transpose_b", "adj_y"))
    ]
    inner: Role = (SUMMED, 0)
    first = [*value.roles[:-2], value.roles[-2], inner]
    second = [*value.roles[:-2], inner, value.roles[-1]]
    for roles, swapped in ((first, flipped[0]), (second, flipped[1])):
        if swapped:
            roles[-2:] = roles[:-3:-1]
    terms = dims.high(x.shape[-2] if flipped[0] else x.shape[-1])
    left, right = AxisView(x, aligned(x, tuple(first))), AxisView(y, aligned(y, tuple(second)))
    return _inner_product(left, right, value.factor * alpha, value.roundings + roundings, terms)


def _einsum(value: AxisView, origin: Any) -> _Inner | None:
    """Two operands, each label once in each."""
    equation = str(origin.context.attr("equation", "")).replace(" ", "")
    left, arrow, right = equation.partition("->")
    labels = left.split(",")
    if not arrow or "." in equation or len(labels) != 2 or len(origin.inputs) != 2:
        return None
    if any(len(set(text)) != len(text) for text in (*labels, right)) or len(right) != len(value.roles):
        return None
    inner = [c for c in dict.fromkeys(labels[0] + labels[1]) if c not in right]
    roles: dict[str, Role] = dict(zip(right, value.roles, strict=True))
    roles.update({c: (SUMMED, i) for i, c in enumerate(inner)})
    sizes: dict[str, dims.Dim] = {}
    for text, x in zip(labels, origin.inputs, strict=True):
        if len(text) != len(x.shape):
            return None
        for c, size in zip(text, x.shape, strict=True):
            if sizes.setdefault(c, size) != size:
                return None
    if any(set(inner) - set(text) for text in labels):
        return None
    first, second = (
        AxisView(x, aligned(x, tuple(roles[c] for c in text))) for text, x in zip(labels, origin.inputs, strict=True)
    )
    terms = math.prod(dims.high(sizes[c]) for c in inner)
    return _inner_product(first, second, value.factor, value.roundings, terms)


def _inner_product(first: AxisView, second: AxisView, factor: float, roundings: int, terms: Any) -> _Inner | None:
    """None where an operand may be infinite or NaN, or the number of terms is not known."""
    first, second = viewed(first), viewed(second)
    terms = float(dims.high(terms)) if not isinstance(terms, float) else terms
    bounded = all(math.isfinite(v.largest) and not v.tensor.nan for v in (first, second))
    if not bounded or not math.isfinite(terms) or terms > 2**24:
        return None
    dtype = first.tensor.dtype
    unit = rounding_terms(terms) * accumulation_unit(dtype) + float(dtype.eps) * (
        1 + first.roundings + second.roundings
    )
    whole = factor * first.factor * second.factor
    left, right = (AxisView(v.tensor, v.roles) for v in (first, second))
    return _Inner(left, right, whole, terms, roundings, unit)
