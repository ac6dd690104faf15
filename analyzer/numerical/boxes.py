"""Proofs over boxes: an expression of few variables, bounded again on ever smaller parts of their ranges.

Where an operand of an operator that can fail depends on a value along several paths, bounds forget that it is the same
value: ``d + (c - 2 d) t`` with t in [0, 1/4] is never below d / 2, and its bounds say nothing of the kind. On a small
enough box they do. Boxes that do not prove it are halved (Moore 1966, "Interval Analysis", chapter 4), all of them at
once: each is a block of a tensor with one axis, so that the transfer functions, which know the rounding of every
operator, are applied once a round. Only element-wise operators are followed; what they read is a variable.

Hopeless questions are left early: if the operator may fail at single points, no box around them will do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from analyzer.numerical.domain.dtypes import Array
from analyzer.numerical.domain.tensor import AbstractTensor

if TYPE_CHECKING:
    from analyzer.numerical.interpreter import Run

MOST_OPERATORS = 60  # of one expression
MOST_VARIABLES = 3  # that are halved together; boxes multiply with each
MOST_BOXES = 2048  # at a time
MOST_ROUNDS = 40  # of one question: by then a box is a part in a million of two ranges
ROUNDS_OF_A_RUN = 3000  # a few seconds: what is left then is told as it is
PROBES = 64  # points that are asked first
SPREAD = 1e-8  # of a range that begins at 0: the part below which its logarithm is not divided

Boxes = Mapping[int, tuple[Array, Array]]  # by the key of a variable: ends, one pair a box


def proves_by_boxes(run: Run, operands: tuple[AbstractTensor, ...], safe: Callable[..., bool]) -> bool:
    """Whether `safe(*operands)` holds on every box of some cover of the variables that the operands depend on."""
    found = _Expression.of(run, operands)
    if found is None or run.rounds_left <= 0:
        return False
    with _many_blocks(run):
        return found.holds(safe)


@contextmanager
def _many_blocks(run: Run) -> Iterator[None]:
    limit = run.block_limit
    run.block_limit = max(limit, 2 * MOST_BOXES)
    try:
        with run.ledger.quietly():
            yield
    finally:
        run.block_limit = limit


@dataclass(frozen=True)
class _Expression:
    """The operands, and those of their variables on which they depend along several paths."""

    run: Run
    operands: tuple[AbstractTensor, ...]
    variables: tuple[AbstractTensor, ...]

    @classmethod
    def of(cls, run: Run, operands: tuple[AbstractTensor, ...]) -> _Expression | None:
        uses: dict[int, int] = {}
        seen: dict[int, AbstractTensor] = {}
        queue = list({t.key: t for t in operands}.values())
        for count, tensor in enumerate(queue):  # grows while it is walked
            if count > MOST_OPERATORS:
                return None
            for item in _read(tensor):
                uses[item.key] = uses.get(item.key, 0) + 1
                if item.key not in seen:
                    seen[item.key] = item
                    queue.append(item)
        several = [t for key, t in seen.items() if uses[key] > 1 and _divisible(t)]
        variables = [t for t in several if not _read(t)][:MOST_VARIABLES]
        for tensor in reversed([t for t in several if _read(t)]):  # the deepest first: others are computed from them
            if len(variables) < MOST_VARIABLES and not _covered(tensor, {t.key for t in variables}):
                variables.append(tensor)
        return cls(run, operands, tuple(variables)) if variables else None

    def holds(self, safe: Callable[..., bool]) -> bool:
        sizes = range(1, len(self.variables) + 1)
        chosen = [group for size in sizes for group in combinations(self.variables, size)]
        # a point of all variables must be safe; so must one of those that are halved, whatever the others are
        for group in (self.variables, *(g for g in chosen if g != self.variables)):
            probed = bool(self._unsafe(_points(group), safe).size == 0)
            if not probed and group is self.variables:
                return False
            if probed and self._halved(group, safe):
                return True
        return False

    def _halved(self, group: tuple[AbstractTensor, ...], safe: Callable[..., bool]) -> bool:
        boxes: Boxes = {t.key: (np.array([t.low]), np.array([t.high])) for t in group}
        for turn in range(MOST_ROUNDS):
            left = self._unsafe(boxes, safe)
            if not left.size:
                return True
            if 2 * left.size > MOST_BOXES or self.run.rounds_left <= 0:
                return False
            boxes = {key: (lo[left], hi[left]) for key, (lo, hi) in boxes.items()}
            divided = _divided(boxes, group, turn)
            if divided is None:
                return False
            boxes = divided
        return False

    def _unsafe(self, boxes: Boxes, safe: Callable[..., bool]) -> np.ndarray:
        """The boxes of which `safe` is not known to hold."""
        count = len(next(iter(boxes.values()))[0])
        self.run.rounds_left -= 1
        evaluation = _OnBoxes(self.run, boxes, {}, np.zeros(count, np.bool_))
        values = [evaluation.value(t) for t in self.operands]
        if any(t.nan for t in values):
            return np.arange(count)
        ends = [np.broadcast_to(t.lo, count) for t in values], [np.broadcast_to(t.hi, count) for t in values]

        def holds(i: int) -> bool:
            alone = (AbstractTensor(t.dtype, (), lo[i], hi[i]) for t, lo, hi in zip(self.operands, *ends, strict=True))
            return safe(*alone)

        left = np.flatnonzero(~evaluation.empty).tolist()
        return np.array([i for i in left if not holds(i)], dtype=np.int64)


@dataclass(frozen=True)
class _OnBoxes:
    """Values on boxes, one block a box; what depends on none of the variables is a single number's interval.

    A box is `empty` where a value on the way lies outside all that is known of it: of that value's own bounds, or of
    those that an earlier operator has to have received, for a run to go on.
    """

    run: Run
    boxes: Boxes
    memo: dict[int, AbstractTensor]
    empty: np.ndarray

    def value(self, tensor: AbstractTensor) -> AbstractTensor:
        if tensor.key not in self.memo:
            self.memo[tensor.key] = self._value(tensor)
        return self.memo[tensor.key]

    def _value(self, tensor: AbstractTensor) -> AbstractTensor:
        if tensor.key in self.boxes:
            lo, hi = self.boxes[tensor.key]
            if len(lo) == 1:
                return AbstractTensor(tensor.dtype, (1,), lo[0], hi[0], key=tensor.key, final=True)
            starts = (tuple(range(len(lo))),)
            return AbstractTensor(tensor.dtype, (len(lo),), lo, hi, starts, key=tensor.key, final=True)
        read = _read(tensor)
        values = {t.key: self.value(t) for t in read}
        if not read or all(v.starts is None and v.shape == () for v in values.values()):
            low, high = np.float64(tensor.low), np.float64(tensor.high)
            return AbstractTensor(tensor.dtype, (), low, high, nan=tensor.nan, key=tensor.key, final=True)
        origin = tensor.origin
        inputs = tuple(values[i.key] if isinstance(i, AbstractTensor) else i for i in origin.inputs)
        results = origin.rule.function(origin.context, *inputs)
        result: AbstractTensor = results[origin.output] if isinstance(results, tuple) else results
        if origin.context.bad:
            origin.context.with_bad_results(result)
        self.run.finish(origin.context, inputs, origin.output, result)
        known = self.run.restricted_operands.get(tensor.key, tensor)
        kept = result.with_bounds(np.maximum(result.lo, known.low), np.minimum(result.hi, known.high))
        without = np.ravel(kept.lo > kept.hi)
        if np.any(without):  # such a box holds no value; any bounds will do
            if not result.nan and result.rank == 1:
                np.logical_or(self.empty, without, out=self.empty)
            return result
        if result.starts is None and result.nan == tensor.nan:
            return result
        kept.nan, kept.form = result.nan and tensor.nan, result.form
        return kept


def _read(tensor: AbstractTensor) -> tuple[AbstractTensor, ...]:
    """What an element-wise operator computed `tensor` from; nothing of what is a variable or a constant."""
    origin = tensor.origin
    if origin is None or not (origin.rule.elementwise and origin.rule.pure) or tensor.low == tensor.high:
        return ()
    name, context = origin.rule.name, origin.context
    if name == "BiasAdd" or context.op == "Select":  # do not broadcast from the right
        return ()
    return tuple(i for i in origin.inputs if isinstance(i, AbstractTensor))


def _covered(tensor: AbstractTensor, chosen: set[int]) -> bool:
    """Whether a value is computed from variables that are chosen, and from constants."""
    if tensor.key in chosen or tensor.low == tensor.high:
        return True
    read = _read(tensor)
    return bool(read) and all(_covered(t, chosen) for t in read)


def _divisible(tensor: AbstractTensor) -> bool:
    return tensor.dtype.is_float and not tensor.nan and bool(np.isfinite((tensor.low, tensor.high)).all())


def _points(group: tuple[AbstractTensor, ...]) -> Boxes:
    """Points of the ranges, ends among them, of several variables at random."""
    rng, points = np.random.default_rng(0), {}
    for tensor in group:
        lo, hi = tensor.low, tensor.high
        part = np.concatenate([[0.0, 1.0], rng.uniform(size=PROBES - 2)])
        across = lo + (hi - lo) * part if np.isfinite(hi - lo) else np.full(PROBES, lo)
        small = np.sign(lo + hi) * np.abs(hi - lo) * 10.0 ** rng.uniform(-8, 0, PROBES)
        chosen = np.where(rng.uniform(size=PROBES) < 0.5, across, np.clip(small, lo, hi))
        chosen[:4] = rng.permutation([lo, hi, lo, hi])
        on_grid = np.clip(np.asarray(tensor.dtype.nearest(chosen)), lo, hi)
        points[tensor.key] = on_grid, on_grid.copy()
    return points


def _divided(boxes: Boxes, group: tuple[AbstractTensor, ...], turn: int) -> Boxes | None:
    """Every box in halves along one variable in turn; None where it is as narrow as its type's numbers."""
    chosen = group[turn % len(group)]
    lo, hi = boxes[chosen.key]
    middle = _middle(lo, hi, geometric=turn // len(group) % 2 == 1)
    middle = np.asarray(chosen.dtype.nearest(middle))
    narrow = (middle <= lo) | (middle >= hi)
    if len(group) == 1 and np.any(narrow):
        return None
    middle = np.where(narrow, lo, middle)
    ends = dict(boxes)
    divided = {key: (np.concatenate([a, a]), np.concatenate([b, b])) for key, (a, b) in ends.items()}
    divided[chosen.key] = np.concatenate([lo, middle]), np.concatenate([np.where(narrow, hi, middle), hi])
    return divided


def _middle(lo: np.ndarray, hi: np.ndarray, *, geometric: bool) -> np.ndarray:
    """Half of each interval, or of its logarithm; 0 where it lies inside."""
    plain = 0.5 * lo + 0.5 * hi
    small, large = np.minimum(np.abs(lo), np.abs(hi)), np.maximum(np.abs(lo), np.abs(hi))
    middle = np.sqrt(np.maximum(small, SPREAD * large)) * np.sqrt(large) * np.sign(plain)
    wide = geometric & (large > 4 * small)
    return np.where((lo < 0) & (hi > 0), 0.0, np.where(wide, middle, plain))
