"""How many elements of a grid a window holds: ones padded with zeros, shifted and added up, known one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir
import onnxruntime
import pytest
from build import Builder, bounds, rules

from analyzer.graph import Graph

SIDE = 12  # more elements than blocks


def window_counts(value: float, border: float = 0.0, own: bool = True) -> tuple[Builder, str]:
    """The neighbours in a row of each cell of a grid, itself among them if `own`."""
    b = Builder()
    ones = b.const(np.full((1, SIDE, SIDE), value))
    wide = b.op("Pad", ones, b.const([0, 0, 1, 0, 0, 1], np.int64), b.const(border))

    def part(first: int) -> Any:
        ends = (b.const([v], np.int64) for v in (first, first + SIDE, 2))
        return b.op("Slice", wide, *ends)

    total = b.op("Add", part(0), part(2))
    return b, b.op("Add", total, part(1)) if own else total


@pytest.mark.parametrize(
    ("value", "border", "own", "expected"),
    [(1.0, 0.0, True, (2, 3)), (1.0, 0.0, False, (1, 2)), (3.0, -2.0, True, (4, 9)), (1.0, -2.0, True, (0, 3))],
)
def test_counts_are_exact(value: float, border: float, own: bool, expected: tuple[float, float]) -> None:
    b, last = window_counts(value, border, own)
    assert bounds(b.graph(last), {}) == expected


def quotient(border: float) -> Graph:
    b, last = window_counts(1.0, border)
    return b.graph(b.op("Div", b.input("x", (1, SIDE, SIDE)), last))


@pytest.mark.parametrize(("border", "unsafe"), [(0.0, False), (-1.0, False), (-2.0, True)])
def test_a_mean_over_a_window_divides_by_what_it_holds(border: float, unsafe: bool) -> None:
    assert ("division-by-zero" in dict(rules(quotient(border), {"x": (-1, 1)}))) is unsafe


def test_sums_that_are_rounded_are_no_counts() -> None:
    """2^24 + 1 is no float32, and 0.1 + 0.2 is one of several."""
    for value in (float(1 << 24), 0.1):
        b, last = window_counts(value)
        low, high = bounds(b.graph(last), {})
        assert low <= 2 * np.float32(value)
        assert high >= 3 * np.float32(value)


def convolved(border: int, kernel: Any, strides: tuple[int, int], dilations: tuple[int, int]) -> Graph:
    """A mean over windows of a grid, which divides by how many cells of the grid each of them has."""
    b = Builder()
    ones = b.const(np.ones((1, 2, SIDE, SIDE)))
    options = {"strides": strides, "dilations": dilations, "pads": [border] * 4, "group": 2}
    counts = b.op("Conv", ones, b.const(kernel), **options)
    return b.graph(b.op("Div", b.const(1.0), counts, name="div"))


CROSS = np.broadcast_to(np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]]), (2, 1, 3, 3))
CORNERS = np.broadcast_to(np.array([[1, 0, 0], [0, 0, 0], [0, 0, -0.0]]), (2, 1, 3, 3))


@pytest.mark.parametrize(
    ("border", "kernel", "strides", "dilations", "unsafe"),
    [
        (1, CROSS, (1, 1), (1, 1), False),
        (2, CROSS, (1, 1), (2, 2), False),
        (2, CROSS, (1, 1), (1, 1), True),  # a window in a corner beyond the grid
        (2, CROSS, (3, 3), (1, 1), True),
        (2, CROSS, (2, 1), (2, 1), False),
        (1, CORNERS, (1, 1), (1, 1), True),
        (0, CORNERS, (1, 1), (1, 1), False),
        (0, np.concatenate([CROSS[:1], 0 * CROSS[:1]]), (1, 1), (1, 1), True),
    ],
)
def test_a_convolution_of_ones_counts_what_its_windows_hold(
    border: int, kernel: Any, strides: tuple[int, int], dilations: tuple[int, int], unsafe: bool
) -> None:
    graph = convolved(border, kernel, strides, dilations)
    assert ("division-by-zero" in dict(rules(graph, {}))) is unsafe


@pytest.mark.parametrize("seed", range(20))
def test_known_convolutions_lie_in_their_bounds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    group, inside, out = rng.integers(1, 4, 3)
    kernel, strides, dilations = rng.integers(1, 4, (3, 2))
    pads = rng.integers(0, 3, 4)
    b = Builder()
    x = rng.normal(size=(2, group * inside, 9, 10)).astype(np.float32)
    weights = rng.normal(size=(group * out, inside, *kernel)).astype(np.float32)
    options = {"strides": strides.tolist(), "dilations": dilations.tolist(), "pads": pads.tolist(), "group": int(group)}
    graph = b.graph(b.op("Conv", b.const(x), b.const(weights), **options))
    low, high = bounds(graph, {})
    (result,) = onnxruntime.InferenceSession(ir.to_proto(graph.model).SerializeToString()).run(None, {})
    assert low <= result.min() <= low + 1e-3
    assert high - 1e-3 <= result.max() <= high


@pytest.mark.parametrize(("size", "step", "unsafe"), [(9, 2, False), (9, 3, False), (10, 3, True), (9, 4, True)])
def test_blocks_that_overlap_divide_by_how_many_there_are(size: int, step: int, unsafe: bool) -> None:
    """Where no block reaches an element, or none lies between two, it is divided by 0."""
    b = Builder()
    places = ((size - 3) // step + 1) ** 2
    blocks, image, block = b.const(np.ones((1, 9, places))), b.const([size] * 2, np.int64), b.const([3] * 2, np.int64)
    counts = b.op("Col2Im", blocks, image, block, strides=[step] * 2)
    graph = b.graph(b.op("Div", b.const(1.0), counts, name="div"))
    assert ("division-by-zero" in dict(rules(graph, {}))) is unsafe


@pytest.mark.parametrize("seed", range(10))
def test_known_blocks_that_overlap_lie_in_their_bounds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    block, strides, dilations = rng.integers(1, 4, (3, 2))
    pads = rng.integers(0, 2, 4)
    image = np.array([9, 10])
    shown = (image + pads[:2] + pads[2:] - dilations * (block - 1) - 1) // strides + 1
    b = Builder()
    numbers = rng.normal(size=(2, 2 * block.prod(), shown.prod())).astype(np.float32)
    options = {"strides": strides.tolist(), "dilations": dilations.tolist(), "pads": pads.tolist()}
    given = b.const(numbers), b.const(image, np.int64), b.const(block, np.int64)
    graph = b.graph(b.op("Col2Im", *given, **options))
    low, high = bounds(graph, {})
    (result,) = onnxruntime.InferenceSession(ir.to_proto(graph.model).SerializeToString()).run(None, {})
    assert low <= result.min() <= low + 1e-3
    assert high - 1e-3 <= result.max() <= high
