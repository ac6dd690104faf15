"""Differences of two softplus lie between 0 and what their numbers are apart, and no others do."""

from __future__ import annotations

import numpy as np
import pytest
from build import Builder, bounds, run
from containment import outside
from test_relations import engine

from analyzer.graph import Graph

WIDE = {"x": (-700.0, 700.0), "y": (-700.0, 700.0)}


def clipped(
    *,
    apart: float = 1.0,
    threshold: float = 20.0,
    beta: float = 1.0,
    other: str = "x",
    kept: str = "own",
    second: float = 1.0,
) -> Graph:
    """``f(x) - f(x - 1)`` of softplus as PyTorch writes it: the number itself above a threshold."""
    b = Builder()
    x, y = b.input("x", (4,)), b.input("y", (4,))
    rising = []
    for number, factor in ((x, beta), (b.op("Sub", {"x": x, "y": y}[other], b.const(apart)), beta * second)):
        scaled = b.op("Mul", number, b.const(factor))
        soft = b.op("Div", b.op("Softplus", scaled), b.const(factor))
        above = b.op("Greater", scaled, b.const(threshold))
        rising.append(b.op("Where", above, number if kept == "own" else y, soft))
    return b.graph(b.op("Sub", *rising))


@pytest.mark.parametrize("beta", [1.0, 4.0])
def test_a_clipping_made_of_two_softplus_is_bounded(beta: float) -> None:
    low, high = bounds(clipped(beta=beta), WIDE)
    assert -0.01 < low <= 0
    assert 1 <= high < 1.01
    low, high = bounds(clipped(beta=beta, apart=-3.0), WIDE)
    assert -3.01 < low <= -3
    assert 0 <= high < 0.01


@pytest.mark.parametrize("options", [{"other": "y"}, {"kept": "y"}, {"second": 2.0}])
def test_others_are_not(options: dict[str, str]) -> None:
    low, high = bounds(clipped(**options), WIDE)
    assert high > 100 or low < -100


def test_what_is_left_at_a_low_threshold_counts() -> None:
    low, high = bounds(clipped(threshold=0.5), WIDE)
    assert low < -0.3
    assert high < 2


@pytest.mark.parametrize("threshold", [0.5, 20.0])
def test_no_run_leaves_the_bounds(threshold: float) -> None:
    graph, rng = clipped(threshold=threshold), np.random.default_rng(0)
    found, session = run(graph, WIDE, everything=True).values, engine(graph)
    for scale in (700.0, 20.0, 2.0, 0.0):
        for shift in (0.0, threshold):
            x = np.clip(rng.uniform(-scale, scale, 4) + shift, -700, 700).astype(np.float32)
            given = {"x": x} | ({"y": x} if any(i.name == "y" for i in session.get_inputs()) else {})
            assert outside(found[graph.graph.outputs[0]], session.run(None, given)[0]) == ""
