"""A `DeviationMap` as a small Mermaid flowchart: responsible layers outlined, healthy regions folded into one box."""

from __future__ import annotations

import math

from analyzer.findings import DeviationMap
from analyzer.rendering.folding import Region, fold
from analyzer.rendering.markdown_text import mermaid_label


def diagram(deviations: DeviationMap) -> str:
    """Mermaid source without its fence. Node ids are ours; labels are the only text of strangers."""
    regions, edges = fold(deviations)
    lines = ["flowchart TB"]
    lines += [f"  n{i}[{mermaid_label(_label(region))}]{_style(region)}" for i, region in enumerate(regions)]
    lines += [f"  n{source} --> n{sink}" for source, sink in edges]
    lines += [
        "  classDef responsible stroke:#cf222e,stroke-width:4px",
        "  classDef high stroke:#bf8700,stroke-width:2px",
        "  classDef folded stroke-dasharray:4 3",
    ]
    return "\n".join(lines)


def _label(region: Region) -> str:
    node, last = region.members[0], region.members[-1]
    if not region.single:
        responsible = sum(n.responsible for n in region.members)
        more = f", {responsible} responsible" if responsible else ""
        return f"{len(region.members)} layers, {node.label} → {last.label}{more}"
    measure = node.replayed if node.replayed is not None else node.rate
    shown = f", {_number(measure)}" if measure is not None and (node.responsible or node.highlighted) else ""
    return f"{node.label}{', ' + node.kind if node.kind else ''}{shown}"


def _number(value: float) -> str:
    return f"{value:.3g}" if math.isfinite(value) else str(value)


def _style(region: Region) -> str:
    if any(n.responsible for n in region.members):
        return ":::responsible"
    if not region.single:
        return ":::folded"
    return ":::high" if region.members[0].highlighted else ""
