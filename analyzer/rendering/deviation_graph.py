"""A `DeviationMap` drawn by Graphviz: what a person sees of a differential test.

Boxes are layers. Their colour is the error of the layer alone (fed the reference's inputs), an arrow's width the
deviation that flows along it, a thick outline guilt. Healthy regions are one box each, so that any model fits a screen.
"""

from __future__ import annotations

import math
from pathlib import Path

import graphviz

from analyzer.findings import DeviationMap, MapNode
from analyzer.rendering.folding import Region, fold
from analyzer.rendering.markdown_text import clean
from analyzer.rendering.mermaid import diagram

MAX_LABEL = 44  # characters that fit a box
DOTS_PER_INCH = {"svg": "72", "png": "110"}  # an SVG of another resolution shows a part of itself, says Graphviz 2

# White over yellow to dark red, in steps that differ in lightness too: they stay apart in grey.
SHADES = ((1e-6, "#ffffff"), (1e-4, "#fff7bc"), (1e-2, "#fec44f"), (1e-1, "#fe9929"), (math.inf, "#ec7014"))
RESPONSIBLE = "#b30000"
EDGE, TEXT, FOLDED = "#57606a", "#1f2328", "#eef1f4"


def draw(deviations: DeviationMap, stem: Path) -> tuple[Path, ...]:
    """Write ``stem.svg``, ``stem.png`` and ``stem.mmd``; returns the paths written.

    Where Graphviz's program `dot` is not installed, the Mermaid form alone.
    """
    written = write_pictures(dot(deviations), stem)
    path = stem.with_name(f"{stem.name}.mmd")
    path.write_text(diagram(deviations), encoding="utf-8")
    return (*written, path)


def write_pictures(source: graphviz.Digraph, stem: Path) -> tuple[Path, ...]:
    """Write ``stem.svg`` and ``stem.png``; nothing where Graphviz's program `dot` is not installed."""
    written = []
    for kind, dpi in DOTS_PER_INCH.items():
        source.graph_attr["dpi"] = dpi
        try:
            data = source.pipe(format=kind)
        except graphviz.ExecutableNotFound:
            break
        path = stem.with_name(f"{stem.name}.{kind}")
        path.write_bytes(data)
        written.append(path)
    return tuple(written)


def dot(deviations: DeviationMap) -> graphviz.Digraph:
    """The folded graph in Graphviz's language. Node ids are ours; labels are the only text of strangers."""
    regions, edges = fold(deviations)
    graph = graphviz.Digraph(
        "deviations",
        graph_attr={
            "rankdir": "TB",
            "nodesep": "0.25",
            "ranksep": "0.3",
            "bgcolor": "white",
            "fontname": "Helvetica",
            "fontsize": "12",
            "fontcolor": TEXT,
            "labelloc": "t",
            "pad": "0.15",
            "label": graphviz.escape(f"{short(deviations.title, 90)}\n{_legend(deviations)}\n "),
            "tooltip": graphviz.escape(text_alternative(deviations)),
        },
        node_attr={
            "shape": "box",
            "style": "filled,rounded",
            "fontname": "Helvetica",
            "fontsize": "12",
            "fontcolor": TEXT,
            "color": "#8c959f",
            "margin": "0.12,0.06",
        },
        edge_attr={"color": EDGE, "arrowsize": "0.6"},
    )
    for index, region in enumerate(regions):
        graph.node(f"n{index}", **_box(region))
    for source, sink in edges:
        flow = max((n.deviation or 0.0 for n in regions[source].members), default=0.0)
        graph.edge(f"n{source}", f"n{sink}", penwidth=f"{_width(flow):.2f}")
    return graph


