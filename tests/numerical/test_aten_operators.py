"""Operators of torch that have no ONNX form but a rule."""

from __future__ import annotations

import math

import numpy as np
import onnx_ir as ir
import pytest
import torch
from build import Builder, rules, run

from analyzer.graph import Graph, ValueRange
from analyzer.numerical import Options, interpret


def graph(name: str, domain: str = "torch.aten") -> Graph:
    x = ir.Value(name="x", shape=ir.Shape([4]), type=ir.TensorType(ir.DataType.FLOAT))
    node = ir.Node(domain, name, [x], name="n")
    node.outputs[0].name, node.outputs[0].dtype, node.outputs[0].shape = "y", ir.DataType.FLOAT, ir.Shape([4])
    inner = ir.Graph([x], [node.outputs[0]], nodes=[node], opset_imports={"": 20, domain: 1})
    return Graph(ir.Model(inner, ir_version=10))


CASES = [("lgamma", -0.1215, math.lgamma(9)), ("digamma", math.log(0.1) - 10, math.log(9))]


@pytest.mark.parametrize(("name", "low", "high"), CASES)
def test_what_dirichlet_and_gamma_losses_are_made_of_has_bounds(name: str, low: float, high: float) -> None:
    found = interpret(graph(name), {"x": ValueRange(0.1, 9.0)}, options=Options())
    assert found.warnings == ()
    assert (found.unsafe_checked, found.unsafe_safe) == (1, 1)
    assert not found.unknown
    (value,) = [t for v, t in found.values.items() if v.name == "y"]
    assert value.low == pytest.approx(low, abs=0.5)
    assert value.high == pytest.approx(high, rel=0.1)


@pytest.mark.parametrize("name", ["lgamma", "digamma"])
def test_their_poles_are_told(name: str) -> None:
    found = interpret(graph(name), {"x": ValueRange(0.0, 9.0)}, options=Options())
    assert [w.rule for w in found.warnings] == ["numerical/invalid-domain"]


def test_running_logsumexp_is_between_its_element_and_the_largest() -> None:
    """torch's kernel subtracts the largest so far: no early sum is 0, which the decomposition's are."""
    model = graph("logcumsumexp")
    found = interpret(model, {"x": ValueRange(-200.0, 3.0)}, options=Options())
    assert found.warnings == ()
    (value,) = [t for v, t in found.values.items() if v.name == "y"]
    assert value.low == pytest.approx(-200, abs=0.01)
    assert value.high == pytest.approx(3 + math.log(4), abs=0.01)


@pytest.mark.parametrize("domain", ["torch.aten", "torch.prims"])
@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("i0", -80.0, 85.0),
        ("special_i0e", -3e4, 3e4),
        ("erfinv", -0.99999, 0.9),
        ("special_ndtri", 1e-10, 1 - 1e-7),
        ("lgamma", 1e-3, 30.0),
    ],
)
def test_bounds_hold_of_what_torch_computes(name: str, domain: str, low: float, high: float) -> None:
    known = {"i0": "bessel_i0", "special_i0e": "bessel_i0e", "erfinv": "erf_inv", "special_ndtri": "ndtri"}.get(
        name, name
    )
    found = interpret(graph(name if domain == "torch.aten" else known, domain), {"x": ValueRange(low, high)})
    assert (found.warnings, dict(found.unknown)) == ((), {})
    (value,) = [t for v, t in found.values.items() if v.name == "y"]
    made = getattr(torch.ops.aten, name)(torch.linspace(low, high, 5001))
    assert value.low <= float(made.min())
    assert float(made.max()) <= value.high
    assert value.high <= 1.01 * float(made.max()) + 0.1


@pytest.mark.parametrize(
    ("name", "bound", "rule"),
    [("i0", 100.0, "exp-overflow"), ("erfinv", 1.0, "invalid-domain"), ("special_ndtri", 1.0, "invalid-domain")],
)
def test_where_they_are_infinite_is_told(name: str, bound: float, rule: str) -> None:
    found = interpret(graph(name), {"x": ValueRange(-bound, bound)})
    assert [w.rule for w in found.warnings] == [f"numerical/{rule}"]
    assert bool(torch.isinf(getattr(torch.ops.aten, name)(torch.tensor(bound))))


@pytest.mark.parametrize(("bound", "safe"), [(1, True), (0, False)])
def test_a_random_order_holds_every_number_below_its_length(bound: int, safe: bool) -> None:
    order = ir.Node("torch.aten", "randperm", [], [ir.AttrInt64("n", 8)], name="order")
    order.outputs[0].dtype, order.outputs[0].shape = ir.DataType.INT64, ir.Shape([8])
    limit = ir.Node("", "Constant", [], [ir.AttrInt64("value_int", bound)])
    mask = ir.Node("", "Less", [order.outputs[0], limit.outputs[0]])
    number = ir.Node("", "Cast", [mask.outputs[0]], [ir.AttrInt64("to", 1)])
    total = ir.Node("", "ReduceSum", [number.outputs[0]], [ir.AttrInt64("keepdims", 0)])
    share = ir.Node("", "Reciprocal", [total.outputs[0]], name="share")
    for node, dtype in ((limit, "INT64"), (mask, "BOOL"), (number, "FLOAT"), (total, "FLOAT"), (share, "FLOAT")):
        node.outputs[0].dtype = ir.DataType[dtype]
    nodes = [order, limit, mask, number, total, share]
    inner = ir.Graph([], [share.outputs[0]], nodes=nodes, opset_imports={"": 20, "torch.aten": 1})
    found = interpret(Graph(ir.Model(inner, ir_version=10)), {}, options=Options())
    assert bool(found.warnings) != safe


