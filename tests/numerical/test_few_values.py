"""Both edges of the segment that a whole number names: how far they are apart is known, wherever the segment lies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from build import Builder, rules, run
from hypothesis import given
from hypothesis import strategies as st
from test_relations import engine

from analyzer.graph import Graph

RANGES = {"x": (-100.0, 100.0), "y": (-100.0, 100.0)}
TOLD = [("division-by-zero", "share")]


def whole(b: Builder, value: int) -> str:
    return b.const(value, np.int64)


def edge(b: Builder, index: str, segments: float, factor: float, way: str) -> str:
    number = b.op("Cast", index, to=1)
    if way == "reciprocal":
        number = b.op("Neg", b.op("Mul", number, b.const(-1 / segments)))
    else:
        number = b.op("Div", number, b.const(segments))
    number = b.op("Mul", b.const(factor), number)
    return str(b.op("Sub", b.const(1.0), number) if way == "falling" else b.op("Sub", number, b.const(1.0)))


def segment(
    *, most: int = 3, step: int = 1, segments: float = 4.0, factor: float = 2.0, way: str = "", other: str = "x"
) -> Graph:
    """Where `x` stands in its segment, between the edges that its whole part and the next one have."""
    b = Builder()
    x = b.input("x", (5, 4))
    given = x if other == "x" else b.input(other, (5, 4))
    index, second = (b.op("Clip", b.op("Cast", v, to=7), whole(b, 0), whole(b, most)) for v in (x, given))
    after = b.op("Add", second, whole(b, step)) if way != "product" else b.op("Mul", second, whole(b, 2))
    low, high = edge(b, index, segments, factor, way), edge(b, after, segments, factor, way)
    return b.graph(b.op("Div", b.op("Sub", x, low), b.op("Sub", high, low, name="width"), name="share"))


SAFE: list[dict[str, Any]] = [
    {}, {"way": "reciprocal"}, {"way": "falling"}, {"most": 3000, "segments": 7.0}, {"step": -3}, {"factor": -0.3},
]  # fmt: skip
CARELESS: list[dict[str, Any]] = [
    {"step": 0}, {"other": "y"}, {"way": "product"}, {"segments": 1e9}, {"factor": 0.0},
]  # fmt: skip


@pytest.mark.parametrize("how", SAFE)
def test_edges_of_one_segment_are_apart(how: dict[str, Any]) -> None:
    assert rules(segment(**how), RANGES) == []


@pytest.mark.parametrize("how", CARELESS)
def test_edges_that_may_meet_are_told(how: dict[str, Any]) -> None:
    assert rules(segment(**how), RANGES) == TOLD


@pytest.mark.parametrize("how", SAFE + CARELESS)
@given(seed=st.integers(0, 2**32 - 1))
def test_no_width_leaves_its_bounds(how: dict[str, Any], seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = segment(**how)
    width = next(n for n in graph.graph if n.name == "width").outputs[0]
    tensor = run(graph, RANGES, everything=True).values[width]
    graph.graph.outputs[:] = [width]
    names = [v.name for v in graph.graph.inputs]
    (result,) = engine(graph).run(None, {n: rng.uniform(-100, 100, (5, 4)).astype(np.float32) for n in names})
    assert tensor.low <= result.min()
    assert result.max() <= tensor.high
