"""Possible overflows that rest on bounds nobody knows to be reached: which of them are worth a search, and its level.

Every overflow of half precision is searched for: its largest number is 65504. In wider types those whose ranges are all
stated, and those of exponential growth: products of many factors, loops, recurrent layers, states multiplied by
themselves again and again, and what grows past the largest number from inputs alone. Only what a run reaches is shown.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

import onnx_ir as ir

from analyzer.graph import Graph, Role
from analyzer.graph.ranges import Origin
from analyzer.numerical.assumptions import Assumption
from analyzer.numerical.domain.dtypes import element_type
from analyzer.numerical.excuses import ABOVE, BELOW
from analyzer.numerical.explanation import behind, rests_on
from analyzer.numerical.growth import exponential
from analyzer.numerical.result import Alarm, Interpretation
from analyzer.operators.conditions import DIVISION_BY_ZERO
from analyzer.operators.declaration import (
    CONTRACTION,
    ELEMENTWISE,
    EXTREME_OF_NONE,
    IDENTITY,
    LINEAR,
    POLYNOMIAL,
    PRODUCT,
    RECURRENT,
    RESHAPES,
    SELECTS,
)
from analyzer.operators.registry import operator_of, traits_of

HALF = ("float16", "bfloat16")
HALF_SEARCHES = 2  # of a target in half precision, whose time all of them share: a transformer has three a layer
MOST = 12  # searches a target in wider types: each may take seconds, and the time belongs to the warnings first


@dataclass(frozen=True)
class Searches:
    """The overflows to search for, in the order of the graph.

    `thorough`: what grows exponentially, and what rests on declared inputs alone, of wider types the first `MOST`.
    `half`: the others of half precision, which share the time of `HALF_SEARCHES`. `brief`: wide ones at the ends of
    ranges that nobody declared; deep networks have many, and hardly one is real, so they share the time of one search.
    """

    thorough: tuple[Alarm, ...]
    half: tuple[Alarm, ...]
    brief: tuple[Alarm, ...]


def worth_searching(graph: Graph, found: Interpretation, assumptions: Sequence[Assumption]) -> Searches:
    """What may overflow though no rule tells; integers wrap and are left out."""
    told = {w.node for w in found.warnings if not w.backward}  # by a rule of their own
    wanted = [w for w in found.overflows if w.rule == "numerical/overflow" and w.node not in told]
    growing = exponential(graph, found.values) if wanted else frozenset()
    kept = [w for w in wanted if not _dropped(w, found)]
    kinds = [_Likelihood.GROWS if w.node in growing else _likelihood(graph, w, assumptions) for w in kept]
    wider = [w for w, kind in zip(kept, kinds, strict=True) if kind and w.dtype not in HALF][MOST:]
    likely = [(w, kind) for w, kind in zip(kept, kinds, strict=True) if kind and w not in wider]
    groups = ((_Likelihood.GROWS, _Likelihood.STATED), (_Likelihood.HALF,), (_Likelihood.OPEN,))
    thorough, half, brief = (tuple(w for w, kind in likely if kind in group) for group in groups)
    return Searches(thorough, half, brief)


def _dropped(warning: Alarm, found: Interpretation) -> bool:
    """Whether an excuse of the operator's other failures holds for its overflow.

    In wider types than half precision only the denormal neighbours of what is excused overflow.
    """
    largest = element_type(warning.dtype).hi
    kinds = frozenset(
        k for k, over in ((ABOVE, warning.interval.hi > largest), (BELOW, warning.interval.lo < -largest)) if over
    )
    return any(e.node is warning.node and (warning.dtype not in HALF or e.drops(kinds)) for e in found.excuses)


class _Likelihood(Enum):
    GROWS = auto()  # by its operator, or in a loop
    HALF = auto()  # its largest number is 65504
    STATED = auto()  # on inputs whose ranges were declared
    OPEN = auto()  # on finite ranges of inputs that nobody declared


def _likelihood(graph: Graph, warning: Alarm, assumptions: Sequence[Assumption]) -> _Likelihood | None:
    if traits_of(warning.node) & (PRODUCT | RECURRENT) or warning.node.graph is not graph.graph:
        return _Likelihood.GROWS
    if any(_holds_extremes(v) for v in warning.node.inputs):
        return _Likelihood.GROWS
    if warning.dtype in HALF:
        return _Likelihood.HALF
    rests = rests_on(behind(graph.graph, warning), assumptions)
    inputs = [a.range for a in rests if a.role is Role.INPUT]
    if all(r.origin is Origin.DECLARED for r in inputs):
        return _Likelihood.STATED
    # of weights deep networks make such numbers too, at the far ends of all their ranges
    alone = len(inputs) == len(rests) and all(math.isfinite(r.hi - r.lo) for r in inputs)
    return _Likelihood.OPEN if alone else None


def _holds_extremes(value: ir.Value | None) -> bool:
    """Whether a value holds the type's own extremes: TensorFlow's of a segment that no row falls into."""
    node = value.producer() if value is not None else None
    while node is not None and traits_of(node) & (IDENTITY | RESHAPES | SELECTS) and node.inputs[0] is not None:
        node = node.inputs[0].producer()
    return node is not None and bool(traits_of(node) & EXTREME_OF_NONE)


def far_below(graph: Graph, warning: Alarm) -> float:
    """What a search's result must reach with one start for others to be worth trying; 0 where its size tells nothing.

    From wherever they start, searches for a large sum or product of what has bounds end within a few times of each
    other: a sixteenth of the largest number in half precision. Of other operators nothing is said, nor inside bodies:
    quotients become large near one point, accumulators may overflow though results are small, and loops grow.
    """
    traits = traits_of(warning.node)
    sums = traits & (LINEAR | POLYNOMIAL) and traits & (ELEMENTWISE | CONTRACTION)
    if not sums or warning.rule != "numerical/overflow" or warning.node.graph is not graph.graph:
        return 0.0
    return float(element_type(warning.dtype).hi ** 0.75)


def fails_with(graph: Graph, found: Interpretation, warning: Alarm, first: Alarm) -> bool:
    """Whether the overflow belongs to a failure that is shown: near 0 of one denominator, or where it is cut off.

    Beside a logarithm or quotient that fails at 0, what divides by the same value overflows just above 0. What becomes
    too large only where an earlier overflow cuts it off fails with that one.
    """
    operator = operator_of(warning.node)
    divides = operator is not None and DIVISION_BY_ZERO in operator.unsafe
    if divides and not first.backward and first.operand >= 0:
        failing, denominator = first.node.inputs[first.operand], warning.node.inputs[-1]
        if failing is denominator and first.interval.lo <= 0 <= first.interval.hi:
            return True
    operands = (found.values.get(v) for v in warning.node.inputs if v is not None)
    cut = any(t.dtype.is_float and (t.low <= t.dtype.lo or t.high >= t.dtype.hi) for t in operands if t is not None)
    return cut and any(v.producer() is first.node for v in behind(graph.graph, warning))


def inputs_behind(graph: Graph, warning: Alarm, assumptions: Sequence[Assumption]) -> list[Assumption]:
    """What is assumed of the inputs that the operator's operands are computed from."""
    return [a for a in rests_on(behind(graph.graph, warning), assumptions) if a.role is Role.INPUT]


def rests_on_defaults(graph: Graph, warning: Alarm, assumptions: Sequence[Assumption]) -> bool:
    """Whether an input range that nobody stated decides how large the result becomes."""
    return any(a.range.origin is Origin.DEFAULT for a in inputs_behind(graph, warning, assumptions))
