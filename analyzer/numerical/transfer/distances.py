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

DEPTH = 10  # operators between a sum and its terms: transposes, expansions, constant factors
MOST_TERMS = 8
LONGEST_DIAGONAL = 4096
VIEWS = 6  # operators that only move elements, one after another
SUMMED = "summed"

Role = int | tuple[str, int] | None  # of an axis: along this one of the result; summed, as the n-th; of size 1
Vector = tuple[int, tuple[tuple[int, Role], ...]]


@dataclass(frozen=True, slots=True)
class _Value:
    """`factor` times a tensor, whose axes play `roles`; `roundings` of what it is part of."""

    tensor: AbstractTensor
    roles: tuple[Role, ...]
    factor: float = 1.0
    roundings: int = 1

    @property
    def largest(self) -> float:
        return max(abs(self.tensor.low), abs(self.tensor.high))

    def vector(self) -> Vector:
        return self.tensor.key, tuple((axis, role) for axis, role in enumerate(self.roles) if role is not None)


@dataclass(frozen=True, slots=True)
class _Inner:
    """``factor`` times the inner product of two vectors, computed with so many roundings of `size` at most."""

    first: _Value
    second: _Value
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
    others: list[_Value] = []
    for tensor, factor in ((a, 1.0), (b, scale)):
        start = _Value(tensor, _aligned(tensor, tuple(range(rank))), factor)
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
    first = _inner_product(_Value(x, (0, (SUMMED, 0))), _Value(y, ((SUMMED, 0), 1)), alpha, 4, x.shape[1])
    if first is None:
        return -np.inf, np.inf
    inner, others = [first], []
    for term in _terms(_Value(rest, _aligned(rest, (0, 1)), beta, 2), DEPTH):
        if isinstance(term, _Inner):
            inner.append(term)
        else:
            others.append(term)
    if len(inner) + len(others) > MOST_TERMS or not any(t.first.vector() != t.second.vector() for t in inner):
        return -np.inf, np.inf
    return _least(inner, others, x, 1.0), -_least(inner, others, x, -1.0)


def _least(inner: list[_Inner], others: list[_Value], like: AbstractTensor, sign: float) -> float:
    """A lower bound of `sign` times the sum as it is computed; -inf where it is no sum of squares."""
    order: dict[Vector, int] = {}
    sizes: list[float] = []
    for term in inner:
        for value in (term.first, term.second):
            if order.setdefault(value.vector(), len(order)) == len(sizes):
                sizes.append(value.largest**2 * term.terms)
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


def _aligned(x: AbstractTensor, axes: tuple[Role, ...]) -> tuple[Role, ...]:
    """The roles of the axes of `x`, which broadcasts to `axes`: of size 1 they play none."""
    assert x.shape is not None
    lead = len(axes) - len(x.shape)
    return tuple(None if size == 1 else axes[lead + i] for i, size in enumerate(x.shape))


def _terms(value: _Value, depth: int) -> Iterator[_Inner | _Value]:
    """What a value is the sum of."""
    value = _viewed(value)
    origin = value.tensor.origin
    inputs: tuple[Any, ...] = origin.inputs if origin is not None else ()
    name = origin.rule.name if origin is not None else ""
    known = bool(inputs) and all(isinstance(i, AbstractTensor) and i.shape is not None for i in inputs)
    if known and depth and name in ("Add", "Sub") and len(inputs) == 2:
        for part, sign in zip(inputs, (1.0, 1.0 if name == "Add" else -1.0), strict=True):
            roles = _aligned(part, value.roles)
            yield from _terms(_Value(part, roles, value.factor * sign, value.roundings), depth - 1)
        return
    if known and depth and name == "Gemm" and len(inputs) == 3 and origin is not None:
        alpha, beta = (float(origin.context.attr(k, 1.0)) for k in ("alpha", "beta"))
        made = _matrix_product(value, origin, alpha, 4)
        if made is not None:
            yield made
            rest = _Value(inputs[2], _aligned(inputs[2], value.roles), value.factor * beta, value.roundings + 2)
            yield from _terms(rest, depth - 1)
            return
    yield (_contraction(value, origin) if known else None) or value


def _viewed(value: _Value) -> _Value:
    """The same behind operators that move or repeat elements, negate them or multiply them by a constant."""
    for _ in range(VIEWS):
        behind = _moved(value) or _scaled(value)
        if behind is None:
            return value
        value = behind
    return value


def _moved(value: _Value) -> _Value | None:
    x = value.tensor
    source, offsets, kept = x.facts.get("window", (None, (), ()))
    if source is None and x.origin is not None and x.origin.rule.name in ("StridedSlice", "Reshape", "Identity"):
        return _reshaped(value)
    whole = all(isinstance(o, int) and o == 0 for o in offsets)
    if source is None or source.shape is None or x.shape is None or not whole:
        return _diagonal(value)
    roles: list[Role] = [None] * len(source.shape)
    for axis, old in enumerate(kept):
        if old is not None and source.shape[old] != 1:
            if source.shape[old] != x.shape[axis]:
                return None
            roles[old] = value.roles[axis]
    if any(size != 1 and axis not in kept for axis, size in enumerate(source.shape)):
        return None
    return _Value(source, tuple(roles), value.factor, value.roundings)


