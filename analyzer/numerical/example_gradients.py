"""A gradient or a loss that PyTorch itself finds to be no number, on the example that an entry point gives."""

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
from analyzer.operators.conditions import UNDEFINED_GRADIENT, UNDEFINED_LOSS

MESSAGE = "the gradient of `{name}` is not a number on the entry point's own example, although all results are finite"
RUN = (
    "PyTorch {version} itself shows it: backward from the entry point's loss (or the sum of its results) on its own "
    "example, with the weights as they are at the start, gives {weights} of {of} weights NaN; `{function}` makes the "
    "first of them."
)
LOSS_MESSAGE = "the loss is {loss} on the entry point's own example: `{name}` makes it so"
LOSS_RUN = (
    "PyTorch {version} itself shows it: the entry point, run on its own example with the weights as they are at the "
    "start, gives a loss that is {loss}; `{function}` makes the first such number."
)


def undefined_gradient(
    graph: Graph, target: TargetConfig, found: Sequence[Finding], output: Path | None = None
) -> tuple[Finding, ...]:
    """The finding, unless one of `found` that blocks is about a gradient already; its script goes below `output`."""
    text = graph.model.metadata_props.get(UNDEFINED)
    if not text:
        return ()
    told = json.loads(text)
    backward = "loss" not in told
    if any(_blocks(f) and bool(f.evidence.data.get("backward")) >= backward for f in found):
        return ()  # what blocks explains it: any failure a loss, one of a gradient a gradient
    place = Location(str(told["place"]["path"]), int(told["place"]["line"]))
    name = re.sub(r"Backward\d*$", "", str(told["function"])).lower()
    node = _called(graph, place, name)
    sentence = (RUN if backward else LOSS_RUN).format(version=graph.versions.get("torch", ""), **told)
    finding = Finding(
        rule=UNDEFINED_GRADIENT if backward else UNDEFINED_LOSS,
        level=Level.ERROR,
        confidence=Confidence.CONFIRMED,
        message=(MESSAGE if backward else LOSS_MESSAGE).format(name=name, **told),
        target=target.id,
        layer=layer_of(node) if node is not None else "",
        node=display_name(node) if node is not None else name,
        op=node.op_type if node is not None else "",
        location=place,
        evidence=Evidence("interval", (sentence.replace("PyTorch  ", "PyTorch "),), data={"backward": backward}),
    )
    if output is None or not target.entry:
        return (finding,)
    script = write_entry_reproducer(
        output / "reproducers",
        stem_of(target.id, finding.node, finding.fingerprint),
        f"{finding.node}: {finding.message}",
        target.entry,
        ", ".join((f"PyTorch {graph.versions.get('torch', '')}".strip(), processor(), "one thread")),
        backward,
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
