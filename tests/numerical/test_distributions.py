"""The entropy of shares of a whole is at most the logarithm of their number, and no more is said of anything else."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import onnx_ir as ir
import onnxruntime
import pytest
from build import Builder, bounds, rules

from analyzer.graph import Graph

K = 500  # exp(K / e) would overflow
RANGE = {"x": (-90, 90)}


def shares(b: Builder, x: str, form: str) -> tuple[str, str]:
    """Shares and their logarithm."""
    if form == "quotient":
        sizes = b.op("Abs", x)
        total = b.op("Add", b.op("ReduceSum", sizes, b.const([-1], np.int64)), b.const(1e-6))
        p = b.op("Div", sizes, total)
        return p, b.op("Log", b.op("Add", p, b.const(1e-9)))
    if form == "one-hot":
        places = b.op("ArgMax", x, axis=-1, keepdims=1)
        chosen = b.op("Cast", b.op("Equal", places, b.const(np.arange(K), np.int64)), to=1)
        p = b.op("ReduceMean", chosen, b.const([0], np.int64))
        return p, b.op("Log", b.op("Max", p, b.const(1e-8)))
    p = b.op("Softmax", x, axis=-1)
    if form == "log-softmax":
        return p, b.op("LogSoftmax", x, axis=-1)
    if form == "logits":
        logits = b.op("Sub", x, b.op("ReduceLogSumExp", x, b.const([-1], np.int64)))
        return b.op("Softmax", logits, axis=-1), b.op("Max", logits, b.const(-3e38))
    if form == "another axis":
        return b.op("Softmax", x, axis=0), b.op("LogSoftmax", x, axis=-1)
    if form == "smaller logarithm":
        return p, b.op("Log", b.op("Mul", b.op("Add", p, b.const(1e-30)), b.const(0.5)))
    return p, b.op("Log", b.op("Clip", p, b.const(1e-12)))


def perplexity(form: str, negated: bool = False) -> Graph:
    b = Builder()
    p, q = shares(b, b.input("x", (4, K)), form)
    product = b.op("Mul", b.op("Neg", p) if negated else p, q)
    total = b.op("ReduceSum", product, b.const([-1], np.int64), keepdims=0)
    return b.graph(total if negated else b.op("Neg", total))


KNOWN = ("quotient", "one-hot", "log-softmax", "logits", "clip")


@pytest.mark.parametrize("negated", [False, True])
@pytest.mark.parametrize("form", KNOWN)
def test_entropy_is_bounded_and_no_run_passes_the_bound(form: str, negated: bool) -> None:
    graph = perplexity(form, negated)
    lo, hi = bounds(graph, RANGE)
    assert math.log(K) <= hi <= math.log(K) * 1.02 + 0.01
    session = onnxruntime.InferenceSession(ir.to_proto(graph.model).SerializeToString())
    rng = np.random.default_rng(1)
    for scale in (0.0, 1e-6, 0.1, 1.0, 5.0, 90.0):
        x = np.clip(rng.standard_normal((4, K)) * scale, -90, 90).astype(np.float32)
        x[1] = 0.25
        x[2, : K // 2] = -90
        (result,) = session.run(None, {"x": x})
        assert lo <= result.min() <= result.max() <= hi


@pytest.mark.parametrize("form", ["another axis", "smaller logarithm"])
def test_of_other_products_nothing_is_said(form: str) -> None:
    assert bounds(perplexity(form), RANGE)[1] > 20


def test_a_perplexity_is_proved() -> None:
    b = Builder()
    x = b.input("x", (4, K))
    p, q = shares(b, x, "log-softmax")
    total = b.op("ReduceSum", b.op("Mul", p, q), b.const([-1], np.int64), keepdims=0)
    assert rules(b.graph(b.op("Exp", b.op("Neg", total))), RANGE) == []


@pytest.mark.parametrize(("complement", "told"), [(True, []), (False, ["empty-mean"])])
def test_what_a_mask_selects_and_what_it_leaves_is_never_nothing(complement: bool, told: list[str]) -> None:
    b = Builder()
    x = b.input("x", (6,))
    small = b.op("Less", b.op("Abs", x), b.const(1.0))
    rest = b.op("Not", small) if complement else b.op("Greater", b.op("Abs", x), b.const(1.0))
    parts = []
    for mask in (small, rest):
        places = b.op("Transpose", b.op("NonZero", mask), perm=[1, 0])
        parts.append(b.op("GatherND", x, places))
    joined = b.op("Concat", b.op("Mul", parts[0], parts[0]), b.op("Abs", parts[1]), axis=0)
    assert [rule for rule, _ in rules(b.graph(b.op("ReduceMean", joined, keepdims=0)), {"x": (-3, 3)})] == told


@pytest.mark.parametrize("case", ["gram", "gram and jitter", "product of others"])
def test_the_diagonal_of_a_matrix_times_its_transpose(case: str) -> None:
    b = Builder()
    x, y = b.input("x", (4, 6)), b.input("y", (4, 6))
    product = b.op("MatMul", x, b.op("Transpose", y if case == "product of others" else x, perm=[1, 0]))
    if case == "gram and jitter":
        product = b.op("Add", b.op("Div", product, b.const(5.0)), b.const(np.eye(4) * 0.1))
    flat = b.op("Reshape", product, b.const([16], np.int64))
    graph = b.graph(b.op("Gather", flat, b.const([0, 5, 10, 15], np.int64), axis=-1))
    lo, hi = bounds(graph, {"x": (-3, 3), "y": (-3, 3)})
    expected = {"gram": 0.0, "gram and jitter": 0.0999, "product of others": -55}
    assert expected[case] <= lo <= {"product of others": -53}.get(case, 0.1)
    session = onnxruntime.InferenceSession(ir.to_proto(graph.model).SerializeToString())
    rng = np.random.default_rng(0)
    for scale in (0.0, 1e-25, 1.0, 9.0):
        values = {n: np.clip(rng.standard_normal((4, 6)) * scale, -3, 3).astype(np.float32) for n in "xy"}
        (result,) = session.run(None, {v.name: values[str(v.name)] for v in graph.graph.inputs})
        assert lo <= result.min() <= result.max() <= hi


@pytest.mark.parametrize(("on", "off", "safe"), [(1.0, 0.0, True), (1.9, 0.0, False), (1.0, 0.5, False)])
@pytest.mark.parametrize("domain", ["", "tf"])
def test_a_perplexity_of_chosen_codes(domain: str, on: float, off: float, safe: bool) -> None:
    """Means of one-hot rows add up to 1, where what is on is exactly 1 and what is off 0."""
    codes = ir.Value(name="codes", type=ir.TensorType(ir.DataType.INT64), shape=ir.Shape((5,)))
    kind = "Const" if domain else "Constant"

    def constant(value: Any) -> ir.Node:
        return ir.node(kind, [], {"value": ir.tensor(np.asarray(value))}, domain=domain)

    values = [constant(np.float32(v)) for v in (on, off)] if domain else [constant(np.array([off, on], np.float32))]
    given = [
        constant(np.int32(512)),
        constant(np.array([0])),
        constant(np.float32(1e-10)),
        constant(np.array([0])),
        *values,
    ]
    depth, rows, small, all_, *values = (n.outputs[0] for n in given)
    hot = ir.node("OneHot", [codes, depth, *values], domain=domain)
    mean = ir.node(
        "Mean" if domain else "ReduceMean", [hot.outputs[0], rows], {"keep_dims": 0, "keepdims": 0}, domain=domain
    )
    shifted = ir.node("Add", [mean.outputs[0], small], domain=domain)
    log = ir.node("Log", shifted.outputs, domain=domain)
    product = ir.node("Mul", [mean.outputs[0], log.outputs[0]], domain=domain)
    total = ir.node(
        "Sum" if domain else "ReduceSum", [product.outputs[0], all_], {"keep_dims": 0, "keepdims": 0}, domain=domain
    )
    negated = ir.node("Neg", total.outputs, domain=domain)
    end = ir.node("Exp", negated.outputs, domain=domain)
    nodes = [*given, hot, mean, shifted, log, product, total, negated, end]
    graph = ir.Graph([codes], end.outputs, nodes=nodes, name="g", opset_imports={"": 20, "tf": 1})
    model = Graph(ir.Model(graph, ir_version=10), framework="tensorflow" if domain else "onnx")
    found = rules(model, {"codes": (0, 511)})
    assert ("exp-overflow" not in [rule for rule, _ in found]) == safe
