"""The graph with many changes in it at once: what its analysis warns of, round by round until nothing new shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import onnx_ir as ir

from analyzer.graph import Graph, ValueRange
from analyzer.numerical.assumptions import Assumption, as_ranges
from analyzer.numerical.confirm.confirmation import Confirmer
from analyzer.numerical.confirm.extract import whole
from analyzer.numerical.confirm.inside import find
from analyzer.numerical.interpreter import interpret
from analyzer.numerical.repair.patterns import FormulaGone
from analyzer.numerical.repair.repair import Repair, drop_unused, rebuilt, repair, same_node
from analyzer.numerical.result import Alarm, Interpretation, Options
from analyzer.numerical.sensitivity import slice_ranges

Mended = tuple[Alarm, Repair]
# Each round analyses the whole model again; a failure hides the next along one chain, and four in a row are rare.
ROUNDS = 4


@dataclass(frozen=True)
class Together:
    """A copy of the graph with changes in it, its analysis, and the names of the nodes that the changes made."""

    graph: Graph
    interpretation: Interpretation
    made: frozenset[str]


@dataclass(frozen=True)
class Revealed:
    """A failure that shows once the changes before it are made; `shown` is its warning in the changed graph.

    `beyond`: not for inputs like their examples.
    """

    warning: Alarm
    shown: Alarm
    after: Together
    beyond: bool = False


def together(
    graph: Graph, mended: Sequence[Mended], ranges: Mapping[str, ValueRange], options: Options
) -> Together | None:
    """The graph with all changes; None where the model cannot stand alone or a change has lost its operator."""
    piece = whole(graph, ranges, {"*": 2}, graph.losses)
    if piece is None:
        return None
    main = piece.model.graph
    order = {node.outputs[0].name: i for i, node in enumerate(nodes_of(main)) if node.outputs}
    changes = {(r.round, c.anchor.outputs[0].name, c.kind): (w.dtype, c) for w, r in mended if (c := r.candidate)}
    made: set[str] = set()
    # Of a round, what comes later first: a formula is recognised by the operators before it.
    for (_, result, _), (dtype, candidate) in sorted(changes.items(), key=lambda c: (c[0][0], -order.get(c[0][1], -1))):
        anchor = find(main, result or "")
        if anchor is None or not isinstance(anchor.graph, ir.Graph):
            return None
        try:
            build, _ = rebuilt(anchor, candidate, dtype)
        except FormulaGone:  # another change has replaced it
            return None
        made |= {n.name or "" for n in build.made}
    for each in {node.graph for node in nodes_of(main)}:
        if isinstance(each, ir.Graph):
            drop_unused(each)
    losses = tuple(name for name in graph.losses if any(v.name == name for v in main.outputs))
    changed = Graph(piece.model, graph.framework, losses=losses)
    return Together(changed, interpret(changed, slice_ranges(piece), options=options), frozenset(made))


def nodes_of(graph: ir.Graph) -> list[ir.Node]:
    return list(ir.traversal.RecursiveGraphIterator(graph))


def with_revealed(
    graph: Graph,
    warned: Sequence[Alarm],
    repairs: Sequence[Mended],
    assumptions: Sequence[Assumption],
    options: Options,
    root: Path,
    confirmer: Confirmer | None,
    like: Sequence[Assumption] | None = None,
) -> tuple[list[Mended], list[Revealed]]:
    """The repairs with those of the failures that they reveal, and these failures.

    The analysis tells of the first failing operator; what fails behind it shows once the first is mended. Only changes
    that can be written as text are made. `like`: what examples show of the inputs.
    """
    every, found = list(repairs), list[Revealed]()
    known = {_key(w) for w in (*(w for w in warned if w.root is None), *(w for w, _ in repairs))}  # told already
    for number in range(1, ROUNDS + 1):
        written = [(w, r) for w, r in every if r.edits]
        now = together(graph, written, as_ranges(assumptions), options) if written else None
        fresh = [w for w in now.interpretation.warnings if w.root is None and _key(w) not in known] if now else []
        fresh = [w for w in fresh if w.node.name not in (now.made if now else ())]
        if now is None or not fresh:
            break
        same = together(graph, written, as_ranges(like), options) if like is not None else None
        ordinary = None if same is None else {_key(w) for w in _told(same.interpretation)}
        for shown in fresh:
            own = same_node(graph, shown.node)
            known.add(_key(shown))
            if own is None:
                continue
            warning = replace(shown, node=own)
            found.append(Revealed(warning, shown, now, ordinary is not None and _key(shown) not in ordinary))
            change = (
                repair(now.graph, shown, assumptions, options, root, confirmer, None, graph)
                if number < ROUNDS
                else None
            )
            if change is not None:
                every.append((warning, replace(change, round=number)))
    return every, found


def _told(found: Interpretation) -> tuple[Alarm, ...]:
    return (*found.warnings, *found.overflows)


def _key(warning: Alarm) -> tuple[str, str, int]:
    return (warning.node.outputs[0].name or "", warning.rule, warning.operand)
