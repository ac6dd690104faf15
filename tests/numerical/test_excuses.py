"""Failures that reach no result: every excuse holds in random runs, and what once was excused wrongly is found."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir
import onnxruntime
import pytest
import torch
from build import Builder, rules, run
from onnx import numpy_helper

from analyzer.graph import Graph

SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -2.0, 3.0], np.float32)
SEEDS = range(150)
SHAPES = {"x": (3,), "y": (3, 3), "z": (3, 1)}
RANGES: dict[str, Any] = dict.fromkeys(SHAPES, (-2.0, 3.0))
Sized = tuple[str, tuple[int, ...]]


class Program:
    """A random graph: operators that can fail, and much that may drop, move, read twice or replace what they give."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng, self.b = rng, Builder()
        self.floats: list[Sized] = [(self.b.input(n, s), s) for n, s in SHAPES.items()]
        self.truths: list[Sized] = []
        self.floats.append(self.unsafe())
        makers = [self.unsafe, self.computed, self.moved, self.bounded, self.chosen, self.chosen, self.masked]
        for _ in range(int(rng.integers(1, 9))):
            self.floats.append(makers[int(rng.integers(len(makers)))]())
        more = [self.any(self.floats[3:])[0]] if rng.random() < 0.3 else []
        self.graph = self.b.graph(*dict.fromkeys([self.floats[-1][0], *more]))

    def any(self, items: list[Sized]) -> Sized:
        return items[int(self.rng.integers(len(items)))]

    def late(self) -> Sized:
        return self.any(self.floats[-3:] if self.rng.random() < 0.7 else self.floats)

    def other(self) -> Sized:
        return self.any(self.floats) if self.rng.random() < 0.4 else (self.number(-2, -0.5, 0, 0.5, 1, 3), ())

    def number(self, *values: float) -> str:
        return self.b.const(float(self.rng.choice(values)))

    def one_of(self, *operators: str) -> str:
        return str(self.rng.choice(operators))

    def of(self, op: str, *operands: Sized, turned: bool = False) -> Sized:
        """An element-wise operator, its operands turned round half of the time if that may be."""
        given = operands[::-1] if turned and self.rng.random() < 0.5 else operands
        shape = np.broadcast_shapes(*(s for _, s in operands))
        return self.b.op(op, *(n for n, _ in given)), shape

    def unsafe(self) -> Sized:
        x = self.any(self.floats)
        square = self.of("Mul", x, x)
        return {
            0: lambda: self.of("Reciprocal", x),
            1: lambda: self.of("Log", self.of("Abs", x)),
            2: lambda: self.of("Div", x, self.any(self.floats)),
            3: lambda: self.of(self.one_of("Log", "Sqrt"), x),
            4: lambda: self.of("Div", (self.number(1, -1, 0), ()), self.of(self.one_of("Sqrt", "Identity"), square)),
            5: lambda: self.of("Pow", self.of("Abs", x), (self.number(-0.5, -1, -2), ())),
        }[int(self.rng.integers(6))]()

    def computed(self) -> Sized:
        if self.rng.random() < 0.5:
            return self.of(self.one_of("Add", "Sub", "Mul"), self.late(), self.other(), turned=True)
        plain = ("Neg", "Abs", "Tanh", "Relu", "Sigmoid", "Exp", "Identity", "Softplus", "Atan", "Erf", "Reciprocal")
        return self.of(self.one_of(*plain, "Elu", "Selu", "LeakyRelu", "Sign"), self.late())

    def bounded(self) -> Sized:
        if self.rng.random() < 0.3:
            return self.of("Clip", self.late(), (self.b.const(-2.0), ()), (self.b.const(2.0), ()))
        return self.of(self.one_of("Min", "Max"), self.late(), self.other())

    def moved(self) -> Sized:
        (name, shape), b = self.late(), self.b
        last = len(shape) - 1
        if shape == (3,):
            return (b.op("Unsqueeze", name, b.const([1], np.int64)), (3, 1))
        if len(shape) != 2 or self.rng.random() < 0.3:
            return b.op("Expand", name, b.const([3, 3], np.int64)), (3, 3)
        how = self.one_of("Transpose", "ReduceSum", "ReduceMax", "MatMul", "Gather")
        if how == "Transpose":
            return b.op(how, name, perm=[1, 0]), shape[::-1]
        if how == "Gather":
            return b.op(how, name, b.const([shape[1] - 1, 0, 0], np.int64), axis=1), (shape[0], 3)
        if how == "MatMul" and shape == (3, 3):
            return b.op(how, name, "z"), (3, 1)
        how = self.one_of("ReduceSum", "ReduceMax")
        return b.op(how, name, b.const([last], np.int64), keepdims=1), (*shape[:-1], 1)

    def truth(self, depth: int = 0) -> Sized:
        kind = int(self.rng.integers(6))
        if kind < 3 or depth == 2:
            found = self.of(
                self.one_of("Greater", "Equal", "Less", "GreaterOrEqual"), self.any(self.floats), self.other()
            )
        elif kind == 3:
            found = self.of(self.one_of("IsNaN", "IsInf"), self.late())
        elif kind == 4:
            found = self.of("Equal", self.late(), (self.number(np.inf, -np.inf), ()))
        else:
            found = self.of(self.one_of("And", "Or"), self.truth(depth + 1), self.truth(depth + 1))
        found = self.of("Not", found) if self.rng.random() < 0.35 else found
        self.truths.append(found)
        return found if self.rng.random() < 0.8 else self.any(self.truths)

    def chosen(self) -> Sized:
        condition, sides = self.truth(), [self.late(), self.other()]
        return self.of("Where", condition, *(sides if self.rng.random() < 0.5 else sides[::-1]))

    def masked(self) -> Sized:
        mask = self.truth()
        name, shape = self.of("Where", mask, (self.b.const(-np.inf), ()), self.any(self.floats[:3]))
        rows = self.b.op("Softmax", name, axis=-1), shape
        again = mask if self.rng.random() < 0.6 else self.truth()
        return self.of("Where", again, (self.b.const(0.0), ()), rows) if self.rng.random() < 0.7 else rows


