"""A `DeviationMap` as a small Mermaid flowchart: guilty layers outlined, healthy chains folded into one box."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analyzer.findings import DeviationMap, MapNode
from analyzer.rendering.markdown_text import mermaid_label

MAX_NODES = 60  # GitHub's renderer gives up on large diagrams, and so does a reader
MAX_EDGES = 150


@dataclass(frozen=True, slots=True)
class Box:
    """One box of the folded graph: a layer, or a run of healthy ones."""

    members: tuple[MapNode, ...]

    @property
    def head(self) -> MapNode:
        return self.members[0]

    @property
    def folded(self) -> bool:
        return len(self.members) > 1


def diagram(deviations: DeviationMap, max_nodes: int = MAX_NODES) -> str:
    """Mermaid source without its fence. Node ids are ours; labels are the only text of strangers."""
    boxes, edges = fold(deviations)
    boxes, edges, left_out = _nearest(boxes, edges, max_nodes)
    names = {box.head.id: f"n{index}" for index, box in enumerate(boxes)}
    lines = ["flowchart TB"]
    for box in boxes:
        lines.append(f"  {names[box.head.id]}[{mermaid_label(_label(box))}]{_style(box)}")
    lines += [f"  {names[source]} --> {names[sink]}" for source, sink in edges[:MAX_EDGES]]
    if left_out:
        lines.append(f"  rest[{mermaid_label(f'{left_out} more layers, all healthy, are not drawn')}]:::folded")
    lines += [
        "  classDef guilty stroke:#cf222e,stroke-width:4px",
        "  classDef high stroke:#bf8700,stroke-width:2px",
        "  classDef folded stroke-dasharray:4 3",
    ]
    return "\n".join(lines)


def fold(deviations: DeviationMap) -> tuple[tuple[Box, ...], tuple[tuple[str, str], ...]]:
    """Boxes in the map's order and the edges between them, named by the first layer of a box."""
    nodes = {node.id: node for node in deviations.nodes}
    edges = tuple(dict.fromkeys((a, b) for a, b in deviations.edges if a in nodes and b in nodes and a != b))
    after, before = _neighbours(nodes, edges), _neighbours(nodes, tuple((b, a) for a, b in edges))

    def plain(node: MapNode) -> bool:
        return not node.guilty and not node.highlighted and len(after[node.id]) <= 1 and len(before[node.id]) <= 1

    home: dict[str, str] = {}
    boxes: list[Box] = []
    for node in deviations.nodes:
        if node.id in home:
            continue
        members = [node]
        home[node.id] = node.id
        while plain(node) and plain(members[-1]) and after[members[-1].id]:
            follower = nodes[after[members[-1].id][0]]
            if follower.id in home or not plain(follower):
                break
            home[follower.id] = node.id
            members.append(follower)
        boxes.append(Box(tuple(members)))
    folded = dict.fromkeys((home[a], home[b]) for a, b in edges if home[a] != home[b])
    return tuple(boxes), tuple(folded)


def _neighbours(nodes: Mapping[str, MapNode], edges: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {name: [] for name in nodes}
    for source, sink in edges:
        found[source].append(sink)
    return found


def _nearest(
    boxes: Sequence[Box], edges: Sequence[tuple[str, str]], limit: int
) -> tuple[tuple[Box, ...], tuple[tuple[str, str], ...], int]:
    """At most `limit` boxes: the suspicious ones, then their neighbours ring by ring."""
    if len(boxes) <= limit:
        return tuple(boxes), tuple(edges), 0
    suspicious = [b for b in boxes if b.head.guilty] + [b for b in boxes if b.head.highlighted and not b.head.guilty]
    kept = dict.fromkeys(b.head.id for b in (suspicious or list(boxes))[:limit])
    grown = True
    while grown and len(kept) < limit:
        ring = [b for a, b in edges if a in kept and b not in kept] + [
            a for a, b in edges if b in kept and a not in kept
        ]
        grown = bool(ring)
        for name in ring[: limit - len(kept)]:
            kept[name] = None
    left_out = sum(len(box.members) for box in boxes if box.head.id not in kept)
    chosen = tuple(box for box in boxes if box.head.id in kept)
    return chosen, tuple((a, b) for a, b in edges if a in kept and b in kept), left_out


def _label(box: Box) -> str:
    if box.folded:
        return f"{box.head.label} → {box.members[-1].label} · {len(box.members)} layers"
    node = box.head
    measure = node.replayed if node.replayed is not None else node.rate
    shown = f", {_number(measure)}" if measure is not None and (node.guilty or node.highlighted) else ""
    return f"{node.label}{', ' + node.kind if node.kind else ''}{shown}"


def _number(value: float) -> str:
    return f"{value:.3g}" if math.isfinite(value) else str(value)


def _style(box: Box) -> str:
    if box.head.guilty:
        return ":::guilty"
    if box.head.highlighted:
        return ":::high"
    return ":::folded" if box.folded else ""
