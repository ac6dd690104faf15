"""What an einsum's equation tells of its operands: how many axes each of them has."""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.operators.refusals import fail
from analyzer.tracing.operators.table import Op
from analyzer.validity.specs.einsum import EQUATION


def learn_ranks(op: Op, equation: str, operands: Sequence[Tensor | None]) -> None:
    """Refuse operands of a known rank that is not that of their letters; those of unknown rank get it.

    Of one with an ellipsis the letters tell the least rank only.
    """
    terms = equation.replace(" ", "").partition("->")[0].split(",")
    if len(terms) != len(operands):
        return
    for labels, operand in zip(terms, operands, strict=True):
        letters = len(labels.replace("...", ""))
        if operand is None:
            continue
        if operand.dims is None and "..." not in labels:
            op.tr.set_rank(operand, letters)
        elif operand.dims is not None and not _fits(len(operand.dims), letters, "..." in labels):
            told = f"gives {letters} letters to an operand of {len(operand.dims)} dimensions"
            fail(op, EQUATION.id, f"the equation `{equation}` {told}", (operand,))


def _fits(rank: int, letters: int, open_rank: bool) -> bool:
    return rank >= letters if open_rank else rank == letters
