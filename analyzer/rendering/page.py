"""`report.html`: one self-contained page to explore a report. No network, no inline handlers, a strict policy."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from jinja2 import BaseLoader, Environment
from markupsafe import Markup, escape

from analyzer.findings import DistanceHistogram, Finding, LayerGraph, Report, TargetReport, Verdict
from analyzer.rendering.distance_histogram import dot, summary
from analyzer.rendering.headline import counted, wrong
from analyzer.rendering.markdown_text import clean, writable

_SYMBOLS = {Verdict.PASS: "✔", Verdict.FAIL: "✘", Verdict.INCOMPLETE: "●"}
MAX_CELL = 400  # characters; longer values are cut in a table


@dataclass(frozen=True, slots=True)
class PageGraph:
    """One picture of the page: its SVG with our own element ids, and what to say about each element."""

    id: str
    title: str
    svg: Markup
    data: str  # JSON: element id -> {label, facts}
    responsible: bool  # whether a layer in it is


def page(report: Report) -> str:
    """The whole page. Everything from the model is escaped; nothing in it is live."""
    folder = files("templates") / "page"
    css, js = ((folder / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    environment = Environment(loader=BaseLoader(), autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters["cell"] = _cell
    environment.filters["prose"] = _prose
    template = environment.from_string((folder / "page.html").read_text(encoding="utf-8"))
    graphs, layer_ids = _graphs(report)
    text = template.render(
        report=report,
        symbol=_SYMBOLS[report.verdict],
        headline=_headline(report),
        subline=_subline(report),
        findings=[_item(f, layer_ids, report) for f in report.findings]
        + [{"finding": f, "state": "fixed", "open": False, "layer_id": None, "graph": None} for f in report.fixed],
        states=_states(report),
        graphs=graphs,
        histograms=[(summary(d), drawn) for t in report.targets for d in t.distances if (drawn := _histogram(d))],
        assumptions=[(t.id, t.assumptions) for t in report.targets if t.assumptions],
        css=Markup(css),
        js=Markup(js),
        policy=f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src {_hash(js)}; "
        "base-uri 'none'; form-action 'none'",
    )
    return writable(text)


def _hash(script: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def _headline(report: Report) -> str:
    new = len(report.blocking)
    of = counted(report.targets, "")
    match report.verdict:
        case Verdict.FAIL:
            where = counted(report.targets, "", wrong(report))
            return f"{new} new problem{'s' * (new > 1)} in {where}"
        case Verdict.INCOMPLETE:
            return f"nothing blocks, but not all of {of} could be analysed"
        case _:
            return f"nothing blocks in {of}"


def _subline(report: Report) -> str:
    live = [f for f in report.findings if f.suppressed is None]
    parts = [f"{len(live)} finding{'s' * (len(live) != 1)}"]
    if report.base is not None:
        parts += [f"{sum(f.new for f in live)} new", f"{len(report.fixed)} fixed"]
    return " · ".join([*parts, f"{report.seconds:.1f} s"])


def _state(finding: Finding) -> str:
    if finding.suppressed is not None:
        return "suppressed"
    return "new" if finding.new else "known"


def _states(report: Report) -> list[str]:
    present = {_state(f) for f in report.findings} | ({"fixed"} if report.fixed else set())
    return [state for state in ("new", "known", "fixed", "suppressed") if state in present] or ["new"]


def _item(finding: Finding, layer_ids: dict[tuple[str, str], tuple[str, str]], report: Report) -> dict[str, Any]:
    graph, element = next(
        (
            layer_ids[key]
            for key in ((finding.target, finding.layer), (finding.target, finding.node))
            if key in layer_ids
        ),
        (None, None),
    )
    return {
        "finding": finding,
        "state": _state(finding),
        "open": finding.blocks(report.fail_on),
        "layer_id": element,
        "graph": graph,
    }


def _prose(text: str) -> Markup:
    """A sentence in which what stands between backticks is code; everything is escaped."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return escape(text)
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if i % 2 else escape(part) for i, part in enumerate(parts)
    )


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    text = str(value)
    return text if len(text) <= MAX_CELL else text[:MAX_CELL] + " …"


def _graphs(report: Report) -> tuple[list[PageGraph], dict[tuple[str, str], tuple[str, str]]]:
    """All pictures, those with a responsible layer first, and where each (target, layer label) is drawn: (graph id,
    element id)."""
    graphs: list[PageGraph] = []
    drawn: dict[tuple[str, str], tuple[str, str]] = {}
    for target in report.targets:
        for chart in target.maps:
            nodes = [
                (
                    n.id,
                    n.label,
                    n.kind,
                    "responsible" if n.responsible else "marked" if n.highlighted else "",
                    _deviations(n),
                )
                for n in chart.nodes
            ]
            title = f"{target.id}: {chart.backend} against {chart.reference}"
            _add(graphs, drawn, target.id, title, nodes, chart.edges)
        if target.layers.nodes:
            _add(
                graphs, drawn, target.id, f"{target.id}: layers", _layers(target, report.findings), target.layers.edges
            )
    return sorted((g for g in graphs if g.svg), key=lambda g: not g.responsible), drawn


