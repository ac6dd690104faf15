"""``E[x²] - E[x]²`` under any mean: negative by rounding alone; how much is told, with twins that are no variances."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
import pytest
from build import Builder, bounds, rules, run
from containment import outside
from test_relations import engine

from analyzer.graph import Graph

KERNEL = np.outer(*[np.array([0.12, 0.23, 0.3, 0.23, 0.12])] * 2)
KINDS = ("convolution", "two convolutions", "pooling", "mean", "own sum")


def averaged(b: Builder, x: str, kind: str, kernel: np.ndarray) -> str:
    if kind == "pooling":
        return str(b.op("AveragePool", x, kernel_shape=[3, 3], pads=[1, 1, 1, 1]))
    if kind == "mean":
        return str(b.op("ReduceMean", x, b.const([2, 3], np.int64)))
    if kind == "two convolutions":
        padded = b.op("Pad", x, b.const([0, 0, 0, 2, 0, 0, 0, 2], np.int64), mode="reflect")
        first = b.op("Conv", padded, b.const(kernel.sum(0).reshape(1, 1, 1, 5)))
        return str(b.op("Conv", first, b.const(kernel.sum(1).reshape(1, 1, 5, 1))))
    if kind == "own sum":
        window = b.op("Exp", b.const(np.log(kernel * 3)))
        window = b.op("Div", window, b.op("ReduceSum", window, keepdims=0))
        return str(b.op("Conv", x, b.op("Reshape", window, b.const([1, 1, 5, 5], np.int64))))
    return str(b.op("Conv", x, b.const(kernel.reshape(1, 1, 5, 5))))


def variance(kind: str, *, kernel: np.ndarray = KERNEL, other: str = "x") -> Graph:
    b = Builder()
    x = b.input("x", (1, 1, 12, 12))
    y = x if other == "x" else b.input(other, (1, 1, 12, 12))
    mean = averaged(b, y, kind, kernel)
    squares = averaged(b, b.op("Mul", x, x), kind, kernel)
    difference = b.op("Sub", squares, b.op("Pow", mean, b.const(2.0)))
    return b.graph(difference)


@pytest.mark.parametrize("kind", KINDS)
def test_a_variance_is_negative_by_rounding_alone(kind: str) -> None:
    low, high = bounds(variance(kind), {"x": (0, 1)})
    assert -1e-4 < low <= 0
    assert high >= 0.9
    # with numbers a hundred times as large the roundings are ten thousand times as large
    wide, _ = bounds(variance(kind), {"x": (-100, 100)})
    assert -1 < wide < 1e3 * low


@pytest.mark.parametrize("kind", ["convolution", "two convolutions"])
def test_weights_that_make_no_mean(kind: str) -> None:
    assert bounds(variance(kind, kernel=1.5 * KERNEL), {"x": (0, 1)})[0] < -0.5  # they add up to more than 1
    sharpening = KERNEL - 0.05
    assert bounds(variance(kind, kernel=sharpening), {"x": (0, 1)})[0] < -0.03
    assert bounds(variance(kind, other="y"), {"x": (0, 1), "y": (0, 1)})[0] < -0.9


@pytest.mark.parametrize("kind", KINDS)
def test_no_run_leaves_the_bounds(kind: str) -> None:
    graph, rng = variance(kind), np.random.default_rng(0)
    session = engine(graph)
    for span in (1.0, 100.0):
        known = run(graph, {"x": (-span, span)}, everything=True).values[graph.graph.outputs[0]]
        for spread in (0.0, 1e-7, 1e-3, 1.0):
            for centre in (span, 0.7 * span, -span):
                x = np.clip(centre * (1 + spread * rng.standard_normal((1, 1, 12, 12))), -span, span)
                (result,) = session.run(None, {"x": x.astype(np.float32)})
                assert outside(known, result) == ""


def test_structural_similarity_of_images() -> None:
    def measured(constant: float) -> Graph:
        b = Builder()
        variances = []
        for name in ("x", "y"):
            x = b.input(name, (1, 1, 12, 12))
            mean = averaged(b, x, "convolution", KERNEL)
            squares = averaged(b, b.op("Mul", x, x), "convolution", KERNEL)
            variances.append(b.op("Sub", squares, b.op("Mul", mean, mean)))
        both = b.op("Add", b.op("Add", *variances), b.const(constant))
        return b.graph(b.op("Reciprocal", both, name="quotient"))

    images = {"x": (0, 1), "y": (0, 1)}
    assert rules(measured(9e-4), images) == []
    assert rules(measured(9e-4), {"x": (-100, 100), "y": (0, 1)}) == [("division-by-zero", "quotient")]
    assert rules(measured(1e-9), images) == [("division-by-zero", "quotient")]


def of_two(kind: str, *, other: str = "y", squares: str = "both") -> Graph:
    """``E[x² + y²] - (E[x]² + E[y]²)``, as a similarity of two images may have it."""
    b = Builder()
    x, y = b.input("x", (1, 1, 12, 12)), b.input("y", (1, 1, 12, 12))
    third = y if other == "y" else b.input(other, (1, 1, 12, 12))
    square = b.op("Mul", x, x)
    both = b.op("Add", square, b.op("Mul", y, y)) if squares == "both" else square
    means = [b.op("Pow", averaged(b, v, kind, KERNEL), b.const(2.0)) for v in (x, third)]
    return b.graph(b.op("Sub", averaged(b, both, kind, KERNEL), b.op("Add", *means)))


TWO = {"x": (0, 1), "y": (0, 1), "z": (0, 1)}


@pytest.mark.parametrize("kind", KINDS)
def test_variances_of_two_together(kind: str) -> None:
    graph, rng = of_two(kind), np.random.default_rng(0)
    known, session = run(graph, TWO, everything=True).values[graph.graph.outputs[0]], engine(graph)
    assert -3e-4 < known.low <= 0
    for spread in (0.0, 1e-7, 1e-3, 1.0):
        x, y = (np.clip(c * (1 + spread * rng.standard_normal((1, 1, 12, 12))), 0, 1) for c in (0.9, 0.3))
        (result,) = session.run(None, {"x": x.astype(np.float32), "y": y.astype(np.float32)})
        assert outside(known, result) == ""


@pytest.mark.parametrize("kind", KINDS)
def test_variances_of_which_one_is_another(kind: str) -> None:
    assert bounds(of_two(kind, other="z"), TWO)[0] < -0.9
    assert bounds(of_two(kind, squares="one"), TWO)[0] < -0.9


@pytest.mark.parametrize(
    ("kernel", "scale", "safe"),
    [("softmax", 1.0, True), ("known", 1.0, True), ("known", 1.5, False), ("softmax of rows", 1.0, False)],
)
def test_depthwise_convolutions_of_tensorflow(kernel: str, scale: float, safe: bool) -> None:
    """The variance under a window of 3 by 3 whose weights are a softmax of all nine, or known, for two channels."""
    float32 = ir.TensorType(ir.DataType.FLOAT)
    x, s = (
        ir.Value(name=name, type=float32, shape=ir.Shape(shape)) for name, shape in (("x", (1, 8, 8, 2)), ("s", (3, 3)))
    )
    nodes: list[ir.Node] = []

    def op(name: str, *inputs: ir.Value, **attributes: object) -> ir.Value:
        nodes.append(ir.node(name, list(inputs), attributes, domain="tf", name=f"n{len(nodes)}"))  # type: ignore[arg-type]
        return nodes[-1].outputs[0]

    def const(array: object, dtype: object = np.int32) -> ir.Value:
        return op("Const", value=ir.tensor(np.asarray(array, dtype)))  # type: ignore[call-overload]

    if kernel == "known":
        window = const(np.full((3, 3, 2, 1), scale / 9), np.float32)
    else:
        flat = s if kernel == "softmax of rows" else op("Reshape", s, const([1, 9]))
        shares = op("Reshape", op("Softmax", flat), const([3, 3, 1, 1]))
        window = op("Tile", shares, const([1, 1, 2, 1]))
    settings = {"strides": [1, 1, 1, 1], "padding": "VALID", "data_format": "NHWC"}
    mean, squares = (op("DepthwiseConv2dNative", v, window, **settings) for v in (x, op("Square", x)))
    low = op("Sub", squares, op("Square", mean))
    model = ir.Model(ir.Graph([x, s], [low], nodes=nodes, opset_imports={"tf": 1}), ir_version=10)
    found = run(Graph(model, "tensorflow"), {"x": (0, 1), "s": (-3, 3)}).values[low]
    assert (found.low > -1e-3) is safe
