"""Masks hide some elements of every row: what is left of the row stays where it is when the rows are computed with."""

from __future__ import annotations

import numpy as np
import pytest
from build import Builder, rules
from test_relations import engine

from analyzer.graph import Graph

EMPTY = [("softmax-of-minus-infinity", "attention")]
N = 12  # its mask has more elements than are kept apart
RANGES = {"scores": (-50.0, 50.0), "sink": (-1.0, 1.0), "factor": (0.5, 4.0), "wide": (-4.0, 4.0), "far": (-1.0, 1.0)}
CAUSAL = np.triu(np.ones((N, N), bool), 1)
STRICT = np.triu(np.ones((N, N), bool))  # the first row sees nothing


def computed(b: Builder, hidden: str, way: str) -> str:
    sized = (2, 2, N, 1)
    match way:
        case "divided":
            return b.op("Div", hidden, b.const(2.828))
        case "multiplied":
            return b.op("Mul", hidden, b.const(0.125))
        case "by a factor":
            return b.op("Div", hidden, b.input("factor", sized))
        case "divided twice":
            return b.op("Div", b.op("Div", hidden, b.const(2.0)), b.input("factor", sized))
        case "merged":
            return b.op("Div", b.op("Reshape", hidden, b.const([4, N, N], np.int64)), b.const(2.0))
        case "with a sink":
            return b.op("Concat", b.op("Div", hidden, b.const(2.0)), b.input("sink", sized), axis=-1)
        case "a sink first":
            return b.op("Concat", b.input("sink", sized), hidden, axis=-1)
        case "twice":
            return b.op("Concat", hidden, b.op("Mul", hidden, b.const(2.0)), axis=0)
        case "overflowing":
            return b.op("Div", hidden, b.const(1e-38))
        case "by any":
            return b.op("Div", hidden, b.input("wide", sized))
        case "reversed":
            return b.op("Neg", hidden)
        case "below a hidden row":
            return b.op("Concat", hidden, b.const(np.full((2, 2, 1, N), -np.inf)), axis=2)
        case "beside hidden columns":
            return b.op("Concat", b.const(np.full(sized, -np.inf)), hidden, axis=-1)
    raise ValueError(way)


def attention(mask: np.ndarray, way: str) -> Graph:
    b = Builder()
    scores = b.input("scores", (2, 2, N, N))
    hidden = b.op("Where", b.const(mask, bool), b.const(-np.inf), scores)
    return b.graph(b.op("Softmax", computed(b, hidden, way), name="attention", axis=-1))


SHOWN = ["divided", "multiplied", "by a factor", "divided twice", "merged", "with a sink", "a sink first", "twice"]


@pytest.mark.parametrize("way", [*SHOWN, "beside hidden columns"])
def test_what_a_causal_mask_leaves_is_left(way: str) -> None:
    assert rules(attention(CAUSAL, way), RANGES) == []


@pytest.mark.parametrize("way", ["divided", "by a factor", "twice", "merged", "beside hidden columns"])
def test_a_mask_that_hides_a_row_is_told(way: str) -> None:
    assert rules(attention(STRICT, way), RANGES) == EMPTY


@pytest.mark.parametrize("way", ["with a sink", "a sink first"])
def test_a_column_that_no_mask_hides_keeps_every_row(way: str) -> None:
    assert rules(attention(STRICT, way), RANGES) == []


@pytest.mark.parametrize("way", ["overflowing", "by any", "reversed", "below a hidden row"])
def test_what_may_be_infinite_afterwards_proves_nothing(way: str) -> None:
    assert "softmax-of-minus-infinity" in [rule for rule, _ in rules(attention(CAUSAL, way), RANGES)]


@pytest.mark.parametrize("seed", range(40))
def test_no_random_mask_is_proved_that_hides_a_row(seed: int) -> None:
    rng = np.random.default_rng(seed)
    mask = rng.random((N, N)) < rng.choice([0.3, 0.7, 0.9])
    graph = attention(mask, str(rng.choice([*SHOWN, "below a hidden row", "beside hidden columns"])))
    if rules(graph, RANGES):
        return
    sizes = {"scores": (2, 2, N, N)}
    names = {i.name for i in graph.graph.inputs}
    fed = {name: rng.uniform(*RANGES[name], sizes.get(name, (2, 2, N, 1))).astype(np.float32) for name in sorted(names)}
    (shown,) = engine(graph).run(None, fed)
    assert np.isfinite(shown).all()
