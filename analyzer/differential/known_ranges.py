"""What is known of a model's inputs before any are made up, as for every other analysis."""

from __future__ import annotations

from analyzer.configuration.config import TargetConfig
from analyzer.graph import Graph
from analyzer.graph.ranges import Origin
from analyzer.numerical.assumptions import assume_inputs


def known_ranges(graph: Graph, target: TargetConfig) -> dict[str, tuple[float, float]]:
    """What the configuration says and the graph tells of its inputs, by name; no defaults."""
    if not graph.graph.inputs:
        return {}
    found = assume_inputs(graph, target)
    return {a.name: (a.range.lo, a.range.hi) for a in found if a.range.origin is not Origin.DEFAULT}