def _histogram(histogram: DistanceHistogram) -> Markup | None:
    import graphviz

    try:
        picture: str = dot(histogram).pipe(format="svg", encoding="utf-8", quiet=True)
    except (graphviz.ExecutableNotFound, graphviz.CalledProcessError):
        return None
    return Markup(re.sub(r"<title>.*?</title>\n?", "", picture[picture.index("<svg") :], flags=re.DOTALL))


Node = tuple[str, str, str, str, list[tuple[str, str]]]  # id, label, kind, mark, facts


def _layers(target: TargetReport, findings: Sequence[Finding]) -> list[Node]:
    responsible = {f.layer or f.node for f in findings if f.target == target.id and f.suppressed is None}
    return [
        (n.id, n.label, n.kind, "responsible" if n.label in responsible else "", _layer_facts(n, target.layers))
        for n in target.layers.nodes
    ]


def _layer_facts(node: Any, _graph: LayerGraph) -> list[tuple[str, str]]:
    place = f"{node.location.path}:{node.location.line}" if node.location else ""
    facts = [("kind", node.kind), ("shape", node.shape), ("values", node.interval), ("source", place)]
    facts.append(("operators", str(node.operators) if node.operators > 1 else ""))
    return [(key, value) for key, value in facts if value]


def _deviations(node: Any) -> list[tuple[str, str]]:
    facts = [("kind", node.kind)]
    for name, value in (("deviation", node.deviation), ("rate R", node.rate), ("replayed error", node.replayed)):
        if value is not None:
            facts.append((name, f"{value:.3g}"))
    if node.responsible:
        facts.append(("verdict", "introduces the error"))
    return [(key, value) for key, value in facts if value]


def _add(
    graphs: list[PageGraph],
    drawn: dict[tuple[str, str], tuple[str, str]],
    target: str,
    title: str,
    nodes: Sequence[Node],
    edges: Sequence[tuple[str, str]],
) -> None:
    number = str(len(graphs))
    ids = {node[0]: f"n{number}-{position}" for position, node in enumerate(nodes)}
    svg = _svg(number, nodes, edges, ids)
    data = {ids[i]: {"label": clean(label), "facts": facts} for i, label, _, _, facts in nodes}
    responsible = any(mark == "responsible" for _, _, _, mark, _ in nodes)
    graphs.append(PageGraph(number, clean(title), Markup(svg), json.dumps(data), responsible))
    for identity, label, _, _, _ in nodes:
        drawn.setdefault((target, label), (number, ids[identity]))


_FILLS = {
    "responsible": ("#ffd7d5", "#b3261e", "2.5"),
    "marked": ("#fff3cd", "#8a5a00", "1.5"),
    "": ("#f6f8fa", "#8c959f", "1"),
}

# Graphviz' search for the best places, cut: 175 layers take 0.7 s instead of 7, and the drawing is hardly another one.
_EFFORT = {"nslimit": "1", "bgcolor": "white"}


def _svg(number: str, nodes: Sequence[Node], edges: Sequence[tuple[str, str]], ids: dict[str, str]) -> str:
    """Laid out by Graphviz; empty when Graphviz is missing or gives up."""
    import graphviz

    dot = graphviz.Digraph(f"g{number}", graph_attr={**_EFFORT, "rankdir": "TB", "nodesep": "0.25", "ranksep": "0.3"})
    dot.attr("node", shape="box", style="rounded,filled", fontname="DejaVu Sans", fontsize="11", margin="0.12,0.06")
    dot.attr("edge", color="#8c959f", arrowsize="0.6")
    for identity, label, kind, mark, _ in nodes:
        fill, line, width = _FILLS[mark]
        text = clean(label, 60) + (f"\n{clean(kind, 40)}" if kind and kind != label else "")
        dot.node(
            ids[identity], graphviz.escape(text).replace("\n", "\\n"), id=ids[identity],
            fillcolor=fill, color=line, penwidth=width,
        )  # fmt: skip
    for source, sink in edges:
        if source in ids and sink in ids:
            dot.edge(ids[source], ids[sink])
    try:
        picture: str = dot.pipe(format="svg", encoding="utf-8", quiet=True)
    except (graphviz.ExecutableNotFound, graphviz.CalledProcessError):
        return ""
    svg = picture[picture.index("<svg") :]
    return re.sub(r"<title>.*?</title>\n?", "", svg, flags=re.DOTALL)
