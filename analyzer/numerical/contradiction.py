"""Proofs by contradiction: elements that cannot lie where an operator fails, because a selection set them apart.

Suppose that they do lie there. Then each selection on the way took a branch that can have such values, its condition
held or not, and so did what the branch was chosen from. Where a condition, computed again from what is supposed, cannot
be so in any of these cases, there is no such element: ``where(x² + y² > c, x, 1)`` and y are never 0 together. A sum or
norm of a row is computed again where all its elements are among what is supposed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.numerical.refinement import narrowed, reevaluate
from analyzer.numerical.transfer.magnitudes import root_of
from analyzer.operators.declaration import SELECTION

if TYPE_CHECKING:
    from analyzer.numerical.interpreter import Run

MOST_CASES = 16
MOST_VALUES = 60  # on the way back from a condition
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
    piece = None if _apart(tensor, lo, hi) else narrowed(tensor, lo, hi)
    inside = None if piece is None else case.supposing(piece)
    if inside is None:
        return
    origin = tensor.origin
    if origin is not None and origin.rule.name == "Complex" and left:  # bounds of a complex number hold both its parts
        for case in _supposed(inside, origin.inputs[0], lo, hi, left - 1):
            yield from _supposed(case, origin.inputs[1], lo, hi, left - 1)
        return
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


def _apart(tensor: AbstractTensor, lo: float, hi: float) -> bool:
    """Whether no constant complex number has both parts in [lo, hi]."""
    known = np.asarray(tensor.data) if tensor.data is not None else None
    if known is None or known.dtype.kind != "c":
        return False
    parts = [(part >= lo) & (part <= hi) for part in (known.real, known.imag)]
    return not bool(np.any(parts[0] & parts[1]))


def _contradicts(run: Run, case: _Case) -> bool:
    conditions = {condition.key for condition, _ in case.truths}
    values = {key: tensor for key, tensor in case.known.items() if key not in conditions}
    for condition, truth in case.truths:
        rows = _of_whole_rows(condition, values)
        found = reevaluate(run, condition, {**values, **rows}, {}, False)
        if found.high == 0 if truth else found.low == 1:
            return True
    return False


def _of_whole_rows(condition: AbstractTensor, values: dict[Any, AbstractTensor]) -> dict[Any, AbstractTensor]:
    """Sums and norms, on the way back from a condition, of rows of which every element is supposed to be small."""
    found: dict[Any, AbstractTensor] = {}
    queue, seen = [condition], {condition.key}
    for tensor in queue:
        most = _most_of_row(tensor, values)
        piece = None if most is None else narrowed(tensor, -most, most)
        if piece is not None:
            found[tensor.key] = piece
        elif tensor.origin is not None and tensor.origin.rule.elementwise and len(seen) < MOST_VALUES:
            for operand in tensor.origin.inputs:
                if isinstance(operand, AbstractTensor) and operand.key not in seen:
                    seen.add(operand.key)
                    queue.append(operand)
    return found


def _most_of_row(total: AbstractTensor, values: dict[Any, AbstractTensor]) -> float | None:
    """What a sum or norm of a row is at most in size, where each element of the row is known as a value of its own."""
    kind, source, axes, kept = total.facts.get("reduced", ("", total, None, True))
    known = kind in ("sum", "sum of squares", "norm", "sum of absolutes")
    if not known or kept or axes is None or len(axes) != 1 or source.shape is None:
        return None
    root = root_of(source) if kind == "sum" else None
    row = source if root is None else root
    axis, size = axes[0] % len(source.shape), source.shape[axes[0]]
    largest: dict[int, float] = {}
    for piece in values.values():
        shown, offsets, left = _shown(piece)
        if shown.key != row.key or axis in left or piece.shape != total.shape or not offsets:
            continue
        others = [o for place, o in enumerate(offsets) if place != axis]
        if all(isinstance(o, int) and o == 0 for o in others) and isinstance(offsets[axis], int):
            largest[offsets[axis]] = max(abs(piece.low), abs(piece.high))
    if not isinstance(size, int) or sorted(largest) != list(range(size)):
        return None
    squared = root is not None or kind in ("sum of squares", "norm")
    sizes = [most * most if squared else most for most in largest.values()]
    bound = 1.01 * sum(sizes) + size * float(total.dtype.tiny)
    return math.sqrt(bound) * 1.01 if kind == "norm" else bound


def _shown(x: AbstractTensor) -> tuple[AbstractTensor, tuple[Any, ...], tuple[Any, ...]]:
    """What `x` shows part of, through several operators: from where along each axis, and which axes are left."""
    source, offsets, kept = x, (0,) * len(x.shape or ()), tuple(range(len(x.shape or ())))
    for _ in range(MOST_SELECTIONS):
        behind, more, left = source.facts.get("window", (None, (), ()))
        if behind is None or behind.shape is None or not all(isinstance(o, int) for o in (*offsets, *more)):
            break
        places = {old: here for here, old in enumerate(left) if old is not None}
        offsets = tuple(o + (offsets[places[i]] if i in places else 0) for i, o in enumerate(more))
        kept = tuple(left[k] if k is not None else None for k in kept)
        source = behind
    return source, offsets, kept
