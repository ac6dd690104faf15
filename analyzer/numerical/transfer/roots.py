"""``x + sqrt(x² + c)`` with c >= 0: never below 0, and as far above as c keeps it.

In binary arithmetic that rounds to nearest, the root of a rounded square is the number itself (Boldo, Stupid is as
stupid does: taking the square root of the square of a floating-point number, 2015), and rounding keeps order. So the
root is at least |x| exactly, unless x² underflows. In real numbers the sum grows with x and with c; what the root loses
is a few roundings of its own size.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.numerical.transfer.magnitudes import same_magnitude, square_of

DEPTH = 4  # additions under the root


def least_beside_root(a: AbstractTensor, b: AbstractTensor, scale: float) -> float:
    """A lower bound of ``a + scale * b`` where one is a root (or |x|) over the other; -inf where nothing is known."""
    pairs = ((a, b), (b, a)) if scale > 0 else ((a, b),)
    return max(_least(root, x, x.low if scale > 0 else -x.high) for root, x in pairs)


def _least(root: AbstractTensor, x: AbstractTensor, end: float) -> float:
    """Of the root and x (or -x), whose least value is `end`."""
    if root.nan or x.nan or not math.isfinite(end) or not x.dtype.is_float or root.dtype.name != x.dtype.name:
        return -math.inf
    origin = root.origin
    name = origin.rule.name if origin is not None else ""
    if name == "Abs" and same_magnitude(origin.inputs[0], x):
        return 0.0
    half = name == "Pow" and origin.inputs[1].low == origin.inputs[1].high == 0.5
    added = _added(origin.inputs[0], x) if name == "Sqrt" or half else None
    if added is None:
        return -math.inf
    constant, additions = added
    eps, tiny = float(x.dtype.eps), float(x.dtype.tiny)
    real = end + (1 - (additions + 2) * eps) * math.hypot(end, math.sqrt(constant))
    nearly = real - 1e-14 * abs(end) - 4 * math.sqrt(tiny)  # what is too small to be normal may be lost
    exactly = -math.inf if half else 0.0 if constant else -2 * math.sqrt(tiny)
    return max(nearly, exactly)


def _added(total: AbstractTensor, x: AbstractTensor) -> tuple[float, int] | None:
    """What is at least added to the square of x, and by how many additions; None where anything may be taken away.

    Terms that are lost where small numbers are flushed to 0, or whose roots are near those of such, do not count.
    """
    terms = list(_terms(total, DEPTH))
    squares = [t for t in terms if square_of(t, x) or _square_of_scaled(t, x)]
    if not squares or any(t.nan or not t.low >= 0 for t in terms):
        return None
    least = 4 * float(x.dtype.tiny)
    return sum(t.low for t in terms if t is not squares[0] and t.low >= least), len(terms) - 1


def _square_of_scaled(t: AbstractTensor, x: AbstractTensor) -> bool:
    """Whether t is d² y² and x is d y for a power of two d: neither product is rounded."""
    square, scaled = _factor(t), _factor(x)
    if square is None or scaled is None:
        return False
    (c, y2), (d, y) = square, scaled
    return math.frexp(d)[0] == 0.5 and c == d * d and square_of(y2, y)


def _factor(x: AbstractTensor) -> tuple[float, AbstractTensor] | None:
    """A positive constant and what it multiplies."""
    origin = x.origin
    if origin is None or origin.rule.name != "Mul" or len(origin.inputs) != 2:
        return None
    for one, other in (origin.inputs, origin.inputs[::-1]):
        if one.low == one.high and 1e-6 < one.low < 1e6 and not one.nan:
            return float(one.low), other
    return None


def _terms(x: AbstractTensor, depth: int) -> Iterator[AbstractTensor]:
    origin = x.origin
    if depth and origin is not None and origin.rule.name == "Add" and len(origin.inputs) == 2:
        for part in origin.inputs:
            yield from _terms(part, depth - 1)
    else:
        yield x