def executed(graph: Graph, feeds: dict[str, np.ndarray]) -> list[np.ndarray]:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 4
    data = ir.to_proto(graph.model).SerializeToString()
    session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    return list(session.run(None, {i.name: feeds[i.name] for i in session.get_inputs()}))


@pytest.mark.parametrize("block", range(5))
def test_what_is_excused_is_finite_and_inside_its_bounds_in_random_runs(block: int) -> None:
    excused = 0
    for seed in SEEDS:
        rng = np.random.default_rng([block, seed])
        program = Program(rng)
        found = run(program.graph, RANGES)
        assert found.failed_rules == (), (block, seed)
        if not found.excuses or any(not w.backward for w in found.warnings):
            continue
        excused += 1
        feeds = {n: rng.choice(SPECIAL, (4, *s)) for n, s in SHAPES.items()}
        for i in range(4):
            results = executed(program.graph, {n: v[i] for n, v in feeds.items()})
            for output, result in zip(program.graph.graph.outputs, results, strict=True):
                known = found.values[output]
                where = (block, seed, i, [str(e) for e in found.excuses])
                assert np.isfinite(result).all(), where
                slack = 1e-3 * (1 + np.abs([known.low, known.high]))
                assert float(result.min()) >= known.low - slack[0], where
                assert float(result.max()) <= known.high + slack[1], where
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
    elif masks == "unnamed":
        first, second = (b.op("Not", b.input(n, (2, 3), "bool")) for n in "mn")
    else:
        values = [np.ones((2, 3), bool), np.ones((2, 3), bool)]
        values[1][0] = False
        first, second = (b.op("Constant", value=numpy_helper.from_array(v)) for v in values)
    rows = b.op("Softmax", b.op("Where", first, minus, scores), axis=-1, name="softmax")
    graph = b.graph(b.op("Where", first if masks == "same" else second, zero, rows))
    for node in graph.nodes() if masks == "unnamed" else ():
        node.name = None
        if node.op_type == "Not":
            node.outputs[0].name = None
    return graph


@pytest.mark.parametrize("masks", ["draws", "unnamed", "constants"])
def test_two_masks_are_not_one(masks: str) -> None:
    """Two draws, two values without names, and two constants of which the graph prints the same."""
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


def test_a_bound_that_fails_with_it_is_no_bound() -> None:
    b = Builder()
    value = b.op("Log", b.op("Abs", b.input("x", (3,))), name="log")
    graph = b.graph(b.op("Max", b.op("Mul", value, b.const(3.0)), value))
    assert failing(graph, {"x": (-1, 1)})


