"""Random small programs on ONNX Runtime stay within their bounds; what such programs have uncovered stays mended."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from build import Builder, bounds, run
from programs import check_program, random_program
from sampling import Tally

from analyzer.numerical.domain import dtypes
from analyzer.numerical.domain.tensor import AbstractTensor


@pytest.mark.parametrize("seed", range(4))
def test_runs_of_random_programs_are_contained(seed: int) -> None:
    tally = Tally(problems=[])
    for index in range(90):
        rng = np.random.default_rng([seed, index])
        check_program(random_program(rng, int(rng.integers(2, 9))), rng, 2, 8, tally)
    assert tally.problems is not None
    assert not tally.problems, tally.problems[0]
    assert tally.checks > 40_000, tally.checks


def test_softmax_of_blocks_far_below_the_largest() -> None:
    """Beside the largest element the others' exponentials vanish, but not beside one another."""
    b = Builder()
    x = AbstractTensor(dtypes.FLOAT32, (2,), np.array([0.0, 100.0]), np.array([150.0, 200.0]), ((0, 1),))
    graph = b.graph(b.op("LogSoftmax", b.input("x", (2,)), axis=0))
    low, _ = bounds(graph, {"x": x})
    assert low <= -200
    result = run(graph, {"x": x}, everything=True).values[graph.graph.outputs[0]]
    assert float(result.lo[1]) <= -49.9  # log_softmax([150, 100])


@pytest.mark.parametrize(
    ("op", "shape", "limit", "attributes"),
    [
        ("LRN", (1, 4, 3, 3), 8.4e18, {"size": 3, "alpha": 0.01}),
        ("LRN", (1, 4, 3, 3), 5.1e18, {"size": 3, "alpha": 0.01}),  # what is added is subtracted again, inexactly
        ("HardSwish", (3, 4), 2e38, {}),
        ("Gelu", (3, 4), 2.4e38, {}),
        ("MeanVarianceNormalization", (1, 2, 3, 3), 3e19, {}),
    ],
)
def test_kernels_that_overflow_on_the_way(op: str, shape: tuple[int, ...], limit: float, attributes: Any) -> None:
    """The mathematical result is small, but what a kernel adds or multiplies first is not."""
    b = Builder()
    graph = b.graph(b.op(op, b.input("x", shape), **attributes))
    result = run(graph, {"x": (0, limit)}, everything=True)
    assert result.overflows or result.warnings
    small = run(graph, {"x": (0, 100)}, everything=True)
    assert not small.overflows


def test_a_scale_that_overflows_when_folded_into_the_deviation() -> None:
    b = Builder()
    names = [b.input("x", (2, 3, 4)), b.input("scale", (3,)), b.input("bias", (3,))]
    graph = b.graph(b.op("InstanceNormalization", *names))
    assert run(graph, {"x": (-6e18, -4e18), "scale": (1e18, 8e18), "bias": (0, 1)}, everything=True).overflows


def test_the_left_tail_of_the_logistic_function_is_approximate() -> None:
    """ONNX Runtime gives 0 where the exact value is 1e-7."""
    b = Builder()
    low, _ = bounds(b.graph(b.op("Sigmoid", b.input("x", (4,)))), {"x": (-16, -12.98)})
    assert low == 0


def test_layer_norm_of_a_constant_row_keeps_the_rounding_of_its_mean() -> None:
    b = Builder()
    names = [b.input("x", (3, 8)), b.input("scale", (8,)), b.input("bias", (8,))]
    graph = b.graph(b.op("LayerNormalization", *names))
    _, high = bounds(graph, {"x": (2.4e18, 2.4e18), "scale": (1, 1), "bias": (0, 0)})
    assert high > 1e12
    assert bounds(graph, {"x": (-3, 3), "scale": (1, 1), "bias": (0, 0)})[1] < 2.75  # sqrt(7)


def test_a_scale_whose_product_is_infinite_but_for_the_bias_is_fused_with_it() -> None:
    """2.645 times -1.4657e38 is below what float32 holds; with 2.1154e38 added in one step it is -1.7625e38."""
    b = Builder()
    names = [b.input("x", (3, 8)), b.input("scale", (8,)), b.input("bias", (8,))]
    graph = b.graph(b.op("LayerNormalization", *names))
    boxes = {"x": (0, 4.7866), "scale": (-1.4657042e38, -3.4136616e37), "bias": (2.1153734e38, 2.1153734e38)}
    low, high = bounds(graph, boxes)
    assert low <= -1.762507522933292e38
    assert high >= 1e38


def test_a_saturating_cast_keeps_no_affine_form() -> None:
    b = Builder()
    x = b.input("x", (2,))
    large = b.op("Sub", b.const(1e8), x)
    narrow = b.op("Cast", b.op("Cast", large, to=19), to=1)  # float8_e5m2 ends at 57344
    low, high = bounds(b.graph(b.op("Add", narrow, large)), {"x": (-1, 0)})
    assert low <= 100057344 <= high


@pytest.mark.parametrize("least", [0.0, 0.001])
def test_what_is_rounded_is_not_at_most_what_it_was(least: float) -> None:
    """1.169767 is 1.171875 in bfloat16: the quotient is 1.0018."""
    b = Builder()
    y = b.input("y", (2,))
    narrow = b.op("Cast", b.op("Cast", b.op("Min", y, y), to=16), to=1)
    _, high = bounds(b.graph(b.op("Div", narrow, y)), {"y": (least, 5)})
    assert high >= 1.171875 / 1.169767


def test_a_difference_that_has_lost_its_digits_is_not_at_most_what_it_was() -> None:
    b = Builder()
    y = b.input("y", (2,))
    lost = b.op("Relu", b.op("Sub", b.op("Add", y, b.const(1e8)), b.const(1e8)))
    _, high = bounds(b.graph(b.op("Div", lost, y)), {"y": (0.5, 5)})
    value = np.float32(4.5)
    assert high >= (value + np.float32(1e8) - np.float32(1e8)) / value > 1.7


def test_a_part_of_a_sum_is_at_most_the_sum() -> None:
    """Rounding to nearest is monotone: what is added to may not fall below what it was."""
    b = Builder()
    x, y = b.input("x", (4,)), b.input("y", (4,))
    total = b.op("Add", b.op("Add", x, y), b.const(1e-7))
    assert bounds(b.graph(b.op("Div", x, total)), {"x": (0, 100), "y": (0, 1e4)})[1] < 1.0001
