"""Graphs for the ablation: real-life patterns of safe and of defective code, and which operators of each are defective.

Every pattern is wrapped in layers of ordinary width, with all sizes drawn from a seed, and joined to others by Concat,
Split, masks and reshapes as in models that have several heads and losses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

BATCH = 4  # array expansion knows every element, so sizes are given

Pattern = Callable[["Net", str, str], str]


@dataclass
class Net:
    """A graph under construction: `b.op("Exp", x)` gives the name of a value of shape (batch, width)."""

    width: int
    rng: np.random.Generator
    nodes: list[Any] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)
    defective: set[str] = field(default_factory=set)
    unsafe: int = 0

    def const(self, value: Any, dtype: Any = np.float32) -> str:
        from onnx import numpy_helper

        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def op(self, op: str, *inputs: str, defect: bool = False, outputs: int = 1, **attributes: Any) -> Any:
        from onnx import helper

        names = [f"v{len(self.nodes)}_{k}" for k in range(outputs)]
        node = helper.make_node(op, list(inputs), names, name=f"{op}_{len(self.nodes)}", **attributes)
        self.nodes.append(node)
        if defect:
            self.defective.add(node.name)
        return names[0] if outputs == 1 else names

    def reduced(self, op: str, x: str) -> str:
        return str(self.op(op, x, self.const([1], np.int64)))

    def dense(self, x: str, inside: int) -> str:
        """A layer with weights of ordinary size."""
        w = self.rng.normal(size=(inside, self.width)).astype(np.float32) * (2 / inside) ** 0.5
        return str(self.op("Add", self.op("MatMul", x, self.const(w)), self.const(np.zeros(self.width))))

    def part(self, x: str, start: int, end: int) -> str:
        return str(self.op("Slice", x, *(self.const([v], np.int64) for v in (start, end, 1))))

    def joined(self, *values: str) -> str:
        return str(self.op("Concat", *values, axis=1))


def mixture_head(n: Net, x: str, y: str) -> str:
    """Logits, means and clipped log deviations in one layer, as in mixture density networks."""
    w = n.width
    head = n.joined(n.dense(x, w), n.op("Clip", n.dense(y, w), n.const(-7.0), n.const(7.0)))
    both = n.op("Exp", n.op("Neg", n.part(head, w, 2 * w)))
    shifted = n.op("Sub", n.part(head, 0, w), n.reduced("ReduceMax", n.part(head, 0, w)))
    e = n.op("Exp", shifted)
    return str(n.op("Mul", both, n.op("Div", e, n.reduced("ReduceSum", e))))


def concatenated_relu(n: Net, x: str, y: str) -> str:
    """CReLU, whose halves are subtracted again."""
    z = n.dense(x, n.width)
    halves = n.joined(n.op("Relu", z), n.op("Relu", n.op("Neg", z)))
    plain = n.joined(z, n.op("Neg", z))
    gap = n.op("Add", n.op("Sub", halves, plain), n.const(1e-3))  # relu(z) - z >= 0 in either half
    return str(n.op("Reciprocal", n.part(gap, 0, n.width)))


def stable_logistic(n: Net, x: str, y: str) -> str:
    """max(x, 0) - x z + log(exp(-max(x, 0)) + exp(x - max(x, 0))): needs a split at 0."""
    x = n.dense(x, n.width)
    r = n.op("Relu", x)
    total = n.op("Add", n.op("Exp", n.op("Neg", r)), n.op("Exp", n.op("Sub", x, r)))
    return str(n.op("Add", n.op("Sub", r, n.op("Mul", x, n.op("Sigmoid", y))), n.op("Log", total)))


def two_heads(n: Net, x: str, y: str) -> str:
    """Variances of two heads, positive by different means, split after one activation."""
    both = n.joined(n.op("Add", n.op("Sigmoid", n.dense(x, n.width)), n.const(1e-3)), n.op("Tanh", n.dense(y, n.width)))
    scale, shift = n.op("Split", both, n.const([n.width, n.width], np.int64), axis=1, outputs=2)
    return str(n.op("Mul", n.op("Log", scale), shift))


def replaced_denominator(n: Net, x: str, y: str) -> str:
    """where(|d| < eps, eps, d)"""
    d = n.op("Sub", n.dense(x, n.width), y)
    small = n.op("Less", n.op("Abs", d), n.const(1e-3))
    return str(n.op("Div", x, n.op("Where", small, n.const(1e-3), d)))


def masked_log(n: Net, x: str, y: str) -> str:
    z = n.dense(x, n.width)
    positive = n.op("And", n.op("Greater", z, n.const(1e-3)), n.op("Greater", y, n.const(1e-3)))
    kept = [n.op("Where", positive, v, n.const(1.0)) for v in (z, y)]
    return str(n.op("Sub", n.op("Log", kept[0]), n.op("Log", kept[1])))


def log_add_exp(n: Net, x: str, y: str) -> str:
    a, b = n.dense(x, n.width), n.dense(y, n.width)
    m = n.op("Max", a, b)
    return str(n.op("Log", n.op("Add", n.op("Exp", n.op("Sub", a, m)), n.op("Exp", n.op("Sub", b, m)))))


def attention(n: Net, x: str, y: str) -> str:
    scores = n.op("Where", n.op("Greater", y, n.const(0.0)), n.dense(x, n.width), n.const(-1e9))
    e = n.op("Exp", n.op("Sub", scores, n.reduced("ReduceMax", scores)))
    return str(n.op("Div", e, n.reduced("ReduceSum", e)))


def residual_norm(n: Net, x: str, y: str) -> str:
    """Two stacked branches, taken apart and put together again: z + 1 - z is 1."""
    z = n.joined(n.op("Relu", n.dense(x, n.width)), n.dense(y, n.width))
    again = n.joined(n.part(z, 0, 1), n.part(z, 1, 2 * n.width))
    gap = n.op("Sub", n.op("Add", z, n.const(1.0)), again)
    return str(n.op("Sqrt", n.part(gap, 1, 2 * n.width)))


def hinge(n: Net, x: str, y: str) -> str:
    """relu(m - s) + s >= m, so its root is real."""
    s = n.dense(x, n.width)
    z = n.op("Add", n.op("Relu", n.op("Sub", n.const(1.0), s)), s)
    return str(n.op("Sqrt", n.op("Add", z, n.const(1e-3))))


def variance(n: Net, x: str, y: str) -> str:
    c = n.op("Sub", x, n.reduced("ReduceMean", x))
    v = n.reduced("ReduceMean", n.op("Mul", c, c))
    return str(n.op("Div", c, n.op("Sqrt", n.op("Add", v, n.const(1e-5)))))


def naive_softmax(n: Net, x: str, y: str) -> str:
    e = n.op("Exp", n.op("Mul", n.dense(x, n.width), n.const(50.0)), defect=True)
    return str(n.op("Div", e, n.op("Add", n.reduced("ReduceSum", e), n.const(1e-6))))


def log_of_softmax(n: Net, x: str, y: str) -> str:
    p = n.op("Softmax", n.op("Mul", n.dense(x, n.width), n.const(50.0)))
    return str(n.op("Log", p, defect=True))


def wrong_half(n: Net, x: str, y: str) -> str:
    """The logarithm takes the other half of the split."""
    both = n.joined(n.op("Add", n.op("Sigmoid", n.dense(x, n.width)), n.const(1e-3)), n.op("Tanh", n.dense(y, n.width)))
    _, shift = n.op("Split", both, n.const([n.width, n.width], np.int64), axis=1, outputs=2)
    return str(n.op("Log", shift, defect=True))


def wrong_sign(n: Net, x: str, y: str) -> str:
    z = n.dense(x, n.width)
    return str(n.op("Sqrt", n.op("Sub", z, n.op("Relu", z)), defect=True))


def zero_norm(n: Net, x: str, y: str) -> str:
    z = n.op("Relu", n.dense(x, n.width))
    return str(n.op("Div", z, n.reduced("ReduceL2", z), defect=True))


SAFE: tuple[Pattern, ...] = (
    mixture_head, concatenated_relu, stable_logistic, two_heads, replaced_denominator, masked_log, log_add_exp,
    attention, residual_norm, hinge, variance,
)  # fmt: skip
DEFECTIVE: tuple[Pattern, ...] = (naive_softmax, log_of_softmax, wrong_half, wrong_sign, zero_norm)


def models(count: int, seed: int) -> Iterator[tuple[str, Any, dict[str, Any], set[str]]]:
    """(name, graph, ranges, defective operators): four safe patterns and one defective one a graph, in random order."""
    import onnx_ir as ir
    from onnx import TensorProto, helper

    from analyzer.graph import Graph, ValueRange

    for index in range(count):
        rng = np.random.default_rng([seed, index])
        n = Net(int(rng.choice([4, 8, 16])), rng)
        chosen = [SAFE[int(i)] for i in rng.choice(len(SAFE), 4, replace=False)]
        chosen.append(DEFECTIVE[index % len(DEFECTIVE)])
        rng.shuffle(chosen)  # type: ignore[arg-type]
        results = [pattern(n, "x", "y") for pattern in chosen]
        info = helper.make_tensor_value_info
        inputs = [info(name, TensorProto.FLOAT, [BATCH, n.width]) for name in "xy"]
        outputs = [helper.make_empty_tensor_value_info(r) for r in results]
        proto = helper.make_graph(n.nodes, "g", inputs, outputs, n.constants)
        model = helper.make_model(proto, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
        name = "+".join(p.__name__ for p in chosen)
        yield name, Graph(ir.from_proto(model)), {k: ValueRange(-20, 20) for k in "xy"}, n.defective
