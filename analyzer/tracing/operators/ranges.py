"""How many numbers a range has, from a first one to a bound that it does not reach."""

from __future__ import annotations

import math

from analyzer.tracing.language.values import Value
from analyzer.tracing.operators.table import Op
from analyzer.validity.terms import Term, floor_div


def length_of_range(op: Op, start: Value, stop: Value, step: Value) -> Term | None:
    """None where that is not known; a range that leads away from its bound is empty."""
    given = (start, stop, step)
    if all(isinstance(v, (int, float)) and math.isfinite(v) for v in given) and step:
        return max(0, math.ceil((stop - start) / step))
    first, bound, width = op.tr.term_of(start), op.tr.term_of(stop), op.tr.term_of(step)
    if first is None or bound is None or not isinstance(width, int) or not width:
        return None
    way = bound - first if width > 0 else first - bound
    length = way if abs(width) == 1 else floor_div(way + abs(width) - 1, abs(width))
    return max(0, length) if isinstance(length, int) else length
