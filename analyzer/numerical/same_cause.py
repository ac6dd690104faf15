"""Failures that no run shows, and that are proved safe where another one is mended that a run shows: one cause."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from analyzer.graph import Graph
from analyzer.numerical.assumptions import Assumption, as_ranges
from analyzer.numerical.explanation import behind
from analyzer.numerical.like_examples import key
from analyzer.numerical.repair.repair import same_node
from analyzer.numerical.repair.together import Mended, together
from analyzer.numerical.result import Alarm, Options

MOST = 4  # failures whose mend is looked behind: each takes an analysis of the whole model


def mended_with(
    graph: Graph,
    unshown: Sequence[Alarm],
    repairs: Sequence[Mended],
    shown: Collection[int],
    assumptions: Sequence[Assumption],
    options: Options,
) -> dict[int, Alarm]:
    """By the id of each such failure the one (its id is among `shown`) whose mend mends it too.

    Only what is computed from the operator that fails is looked at. Other values than those that its mend changes do
    not bring such a failure about: a logarithm of 0 behind an exponential that overflows, say.
    """
    causes = [(w, r) for w, r in repairs if id(w) in shown and r.candidate is not None and not w.backward]
    left = {id(w): w for w in unshown if not w.backward}
    found: dict[int, Alarm] = {}
    for warning, change in causes[:MOST]:
        after = [w for w in left.values() if any(v.producer() is warning.node for v in behind(graph.graph, w))]
        mended = together(graph, [(warning, change)], as_ranges(assumptions), options) if after else None
        if mended is None:
            continue
        failing = {(*key(w)[1:], own) for w in mended.interpretation.warnings if (own := same_node(graph, w.node))}
        for each in after:
            if (each.rule, each.operand, each.node) not in failing:
                found[id(each)] = warning
                del left[id(each)]
    return found
