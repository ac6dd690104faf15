"""A `DeviationMap` folded until it fits a screen: responsible layers stand alone, healthy regions are one box each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analyzer.findings import DeviationMap, MapNode

MAX_KEPT = 9  # layers that get a box of their own in a model that is folded
SMALL = 12  # models up to this size are drawn whole


@dataclass(frozen=True, slots=True)
class Region:
    """One box: a layer, or several that are folded into one."""

    members: tuple[MapNode, ...]

    @property
    def single(self) -> bool:
        return len(self.members) == 1


def fold(deviations: DeviationMap) -> tuple[tuple[Region, ...], tuple[tuple[int, int], ...]]:
    """Regions and the edges between them, by index.

    Kept layers stand alone. All others are grouped by which kept layers come before them and which after them. Along
    an edge the former set can only grow and the latter only shrink, so the folded graph has no cycles.
    """
    nodes = {n.id: n for n in deviations.nodes}
    edges = tuple(dict.fromkeys((a, b) for a, b in deviations.edges if a in nodes and b in nodes and a != b))
    if len(nodes) <= SMALL:
        order = {name: i for i, name in enumerate(nodes)}
        return tuple(Region((n,)) for n in nodes.values()), tuple((order[a], order[b]) for a, b in edges)
    kept = _kept(nodes, edges)
    before = _reach(nodes, edges, kept)
    after = _reach(dict(reversed(nodes.items())), tuple((b, a) for a, b in edges), kept)
    groups: dict[tuple[object, ...], list[MapNode]] = {}
    home: dict[str, tuple[object, ...]] = {}
    for name, node in nodes.items():
        key: tuple[object, ...] = (name,) if name in kept else (before[name], after[name])
        home[name] = key
        groups.setdefault(key, []).append(node)
    index = {key: i for i, key in enumerate(groups)}
    folded = dict.fromkeys((index[home[a]], index[home[b]]) for a, b in edges if home[a] != home[b])
    merged: dict[str, set[int]] = {}  # the boxes from which each layer is fed
    for a, b in edges:
        merged.setdefault(b, set()).add(index[home[a]])
    residual = {(index[home[a]], index[home[b]]) for a, b in edges if len(merged[b]) > 1}
    kept_edges = _without_shortcuts(tuple(folded), frozenset(residual))
    return tuple(Region(tuple(members)) for members in groups.values()), kept_edges


def _kept(nodes: Mapping[str, MapNode], edges: Sequence[tuple[str, str]]) -> frozenset[str]:
    """Responsible layers, worst first; then their neighbours; then the highest rates, as long as there is room."""
    responsible = sorted((n for n in nodes.values() if n.responsible), key=lambda n: -(n.replayed or math.inf))
    kept = dict.fromkeys(n.id for n in responsible[:MAX_KEPT])
    for a, b in edges:
        for name, other in ((a, b), (b, a)):
            if name in kept and nodes[name].responsible and other not in kept and len(kept) < MAX_KEPT:
                kept[other] = None
    if not responsible:
        high = sorted((n for n in nodes.values() if n.highlighted), key=lambda n: -(n.rate or 0.0))
        for node in high[: MAX_KEPT // 2]:
            kept[node.id] = None
    return frozenset(kept)


def _reach(
    nodes: Mapping[str, MapNode], edges: Sequence[tuple[str, str]], kept: frozenset[str]
) -> dict[str, frozenset[str]]:
    """For each layer the kept layers from which it can be reached."""
    sources: dict[str, list[str]] = {name: [] for name in nodes}
    for a, b in edges:
        sources[b].append(a)
    found: dict[str, frozenset[str]] = {}
    for name in _sorted(nodes, sources):
        mine: set[str] = set()
        for source in sources[name]:
            mine |= found.get(source, frozenset())
            if source in kept:
                mine.add(source)
        found[name] = frozenset(mine)
    return found


def _sorted(nodes: Mapping[str, MapNode], sources: Mapping[str, Sequence[str]]) -> list[str]:
    """Topological order; what lies on a cycle (a damaged map) comes last, in the given order."""
    missing = {name: len(sources[name]) for name in nodes}
    sinks: dict[str, list[str]] = {name: [] for name in nodes}
    for name, below in sources.items():
        for source in below:
            sinks[source].append(name)
    ready = [name for name in nodes if missing[name] == 0]
    order = []
    while ready:
        name = ready.pop(0)
        order.append(name)
        for sink in sinks[name]:
            missing[sink] -= 1
            if missing[sink] == 0:
                ready.append(sink)
    return order + [name for name in nodes if name not in set(order)]


def _without_shortcuts(
    edges: tuple[tuple[int, int], ...], residual: frozenset[tuple[int, int]]
) -> tuple[tuple[int, int], ...]:
    """Drop edges between folded boxes that a longer way between the same boxes implies: folding makes many.

    `residual` stay: there one layer takes what comes the short way together with what comes the long way.
    """
    sinks: dict[int, set[int]] = {}
    for a, b in edges:
        sinks.setdefault(a, set()).add(b)

    def reachable(start: int, goal: int) -> bool:
        queue, seen = [s for s in sinks.get(start, ()) if s != goal], set()
        while queue:
            place = queue.pop()
            if place == goal:
                return True
            if place not in seen:
                seen.add(place)
                queue.extend(sinks.get(place, ()))
        return False

    return tuple((a, b) for a, b in edges if (a, b) in residual or not reachable(a, b))
