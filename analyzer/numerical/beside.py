"""Values that are an interval beside a few single points: what an excused failure gives beside ordinary results.

One interval from -inf to what the other results reach would hold everything between, 0 too. The fact ``beside`` of a
tensor says that each of its elements is one of the points, lies between `lo` and `hi`, or is NaN if the tensor may be.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from analyzer.numerical.domain.tensor import AbstractTensor, join
from analyzer.numerical.refinement import narrowed
from analyzer.operators.declaration import IDENTITY, RESHAPES, SELECTS

if TYPE_CHECKING:
    from analyzer.numerical.context import Context

MOST_POINTS = 4  # of one tensor
MOST_CASES = 16  # of all operands together
FACT = "beside"


@dataclass(frozen=True, slots=True)
class Beside:
    """Each element is one of the `points` or lies in [lo, hi]."""

    points: tuple[float, ...]
    lo: float
    hi: float


def beside(tensor: Any) -> Beside | None:
    return tensor.facts.get(FACT) if isinstance(tensor, AbstractTensor) else None


def add_points(tensor: AbstractTensor, points: Sequence[float]) -> None:
    """Widens a tensor that is not finished by single points, which it remembers as such."""
    known = beside(tensor) or Beside((), tensor.low, tensor.high)
    every = tuple(dict.fromkeys((*known.points, *points)))
    tensor.lo, tensor.hi = np.minimum(tensor.lo, min(points))[()], np.maximum(tensor.hi, max(points))[()]
    if len(every) <= MOST_POINTS:
        tensor.facts = {**tensor.facts, FACT: Beside(every, known.lo, known.hi)}


def pieces(tensor: AbstractTensor) -> list[AbstractTensor]:
    """The tensor with elements of its interval, or NaN, alone, then with each of its points alone."""
    known = beside(tensor)
    if known is None:
        return [tensor]
    ends = [(known.lo, known.hi), *((p, p) for p in known.points)]
    found = [p for p in (narrowed(tensor, lo, hi) for lo, hi in ends) if p is not None]
    for piece in found:
        piece.nan = tensor.nan and piece is found[0]
        piece.facts = {name: fact for name, fact in piece.facts.items() if name != FACT}
    return found


def _cases(operands: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """Every combination of pieces, none where there are too many; an operand that stands twice is in one piece."""
    split = {t.key: pieces(t) for t in operands if beside(t) is not None}
    if not split or np.prod([len(p) for p in split.values()]) > MOST_CASES:
        return
    for chosen in itertools.product(*split.values()):
        known = {p.key: p for p in chosen}
        yield tuple(known.get(t.key, t) if isinstance(t, AbstractTensor) else t for t in operands)


def proves_beside(operands: tuple[AbstractTensor, ...], safe: Callable[..., bool]) -> bool:
    """Whether `safe` holds of the interval and of each point of operands that are read element by element."""
    cases = list(_cases(operands))
    return bool(cases) and all(safe(*case) for case in cases)


def keep_beside(context: Context, inputs: tuple[Any, ...], result: AbstractTensor) -> None:
    """What is known of the result of a node whose operands are an interval beside single points."""
    rule = context.rule
    if rule.elementwise and rule.pure and len(context.node.outputs) == 1:
        with context.run.ledger.quietly():
            made = [rule.function(context, *case) for case in _cases(inputs)]
        if made and all(_alike(m, result) for m in made):
            _narrow(result, made)
    elif rule.operator.traits & (SELECTS | IDENTITY | RESHAPES) and (known := beside(inputs[0])) is not None:
        result.facts = {**result.facts, FACT: known}


def _alike(made: Any, result: AbstractTensor) -> bool:
    return isinstance(made, AbstractTensor) and (made.shape, made.starts) == (result.shape, result.starts)


def _narrow(result: AbstractTensor, made: Sequence[AbstractTensor]) -> None:
    """Each element of the result is one of any of `made`."""
    whole = functools.reduce(join, made)
    result.lo, result.hi = np.maximum(result.lo, whole.lo)[()], np.minimum(result.hi, whole.hi)[()]
    wide = [m for m in made if m.low < m.high]
    if wide:
        lo, hi = min(m.low for m in wide), max(m.high for m in wide)
        points = tuple({m.low: None for m in made if m.low == m.high and not lo <= m.low <= hi})
        if 0 < len(points) <= MOST_POINTS:
            result.facts = {**result.facts, FACT: Beside(points, lo, hi)}
