"""Sizes of dimensions: known, or a symbol with bounds. Equal names are equal sizes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SymbolicDim:
    """A dimension of unknown size in [lo, hi]; `hi` is None when nothing bounds it."""

    name: str
    lo: int = 0
    hi: int | None = None


Dim = int | SymbolicDim
Shape = tuple[Dim, ...]

_fresh = itertools.count()


def unknown(lo: int = 0, hi: int | None = None) -> Dim:
    """A size of which only bounds are known, equal to no other."""
    return lo if lo == hi else SymbolicDim(f"?{next(_fresh)}", lo, hi)


def found() -> Dim:
    """A size that depends on values: how many elements satisfy a condition, none perhaps."""
    return SymbolicDim(f"!{next(_fresh)}", 0, None)


def depends_on_data(dim: Dim) -> bool:
    """Whether the size may be 0 because of what a tensor holds."""
    return not isinstance(dim, int) and dim.lo == 0 and "!" in dim.name


def low(dim: Dim) -> int:
    return dim if isinstance(dim, int) else dim.lo


def high(dim: Dim) -> float:
    if isinstance(dim, int):
        return dim
    return math.inf if dim.hi is None else dim.hi


def name(dim: Dim) -> str:
    return str(dim) if isinstance(dim, int) else dim.name


def bounded(text: str, lo: float, hi: float) -> Dim:
    """The size that `text` names canonically, in [lo, hi]."""
    if lo == hi:
        return int(lo)
    return SymbolicDim(text, max(int(lo), 0), None if math.isinf(hi) else int(hi))


def add(a: Dim, b: Dim) -> Dim:
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    if b == 0:
        return a
    if a == 0:
        return b
    first, second = sorted((name(a), name(b)))
    return bounded(f"({first}+{second})", low(a) + low(b), high(a) + high(b))


def multiply(a: Dim, b: Dim) -> Dim:
    if isinstance(a, int) and isinstance(b, int):
        return a * b
    if a == 1:
        return b
    if b == 1:
        return a
    if a == 0 or b == 0:
        return 0
    first, second = sorted((name(a), name(b)))
    return bounded(f"{first}*{second}", low(a) * low(b), high(a) * high(b))


def product(dims: Shape) -> Dim:
    result: Dim = 1
    for dim in dims:
        result = multiply(result, dim)
    return result


def affine(dim: Dim, plus: int, over: int) -> Dim:
    """``(dim + plus) // over``; at least 0."""
    if plus == 0 and over == 1:
        return dim
    return monotone(dim, lambda n: (n + plus) // over, f"{plus:+d}/{over}")


def monotone(dim: Dim, function: Callable[[int], int], text: str) -> Dim:
    """The size that a non-decreasing `function` gives, at least 0; `text` says which function, in the result's name."""
    if isinstance(dim, int):
        return max(function(dim), 0)
    hi = math.inf if dim.hi is None else max(function(dim.hi), 0)
    return bounded(f"({dim.name}){text}", max(function(dim.lo), 0), hi)


def divide(a: Dim, b: Dim) -> Dim:
    """The exact quotient of sizes, as in a reshape that keeps the number of elements."""
    if isinstance(a, int) and isinstance(b, int):
        return a // b if b else unknown()
    if b == 1:
        return a
    if a == b:
        return 1
    parts = name(a).split("*")
    if name(b) in parts:  # N*k / k = N
        parts.remove(name(b))
        lo, hi = low(a) // max(int(min(high(b), 2**53)), 1), high(a) / max(low(b), 1)
        if len(parts) == 1 and parts[0].isdigit():
            return int(parts[0])
        return bounded("*".join(parts), lo, hi if math.isinf(hi) else math.floor(hi))
    lo = low(a) // int(high(b)) if high(b) and not math.isinf(high(b)) else 0
    return unknown(lo, None if math.isinf(high(a)) else int(high(a)) // max(low(b), 1))


def broadcast(a: Dim, b: Dim) -> Dim:
    """The size that operands of sizes `a` and `b` broadcast to, in a run that does not fail."""
    if a == b or b == 1:
        return a
    if a == 1:
        return b
    if isinstance(a, int):
        return a
    if isinstance(b, int):
        return b
    first, second = sorted((a.name, b.name))
    return bounded(f"max({first},{second})", min(a.lo, b.lo), max(high(a), high(b)))


def broadcast_shapes(shapes: list[Shape | None]) -> Shape | None:
    """The shape that operands broadcast to; None as soon as one rank is unknown."""
    first = shapes[0]
    if all(s == first for s in shapes[1:]):
        return first
    rank = 0
    for shape in shapes:
        if shape is None:
            return None
        rank = max(rank, len(shape))
    result: list[Dim] = [1] * rank
    for shape in shapes:
        assert shape is not None
        for axis, dim in enumerate(shape, rank - len(shape)):
            result[axis] = broadcast(result[axis], dim)
    return tuple(result)


def join(a: Shape | None, b: Shape | None) -> Shape | None:
    """A shape that covers both."""
    if a == b:
        return a
    if a is None or b is None or len(a) != len(b):
        return None
    dims = []
    for x, y in zip(a, b, strict=True):
        hi = max(high(x), high(y))
        dims.append(x if x == y else unknown(min(low(x), low(y)), None if math.isinf(hi) else int(hi)))
    return tuple(dims)
