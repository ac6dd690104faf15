"""A layer that an engine blames is shown where the project's source makes it."""

from __future__ import annotations

import onnx_ir as ir
import pytest

from analyzer.differential.source_lines import with_lines
from analyzer.findings import AnalysisResult, Confidence, Finding, Level, Location
from analyzer.graph import Graph
from analyzer.graph.model import set_layer, set_location


@pytest.fixture
def graph() -> Graph:
    x = ir.Value(name="x", type=ir.TensorType(ir.DataType.FLOAT))
    nodes: list[ir.Node] = []
    for number, layer in enumerate(["stem", "inner/relu", "inner/relu", ""], 1):
        node = ir.node("Relu", [nodes[-1].outputs[0] if nodes else x])
        set_layer(node, layer)
        set_location(node, Location("model.py", 10 * number))
        nodes.append(node)
    return Graph(
        ir.Model(ir.Graph([x], nodes[-1].outputs, nodes=nodes, opset_imports={"": 18}), ir_version=10), "keras"
    )


def finding(layer: str, location: Location | None = None) -> Finding:
    return Finding(
        "differential/inconsistent-layer",
        Level.ERROR,
        Confidence.CONFIRMED,
        "deviates",
        "t",
        layer=layer,
        location=location,
    )


@pytest.mark.parametrize(
    ("layer", "line"), [("stem", 10), ("inner/relu", 20), ("inner/relu:1", 20), ("elsewhere", None), ("", None)]
)
def test_the_first_line_of_the_layer(graph: Graph, layer: str, line: int | None) -> None:
    (found,) = with_lines(AnalysisResult(findings=(finding(layer),)), graph).findings
    assert (found.location.line if found.location else None) == line


def test_a_line_that_the_engine_knows_is_kept(graph: Graph) -> None:
    own = Location("other.py", 3)
    (found,) = with_lines(AnalysisResult(findings=(finding("stem", own),)), graph).findings
    assert found.location == own
