"""Random graphs with operators that can fail and much that drops, moves or replaces what they give; checked by runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir
import onnxruntime
from build import Builder, run
from sampling import Tally

from analyzer.graph import Graph

SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -2.0, 3.0], np.float32)
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


def check_excused(rng: np.random.Generator, runs: int, tally: Tally) -> None:
    """One graph: where all its failures are excused, results are finite and inside their bounds."""
    program = Program(rng)
    found = run(program.graph, RANGES)
    problems = tally.problems if tally.problems is not None else []
    problems += [f"the rule of {node.op_type} raised {error}" for node, error in found.failed_rules]
    if not found.excuses or any(not w.backward for w in found.warnings):
        return
    tally.flagged += 1
    feeds = {n: rng.choice(SPECIAL, (runs, *s)) for n, s in SHAPES.items()}
    for i in range(runs):
        given = {n: v[i] for n, v in feeds.items()}
        tally.runs += 1
        for output, result in zip(program.graph.graph.outputs, executed(program.graph, given), strict=True):
            known = found.values[output]
            slack = 1e-3 * (1 + np.abs([known.low, known.high]))
            inside = known.low - slack[0] <= float(result.min()) and float(result.max()) <= known.high + slack[1]
            tally.checks += result.size
            if not inside or not np.isfinite(result).all():
                excuses = "; ".join(map(str, found.excuses))
                problems.append(f"[{known.low}, {known.high}] for {result.tolist()} at {given}: {excuses}")
                return
