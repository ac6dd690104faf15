"""Proofs by contradiction: elements that cannot lie where an operator fails, because a selection set them apart.

Suppose that they do lie there. Then each selection on the way took a branch that can have such values, its condition
held or not, and so did what the branch was chosen from. Where a condition, computed again from what is supposed, cannot
be so in any of these cases, there is no such element: ``where(x² + y² > c, x, 1)`` and y are never 0 together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.numerical.refinement import narrowed, reevaluate
from analyzer.operators.declaration import SELECTION

if TYPE_CHECKING:
    from analyzer.numerical.interpreter import Run

MOST_CASES = 16
MOST_SELECTIONS = 12  # on the way back from one operand


@dataclass(frozen=True, slots=True)
class _Case:
    """What is supposed: narrow values by key, and the truth of conditions."""

    known: dict[Any, AbstractTensor]
    truths: tuple[tuple[AbstractTensor, bool], ...] = ()

    def supposing(self, piece: AbstractTensor, truths: tuple[tuple[AbstractTensor, bool], ...] = ()) -> _Case | None:
        before = self.known.get(piece.key)
        both = piece if before is None else narrowed(before, piece.low, piece.high)
        return None if both is None else _Case({**self.known, piece.key: both}, (*self.truths, *truths))


def never_within(run: Run, operands: Sequence[AbstractTensor], lo: float, hi: float) -> bool:
    """Whether no element has all `operands`, which meet element by element, in [lo, hi]; NaN is not there."""
    cases: list[_Case] = [_Case({})]
    with run.ledger.quietly():
        for tensor in operands:
            cases = [further for case in cases for further in _supposed(case, tensor, lo, hi, MOST_SELECTIONS)]
            if len(cases) > MOST_CASES:
                return False
        return all(_contradicts(run, case) for case in cases)


def _supposed(case: _Case, tensor: AbstractTensor, lo: float, hi: float, left: int) -> Iterator[_Case]:
    """The ways in which an element of `tensor` can lie in [lo, hi]: one for each branch of a selection."""
    piece = narrowed(tensor, lo, hi)
    inside = None if piece is None else case.supposing(piece)
    if inside is None:
        return
    origin = tensor.origin
    if left == 0 or origin is None or not origin.rule.operator.traits & SELECTION or len(origin.inputs) != 3:
        yield inside
        return
    condition, *branches = origin.inputs
    if not origin.rule.elementwise or not all(isinstance(t, AbstractTensor) for t in origin.inputs):
        yield inside
        return
    for truth, branch in zip((True, False), branches, strict=True):
        known = narrowed(condition, float(truth), float(truth))
        chosen = None if known is None else inside.supposing(known, ((condition, truth),))
        if chosen is not None:
            yield from _supposed(chosen, branch, lo, hi, left - 1)


def _contradicts(run: Run, case: _Case) -> bool:
    conditions = {condition.key for condition, _ in case.truths}
    values = {key: tensor for key, tensor in case.known.items() if key not in conditions}
    for condition, truth in case.truths:
        found = reevaluate(run, condition, values, {}, False)
        if found.high == 0 if truth else found.low == 1:
            return True
    return False
