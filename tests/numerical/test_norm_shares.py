"""A norm over what is at least that norm is at most 1, in whatever way both are written."""

from __future__ import annotations

import numpy as np
import pytest
from build import Builder, rules, run
from containment import outside
from test_relations import engine

from analyzer.graph import Graph

RANGES = {"x": (-800, 800), "e": (-800, 800)}
FAILING = [("sqrt-of-negative", "root")]


def speeds(
    *,
    added: float = 1e-5,
    axis: int = 1,
    kept: int = 1,
    combine: str = "Max",
    powered: float = 2.0,
    guard: float = 1e-5,
) -> Graph:
    """``1 - v²`` of speeds whose energy is kept above their momentum."""
    b = Builder()
    x, e = b.input("x", (4, 4)), b.input("e", (4, 1))
    along = b.const([axis], np.int64)
    norm = b.op("Pow", b.op("ReduceSum", b.op("Pow", x, b.const(2.0)), along, keepdims=kept), b.const(0.5))
    norm = norm if kept else b.op("Unsqueeze", norm, b.const([1], np.int64))
    energy = b.op(combine, e, b.op("Add", norm, b.const(added)))
    energy = b.op("Squeeze", energy, b.const([1], np.int64))
    length = b.op("Sqrt", b.op("ReduceSum", b.op("Mul", x, x), b.const([1], np.int64), keepdims=0))
    speed = b.op("Div", length, energy)
    left = b.op("Add", b.op("Sub", b.const(1.0), b.op("Mul", speed, speed)), b.const(guard))
    return b.graph(b.op("Sqrt", left, name="root"))


def test_no_speed_is_above_1() -> None:
    assert rules(speeds(), RANGES) == []
    assert rules(speeds(axis=0, kept=0), RANGES) == FAILING  # other norms in their place
    assert rules(speeds(kept=0), RANGES) == []


@pytest.mark.parametrize("options", [{"combine": "Min"}, {"guard": -1e-3}, {"guard": 1e-7}])
def test_other_speeds_are(options: dict[str, float]) -> None:
    found = rules(speeds(**options), RANGES)
    assert FAILING[0] in found


def test_no_run_leaves_the_bounds() -> None:
    graph, rng = speeds(), np.random.default_rng(0)
    found, session = run(graph, RANGES, everything=True).values, engine(graph)
    for scale in (800.0, 1.0, 1e-3, 0.0):
        given = {"x": rng.uniform(-scale, scale, (4, 4)), "e": rng.uniform(-scale, scale, (4, 1))}
        (result,) = session.run(None, {k: v.astype(np.float32) for k, v in given.items()})
        assert outside(found[graph.graph.outputs[0]], result) == ""
