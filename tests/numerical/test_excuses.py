"""Failures that reach no result: every excuse holds in random runs, and what once was excused wrongly is found."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
import onnxruntime
import pytest
from build import Builder, rules, run

from analyzer.graph import Graph

SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -2.0, 1e-3, 3.0], np.float32)
SEEDS = range(150)


def chain(rng: np.random.Generator) -> Graph:
    """An operator that can fail, up to four operators that may drop what it gives, and often a selection."""
    b = Builder()
    x, y = b.input("x", (4,)), b.input("y", (4,))

    def number() -> str:
        return b.const(float(rng.choice([-2.0, -0.5, 0.0, 0.5, 1.0, 3.0])))

    def drawn() -> str:
        return str(rng.choice([x, y]))

    bad = {
        0: lambda: b.op("Reciprocal", drawn(), name="bad"),
        1: lambda: b.op("Log", b.op("Abs", drawn()), name="bad"),
        2: lambda: b.op("Div", x, y, name="bad"),
        3: lambda: b.op("Log", drawn(), name="bad"),
        4: lambda: b.op("Div", b.const(1.0), b.op("Sqrt", b.op("Mul", y, y)), name="bad"),
        5: lambda: b.op("Pow", b.op("Abs", x), b.const(-0.5), name="bad"),
    }[int(rng.integers(6))]()
    value = bad
    for _ in range(int(rng.integers(0, 5))):
        op = str(
            rng.choice(["Mul", "Add", "Sub", "Neg", "Abs", "Min", "Max", "Clip", "Tanh", "Relu", "Recip", "Where"])
        )
        if op in ("Mul", "Add", "Min", "Max"):
            value = b.op(op, value, number())
        elif op == "Sub":
            value = b.op(op, number(), value) if rng.random() < 0.5 else b.op(op, value, number())
        elif op == "Clip":
            value = b.op(op, value, b.const(-2.0), b.const(2.0))
        elif op == "Recip":
            value = b.op("Reciprocal", value)
        elif op == "Where":
            compare = str(rng.choice(["Greater", "Equal", "Less", "IsNaN", "IsInf"]))
            condition = b.op(compare, value) if compare.startswith("Is") else b.op(compare, drawn(), number())
            condition = b.op("Not", condition) if rng.random() < 0.4 else condition
            sides = [value, number()]
            value = b.op("Where", condition, *(sides if rng.random() < 0.5 else sides[::-1]))
        else:
            value = b.op(op, value)
    return b.graph(value)


def executed(graph: Graph, feeds: dict[str, np.ndarray]) -> np.ndarray:
    data = ir.to_proto(graph.model).SerializeToString()
    session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    known = {i.name for i in session.get_inputs()}
    result: np.ndarray = session.run(None, {n: v for n, v in feeds.items() if n in known})[0]
    return result


@pytest.mark.parametrize("block", range(5))
def test_what_is_excused_is_finite_in_random_runs(block: int) -> None:
    excused = 0
    for seed in SEEDS:
        rng = np.random.default_rng([block, seed])
        graph = chain(rng)
        found = run(graph, {"x": (-2, 3), "y": (-2, 3)})
        if not found.excuses or any(not w.backward for w in found.warnings):
            continue
        excused += 1
        for _ in range(6):
            feeds = {n: rng.choice(SPECIAL, 4) for n in "xy"}
            result = executed(graph, feeds)
            assert np.isfinite(result).all(), (block, seed, feeds, result, found.excuses)
    assert excused > 5


def failing(graph: Graph, ranges: dict[str, tuple[float, float]]) -> bool:
    return bool(rules(graph, ranges))


@pytest.mark.parametrize("factor", [None, 2.0, 0.5])
def test_a_factor_before_the_bound_makes_no_difference(factor: float | None) -> None:
    b = Builder()
    scale = b.op("Div", b.const(1.0), b.op("ReduceL2", b.input("x", (3,)), keepdims=0))
    scale = scale if factor is None else b.op("Mul", b.const(factor), scale)
    assert not failing(b.graph(b.op("Min", scale, b.const(0.2))), {"x": (-1, 1)})


def test_a_quotient_is_replaced_where_its_denominator_is_0() -> None:
    b = Builder()
    x, y, zero = b.input("x", (3,)), b.input("y", (3,)), b.const(0.0)
    graph = b.graph(b.op("Where", b.op("Equal", y, zero), zero, b.op("Div", x, y)))
    assert not failing(graph, {"x": (-1, 1), "y": (-1, 1)})
    assert any("takes its other branch" in str(e) for e in run(graph, {"x": (-1, 1), "y": (-1, 1)}).excuses)
    wrong = Builder()
    x, y, zero = wrong.input("x", (3,)), wrong.input("y", (3,)), wrong.const(0.0)
    other = wrong.graph(wrong.op("Where", wrong.op("Equal", x, zero), zero, wrong.op("Div", x, y)))
    assert failing(other, {"x": (-1, 1), "y": (-1, 1)})


def softmax_of(masks: str) -> Graph:
    b = Builder()
    scores, minus, zero = b.input("s", (2, 3)), b.const(-np.inf), b.const(0.0)
    if masks == "draws":
        p = b.const(np.full((2, 3), 0.5))
        first, second = (b.op("Cast", b.op("Bernoulli", p), to=9) for _ in "ab")
    elif masks == "inputs":
        first, second = b.input("", (2, 3), "bool"), b.input("m", (2, 3), "bool")
    else:
        from onnx import numpy_helper

        values = [np.ones((2, 3), bool), np.ones((2, 3), bool)]
        values[1][0] = False
        first, second = (b.op("Constant", value=numpy_helper.from_array(v)) for v in values)
    b.inputs = [i for i in b.inputs if i.name]
    masked = b.op("Where", second if masks == "inputs" else first, minus, scores)
    after = second if masks != "same" else first
    return b.graph(b.op("Where", after, zero, b.op("Softmax", masked, axis=-1, name="softmax")))


@pytest.mark.parametrize("masks", ["draws", "constants"])
def test_two_masks_are_not_one(masks: str) -> None:
    """Two draws, and two constants of which the graph prints the same."""
    graph = softmax_of(masks)
    found = run(graph, {"s": (-1, 1)})
    assert [w.rule for w in found.warnings if not w.backward] == ["numerical/softmax-of-minus-infinity"]
    assert found.failed_rules == ()


def test_a_constant_mask_is_a_mask() -> None:
    assert not failing(softmax_of("same"), {"s": (-1, 1)})


def test_many_readers_are_looked_at_once_each() -> None:
    """Each level reads the one before twice: 2 ** 40 paths, 40 values."""
    b = Builder()
    x, zero = b.input("x", (3,)), b.const(0.0)
    value = b.op("Reciprocal", x)
    for _ in range(40):
        value = b.op("Add", value, value)
    graph = b.graph(b.op("Where", b.op("Greater", x, zero), value, zero))
    assert not failing(graph, {"x": (-1, 1)})