def text_alternative(deviations: DeviationMap) -> str:
    """What the picture says, in words: for screen readers and for places that show no pictures."""
    responsible = [n for n in deviations.nodes if n.responsible]
    high = sum(n.highlighted for n in deviations.nodes)
    size = f"{len(deviations.nodes)} layers"
    backend, reference = short(deviations.backend, 60), short(deviations.reference, 60)
    if not responsible:
        return f"Deviation graph of {backend} against {reference}: {size}, none deviates by itself."
    named = "; ".join(f"{short(n.label)}{_kind(n)}, error alone {_number(n.replayed)}" for n in responsible[:5])
    more = f" and {len(responsible) - 5} more" if len(responsible) > 5 else ""
    return (
        f"Deviation graph of {backend} against {reference}: {size}. The deviation is brought in by {named}{more}. "
        f"{high} layers lie above the third quartile of R; those that are not named only pass it on."
    )


def _box(region: Region) -> dict[str, str]:
    node = region.members[0]
    if region.single:
        lines = [short(node.label) + _kind(node)]
        measures = []
        if node.replayed is not None:
            measures.append(f"alone {_number(node.replayed)}")
        if node.deviation is not None:
            measures.append(f"δ {_number(node.deviation)}")
        if node.rate is not None:
            measures.append(f"R {_number(node.rate)}")
        if measures:
            lines.append("   ".join(measures))
        style = {"fillcolor": _shade(node.replayed), "label": graphviz.escape("\n".join(lines))}
        if node.responsible:
            style |= {"color": RESPONSIBLE, "penwidth": "4", "fontname": "Helvetica-Bold"}
        elif node.highlighted:
            style |= {"color": "#9a6700", "penwidth": "1.6"}
        return style
    last = region.members[-1]
    replayed = [n.replayed for n in region.members if n.replayed is not None]
    flows = [n.deviation for n in region.members if n.deviation is not None]
    responsible = sum(n.responsible for n in region.members)
    lines = [f"{len(region.members)} layers: {short(node.label, 26)} … {short(last.label, 26)}"]
    facts = []
    if responsible:
        facts.append(f"{responsible} of them responsible")
    if replayed:
        facts.append(f"alone at most {_number(max(replayed))}")
    if flows:
        facts.append(f"δ up to {_number(max(flows))}")
    lines.append("   ".join(facts) if facts else "not measured")
    style = {"fillcolor": FOLDED, "style": "filled,rounded,dashed", "label": graphviz.escape("\n".join(lines))}
    if responsible:
        style |= {"color": RESPONSIBLE, "penwidth": "3", "fillcolor": _shade(max(replayed, default=None))}
    return style


def _legend(deviations: DeviationMap) -> str:
    responsible = sum(n.responsible for n in deviations.nodes)
    verdict = (
        f"{responsible} responsible layer{'s' if responsible != 1 else ''} (thick red outline)"
        if responsible
        else "no layer deviates alone"
    )
    amber = " · amber outline: R above the third quartile" if any(n.highlighted for n in deviations.nodes) else ""
    return (
        f"{len(deviations.nodes)} layers · {verdict}{amber}\n"
        "colour: error of the layer alone · arrow: deviation δ passed on"
    )


def _shade(error: float | None) -> str:
    if error is None:
        return "#ffffff"
    return next(shade for limit, shade in SHADES if error < limit or limit == math.inf)


def _width(deviation: float) -> float:
    """1 for what is rounding, 6 for a deviation of 1 and more."""
    return 1.0 + 5.0 * min(1.0, max(0.0, (math.log10(max(deviation, 1e-12)) + 6.0) / 6.0))


def _kind(node: MapNode) -> str:
    return f" ({short(node.kind, 40)})" if node.kind and node.kind != node.label else ""


def _number(value: float | None) -> str:
    if value is None:
        return "not measured"
    return "not finite" if not math.isfinite(value) or value >= 1e300 else f"{value:.3g}"


def short(text: str, limit: int = MAX_LABEL) -> str:
    """Names are hostile: one line, printable, bounded; the end of a long path says more than its beginning."""
    text = " ".join(clean(text, 4 * limit).split())
    return text if len(text) <= limit else f"…{text[-limit + 1 :]}"
