"""Tries candidates in the graph; the first that is proved safe and hardly moves ordinary results is offered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import onnx_ir as ir

from analyzer.findings import Suggestion
from analyzer.graph import Graph, ValueRange, layer_of, location_of, torch_function
from analyzer.numerical.assumptions import Assumption, interval_text
from analyzer.numerical.confirm.confirmation import Confirmer
from analyzer.numerical.confirm.extract import Slice, extract
from analyzer.numerical.confirm.inside import find
from analyzer.numerical.interpreter import interpret
from analyzer.numerical.repair.builder import DTYPES, Builder
from analyzer.numerical.repair.candidate import Candidate
from analyzer.numerical.repair.candidates import candidates
from analyzer.numerical.repair.source import BOUNDS, Edit, Place, edits_at, rewrite, spellings
from analyzer.numerical.result import Alarm, Options
from analyzer.numerical.sensitivity import Precondition, slice_ranges

LARGEST_CHANGE = 1e-3  # relative to 1 + |result|; more is never offered


@dataclass(frozen=True)
class Repair:
    """What mends one warning: a proved change with its edits of the source, or without them a change in words."""

    suggestion: Suggestion
    candidate: Candidate | None = None
    edits: tuple[Edit, ...] = ()
    round: int = 0  # of the failures that show one behind another: made in the graph after those before it


def repair(
    graph: Graph,
    warning: Alarm,
    assumptions: Sequence[Assumption],
    options: Options,
    root: Path,
    confirmer: Confirmer | None,
    needed: Precondition | None,
    written: Graph | None = None,
) -> Repair | None:
    """A proved change, as source text where the line can be rewritten safely; else a proved precondition; else None.

    `written` is the graph that the source as it stands makes, where `graph` has changes in it already.
    """
    ranges = {a.name: a.range for a in assumptions}
    described: Repair | None = None
    for candidate in candidates(warning):
        proved = proved_change(graph, warning, candidate, ranges, options)
        if proved is None:
            continue
        moved = _moved(proved, confirmer)
        if moved is not None and moved > LARGEST_CHANGE:
            continue
        text = f"{candidate.description}; {candidate.effect}"
        if moved is not None:
            far = f"move by at most {moved:.1g} (relative to 1 + |result|)" if moved else "do not move"
            text += f"; results of 8 ordinary inputs {far}"
        anchor = candidate.anchor if written is None else same_node(written, candidate.anchor)
        place = place_of(written or graph, anchor) if anchor is not None else None
        edit = rewrite(root, place, candidate.kind, candidate.number) if place else None
        if anchor is not None and place is not None and edit is not None:
            edits = edits_at(root, place, candidate.kind, candidate.number)
            if described is not None and described.candidate is not None and candidate.kind in BOUNDS:
                text = f"{described.candidate.description}; as a smaller change, {text}"
            return Repair(replace(edit, description=text, proved=True), replace(candidate, anchor=anchor), tuple(edits))
        if described is None:
            described = Repair(Suggestion(text[0].upper() + text[1:] + ".", proved=True), candidate)
    if described is not None:
        return described
    if needed is not None:
        given, now = needed.assumption, interval_text(needed.lo, needed.hi)
        text = f"Keep {given.name} within {now}: inside it the operator is proved safe."
        return Repair(Suggestion(text, proved=True))
    return None


def same_node(graph: Graph, node: ir.Node) -> ir.Node | None:
    """The node of `graph` of which `node` is the copy in a changed graph; None for one that a change has made."""
    name = node.outputs[0].name if node.outputs else None
    return find(graph.graph, name) if name else None


def place_of(graph: Graph, node: ir.Node) -> Place | None:
    """Where a node was written, and which of the line's operators of its kind it is."""
    location = location_of(node)
    if location is None:
        return None
    function = torch_function(node)
    alike = [
        n
        for n in graph.nodes()
        if n.op_type == node.op_type
        and location_of(n) == location
        and torch_function(n) == function
        and (n.domain == "tf" or layer_of(n) == layer_of(node))  # each call of a layer runs the line again
        and not (n.name or "").startswith("gradients")
    ]
    if node.domain == "tf":  # the order of creation, which a loaded graph need not keep
        alike.sort(key=lambda n: _numbered(n.name or ""))
    position = next((i for i, n in enumerate(alike) if n is node), None)
    scopes = {_scope(n.name or "") if n.domain == "tf" else "" for n in alike}
    if position is None:
        return None
    own = not function or function in spellings(node.op_type)
    return Place(location, node.op_type, position, len(alike), len(scopes) == 1, own)


def _scope(name: str) -> str:
    """``layer_1/Log_2`` -> ``layer/Log``: the same for every run of a line."""
    return "/".join(_numbered(part)[0] for part in name.split("/"))


def _numbered(name: str) -> tuple[str, int]:
    """``scope/Sqrt_10`` -> (``scope/Sqrt``, 10): TensorFlow numbers equal names as they are made."""
    stem, _, number = name.rpartition("_")
    return (stem, int(number)) if stem and number.isdigit() else (name, 0)


def proved_change(
    graph: Graph, warning: Alarm, candidate: Candidate, ranges: Mapping[str, ValueRange], options: Options
) -> tuple[Slice, Slice] | None:
    """The slice before and after the change, if the analysis proves the changed one safe."""
    before = extract(graph, candidate.anchor, ranges, {"*": 2})
    after = extract(graph, candidate.anchor, ranges, {"*": 2})
    if before is None or after is None:
        return None
    changed = after.model.graph
    first = candidate.anchor.outputs[0].name
    anchor = find(changed, first) if first else None
    if anchor is None or not isinstance(anchor.graph, ir.Graph):
        return None
    build, result = rebuilt(anchor, candidate, warning.dtype)
    losses = after.results
    if after.inside:
        drop_unused(anchor.graph)
    else:
        changed.outputs[:] = [result]
        drop_unused(changed)
        losses = (result.name or "",)
        after = replace(after, outputs=losses, results=losses)
    base = {**slice_ranges(before)}
    found = interpret(Graph(after.model, losses=losses), base, options=options).warnings
    names = {n.name for n in build.made} | {warning.node.name, candidate.anchor.name}
    if any(w.node.name in names for w in found):
        return None
    return before, after


def rebuilt(anchor: ir.Node, candidate: Candidate, dtype: str) -> tuple[Builder, ir.Value]:
    """The candidate's nodes in the place of `anchor`, a node of a copy of the graph, and their result.

    Raises FormulaGone where another change has replaced the formula that this one mends.
    """
    assert isinstance(anchor.graph, ir.Graph)
    build = Builder(anchor.graph, anchor, dtype if dtype in DTYPES else "float32")
    result = candidate.build(build, anchor)
    ir.convenience.replace_all_uses_with(anchor.outputs[0], result, replace_graph_outputs=True)
    return build, result


def drop_unused(graph: ir.Graph) -> None:
    """Only what the graph's outputs need stays."""
    for node in reversed(list(graph)):
        if not any(v.uses() or v.is_graph_output() for v in node.outputs):
            graph.remove(node, safe=True)


def _moved(change: tuple[Slice, Slice], confirmer: Confirmer | None) -> float | None:
    """How far results of ordinary inputs move, measured; None where that cannot be run here."""
    if confirmer is None:
        return None
    before, after = change
    return confirmer.compare(before, after)