def test_a_condition_that_rests_on_a_later_failure_excuses_nothing() -> None:
    """Where 1 / z is infinite the quotient is taken, and y may be 0 there."""
    b = Builder()
    y, z = b.input("y", (3,)), b.input("z", (3,))
    quotient = b.op("Div", y, y, name="div")
    taken = b.op("IsInf", b.op("Reciprocal", z))
    graph = b.graph(b.op("Where", taken, quotient, b.const(3.0)))
    assert rules(graph, {"y": (-1, 1), "z": (-1, 1)}) == [("division-by-zero", "div")]


def test_rows_of_nan_are_seen_by_what_asks_for_them() -> None:
    b = Builder()
    rows = b.op("Softmax", b.op("Where", b.input("m", (2, 3), "bool"), b.const(-np.inf), b.const(1.0)))
    graph = b.graph(b.op("Where", b.op("IsNaN", rows), b.const(7.0), rows))
    found = run(graph, {})
    assert found.excuses
    assert found.values[graph.graph.outputs[0]].high == 7


@pytest.mark.parametrize("added", [False, True])
def test_only_a_mask_that_is_selected_stops_the_gradient(added: bool) -> None:
    """Rows of NaN are dropped either way; an added mask hands the gradient of NaN on to the scores."""
    b = Builder()
    mask, scores, minus = b.input("m", (2, 3), "bool"), b.input("s", (2, 3)), b.const(-np.inf)
    masked = b.op("Where", mask, minus, b.const(0.0) if added else scores)
    rows = b.op("Softmax", b.op("Add", scores, masked) if added else masked, name="softmax")
    found = run(b.graph(b.op("Where", b.op("Not", mask), rows, b.const(0.0))), {"s": (-1, 1)})
    assert len(found.excuses) == 1
    assert [w.rule for w in found.warnings] == (["numerical/where-leaks-nan-gradient"] if added else [])
    s = torch.zeros(2, 3, requires_grad=True)
    m = torch.tensor([[True, True, True], [True, False, False]])
    shift = torch.where(m, torch.tensor(-torch.inf), 0.0 if added else s)
    torch.where(~m, torch.softmax(s + shift if added else shift, -1), 0.0).square().sum().backward()
    assert s.grad is not None
    assert bool(s.grad.isnan().any()) == added


@pytest.mark.parametrize("second", [False, True])
def test_every_result_of_the_operator_is_followed(second: bool) -> None:
    """TensorFlow's cross entropy gives the gradient besides."""
    b = Builder()
    logits = b.op("Where", b.input("m", (2, 3), "bool"), b.const(-np.inf), b.const(1.0))
    loss, gradient = b.op("SoftmaxCrossEntropyWithLogits", logits, b.input("p", (2, 3)), outputs=2)
    b.nodes[-1].domain = "tf"
    kept = [b.op("Where", b.op("IsNaN", v), b.const(7.0), v) for v in (loss, gradient)]
    graph = b.graph(kept[0], gradient if second else kept[1])
    assert failing(graph, {"p": (0, 1)}) == second
    found = run(graph, {"p": (0, 1)}).values[graph.graph.outputs[1]]
    assert second or found.high == 7


def test_a_selection_of_rows_excuses_no_column() -> None:
    """TensorFlow's Select with a condition of one axis takes whole rows."""
    b = Builder()
    x, y = b.input("x", (3, 3)), b.input("y", (3,))
    zero = b.op("Equal", y, b.const(0.0))
    b.op("Select", zero, b.const(np.zeros((3, 3))), b.op("Div", x, y))
    b.nodes[-1].domain = "tf"
    assert failing(b.graph(b.nodes[-1].output[0]), {"x": (-1, 1), "y": (-1, 1)})


def test_the_sum_of_one_minus_zero_is_none_of_plus_zero() -> None:
    b = Builder()
    total = b.op("ReduceSum", b.op("Relu", b.input("x", (3, 1))), b.const([1], np.int64))
    graph = b.graph(b.op("Min", b.op("Reciprocal", total), b.const(0.2)))
    assert failing(graph, {"x": (-1, 1)})
    assert executed(graph, {"x": np.full((3, 1), -0.0, np.float32)})[0].min() == -np.inf


def test_half_precision_has_nothing_between_0_and_its_least_number() -> None:
    b = Builder()
    x, zero = b.input("x", (3,), "float16"), b.const(0, np.float16)
    graph = b.graph(b.op("Where", b.op("Equal", x, zero), zero, b.op("Div", b.const(1, np.float16), x)))
    assert not failing(graph, {"x": (-1, 1)})
