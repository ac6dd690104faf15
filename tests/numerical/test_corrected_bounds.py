"""Bounds that were wrong once: each against runs of ONNX Runtime or TensorFlow on sampled values."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir
import onnxruntime
import pytest
from build import Builder, bounds, rules, run
from containment import outside
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

from analyzer.graph import Graph, ValueRange
from analyzer.numerical import Options, interpret

SEED = 7


def executed(graph: Graph, feeds: dict[str, np.ndarray]) -> np.ndarray:
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    data = ir.to_proto(graph.model).SerializeToString()
    session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    result: np.ndarray = session.run([graph.graph.outputs[0].name], feeds)[0]
    return result


def holds(graph: Graph, ranges: dict[str, tuple[float, float]], shapes: dict[str, tuple[int, ...]], dtype: Any) -> None:
    """Corners and random draws of the inputs give results within the bounds and the shape."""
    found = run(graph, dict(ranges), everything=True, strict=True)
    tensor = found.values[graph.graph.outputs[0]]
    rng = np.random.default_rng(SEED)
    for number in range(24):
        feeds = {}
        for name, (lo, hi) in ranges.items():
            drawn = rng.uniform(lo, hi, shapes[name])
            feeds[name] = (np.full(shapes[name], (lo, hi)[number % 2]) if number < 2 else drawn).astype(dtype)
        why = outside(tensor, executed(graph, feeds))
        assert not why, (why, feeds)


@pytest.mark.parametrize("exponent", [0.5, 1.0, 2.0, 3.0])
def test_a_power_has_the_shape_of_base_and_exponent(exponent: float) -> None:
    b = Builder()
    graph = b.graph(b.op("Pow", b.input("x", (3,)), b.const(np.full((2, 3), exponent))))
    assert run(graph, {"x": (0, 4)}, everything=True).values[graph.graph.outputs[0]].shape == (2, 3)
    holds(graph, {"x": (0, 4)}, {"x": (3,)}, np.float32)


def selected(reduction: str, **how: Any) -> Graph:
    b = Builder()
    x = b.input("x", (6,))
    kept = b.op("Compress", x, b.op("Greater", x, b.const(0.5)), axis=0)
    return b.graph(b.op(reduction, kept, keepdims=0, **how))


@pytest.mark.parametrize("reduction", ["ReduceMax", "ReduceMin", "ReduceLogSumExp"])
def test_the_extreme_of_an_empty_selection_is_infinite(reduction: str) -> None:
    holds(selected(reduction), {"x": (0, 1)}, {"x": (6,)}, np.float32)
    graph = selected(reduction)
    tensor = run(graph, {"x": (0, 1)}, everything=True).values[graph.graph.outputs[0]]
    assert not outside(tensor, executed(graph, {"x": np.zeros(6, np.float32)}))


@pytest.mark.parametrize("op", ["Selu", "HardSigmoid"])
def test_float64_kernels_have_float32_attributes(op: str) -> None:
    b = Builder()
    b.inputs = [helper.make_tensor_value_info("x", TensorProto.DOUBLE, (64,))]
    graph = b.graph(b.op(op, "x"))
    evaluator = ReferenceEvaluator(ir.to_proto(graph.model))  # ONNX Runtime has no such kernel everywhere
    rng = np.random.default_rng(SEED)
    for lo, hi in ((-2.0, -2.0), (-1.5, 1.25), (1.0, 1.0)):
        tensor = run(graph, {"x": (lo, hi)}, everything=True).values[graph.graph.outputs[0]]
        (result,) = evaluator.run(None, {"x": rng.uniform(lo, hi, 64)})
        assert not outside(tensor, result)


def test_dynamic_quantisation_of_zeros_has_the_scale_1() -> None:
    b = Builder()
    _, scale, _ = b.op("DynamicQuantizeLinear", b.input("x", (4,)), outputs=3)
    holds(b.graph(scale), {"x": (0, 0)}, {"x": (4,)}, np.float32)


@pytest.mark.parametrize("window", ["HannWindow", "HammingWindow", "BlackmanWindow"])
def test_a_symmetric_window_of_one_element_may_be_nan(window: str) -> None:
    b = Builder()
    graph = b.graph(b.op(window, b.const(1, np.int64), periodic=0))
    tensor = run(graph, {}, everything=True).values[graph.graph.outputs[0]]
    assert not outside(tensor, executed(graph, {}))


@pytest.mark.parametrize(("start", "limit", "delta"), [(0.0, 1.0, 0.1), (0.1, 3.3, 0.4), (5.0, -5.0, -0.7)])
def test_a_range_of_floats_is_rounded(start: float, limit: float, delta: float) -> None:
    b = Builder()
    graph = b.graph(b.op("Range", *(b.const(v) for v in (start, limit, delta))))
    holds(graph, {}, {}, np.float32)
    tf = pytest.importorskip("tensorflow")
    tensor = run(graph, {}, everything=True).values[graph.graph.outputs[0]]
    assert not outside(tensor, tf.range(start, limit, delta, dtype=tf.float32).numpy())


def test_batch_normalisation_rounds_at_every_step() -> None:
    rng = np.random.default_rng(SEED)
    for _ in range(40):
        b = Builder()
        exact = {n: float(np.float32(rng.uniform(-3, 3))) for n in ("x", "s", "b", "m")}
        exact["v"] = float(np.float32(rng.uniform(0.01, 3)))
        names = [b.input("x", (1, 1, 2)), *(b.input(n, (1,)) for n in "sbmv")]
        graph = b.graph(b.op("BatchNormalization", *names))
        shapes = dict.fromkeys(exact, (1,)) | {"x": (1, 1, 2)}
        holds(graph, {n: (v, v) for n, v in exact.items()}, shapes, np.float32)


def test_large_float64_values_overflow_no_rule() -> None:
    b = Builder()
    b.inputs = [helper.make_tensor_value_info("x", TensorProto.DOUBLE, (1, 1, 4))]
    graph = b.graph(b.op("InstanceNormalization", "x", b.const([1.0], np.float64), b.const([0.0], np.float64)))
    found = run(graph, {"x": (-1e200, 1e200)})
    assert found.failed_rules == ()
    assert found.unknown == {}


@pytest.mark.parametrize("centre", [1.5, 0.1, 3.0])
@pytest.mark.parametrize("width", [0.1, 0.3, 0.7])
def test_no_number_lies_between_the_pieces_of_a_proof(centre: float, width: float) -> None:
    """log(-(x - c)(c - x)) fails at c alone, which is between the ends of pieces that are not numbers of the dtype."""
    b = Builder()
    x, c = b.input("x", (3,)), b.const(centre)
    squared = b.op("Neg", b.op("Mul", b.op("Sub", x, c), b.op("Sub", c, x)))
    graph = b.graph(b.op("Log", squared, name="log"))
    there = float(np.float32(centre))
    for low, high in ((there - width, there + width), (there - width / 3, there + width)):
        assert rules(graph, {"x": (low, high)}) == [("log-of-nonpositive", "log")]
    assert np.isinf(executed(graph, {"x": np.full(3, there, np.float32)})).all()


def test_a_loop_that_does_not_run_hides_no_later_failure() -> None:
    body = helper.make_graph(
        [
            helper.make_node("Log", ["x"], ["inner"], name="inner"),
            helper.make_node("Identity", ["going"], ["still"]),
            helper.make_node("Add", ["state", "inner"], ["next"]),
        ],
        "body",
        [
            helper.make_tensor_value_info("i", TensorProto.INT64, []),
            helper.make_tensor_value_info("going", TensorProto.BOOL, []),
            helper.make_tensor_value_info("state", TensorProto.FLOAT, [3]),
        ],
        [
            helper.make_tensor_value_info("still", TensorProto.BOOL, []),
            helper.make_tensor_value_info("next", TensorProto.FLOAT, [3]),
        ],
    )
    b = Builder()
    x, n = b.input("x", (3,)), b.input("n", (), "int64")
    looped = b.op("Loop", n, "", b.const(np.zeros(3)), body=body)
    later = b.op("Log", x, name="later")
    graph = b.graph(b.op("Add", looped, later))
    assert {node for _, node in rules(graph, {"x": (-1, 1), "n": (0, 3)})} == {"inner", "later"}
    result = executed(graph, {"x": np.full(3, -1.0, np.float32), "n": np.array(0)})
    assert np.isnan(result).all()


def tensorflow_graph(op: str, inputs: list[tuple[int, ...]], constants: list[Any], attributes: dict[str, Any]) -> Graph:
    given = [
        ir.Value(name=f"x{i}", type=ir.TensorType(ir.DataType.FLOAT), shape=ir.Shape(s)) for i, s in enumerate(inputs)
    ]
    nodes = [ir.node("Const", [], {"value": ir.tensor(np.asarray(c))}, domain="tf") for c in constants]
    node = ir.node(op, [*given, *(n.outputs[0] for n in nodes)], attributes, domain="tf")
    graph = ir.Graph(given, node.outputs, nodes=[*nodes, node], name="g", opset_imports={"tf": 1, "": 20})
    return Graph(ir.Model(graph, ir_version=10), framework="tensorflow")


def tf_result(graph: Graph, **ranges: tuple[float, float]) -> Any:
    given = {name: ValueRange(*r) for name, r in ranges.items()}
    found = interpret(graph, given, options=Options(everything=True))
    assert found.failed_rules == ()
    return found.values[graph.graph.outputs[0]]


def test_quantisation_without_a_given_range_takes_that_of_the_tensor() -> None:
    tf = pytest.importorskip("tensorflow")
    graph = tensorflow_graph("QuantizeAndDequantizeV2", [(4,)], [np.float32(-1), np.float32(1)], {"range_given": 0})
    tensor = tf_result(graph, x0=(-1, 40))
    for x in ([-1.0, 3.0, 40.0, 2.0], [40.0] * 4, [0.0, 0.1, 0.2, -1.0]):
        assert not outside(tensor, tf.raw_ops.QuantizeAndDequantizeV2(input=x, input_min=-1.0, input_max=1.0).numpy())


def test_diagonals_are_padded_with_the_given_value() -> None:
    tf = pytest.importorskip("tensorflow")
    rest = [np.int32(0), np.int32(4), np.int32(4), np.float32(-9)]
    graph = tensorflow_graph("MatrixDiagV3", [(4,)], rest, {})
    real = tf.raw_ops.MatrixDiagV3(
        diagonal=np.ones(4, np.float32), k=0, num_rows=4, num_cols=4, padding_value=np.float32(-9)
    )
    assert not outside(tf_result(graph, x0=(1, 1)), real.numpy())


def test_what_is_not_positive_definite_has_no_factor() -> None:
    tf = pytest.importorskip("tensorflow")
    graph = tensorflow_graph("Cholesky", [(2, 2)], [], {})
    tensor = tf_result(graph, x0=(-1, 1))
    try:
        real = tf.linalg.cholesky(np.array([[1, 1], [1, -1]], np.float32)).numpy()
    except tf.errors.InvalidArgumentError:
        return
    assert not outside(tensor, np.tril(real))  # above the diagonal stands what was in memory before


@pytest.mark.parametrize("size", ["n", 2, 3])
def test_a_determinant_of_any_size(size: int | str) -> None:
    b = Builder()
    graph = b.graph(b.op("Det", b.input("x", (size, size))))
    tensor = run(graph, {"x": (-0.1, 0.1)}, everything=True).values[graph.graph.outputs[0]]
    rng = np.random.default_rng(SEED)
    for n in (1, 2, 3, 4) if size == "n" else (size,):
        for x in (np.eye(n) * 0.1, rng.uniform(-0.1, 0.1, (n, n))):
            assert not outside(tensor, executed(graph, {"x": x.astype(np.float32)}))


def test_xdivy_has_the_shape_of_both() -> None:
    tf = pytest.importorskip("tensorflow")
    graph = tensorflow_graph("Xdivy", [(3,), (2, 3)], [], {})
    tensor = tf_result(graph, x0=(0, 0), x1=(1, 2))
    assert tensor.shape == (2, 3)
    assert not outside(tensor, tf.math.xdivy(np.zeros(3, np.float32), np.ones((2, 3), np.float32)).numpy())


def test_a_large_bias_of_an_instance_normalization_is_rounded_too() -> None:
    """Kernels fold the mean into the bias: ONNX Runtime gave -2367.3366699, a unit below the real result."""
    b = Builder()
    x, scale, bias = b.input("x", (2, 3, 4)), b.input("scale", (3,)), b.input("bias", (3,))
    graph = b.graph(b.op("InstanceNormalization", x, scale, bias))
    ranges = {"x": (-93.28424835205078, 0.0), "scale": (1.6334628e-4, 4.8057026e-4), "bias": (-2367.335693359375, 0.0)}
    tensor = run(graph, ranges, everything=True).values[graph.graph.outputs[0]]
    assert tensor.low <= -2367.336669921875


def test_a_product_of_affine_forms_with_tiny_coefficients_raises_nothing() -> None:
    """1e-200 x times 1e-200 x + 1: the product of the coefficients is 0 in float64."""
    b = Builder()
    x = b.op("Cast", b.input("x", (4,)), to=11)
    small = b.op("Mul", x, b.const(1e-200, np.float64))
    graph = b.graph(b.op("Mul", small, b.op("Add", small, b.const(1.0, np.float64))))
    found = run(graph, {"x": (-3, 3)}, everything=True)
    assert found.failed_rules == ()
    tensor = found.values[graph.graph.outputs[0]]
    assert tensor.low <= -3e-200
    assert tensor.high >= 3e-200


def test_rounding_of_a_matrix_product_is_relative_to_what_cancels() -> None:
    """1e4 - 1e4 + 1 of float32: partitioned operands know each element, and kernels add in any order."""
    b = Builder()
    left, right = b.input("l", (1, 3)), b.input("r", (3, 2))
    scale = b.const(np.array([[1e4, -1e4, 1.0]]))
    column = b.const(np.array([[1.0, 3.0], [1.0, 5.0], [1.0, 7.0]]))
    graph = b.graph(b.op("MatMul", b.op("Mul", left, scale), b.op("Mul", right, column)))
    tensor = run(graph, {"l": (1, 1), "r": (1, 1)}, everything=True).values[graph.graph.outputs[0]]
    assert tensor.high - 1 >= 2**-24 * 2e4
    assert tensor.high <= 2


def test_a_folded_batch_normalization_overflows_before_its_product() -> None:
    """scale / deviation comes first: infinity times a number that would make it small again."""
    b = Builder()
    vectors = [b.input(n, (3,)) for n in "sbmv"]
    graph = b.graph(b.op("BatchNormalization", b.input("x", (2, 3)), *vectors, epsilon=1e-3))
    ranges = {"x": (-6e-41, 0), "s": (-1.7e38, 0), "b": (0, 0), "m": (0, 0), "v": (0.08, 4)}
    assert [w.rule for w in run(graph, ranges).overflows] == ["numerical/overflow"]
    assert run(graph, {**ranges, "s": (-1e37, 0)}).overflows == ()


def test_hard_swish_near_where_it_begins() -> None:
    """Kernels add x / 6 and 1 / 2, which cancel: what is left keeps the rounding of both."""
    b = Builder()
    graph = b.graph(b.op("HardSwish", b.input("x", (4096,))))
    session = onnxruntime.InferenceSession(ir.to_proto(graph.model).SerializeToString())
    points = np.linspace(-3.001, -2.9, 4096).astype(np.float32)
    (made,) = session.run(None, {"x": points})
    for at in (*range(0, 4096, 97), 1203):
        lo, hi = bounds(graph, {"x": (points[at], points[at])})
        assert lo <= made[at] <= hi
