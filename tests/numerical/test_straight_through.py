"""A value with the gradient of another: ``x + stop_gradient(y - x)``."""

from __future__ import annotations

import numpy as np
import pytest
from build import Builder, bounds, rules

from analyzer.graph import Graph

RANGES = {"x": (-50.0, 50.0), "z": (-50.0, 50.0)}


def estimated(kind: str, back: str = "x", after: str = "", least: float = 0.25) -> Graph:
    """y is x between `least` and 3, in a way of which affine forms lose the ends."""
    b = Builder()
    names = {n: b.input(n, (2, 3)) for n in ("x", "z")}
    x = names["x"]
    y = b.op("Min", b.op("Max", x, b.op("Clip", names["z"], b.const(least), b.const(1.0))), b.const(3.0))
    taken = b.op("Sub", y, x) if kind == "sub" else b.op("Add", b.op("Neg", x), y)
    result = b.op("Add", names[back], b.op("Identity", taken))
    return b.graph(b.op(after, result, name="after") if after else result)


@pytest.mark.parametrize("kind", ["sub", "neg"])
def test_what_is_taken_away_and_given_back_keeps_the_bounds_of_the_other(kind: str) -> None:
    assert bounds(estimated(kind), RANGES) == pytest.approx((0.25, 3.0), abs=2e-5)
    assert rules(estimated(kind, after="Log"), RANGES) == []


@pytest.mark.parametrize(("back", "least"), [("z", 0.25), ("x", 1e-6)])
def test_what_is_given_back_to_another_value_or_rounds_away_may_be_anything(back: str, least: float) -> None:
    assert rules(estimated("sub", back, "Log", least), RANGES) == [("log-of-nonpositive", "after")]


def test_its_bounds_hold_for_rounded_runs() -> None:
    rng = np.random.default_rng(0)
    low, high = bounds(estimated("sub"), RANGES)
    x, z = (rng.uniform(-50, 50, 100_000).astype(np.float32) for _ in "xz")
    y = np.minimum(np.maximum(x, np.clip(z, np.float32(0.25), np.float32(1))), np.float32(3))
    result = x + (y - x)
    assert low <= result.min() < result.max() <= high
