"""``E[x²] - E[x]²`` under any mean: negative by rounding alone; how much is told, with twins that are no variances."""

from __future__ import annotations

import numpy as np
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
