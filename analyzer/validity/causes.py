"""Which lines had a part in what does not fit: those of the layers whose values lead to the one that fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from analyzer.findings import Finding, Level
from analyzer.validity.architecture import ModelLayer

MOST = 60  # lines of one finding, the nearest first


def with_causes(finding: Finding, layers: Sequence[ModelLayer]) -> Finding:
    """An error with pairs of a path and a line in `Evidence.data`, without its own; as it is where none is known."""
    own = finding.location
    failing = next((each for each in layers if each.name == finding.node and each.location == own), None)
    if finding.level is not Level.ERROR or failing is None:
        return finding
    makers = {name: each for each in layers for name in each.outputs}
    found: dict[tuple[str, int], None] = {}
    waiting = list(failing.inputs)
    seen: set[str] = set()
    for name in waiting:
        maker = makers.get(name) if name is not None and name not in seen else None
        if name is None or maker is None:
            continue
        seen.add(name)
        place = maker.location
        if place is not None and (own is None or (place.path, place.line) != (own.path, own.line)):
            found.setdefault((place.path, place.line))
        if len(found) >= MOST:
            break
        waiting += maker.inputs
    if not found:
        return finding
    evidence = finding.evidence
    return replace(finding, evidence=replace(evidence, data={**evidence.data, "causes": [list(p) for p in found]}))
