"""Sums of exponentials less their maximum, with what libraries of semirings put between the two."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from build import Builder, bounds, rules
from hypothesis import given
from hypothesis import strategies as st
from test_relations import engine

from analyzer.graph import Graph

STEPS, LARGEST = 6, float(np.finfo(np.float32).max)
WIDE = {"state": (-50.0, 50.0), "scores": (-90.0, 90.0)}


def chain(*, least: float = -LARGEST, most: float = LARGEST, replaced: float = 0.0, axis: int = 1) -> Graph:
    """A forward algorithm: at each step ``m = clip(nan_to_num(max))`` and ``log(sum(exp(x - m))) + m``."""
    b = Builder()
    state, scores = b.input("state", (2, 3)), b.input("scores", (3, 3))
    for _ in range(STEPS):
        column = b.op("Unsqueeze", state, b.const([2], np.int64))
        terms = b.op("Add", b.op("Tile", column, b.const([1, 1, 3], np.int64)), scores)
        top = b.op("ReduceMax", terms, b.const([axis], np.int64), keepdims=0)
        top = b.op("Where", b.op("IsNaN", top), b.const(replaced), top)
        top = b.op("Clip", top, b.const(least), b.const(most))
        shape = [2, 1, 3] if axis == 1 else [2, 3, 1]
        rest = b.op("Sub", terms, b.op("Reshape", top, b.const(shape, np.int64)))
        total = b.op("ReduceSum", b.op("Exp", rest), b.const([axis], np.int64), keepdims=0)
        state = b.op("Add", b.op("Log", total), top)
    return b.graph(state)


def test_no_step_of_a_chain_fails() -> None:
    assert rules(chain(), WIDE) == []
    low, high = bounds(chain(), WIDE)
    assert low >= -50 - 90 * STEPS - 1
    assert high <= 50 + (90 + 2) * STEPS + 1


@pytest.mark.parametrize("how", [{"least": 30.0}, {"most": -30.0}])
def test_a_maximum_that_is_clipped_is_none(how: dict[str, Any]) -> None:
    assert {rule for rule, _ in rules(chain(**how), WIDE)} & {"exp-overflow", "log-of-nonpositive"}


@given(seed=st.integers(0, 2**32 - 1))
def test_no_run_leaves_the_bounds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    state = rng.choice([rng.uniform(-50, 50, (2, 3)), rng.choice([-50.0, 50.0], (2, 3))])
    scores = rng.choice([rng.uniform(-90, 90, (3, 3)), rng.choice([-90.0, 90.0], (3, 3))])
    (result,) = engine(chain()).run(None, {"state": state.astype(np.float32), "scores": scores.astype(np.float32)})
    low, high = bounds(chain(), WIDE)
    assert low <= result.min() <= result.max() <= high
