"""Possible overflows that rest on bounds nobody knows to be reached: which of them are worth a search, and its level.

Every overflow of half precision is searched for: its largest number is 65504. In wider types those whose ranges are all
stated, and those of exponential growth: products of many factors, loops. Only what a run reaches is shown.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.graph import Graph, Role
from analyzer.graph.ranges import Origin
from analyzer.numerical.assumptions import Assumption
from analyzer.numerical.explanation import behind, rests_on
from analyzer.numerical.result import Alarm, Interpretation
from analyzer.operators.declaration import PRODUCT
from analyzer.operators.registry import traits_of

HALF = ("float16", "bfloat16")
MOST = 12  # searches a target


def worth_searching(graph: Graph, found: Interpretation, assumptions: Sequence[Assumption]) -> list[Alarm]:
    """The overflows to search for, at most `MOST`, in the order of the graph; integers wrap and are left out."""
    chosen = []
    told = {w.node for w in found.warnings} | {e.node for e in found.excuses}  # by a rule of their own
    for warning in found.overflows:
        if (
            warning.rule == "numerical/overflow"
            and warning.node not in told
            and (
                warning.dtype in HALF
                or traits_of(warning.node) & PRODUCT
                or warning.node.graph is not graph.graph
                or all(a.range.origin is Origin.DECLARED for a in inputs_behind(graph, warning, assumptions))
            )
        ):
            chosen.append(warning)
    return chosen[:MOST]


def inputs_behind(graph: Graph, warning: Alarm, assumptions: Sequence[Assumption]) -> list[Assumption]:
    """What is assumed of the inputs that the operator's operands are computed from."""
    return [a for a in rests_on(behind(graph.graph, warning), assumptions) if a.role is Role.INPUT]


def rests_on_defaults(graph: Graph, warning: Alarm, assumptions: Sequence[Assumption]) -> bool:
    """Whether an input range that nobody stated decides how large the result becomes."""
    return any(a.range.origin is Origin.DEFAULT for a in inputs_behind(graph, warning, assumptions))