def spoken(labels: list[list[int]], frames: list[int], lengths: list[int], *, tensors: bool, zero: bool) -> Graph:
    """Torch's connectionist temporal classification of 6 frames, 2 texts and 4 classes, with lengths either way."""
    scores = ir.Value(name="x", shape=ir.Shape([6, 2, 4]), type=ir.TensorType(ir.DataType.FLOAT))
    given = {"labels": labels, "frames": frames, "lengths": lengths}
    values = {
        n: ir.Value(name=n, const_value=ir.tensor(np.array(a, np.int64), name=n), shape=ir.Shape(np.shape(a)))
        for n, a in given.items()
        if tensors or n == "labels"
    }
    for value in values.values():
        value.dtype = ir.DataType.INT64
    attributes = [ir.AttrInt64("blank", 0), ir.AttrInt64("zero_infinity", int(zero))]
    if not tensors:
        attributes += [ir.AttrInt64s("input_lengths", frames), ir.AttrInt64s("target_lengths", lengths)]
    node = ir.Node("torch.aten", "_ctc_loss", [scores, *values.values()], attributes, num_outputs=2, name="n")
    node.metadata_props["torch.overload"] = "Tensor" if tensors else "default"
    for output, name, shape in zip(node.outputs, ("y", "inside"), ([2], [2, 6, 7]), strict=True):
        output.name, output.dtype, output.shape = name, ir.DataType.FLOAT, ir.Shape(shape)
    inner = ir.Graph(
        [scores], [node.outputs[0]], nodes=[node], initializers=list(values.values()), opset_imports={"torch.aten": 1}
    )
    return Graph(ir.Model(inner, ir_version=10))


TEXTS = [
    ([[1, 2, 3], [1, 2, 1]], [6, 3], [3, 3]),
    ([[1, 2, 2], [1, 2, 1]], [6, 3], [3, 3]),
    ([[1, 2, 3], [1, 1, 1]], [6, 5], [3, 3]),
    ([[1, 2, 3], [1, 1, 1]], [6, 4], [3, 3]),
    ([[1, 2, 3], [1, 1, 1]], [6, 4], [3, 2]),
    ([[1, 2, 3], [1, 2, 3]], [2, 6], [3, 3]),
]


@pytest.mark.parametrize("tensors", [True, False])
@pytest.mark.parametrize(("labels", "frames", "lengths"), TEXTS)
def test_a_text_that_does_not_fit_into_its_frames_is_told_where_torch_gives_infinity(
    labels: list[list[int]], frames: list[int], lengths: list[int], tensors: bool
) -> None:
    draw = torch.Generator().manual_seed(5)
    runs = [torch.rand(6, 2, 4, generator=draw) * 9 - 10 for _ in range(20)]
    made = [
        torch.nn.functional.ctc_loss(x, torch.tensor(labels), tuple(frames), tuple(lengths), reduction="none")
        for x in [*runs, torch.full((6, 2, 4), -10.0), torch.full((6, 2, 4), -1.0)]
    ]
    found = interpret(spoken(labels, frames, lengths, tensors=tensors, zero=False), {"x": ValueRange(-10.0, -1.0)})
    infinite = any(bool(torch.isinf(y).any()) for y in made)
    assert [w.rule for w in found.warnings] == ["numerical/invalid-domain"] * infinite
    assert not found.unknown
    silent = interpret(spoken(labels, frames, lengths, tensors=tensors, zero=True), {"x": ValueRange(-10.0, -1.0)})
    assert silent.warnings == ()
    (value,) = [t for v, t in found.values.items() if v.name == "y"]
    kept = torch.cat([y[torch.isfinite(y)] for y in made])
    assert value.low <= float(kept.min())
    assert float(kept.max()) <= value.high


def test_what_is_positive_by_proof_alone_has_a_logarithm_of_gamma() -> None:
    """w + (1 - w) c with c >= 1 reaches 1 whatever w is; its bounds reach 0."""
    b = Builder()
    w, c = b.input("w", (4,)), b.input("c", (4,))
    mixed = b.op("Add", w, b.op("Mul", b.op("Sub", b.const(1.0), w), c))
    g = b.graph(b.op("lgamma", mixed, domain="torch.aten", name="gamma"))
    found = run(g, {"w": (0, 1), "c": (1, 50)}, everything=True)
    assert (found.warnings, found.failed_rules) == ((), ())
    result = found.values[g.graph.outputs[0]]
    assert result.low < -0.12
    assert 144 < result.high < 200
    assert rules(g, {"w": (0, 1), "c": (0, 50)}) == [("invalid-domain", "gamma")]
