"""Slices of what element-wise operators made, seen as made of slices: relations hold between these."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.numerical.regions import WHOLE, Regions

if TYPE_CHECKING:
    from analyzer.numerical.interpreter import Run

MOST_SLICED = 40  # operators looked at for a slice
ROUNDS = 10  # of proofs over boxes cost as much


def through_windows(run: Run, *tensors: AbstractTensor) -> tuple[AbstractTensor, ...] | None:
    """The same values as made, element by element, of what slices of the operators' operands show.

    So ``clip(a - b)[:, 0]`` is ``clip(a[:, 0] - b[:, 0])``, and is related to other values of ``a[:, 0]``. None where
    no slice stands behind an element-wise operator.
    """
    if run.rounds_left <= 0 or any(t.shape is None for t in tensors) or not any(_sliced(t) for t in tensors):
        return None
    run.rounds_left -= ROUNDS
    view = Regions(run, blocks=False)
    with run.ledger.quietly():
        return tuple(view.part(t, (WHOLE,) * len(t.shape or ())) for t in tensors)


def _sliced(tensor: AbstractTensor) -> bool:
    """Whether a value rests, by element-wise operators, on a slice of what an element-wise operator made."""
    queue, seen = [tensor], {tensor.key}
    for current in queue:
        source = current
        while "window" in source.facts:
            source = source.facts["window"][0]
        computed = source.origin is not None and source.origin.rule.elementwise and source.origin.rule.pure
        if source is not current and computed:
            return True
        if not computed or len(queue) > MOST_SLICED:
            continue
        for item in source.origin.inputs:
            if isinstance(item, AbstractTensor) and item.key not in seen:
                seen.add(item.key)
                queue.append(item)
    return False
