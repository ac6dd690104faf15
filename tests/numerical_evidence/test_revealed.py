"""What shows once another operator is mended that fails for the same values weighs no more than that one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import onnx_ir as ir
import pytest
from onnx import TensorProto, helper, numpy_helper

from analyzer.findings import Confidence, Level
from analyzer.graph import Graph, ValueRange
from analyzer.graph.ranges import Origin
from analyzer.numerical.confirm.outcome import Standing
from analyzer.numerical.findings import Support, finding_of, limited
from analyzer.numerical.interpreter import interpret
from analyzer.numerical.result import Options

X = helper.make_tensor_value_info("x", TensorProto.FLOAT, [4])
NODES = [
    helper.make_node("Div", ["x", "scale"], ["codes"], name="first"),
    helper.make_node("Floor", ["codes"], ["whole"]),
    helper.make_node("Div", ["whole", "scale"], ["y"], name="second"),
]


@pytest.mark.parametrize(
    ("standing", "level"),
    [
        (Standing(exact=(("scale", "0"),)), Level.NOTE),
        (Standing(reached=""), Level.ERROR),  # the one before it reaches nothing, which says nothing of this one
        (Standing(reached="loss"), Level.ERROR),
    ],
)
def test_a_follower_of_the_same_value_is_no_worse(standing: Standing, level: Level) -> None:
    held = [numpy_helper.from_array(np.float32(2), "scale")]
    made = [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
    proto = helper.make_model(helper.make_graph(NODES, "g", [X], made, held), ir_version=10)
    graph = Graph(ir.from_proto(proto), "torch")
    ranges = {"x": ValueRange(-1, 1), "scale": ValueRange(0, 4, Origin.INFERRED)}
    found = interpret(graph, ranges, options=Options())
    first, second = (w for w in found.warnings if not w.backward)
    assert second.root is first
    support = Support("a run", standing=standing)
    led = finding_of(graph, "t", found, first, (), (), support)
    given = led if limited(led, support) else None
    shown = finding_of(graph, "t", found, replace(second, root=None), (), (), Support(hidden=True, led=given))
    assert (shown.level, shown.confidence) == (level, Confidence.POSSIBLE)
    assert any("`first`" in s for s in shown.evidence.sentences) == (given is not None)
