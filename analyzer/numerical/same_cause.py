"""Failures of one cause with another that a run shows: safe where that one is mended, or shown by its witness too."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from analyzer.graph import Graph
from analyzer.numerical.assumptions import Assumption, as_ranges
from analyzer.numerical.confirm.confirmation import Confirmer
from analyzer.numerical.confirm.outcome import Confirmation
from analyzer.numerical.explanation import behind
from analyzer.numerical.like_examples import key
from analyzer.numerical.repair.repair import same_node
from analyzer.numerical.repair.together import Mended, together
from analyzer.numerical.result import Alarm, Options

MOST = 4  # failures whose mend is looked behind: each takes an analysis of the whole model
MOST_RUNS = 8  # failures that are looked for at the witness of another: each takes two runs of the whole model


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


def failing_with(
    graph: Graph, unshown: Sequence[Alarm], shown: Sequence[tuple[Alarm, Confirmation]], confirmer: Confirmer
) -> dict[int, Alarm]:
    """By the id of each such failure the one of `shown` whose witness brings it about as well.

    It is computed from what that one makes, which is NaN there and hides it from a search of its own: a mean over the
    words of a row of padding behind a softmax of their scores. Further layers, operators like the one that is shown,
    may fail alike on the way: what they make is taken to be finite too.
    """
    found: dict[int, Alarm] = {}
    for warning, confirmation in shown[:MOST]:
        kind = (warning.node.domain, warning.node.op_type)
        left = [w for w in unshown if id(w) not in found and not w.backward and w.node is not warning.node]
        for each in left[:MOST_RUNS]:
            before = {p for v in behind(graph.graph, replace(each, operand=-1)) if (p := v.producer()) is not None}
            alike = [n for n in before if (n.domain, n.op_type) == kind and n is not each.node]
            made = frozenset(v.name for n in alike for v in n.outputs if v.name)
            if warning.node in before and confirmer.fails_with(confirmation, made, each):
                found[id(each)] = warning
    return found
