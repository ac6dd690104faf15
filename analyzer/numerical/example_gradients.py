"""A gradient that PyTorch itself finds to be no number, on the example and the weights that the entry point gives."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import onnx_ir as ir

from analyzer.configuration.config import TargetConfig
from analyzer.findings import Confidence, Evidence, Finding, Level, Location
from analyzer.graph import Graph, display_name, layer_of, location_of
from analyzer.graph.model import UNDEFINED
from analyzer.numerical.confirm.entry_reproducer import write_entry_reproducer
from analyzer.numerical.confirm.processor import processor
from analyzer.numerical.confirm.reproducer import stem_of
from analyzer.operators.conditions import UNDEFINED_GRADIENT

MESSAGE = "the gradient of `{name}` is not a number on the entry point's own example, although all results are finite"
RUN = (
    "PyTorch {version} itself shows it: backward from the entry point's loss (or the sum of its results) on its own "
    "example, with the weights as they are at the start, gives {weights} of {of} weights NaN; `{function}` makes the "
    "first of them."
)


def undefined_gradient(
    graph: Graph, target: TargetConfig, found: Sequence[Finding], output: Path | None = None
) -> tuple[Finding, ...]:
    """The finding, unless one of `found` that blocks is about a gradient already; its script goes below `output`."""
    text = graph.model.metadata_props.get(UNDEFINED)
    known = any(f.evidence.data.get("backward") and _blocks(f) for f in found)
    if not text or known:
        return ()
    told = json.loads(text)
    place = Location(str(told["place"]["path"]), int(told["place"]["line"]))
    name = re.sub(r"Backward\d*$", "", str(told["function"])).lower()
    node = _called(graph, place, name)
    sentence = RUN.format(version=graph.versions.get("torch", ""), **told).replace("PyTorch  ", "PyTorch ")
    finding = Finding(
        rule=UNDEFINED_GRADIENT,
        level=Level.ERROR,
        confidence=Confidence.CONFIRMED,
        message=MESSAGE.format(name=name),
        target=target.id,
        layer=layer_of(node) if node is not None else "",
        node=display_name(node) if node is not None else name,
        op=node.op_type if node is not None else "",
        location=place,
        evidence=Evidence("interval", (sentence,), data={"backward": True}),
    )
    if output is None or not target.entry:
        return (finding,)
    script = write_entry_reproducer(
        output / "reproducers",
        stem_of(target.id, finding.node, finding.fingerprint),
        f"{finding.node}: {finding.message}",
        target.entry,
        ", ".join((f"PyTorch {graph.versions.get('torch', '')}".strip(), processor(), "one thread")),
    )
    return (replace(finding, reproducer=str(script.relative_to(output))),)


def _blocks(found: Finding) -> bool:
    return found.level is Level.ERROR and found.confidence is not Confidence.POSSIBLE


def _called(graph: Graph, place: Location, name: str) -> ir.Node | None:
    """The first node of the line, of that name if there is one."""
    placed = ((n, location_of(n)) for n in graph.nodes())
    nodes = [n for n, at in placed if at is not None and (at.path, at.line) == (place.path, place.line)]
    named = (n for n in nodes if display_name(n).rpartition("/")[2].startswith(name))
    return next(named, nodes[0] if nodes else None)
