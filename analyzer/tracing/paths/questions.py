"""Questions about elements: which answers data can give.

Behind an answer that is not attained, as far as is known, nothing is proved.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Unknown, Value
from analyzer.tracing.paths.attained import (
    KEEPING,
    MOST_STEPS,
    Span,
    attained,
    is_drawn,
    leaves,
    making_of,
    of_leaf,
    share,
    tells,
)

Sides = tuple[bool, bool]  # whether it can be false, whether it can be true
NEITHER: Sides = (False, False)
_COMPARING = frozenset(("==", "!=", "<", "<=", ">", ">="))
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_SOME = ("any", "reduce_any")
_EVERY = ("all", "reduce_all")
_JOINING = frozenset(("&", "|", "logical_and", "logical_or"))


def sides(question: Value, budget: int = MOST_STEPS) -> Sides:
    """Which truths of a tensor, or of what is read from it, are possible for all that is known."""
    if isinstance(question, Unknown):
        if question.element is not None:
            return sides(question.element, budget)
        return (True, True) if question.known_source else NEITHER
    if not isinstance(question, Tensor) or budget <= 0:
        return NEITHER
    making = making_of(question)
    if making is None:
        free = of_leaf(question)
        return NEITHER if free is None else (True, True) if question.dtype == "bool" else _truths_of(free)
    name, args = making.short, making.args
    if name in _COMPARING and len(args) == 2:
        return _compared(name, args[0], args[1], budget - 1)
    if name in ("equal", "array_equal", "allclose") and len(args) >= 2:
        return _alike(args[0], args[1], budget - 1)
    if name in ("logical_not", "~", "bitwise_not", "invert") and args:
        false, true = sides(args[0], budget - 1)
        return (true, false)
    if name in _JOINING and len(args) == 2 and not leaves(args[0]) & leaves(args[1]):
        (f, t), (g, u) = sides(args[0], budget // 2), sides(args[1], budget // 2)
        return (f or g, t and u) if name in ("&", "logical_and") else (f and g, t or u)
    if args and _of_truths(args[0]) and (name in (*_SOME, *_EVERY) or name in KEEPING):
        false, true = sides(args[0], budget - 1)
        if name not in KEEPING and may_be_empty(args[0]):  # none of no elements is true, and every one
            return (false and name in _SOME, true and name in _EVERY)
        return false, true
    found = attained(question, budget - 1)
    return NEITHER if found is None else _truths_of(found)


def of_test(subject: Unknown, constant: Value, negated: bool) -> Sides:
    """Of a comparison with a constant."""
    false, true = NEITHER if isinstance(constant, (str, type(None))) else _compared("==", subject, constant, MOST_STEPS)
    if isinstance(constant, bool):
        false, true = sides(subject)[:: 1 if constant else -1]
    return (true, false) if negated else (false, true)


def independent(questions: Iterable[Value]) -> bool:
    """Whether all of them may be true together, and all false."""
    seen: set[int] = set()
    for question in questions:
        own = leaves(question)
        if own & seen or (tells(question) and sides(question) != (True, True)):
            return False
        seen |= own
    return True


def _truths_of(span: Span) -> Sides:
    return span.has(0.0), span.low < 0 or span.high > 0


def may_be_empty(value: Value) -> bool:
    """Whether a size of a tensor may be zero, for all that is known of it."""
    dims = value.dims if isinstance(value, Tensor) else None
    return any((d if isinstance(d, int) else d.interval.lo) == 0 for d in dims or ())


def _of_truths(value: Value) -> bool:
    return isinstance(value, Tensor) and value.dtype == "bool"


def _compared(sign: str, left: Value, right: Value, budget: int) -> Sides:
    for value, other, turned in ((left, right, sign), (right, left, _TURNED.get(sign, sign))):
        if isinstance(other, float) and math.isinf(other) and attained(value, budget) is not None:
            smaller = (other > 0) is (turned in ("<", "<="))  # every number is finite
            true = turned == "!=" or (turned != "==" and smaller)
            return (not true, true)
    budget = share(budget, left, right)
    a, b = attained(left, budget), attained(right, budget)
    if a is None or b is None or leaves(left) & leaves(right):
        return NEITHER
    if sign in ("==", "!="):
        same = _meet(a, b)
        differ = not (a.point and b.point and a.low == b.low)
        return (differ, same) if sign == "==" else (same, differ)
    if sign in (">", ">="):
        return _compared_spans(b, a, sign == ">=")
    return _compared_spans(a, b, sign == "<=")


def _compared_spans(a: Span, b: Span, same: bool) -> Sides:
    """Of `a < b`, or of `a <= b` if `same`: whether it can be false, and whether it can be true."""
    both = a.closed and b.closed
    true = a.low < b.high or (same and both and a.low == b.high)
    false = a.high > b.low or (not same and both and a.high == b.low)
    return false, true


def _meet(a: Span, b: Span) -> bool:
    if a.point or b.point:
        return b.has(a.low) if a.point else a.has(b.low)
    return max(a.low, b.low) < min(a.high, b.high) and not (a.whole or b.whole)


def _alike(left: Value, right: Value, budget: int) -> Sides:
    budget = share(budget, left, right)
    a, b = attained(left, budget), attained(right, budget)
    if a is None or b is None or leaves(left) & leaves(right) or (is_drawn(left) and is_drawn(right)):
        return NEITHER
    return not (a.point and b.point), _meet(a, b)
