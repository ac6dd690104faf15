"""Rows that are replaced where their sum is 0: ``x = where(x.sum(-1) > 0, x, c)`` of what is not negative, c above 0.

The sum of such a row is not 0, whichever way it was chosen: where it was kept, its own sum has been asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from analyzer.numerical.domain.dims import Shape
from analyzer.numerical.domain.tensor import AbstractTensor, count
from analyzer.numerical.refinement import implied_cases, reevaluate
from analyzer.numerical.transfer.facts import are_axes
from analyzer.operators.declaration import RESHAPES

if TYPE_CHECKING:
    from analyzer.numerical.interpreter import Run

DEPTH = 4  # changes of shape between a sum, what is asked of it and the choice
LEAST = 2.0  # times the smallest normal number: less may be flushed to 0


def sums_are_not_zero(run: Run, x: AbstractTensor, axes: Any) -> bool:
    """Whether no sum of `x` over `axes` is 0 by this relation."""
    origin = x.origin
    if origin is None or origin.rule.name != "Where" or not are_axes(axes) or x.shape is None:
        return False
    condition, kept, other = origin.inputs
    if not all(isinstance(t, AbstractTensor) and not t.nan for t in (condition, kept, other)):
        return False
    if kept.low < 0 or kept.shape != x.shape or other.low < LEAST * x.dtype.tiny or count(x.shape, axes)[0] < 1:
        return False
    rows = _row_by_row(condition, x.shape, axes, origin.context.op == "Select")
    question = _reshaped(condition).origin if rows else None
    if question is not None and question.rule.name == "Not":
        question = question.inputs[0].origin
    if question is None or len(question.inputs) != 2:
        return False
    sums = [t for t in map(_reshaped, question.inputs) if _is_sum(t, kept, axes)]
    with run.ledger.quietly():
        cases = implied_cases(_reshaped(condition), True)
        return any(all(reevaluate(run, t, case, {}, False).low > 0 for case in cases) for t in _asked(question, sums))


def _asked(question: Any, sums: list[AbstractTensor]) -> list[AbstractTensor]:
    """The operands of the question that are such sums, as the question reads them."""
    keys = {t.key for t in sums}
    return [t for t in question.inputs if isinstance(t, AbstractTensor) and _reshaped(t).key in keys]


def _row_by_row(condition: AbstractTensor, shape: Shape, axes: tuple[int, ...], first: bool) -> bool:
    """Whether a condition has one truth value for each row along `axes`."""
    if first and condition.shape is not None and len(condition.shape) == 1 < len(shape):
        return condition.shape[0] == shape[0] and sorted(axes) == list(range(1, len(shape)))
    return condition.shape == tuple(1 if i in axes else d for i, d in enumerate(shape))


def _is_sum(t: AbstractTensor, of: AbstractTensor, axes: tuple[int, ...]) -> bool:
    kind, source, over, _ = t.facts.get("reduced", ("", t, None, False))
    return bool(kind == "sum" and source.key == of.key and are_axes(over) and set(over) == set(axes))


def _reshaped(t: AbstractTensor) -> AbstractTensor:
    """What was there before axes of size 1 came and went: the order of elements stays."""
    for _ in range(DEPTH):
        origin = t.origin
        before = origin.inputs[0] if origin is not None and origin.inputs else None
        if not isinstance(before, AbstractTensor) or not origin.rule.operator.traits & RESHAPES:
            break
        t = before
    return t
