"""Mistakes that earlier numerical analysers are known to make, each as a check of bounds or of a warning."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
import pytest
from build import Builder, bounds, rules, run

from analyzer.graph import Graph, ValueRange
from analyzer.numerical import Options, interpret
from analyzer.numerical.domain import dtypes
from analyzer.numerical.domain.tensor import AbstractTensor, from_data


def covers(found: tuple[float, float], low: float, high: float, slack: float = 1e-3) -> bool:
    """Bounds contain [low, high] and are not much wider."""
    pad = slack * max(1.0, abs(low), abs(high))
    return low - pad <= found[0] <= low and high <= found[1] <= high + pad


def of(
    op: str, *ranges: tuple[float, float], shape: tuple[int, ...] = (4,), **attributes: object
) -> tuple[float, float]:
    b = Builder()
    inputs = [b.input(f"x{i}", shape) for i in range(len(ranges))]
    return bounds(b.graph(b.op(op, *inputs, **attributes)), {f"x{i}": r for i, r in enumerate(ranges)})


def tf(op: str, *ranges: tuple[float, float], **attributes: object) -> tuple[float, float]:
    inputs = [
        ir.Value(name=f"x{i}", type=ir.TensorType(ir.DataType.FLOAT), shape=ir.Shape([4])) for i in range(len(ranges))
    ]
    node = ir.node(op, inputs, attributes, domain="tf")  # type: ignore[arg-type]
    graph = ir.Graph(inputs, node.outputs, nodes=[node], name="g", opset_imports={"tf": 1, "": 20})
    result = interpret(
        Graph(ir.Model(graph, ir_version=10)),
        {f"x{i}": ValueRange(*r) for i, r in enumerate(ranges)},
        options=Options(everything=True),
    )
    tensor = result.values[node.outputs[0]]
    return tensor.low, tensor.high


@pytest.mark.parametrize(
    ("base", "exponent", "expected"),
    [
        ((-2, 1), 2, (0, 4)),
        ((-2, 3), 2, (0, 9)),
        ((-2, 3), 3, (-8, 27)),
        ((-2, 2), 2, (0, 4)),
        ((-3, -2), -1, (-0.5, -1 / 3)),
    ],
)
def test_powers_have_interior_extrema(
    base: tuple[float, float], exponent: float, expected: tuple[float, float]
) -> None:
    b = Builder()
    assert covers(bounds(b.graph(b.op("Pow", b.input("x", (4,)), b.const(exponent))), {"x": base}), *expected)


def test_powers_of_a_fraction_fall() -> None:
    assert covers(of("Pow", (0.5, 0.5), (1, 2)), 0.25, 0.5)


def test_products_of_straddling_values() -> None:
    b = Builder()
    x = b.input("x", (2,))
    assert covers(bounds(b.graph(b.op("ReduceProd", x, keepdims=0)), {"x": (-2, 3)}), -9, 9)


def test_squared_difference_squares_once() -> None:
    assert covers(tf("SquaredDifference", (0, 0.5), (0, 0.5)), 0, 0.25)


def test_clipping_a_range_outside_the_limits() -> None:
    b = Builder()
    x = b.input("x", (4,))
    assert bounds(b.graph(b.op("Clip", x, b.const(0.0), b.const(1.0))), {"x": (5, 10)}) == (1, 1)
    low, high = b.input("low", ()), b.const(9.0)
    assert bounds(b.graph(b.op("Clip", x, low, high)), {"x": (1, 1), "low": (0, 5)}) == (1, 5)


def test_padding_brings_its_value() -> None:
    b = Builder()
    assert bounds(b.graph(b.op("Pad", b.input("x", (4,)), b.const([1, 1], np.int64))), {"x": (1, 2)}) == (0, 2)


def test_l2_loss_sums() -> None:
    assert covers(tf("L2Loss", (1, 2)), 2, 8)


def test_batch_normalisation_divides_by_the_root_and_tries_every_corner() -> None:
    b = Builder()
    x = b.input("x", (1, 1, 2))
    names = [b.input(n, (1,)) for n in ("scale", "bias", "mean", "variance")]
    graph = b.graph(b.op("BatchNormalization", x, *names, epsilon=0.0))
    exact = {"x": (1, 1), "scale": (2, 2), "bias": (3, 3), "mean": (0, 0), "variance": (4, 4)}
    assert covers(bounds(graph, exact), 4, 4)
    b2 = Builder()
    x = b2.input("x", (1, 1, 2))
    names = [b2.input(n, (1,)) for n in ("scale", "bias", "mean", "variance")]
    graph = b2.graph(b2.op("BatchNormalization", x, *names, epsilon=1e-5))
    wide = {"x": (1, 1), "scale": (-1, 1), "bias": (0, 0), "mean": (0, 0), "variance": (0, 1)}
    assert covers(bounds(graph, wide), -316.2277, 316.2277, slack=1e-2)


def test_random_normals_are_negative_too() -> None:
    b = Builder()
    low, high = bounds(b.graph(b.op("RandomNormal", shape=[4])), {})
    assert low < -4
    assert high > 4


def test_floor_mod_is_below_the_divisor() -> None:
    low, high = tf("FloorMod", (0, 5), (3, 3))
    assert low == 0
    assert high >= 2.9999


def test_log_gamma_has_a_minimum() -> None:
    assert covers(tf("Lgamma", (1, 2)), -0.1214862905, 0)


def test_maximum_with_a_constant_array_keeps_its_elements() -> None:
    b = Builder()
    graph = b.graph(b.op("Max", b.input("x", (2,)), b.const([0.0, 5.0])))
    assert bounds(graph, {"x": (1, 6)}) == (1, 6)


def test_softmax_of_unknown_width_may_have_one_element() -> None:
    b = Builder()
    low, high = bounds(b.graph(b.op("Softmax", b.input("x", ("n", "k")))), {"x": (-1, 1)})
    assert low < 1e-10  # no dimension is larger than 2**40
    assert high == 1


def test_log_of_an_all_negative_range() -> None:
    b = Builder()
    assert rules(b.graph(b.op("Log", b.input("x", (4,)), name="log")), {"x": (-3, -2)}) == [
        ("log-of-nonpositive", "log")
    ]


def test_log1p_below_minus_one_is_a_failure() -> None:
    value = ir.Value(name="x", type=ir.TensorType(ir.DataType.FLOAT), shape=ir.Shape([4]))
    node = ir.node("Log1p", [value], domain="tf", name="log1p")
    graph = Graph(
        ir.Model(ir.Graph([value], node.outputs, nodes=[node], name="g", opset_imports={"tf": 1}), ir_version=10)
    )
    warnings = interpret(graph, {"x": ValueRange(-3, -2)}).warnings
    assert [w.rule for w in warnings] == ["numerical/log-of-nonpositive"]


def test_a_constant_divisor_with_one_zero() -> None:
    b = Builder()
    graph = b.graph(b.op("Div", b.input("x", (3,)), b.const([1.0, 0.0, 2.0]), name="div"))
    assert rules(graph, {"x": (1, 2)}) == [("division-by-zero", "div")]


def test_reshape_does_not_mix_blocks() -> None:
    b = Builder()
    graph = b.graph(b.op("Reshape", b.input("x", (6,)), b.const([3, 2], np.int64)))
    x = AbstractTensor(dtypes.FLOAT32, (6,), np.array([0.0, 9.0]), np.array([1.0, 10.0]), ((0, 3),))
    result = interpret(graph, {"x": x}, options=Options(everything=True)).values[graph.graph.outputs[0]]
    lo, hi = np.broadcast_to(result.lo, (3, 2)), np.broadcast_to(result.hi, (3, 2))
    concrete = np.array([0, 1, 0, 10, 9, 10]).reshape(3, 2)
    assert (lo <= concrete).all()
    assert (concrete <= hi).all()


def test_means_are_not_multiplied_by_block_sizes() -> None:
    b = Builder()
    x = b.input("x", (10,))
    assert covers(bounds(b.graph(b.op("ReduceMean", x, keepdims=0)), {"x": (1, 2)}), 1, 2)


def test_global_average_weighs_blocks() -> None:
    b = Builder()
    data = np.zeros((1, 1, 10), np.float32)
    data[0, 0, 9] = 10
    low, high = bounds(
        b.graph(b.op("GlobalAveragePool", b.op("Add", b.input("x", (1, 1, 10)), b.const(data)))), {"x": (0, 0)}
    )
    assert low <= 1 <= high


def test_casts_truncate_towards_zero() -> None:
    b = Builder()
    assert bounds(b.graph(b.op("Cast", b.input("x", (4,)), to=7)), {"x": (-1.5, -0.5)}) == (-1, 0)


def test_scatter_multiplies_once() -> None:
    b = Builder()
    graph = b.graph(
        b.op("ScatterElements", b.input("x", (3,)), b.const([0], np.int64), b.input("u", (1,)), reduction="mul"),
        opset=18,
    )
    low, high = bounds(graph, {"x": (2, 2), "u": (3, 5)})
    assert low <= 2
    assert 10 <= high <= 10.1


def test_split_sizes_are_sizes() -> None:
    b = Builder()
    parts = b.op("Split", b.input("x", (9,)), b.const([2, 3, 4], np.int64), outputs=3)
    graph = b.graph(*parts)
    values = interpret(graph, {"x": ValueRange(0, 1)}, options=Options(everything=True)).values
    assert [values[o].shape for o in graph.graph.outputs] == [(2,), (3,), (4,)]


def test_gather_with_an_uncertain_index_keeps_its_shape() -> None:
    b = Builder()
    graph = b.graph(b.op("Gather", b.input("x", (2, 5)), b.input("i", (3,), "int64"), axis=1))
    values = interpret(graph, {"x": ValueRange(0, 1), "i": ValueRange(0, 4)}, options=Options(everything=True)).values
    assert values[graph.graph.outputs[0]].shape == (2, 3)


def test_leaky_relu_with_a_negative_slope() -> None:
    assert covers(of("LeakyRelu", (-2, 1), alpha=-0.5), 0, 1)


def test_sums_of_exponentials_overflow() -> None:
    b = Builder()
    total = b.op("ReduceSum", b.op("Exp", b.input("x", (10,))), keepdims=0, name="sum")
    assert rules(b.graph(total), {"x": (80, 88)}) == [("overflow", "sum")]


def test_matrix_products_of_straddling_intervals_are_exact() -> None:
    b = Builder()
    graph = b.graph(b.op("MatMul", b.input("x", (2, 3)), b.input("w", (3, 2))))
    assert covers(bounds(graph, {"x": (-1, 1), "w": (-1, 1)}), -3, 3)


def test_log_of_softmax_kernels_is_no_false_alarm() -> None:
    b = Builder()
    assert rules(b.graph(b.op("LogSoftmax", b.input("x", (4, 10)))), {"x": (-1e4, 1e4)}) == []


def graph_tf(op: str, shapes: list[tuple[int, ...]], outputs: int = 1, **attributes: object) -> Graph:
    inputs = [
        ir.Value(name=f"x{i}", type=ir.TensorType(ir.DataType.FLOAT), shape=ir.Shape(s)) for i, s in enumerate(shapes)
    ]
    node = ir.node(op, inputs, attributes, domain="tf", num_outputs=outputs, name="op")  # type: ignore[arg-type]
    graph = ir.Graph(inputs, node.outputs, nodes=[node], name="g", opset_imports={"tf": 1, "": 20})
    return Graph(ir.Model(graph, ir_version=10), framework="tensorflow")


def first_output(graph: Graph, ranges: dict[str, tuple[float, float]]) -> AbstractTensor:
    given = {n: ValueRange(*r) for n, r in ranges.items()}
    values = interpret(graph, given, options=Options(everything=True)).values
    return values[graph.graph.outputs[0]]


def test_fused_batch_norm_reads_its_operands_in_order() -> None:
    graph = graph_tf("FusedBatchNormV3", [(1, 1, 1, 1), (1,), (1,), (1,), (1,)], 6, is_training=False, epsilon=1e-12)
    given = {"x0": (1, 1), "x1": (2, 2), "x2": (3, 3), "x3": (0, 0), "x4": (4, 4)}  # x, scale, offset, mean, variance
    tensor = first_output(graph, given)
    assert covers((tensor.low, tensor.high), 4, 4)


def test_multinomial_draws_are_class_numbers() -> None:
    b = Builder()
    low, high = bounds(b.graph(b.op("Multinomial", b.input("x", (2, 7)), sample_size=5)), {"x": (-1, 1)})
    assert (low, high) == (0, 6)


def test_transposed_convolutions_are_not_bounded_by_one() -> None:
    b = Builder()
    graph = b.graph(b.op("ConvTranspose", b.input("x", (1, 2, 3, 3)), b.input("w", (2, 1, 1, 1))))
    low, high = bounds(graph, {"x": (3, 3), "w": (5, 5)})
    assert low <= 30 <= high


def test_gather_nd_counts_negative_indices_from_the_end() -> None:
    b = Builder()
    x = AbstractTensor(dtypes.FLOAT32, (3,), np.array([0.0, 1.0, 7.0]), np.array([0.0, 1.0, 7.0]), ((0, 1, 2),))
    graph = b.graph(b.op("GatherND", b.input("x", (3,)), b.const([[-1]], np.int64)))
    assert bounds(graph, {"x": x})[1] >= 7


def test_a_loop_without_trip_count_and_condition_ends() -> None:
    from test_loops import counting

    graph = counting("Tanh")
    graph.graph.sort()
    loop = next(n for n in graph.graph if n.op_type == "Loop")
    loop.replace_input_with(0, None)
    low, high = bounds(graph, {"y0": (-3, 2)})
    assert low <= -3
    assert high >= 2


@pytest.mark.parametrize("n", [1, 2, 7])
def test_sums_over_a_batch_cover_every_size(n: int) -> None:
    b = Builder()
    graph = b.graph(b.op("ReduceSum", b.input("x", ("n", 2)), b.const([0], np.int64)))
    low, high = bounds(graph, {"x": (1, 2)})
    assert low <= n
    assert high >= 2 * n


def test_products_beyond_the_dtype_are_not_silent() -> None:
    b = Builder()
    x = b.input("x", (2,))
    product = b.op("Mul", x, b.const(1e30), name="mul")
    assert rules(b.graph(product), {"x": (0, 1e30)}) == [("overflow", "mul")]


def test_variance_and_epsilon_of_zero_are_flagged() -> None:
    b = Builder()
    x = b.input("x", (1, 1, 2))
    names = [b.input(n, (1,)) for n in ("scale", "bias", "mean", "variance")]
    given = {"x": (1, 1), "scale": (1, 1), "bias": (0, 0), "mean": (0, 0), "variance": (0, 1)}
    graph = b.graph(b.op("BatchNormalization", x, *names, epsilon=0.0, name="norm"))
    assert rules(graph, given) == [("normalisation-by-zero", "norm")]


def test_constant_tensors_keep_their_data() -> None:
    b = Builder()
    table = np.linspace(1, 3, 300, dtype=np.float32)
    assert rules(b.graph(b.op("Div", b.input("x", (300,)), b.const(table))), {"x": (0, 1)}) == []


def test_concatenations_of_many_operands_keep_their_blocks() -> None:
    b = Builder()
    names = [b.input(f"x{i}", (1,)) for i in range(15)]
    whole = b.op("Concat", *names, axis=0)
    graph = b.graph(b.op("Log", b.op("Slice", whole, b.const([12], np.int64), b.const([13], np.int64))))
    ranges = dict.fromkeys(names, (-1.0, 1.0)) | {"x12": (1.0, 2.0)}
    assert rules(graph, ranges) == []


@pytest.mark.parametrize(
    ("op", "given"), [("Acos", (-1.5, 0)), ("Asin", (0, 1.5)), ("Atanh", (0, 1)), ("Acosh", (0.5, 2))]
)
def test_domains_of_inverse_functions(op: str, given: tuple[float, float]) -> None:
    b = Builder()
    assert rules(b.graph(b.op(op, b.input("x", (4,)), name="op")), {"x": given}) == [("invalid-domain", "op")]


def test_modulo_by_zero() -> None:
    b = Builder()
    graph = b.graph(b.op("Mod", b.input("x", (4,), "int64"), b.input("y", (4,), "int64"), name="mod"))
    assert rules(graph, {"x": (0, 9), "y": (0, 3)}) == [("integer-division-by-zero", "mod")]
    assert rules(graph, {"x": (0, 9), "y": (1, 3)}) == []


def test_a_weighted_loss_divides_by_the_sum_of_weights() -> None:
    b = Builder()
    x, labels, weights = b.input("x", (3, 4)), b.input("t", (3,), "int64"), b.input("w", (4,))
    graph = b.graph(b.op("NegativeLogLikelihoodLoss", x, labels, weights, name="loss"))
    assert rules(graph, {"x": (-9, 0), "t": (0, 3), "w": (0, 1)}) == [("empty-mean", "loss")]
    assert rules(graph, {"x": (-9, 0), "t": (0, 3), "w": (0.5, 1)}) == []


@pytest.mark.parametrize("seed", range(40))
def test_random_reshapes_of_blocks_contain_every_element(seed: int) -> None:
    rng = np.random.default_rng(seed)
    old = [(2, 3, 4), (6, 4), (24,), (4, 3, 2)][seed % 4]
    new = [(4, 6), (3, 8), (2, 12), (12, 2), (2, 2, 6)][seed % 5]
    values = rng.normal(size=old)
    axis = int(rng.integers(len(old)))
    cut = int(rng.integers(1, old[axis]))
    parts = np.split(values, [cut], axis)
    form = [2 if i == axis else 1 for i in range(len(old))]
    lo, hi = (np.array([f(p) for p in parts]).reshape(form) for f in (np.min, np.max))
    starts = tuple((0, cut) if i == axis else (0,) for i in range(len(old)))
    b = Builder()
    graph = b.graph(b.op("Reshape", b.input("x", old), b.const(new, np.int64)))
    x = AbstractTensor(dtypes.FLOAT64, old, lo, hi, starts)
    result = interpret(graph, {"x": x}, options=Options(everything=True)).values[graph.graph.outputs[0]]
    from containment import outside

    assert not outside(result, values.reshape(new))


def test_an_operator_nobody_knows_bounds_nothing_and_is_named() -> None:
    graph = graph_tf("NoSuchOperator", [(4,)])
    result = interpret(graph, {"x0": ValueRange(0, 1)}, options=Options(everything=True))
    assert dict(result.unknown) == {"tf::NoSuchOperator": 1}
    assert result.values[graph.graph.outputs[0]].high > 1e38


def test_sums_of_products_of_one_sign_keep_it() -> None:
    b = Builder()
    x, y = b.input("x", (3, 4)), b.input("y", (4, 3))
    product = b.op("MatMul", b.op("Abs", x), b.op("Abs", y))
    summed = b.op("Einsum", b.op("Abs", x), b.op("Abs", y), equation="ij,jk->ik")
    for result in (product, summed):
        assert bounds(b.graph(result), {"x": (-5, 5), "y": (-5, 5)})[0] == 0
    assert bounds(b.graph(b.op("Neg", product)), {"x": (-5, 5), "y": (-5, 5)})[1] == 0


def test_elu_stays_above_minus_one() -> None:
    b = Builder()
    features = b.op("Add", b.op("Elu", b.input("x", (3,))), b.const(1.0))
    assert bounds(b.graph(features), {"x": (-100, 100)})[0] == 0


def test_poles_of_lgamma_are_flagged() -> None:
    for op in ("Lgamma", "Digamma"):
        b = Builder()
        x = b.input("x", (3,))
        graph = b.graph(b.op(op, x, domain="tf", name="node"))
        assert rules(graph, {"x": (0, 5)}) == [("invalid-domain", "node")]
        assert rules(graph, {"x": (1e-3, 5)}) == []


def test_x_times_the_logarithm_of_x_is_zero_at_zero() -> None:
    b = Builder()
    x, y = b.input("x", (3,)), b.input("y", (3,))
    assert rules(b.graph(b.op("Xlogy", x, x, domain="tf", name="node")), {"x": (0, 1)}) == []
    other = b.graph(b.op("Xlogy", x, y, domain="tf", name="node"))
    assert rules(other, {"x": (0, 1), "y": (0, 1)}) == [("log-of-nonpositive", "node")]


def test_a_rational_sigmoid_is_a_little_too_large() -> None:
    b = Builder()
    graph = b.graph(b.op("Sigmoid", b.input("x", (3,))))
    x = np.float32(6.5912657)
    assert bounds(graph, {"x": (0, float(x))})[1] >= 0.9986296892166138  # ONNX Runtime 1.31, AVX-512
    assert bounds(graph, {"x": (0, 15)})[1] < 1


def test_a_folded_batch_normalisation_does_not_overflow_with_its_difference() -> None:
    b = Builder()
    names = [b.input(n, (1,)) for n in ("scale", "bias", "mean", "variance")]
    graph = b.graph(b.op("BatchNormalization", b.input("x", (1, 1, 2)), *names, epsilon=1e-3))
    given = {"x": (-2e38, 2e38), "scale": (-1e-30, 0), "bias": (0, 0), "mean": (-3e38, 0), "variance": (2.5, 2.5)}
    assert bounds(graph, given)[0] <= -5e38 * 1e-30 / np.sqrt(2.501)


def test_sums_that_pass_the_largest_number_on_the_way() -> None:
    """Kernels add in an order of their own: the sum of all is finite, that of those above 0 is not."""
    b = Builder()
    total = b.op("ReduceSum", b.input("x", (2, 2)), keepdims=0)
    rows = from_data(np.array([[3e38, 3e38], [-3e38, -2e38]], np.float32), dtypes.FLOAT32)
    found = run(b.graph(total), {"x": rows}, everything=True)
    assert [w.rule for w in (*found.warnings, *found.overflows)] == ["numerical/overflow"]
    calm = from_data(np.array([[1e38, 2e38], [-3e38, -2e37]], np.float32), dtypes.FLOAT32)
    assert run(b.graph(total), {"x": calm}, everything=True).overflows == ()
