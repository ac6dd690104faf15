"""``(k + f) + g`` with ``f = -logsumexp(k + g)`` is a logarithm of shares, in whichever order it is added."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from build import Builder, bounds
from test_relations import engine

from analyzer.graph import Graph


def plan(order: str, *, axis: int = 1, kind: str = "ReduceLogSumExp", other: bool = False) -> Graph:
    b = Builder()
    k, raw, later = b.input("k", (4, 5)), b.input("g", (5,)), b.input("h", (5,))
    g = b.op("Unsqueeze", raw, b.const([0], np.int64))
    if kind == "none":
        f = b.op("Unsqueeze", b.op("ReduceMin", k, b.const([axis], np.int64), keepdims=0), b.const([axis], np.int64))
    else:
        total = b.op(kind, b.op("Add", k, g), b.const([axis], np.int64), keepdims=0)
        f = b.op("Unsqueeze", b.op("Neg", total), b.const([axis], np.int64))
    if other:
        g = b.op("Unsqueeze", later, b.const([0], np.int64))
    first, second, third = {"kfg": (k, f, g), "fgk": (f, g, k), "gkf": (g, k, f)}[order]
    return b.graph(b.op("Add", b.op("Add", first, second), third))


RANGES = {"k": (-1e5, 0.0), "g": (-1e5, 1e5), "h": (-1e5, 1e5)}


@pytest.mark.parametrize("kind", ["ReduceLogSumExp", "ReduceMax"])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("order", ["kfg", "fgk", "gkf"])
def test_shares_are_at_most_one_but_for_roundings(order: str, axis: int, kind: str) -> None:
    graph = plan(order, axis=axis, kind=kind)
    high = bounds(graph, RANGES)[1]
    assert 0 <= high < 2
    session, rng = engine(graph), np.random.default_rng(0)
    for _ in range(100):
        given = {name: rng.uniform(*RANGES[name], (4, 5) if name == "k" else (5,)).astype(np.float32) for name in "kgh"}
        names = {i.name for i in session.get_inputs()}
        assert session.run(None, {n: v for n, v in given.items() if n in names})[0].max() <= high


@pytest.mark.parametrize("twin", [{"other": True}, {"kind": "none"}, {"kind": "ReduceMin"}])
def test_of_other_terms_nothing_is_known(twin: dict[str, Any]) -> None:
    assert bounds(plan("kfg", **twin), RANGES)[1] > 1e4
