"""Where layers stand in the project's source: engines know layers, the exported graph knows their lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from analyzer.findings import AnalysisResult, Finding, Location
from analyzer.graph.model import layer_of, location_of

if TYPE_CHECKING:
    from analyzer.graph import Graph


def with_lines(result: AnalysisResult, graph: Graph) -> AnalysisResult:
    """`result` with a location for each finding whose layer has a line in `graph` and that names none itself."""
    if all(f.location is not None or not f.layer for f in result.findings):
        return result
    lines = dict(_lines(graph))

    def located(finding: Finding) -> Finding:
        layer = re.sub(r":\d+$", "", finding.layer)  # a later call of a layer stands where the layer does
        if finding.location is not None or layer not in lines:
            return finding
        return replace(finding, location=lines[layer])

    return replace(result, findings=tuple(located(f) for f in result.findings))


def _lines(graph: Graph) -> Iterator[tuple[str, Location]]:
    """The first line of each layer, latest node first so that the earliest one is kept."""
    for node in reversed(list(graph.nodes())):
        layer, location = layer_of(node), location_of(node)
        if layer and location is not None:
            yield layer, location
