"""TensorFlow's reductions over segments, gathered by the index that made them, with twins that prove nothing."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
import pytest
from build import run

from analyzer.configuration.config import TargetConfig
from analyzer.graph import Graph
from analyzer.numerical.assumptions import assume
from analyzer.numerical.hidden_overflows import worth_searching

SEGMENTS = 3
RANGES = {"x": (-1000.0, 1000.0), "i": (0.0, 2.0), "j": (0.0, 2.0)}


def softmax(reduction: str = "UnsortedSegmentMax", gathered: str = "i", axis: int = 0) -> Graph:
    """exp(x - extreme of its segment) of (3, 3) scores: the rows, or with another axis the columns, gather theirs."""
    x = ir.Value(name="x", type=ir.TensorType(ir.DataType.FLOAT), shape=ir.Shape([3, 3]))
    inputs = {n: ir.Value(name=n, type=ir.TensorType(ir.DataType.INT32), shape=ir.Shape([3])) for n in "ij"}
    nodes: list[ir.Node] = []

    def add(op: str, *operands: ir.Value, **attributes: object) -> ir.Value:
        nodes.append(ir.node(op, operands, attributes, domain="tf"))
        return nodes[-1].outputs[0]

    def constant(value: int) -> ir.Value:
        return add("Const", value=ir.tensor(np.array(value, np.int32)))

    extreme = add(reduction, x, inputs["i"], constant(SEGMENTS))
    extreme.shape, extreme.type = ir.Shape([SEGMENTS, 3]), ir.TensorType(ir.DataType.FLOAT)
    own = add("GatherV2", extreme, inputs[gathered], constant(axis))
    difference = add("Sub", x, own) if "Max" in reduction else add("Sub", own, x)
    last = add("Exp", difference)
    last.name = "last"
    graph = ir.Graph([x, *inputs.values()], [last], nodes=nodes, name="g", opset_imports={"tf": 1, "": 20})
    return Graph(ir.Model(graph, ir_version=10), framework="tensorflow")


def told(graph: Graph) -> list[str]:
    found = run(graph, RANGES)
    return [w.rule for w in found.warnings] + [str(o) for o in found.overflows]


@pytest.mark.parametrize("reduction", ["UnsortedSegmentMax", "UnsortedSegmentMin", "SegmentMax"])
@pytest.mark.parametrize("axis", [0, -2])
def test_what_meets_its_own_segment_is_proved(reduction: str, axis: int) -> None:
    assert told(softmax(reduction, axis=axis)) == []


def test_another_index_or_axis_meets_other_segments() -> None:
    assert told(softmax(gathered="j"))
    assert told(softmax(axis=1))
    assert told(softmax("UnsortedSegmentSum"))


def test_real_runs_of_the_proved_form_are_finite() -> None:
    import tensorflow as tf

    rng = np.random.default_rng(7)
    for _ in range(40):
        x, i = rng.uniform(-1000, 1000, (3, 3)).astype(np.float32), rng.integers(0, SEGMENTS, 3).astype(np.int32)
        most = tf.math.unsorted_segment_max(x, i, SEGMENTS)
        assert np.isfinite(tf.exp(x - tf.gather(most, i)).numpy()).all()


@pytest.mark.parametrize(("reduction", "searched"), [("UnsortedSegmentMax", 1), ("UnsortedSegmentSum", 0)])
def test_what_is_computed_of_an_empty_segment_is_searched_for(reduction: str, searched: int) -> None:
    """It holds the lowest number, of which a matrix product with any weights is infinite."""
    graph = softmax(reduction)
    (x, *_), nodes = graph.graph.inputs, list(graph.graph)
    extreme = next(n for n in nodes if n.op_type == reduction).outputs[0]
    weights = ir.Value(name="w", type=x.type, shape=ir.Shape([3, 3]), const_value=ir.tensor(np.ones((3, 3), "float32")))
    graph.graph.initializers["w"] = weights
    product = ir.node("MatMul", [extreme, weights], domain="tf")
    product.outputs[0].name = "product"
    graph.graph.append(product)
    graph.graph.outputs[0] = product.outputs[0]
    found = run(graph, {**RANGES, "w": (-1e38, 1e38)})
    assert [o.node.op_type for o in found.overflows][-1] == "MatMul"
    searches = worth_searching(graph, found, assume(graph, TargetConfig(id="t", path="m.pb")))
    assert len([w for w in searches.thorough if w.node is product]) == searched
