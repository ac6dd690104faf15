"""What a mask that compares a tensor's own elements picks of them satisfies the comparison."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from build import Builder, rules, run
from containment import outside

from analyzer.graph import Graph
from analyzer.numerical.domain.dtypes import FLOAT32
from analyzer.numerical.domain.tensor import AbstractTensor

WIDE = {"x": (0.0, 10.0), "y": (0.0, 10.0)}
NUMPY = {
    "Greater": np.greater,
    "Less": np.less,
    "GreaterOrEqual": np.greater_equal,
    "LessOrEqual": np.less_equal,
    "Equal": np.equal,
}


def selected(b: Builder, x: str, question: str, limit: float, *, unlike: bool = False, of: str = "") -> str:
    """``masked_select(x, x > limit)``, or of what `of` names."""
    mask = b.op(question, of or x, b.const(limit))
    return str(b.op("masked_select", x, b.op("Not", mask) if unlike else mask, domain="torch.aten"))


def made(b: Builder, value: str) -> Graph:
    graph = b.graph(value)
    graph.graph.opset_imports["torch.aten"] = 1
    return graph


@pytest.mark.parametrize(
    ("question", "limit", "unlike"), [("Equal", 0.0, True), ("Greater", 0.0, False), ("GreaterOrEqual", 1.0, False)]
)
@pytest.mark.parametrize("reader", ["Log", "Reciprocal"])
def test_what_is_not_0_is_picked(question: str, limit: float, unlike: bool, reader: str) -> None:
    b = Builder()
    x = b.input("x", (4,))
    assert rules(made(b, b.op(reader, selected(b, x, question, limit, unlike=unlike))), WIDE) == []


def test_numbers_of_both_signs_that_are_not_0() -> None:
    b = Builder()
    x = b.input("x", (4,))
    graph = made(b, b.op("Reciprocal", selected(b, x, "Equal", 0.0, unlike=True)))
    assert not [r for r, _ in rules(graph, {"x": (-5.0, 5.0)}) if "overflow" not in r]


@pytest.mark.parametrize(("question", "limit", "unlike"), [("Equal", 0.0, False), ("Less", 1.0, False)])
def test_what_may_be_0_is_told(question: str, limit: float, unlike: bool) -> None:
    b = Builder()
    x = b.input("x", (4,))
    assert rules(made(b, b.op("Log", selected(b, x, question, limit, unlike=unlike))), WIDE)


@pytest.mark.parametrize("case", ["another", "turned", "a row"])
def test_a_mask_of_other_elements_says_nothing(case: str) -> None:
    b = Builder()
    x, y = b.input("x", (4, 4)), b.input("y", (4, 4))
    of = {"another": y, "turned": b.op("Transpose", x, perm=[1, 0])}.get(case, "")
    if case == "a row":
        of = b.op("ReduceMax", x, b.const([0], np.int64), keepdims=0)
    assert rules(made(b, b.op("Log", selected(b, x, "Greater", 0.0, of=of))), WIDE)


@pytest.mark.parametrize("where", [True, False])
def test_nan_is_not_equal_to_anything(where: bool) -> None:
    b = Builder()
    x = b.input("x", (4,))
    other = b.op("Not", b.op("Equal", x, b.const(0.0)))
    value = b.op("Where", other, x, b.const(1.0)) if where else selected(b, x, "Equal", 0.0, unlike=True)
    graph = made(b, value)
    given = AbstractTensor(FLOAT32, (4,), np.float64(0), np.float64(5), None, True)
    assert run(graph, {"x": given}, everything=True).values[graph.graph.outputs[0]].nan


@pytest.mark.parametrize("most", [0.0, 5.0])
def test_nan_is_unlike_everything(most: float) -> None:
    """By TensorFlow's own comparison."""
    b = Builder()
    x = b.input("x", (4,))
    graph = made(b, b.op("Where", b.op("NotEqual", x, b.const(0.0), domain="tf"), x, b.const(1.0)))
    graph.graph.opset_imports["tf"] = 1
    given = AbstractTensor(FLOAT32, (4,), np.float64(0), np.float64(most), None, True)
    tensor = run(graph, {"x": given}, everything=True).values[graph.graph.outputs[0]]
    assert not outside(tensor, np.array([0, np.nan, 0, np.nan], np.float32))


@pytest.mark.parametrize("seed", range(60))
def test_bounds_hold(seed: int) -> None:
    rng = np.random.default_rng(seed)
    question, unlike = str(rng.choice(list(NUMPY))), bool(rng.integers(2))
    limit = float(rng.choice([-1.0, 0.0, 0.5, 1.0, 3.0]))
    lo = float(rng.choice([-3.0, -1.0, 0.0, 0.5]))
    hi = lo + float(rng.choice([0.0, 0.5, 1.0, 4.0]))
    b = Builder()
    x = b.input("x", (3, 4))
    before = b.op("Sub", x, b.const(0.25)) if rng.integers(2) else x
    of = before if rng.integers(2) else x
    graph = made(b, b.op("Identity", selected(b, before, question, limit, unlike=unlike, of=of)))
    tensor = run(graph, {"x": (lo, hi)}, everything=True).values[graph.graph.outputs[0]]
    grid = np.array([-3, -1, -0.75, 0, 0.25, 0.5, 1, 1.25, 3, np.nextafter(np.float32(limit), np.float32(9))])
    for _ in range(30):
        values = np.where(rng.random((3, 4)) < 0.5, rng.choice(grid, (3, 4)), rng.uniform(lo, hi, (3, 4)))
        values = np.clip(values, lo, hi).astype(np.float32)
        chosen = values - np.float32(0.25) if before != x else values
        mask = NUMPY[question](chosen if of == before else values, np.float32(limit)) != unlike
        picked = torch.masked_select(torch.from_numpy(chosen), torch.from_numpy(mask)).numpy()
        assert not outside(tensor, picked)
        assert not ("nonzero" in tensor.facts and (picked == 0).any())