def _reshaped(value: _Value) -> _Value | None:
    """Axes of size 1 come and go, in order."""
    origin, x = value.tensor.origin, value.tensor
    source = origin.inputs[0] if origin.inputs else None
    if not isinstance(source, AbstractTensor) or source.shape is None or x.shape is None:
        return None
    before = [(i, d) for i, d in enumerate(source.shape) if d != 1]
    after = [(i, d) for i, d in enumerate(x.shape) if d != 1]
    if [d for _, d in before] != [d for _, d in after]:
        return None
    if origin.rule.name == "StridedSlice":
        steps = origin.inputs[3].integers() if len(origin.inputs) > 3 else None
        if steps is None or any(s != 1 for s in steps) or not all(isinstance(d, int) for _, d in before):
            return None
    roles: list[Role] = [None] * len(source.shape)
    for (old, _), (new, _) in zip(before, after, strict=True):
        roles[old] = value.roles[new]
    return _Value(source, tuple(roles), value.factor, value.roundings)


def _diagonal(value: _Value) -> _Value | None:
    """The diagonal of square matrices, taken by itself or out of their elements in one row."""
    origin, x = value.tensor.origin, value.tensor
    if origin is None or not origin.inputs or not isinstance(origin.inputs[0], AbstractTensor) or not x.shape:
        return None
    source = origin.inputs[0]
    size = x.shape[-1]
    if origin.rule.name == "Gather" and len(origin.inputs) == 2 and source.origin is not None:
        flat = source.origin.rule.name == "Reshape" and source.shape is not None and len(source.shape) == len(x.shape)
        last = not origin.context.is_tf and int(origin.context.attr("axis", 0)) in (-1, len(x.shape) - 1)
        if not flat or not last or not isinstance(size, int) or size > LONGEST_DIAGONAL:
            return None
        if origin.inputs[1].integers() != [i * (size + 1) for i in range(size)]:
            return None
        source = source.origin.inputs[0]
    elif origin.rule.name != "MatrixDiagPart" or len(source.shape or ()) != len(x.shape) + 1:
        return None
    if not isinstance(source, AbstractTensor) or source.shape != (*x.shape[:-1], size, size):
        return None
    return _Value(source, (*value.roles, value.roles[-1]), value.factor, value.roundings)


def _scaled(value: _Value) -> _Value | None:
    origin, x = value.tensor.origin, value.tensor
    if origin is None or not origin.inputs or not all(isinstance(i, AbstractTensor) for i in origin.inputs):
        return None
    name, inputs = origin.rule.name, origin.inputs
    if name == "Neg":
        return _Value(inputs[0], value.roles, -value.factor, value.roundings)
    if name not in ("Mul", "Div") or len(inputs) != 2:
        return None
    for part, constant in (inputs, inputs[::-1])[: 1 if name == "Div" else 2]:
        c = constant.low
        if c == constant.high and not constant.nan and 2**-20 <= abs(c) <= 2**20 and part.shape == x.shape:
            exact = math.frexp(abs(c))[0] == 0.5
            factor = value.factor / c if name == "Div" else value.factor * c
            return _Value(part, value.roles, factor, value.roundings + (0 if exact else 2))
    return None


def _contraction(value: _Value, origin: Any) -> _Inner | None:
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
        inner = _Value(source, tuple(roles), 1.0)
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


def _has_all(part: _Value, whole: _Value) -> bool:
    """Whether `part` has all elements that are summed of `whole`: what repeats one is another vector."""
    first, second = (
        {role: size for role, size in zip(v.roles, v.tensor.shape or (), strict=True) if isinstance(role, tuple)}
        for v in (part, whole)
    )
    return first == second


def _pair(value: _Value) -> tuple[_Value, _Value] | None:
    """The factors of an elementwise product or square."""
    origin = value.tensor.origin
    if origin is None or not origin.inputs or not all(isinstance(i, AbstractTensor) for i in origin.inputs):
        return None
    name, inputs = origin.rule.name, origin.inputs
    if any(i.shape is None for i in inputs):
        return None
    if name == "Mul" and len(inputs) == 2:
        return _Value(inputs[0], _aligned(inputs[0], value.roles)), _Value(inputs[1], _aligned(inputs[1], value.roles))
    if name == "Square" or (name == "Pow" and inputs[1].low == inputs[1].high == 2):
        both = _Value(inputs[0], _aligned(inputs[0], value.roles))
        return both, both
    return None


def _matrix_product(value: _Value, origin: Any, alpha: float, roundings: int) -> _Inner | None:
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
    left, right = _Value(x, _aligned(x, tuple(first))), _Value(y, _aligned(y, tuple(second)))
    return _inner_product(left, right, value.factor * alpha, value.roundings + roundings, terms)


def _einsum(value: _Value, origin: Any) -> _Inner | None:
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
        _Value(x, _aligned(x, tuple(roles[c] for c in text))) for text, x in zip(labels, origin.inputs, strict=True)
    )
    terms = math.prod(dims.high(sizes[c]) for c in inner)
    return _inner_product(first, second, value.factor, value.roundings, terms)


def _inner_product(first: _Value, second: _Value, factor: float, roundings: int, terms: Any) -> _Inner | None:
    """None where an operand may be infinite or NaN, or the number of terms is not known."""
    first, second = _viewed(first), _viewed(second)
    terms = float(dims.high(terms)) if not isinstance(terms, float) else terms
    bounded = all(math.isfinite(v.largest) and not v.tensor.nan for v in (first, second))
    if not bounded or not math.isfinite(terms) or terms > 2**24:
        return None
    dtype = first.tensor.dtype
    unit = rounding_terms(terms) * accumulation_unit(dtype) + float(dtype.eps) * (
        1 + first.roundings + second.roundings
    )
    whole = factor * first.factor * second.factor
    left, right = (_Value(v.tensor, v.roles) for v in (first, second))
    return _Inner(left, right, whole, terms, roundings, unit)
