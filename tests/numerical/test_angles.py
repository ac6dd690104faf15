"""Angles at the origin: TensorFlow's gradient is 0 / 0 there, PyTorch's is 0; a selection may keep elements away."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx_ir as ir
import pytest
import torch

from analyzer.graph import Graph, ValueRange
from analyzer.numerical import interpret

F, C = ir.DataType.FLOAT, ir.DataType.COMPLEX64
ANGLE = "numerical/gradient-of-angle-at-zero"


class Program:
    """Nodes of TensorFlow, element by element."""

    def __init__(self) -> None:
        self.nodes: list[ir.Node] = []
        self.constants: list[ir.Value] = []
        self.inputs = [ir.Value(name=n, type=ir.TensorType(F), shape=ir.Shape([8])) for n in "yx"]

    def const(self, number: float) -> ir.Value:
        value = ir.Value(name=f"c{len(self.constants)}", type=ir.TensorType(F), shape=ir.Shape([]))
        value.const_value = ir.tensor(np.float32(number), name=value.name)
        self.constants.append(value)
        return value

    def op(self, name: str, *operands: ir.Value, dtype: ir.DataType = F) -> ir.Value:
        node = ir.node(name, operands, domain="tf", name=f"n{len(self.nodes)}")
        node.outputs[0].name, node.outputs[0].shape = f"v{len(self.nodes)}", ir.Shape([8])
        node.outputs[0].type = ir.TensorType(dtype)
        self.nodes.append(node)
        return node.outputs[0]

    def told(self, end: ir.Value, framework: str = "tensorflow") -> list[str]:
        inner = ir.Graph(
            self.inputs, [end], nodes=self.nodes, initializers=self.constants, opset_imports={"tf": 1, "": 20}
        )
        graph = Graph(ir.Model(inner, ir_version=10), framework=framework)
        return [w.rule for w in interpret(graph, {n: ValueRange(-1, 1) for n in "yx"}).warnings]


def far(p: Program, y: ir.Value, x: ir.Value) -> ir.Value:
    return p.op("Greater", p.op("AddV2", p.op("Square", x), p.op("Square", y)), p.const(1e-4), dtype=ir.DataType.BOOL)


SELECTED: dict[str, tuple[Callable[[Program, Any, Any], tuple[Any, Any]], list[str]]] = {
    "plain": (lambda p, y, x: (y, x), [ANGLE]),
    "real part": (lambda p, y, x: (y, p.op("SelectV2", far(p, y, x), x, p.const(1.0))), []),
    "both": (
        lambda p, y, x: (
            p.op("SelectV2", far(p, y, x), y, p.const(0.0)),
            p.op("SelectV2", far(p, y, x), x, p.const(1.0)),
        ),
        [],
    ),
    "0 instead": (lambda p, y, x: (y, p.op("SelectV2", far(p, y, x), x, p.const(0.0))), [ANGLE]),
    "other way": (lambda p, y, x: (y, p.op("SelectV2", far(p, y, x), p.const(1.0), x)), [ANGLE]),
    "of another": (lambda p, y, x: (y, p.op("SelectV2", far(p, y, y), x, p.op("Neg", x))), [ANGLE]),
    "by size": (
        lambda p, y, x: (
            y,
            p.op("SelectV2", p.op("Less", p.op("Abs", x), p.const(1e-6), dtype=ir.DataType.BOOL), p.const(1e-6), x),
        ),
        [],
    ),
}


@pytest.mark.parametrize("case", SELECTED)
def test_a_selection_keeps_elements_away_from_the_origin(case: str) -> None:
    chosen, rules = SELECTED[case]
    p = Program()
    assert p.told(p.op("Atan2", *chosen(p, *p.inputs))) == rules


@pytest.mark.parametrize("case", SELECTED)
def test_tensorflow_has_no_gradient_where_it_is_told(case: str) -> None:
    tf = pytest.importorskip("tensorflow")
    y = x = tf.constant([0.0, 1e-9, 0.5, -0.5])
    with tf.GradientTape() as tape:
        tape.watch([y, x])
        far_ = x * x + y * y > 1e-4
        pairs = {
            "plain": (y, x),
            "real part": (y, tf.where(far_, x, 1.0)),
            "both": (tf.where(far_, y, 0.0), tf.where(far_, x, 1.0)),
            "0 instead": (y, tf.where(far_, x, 0.0)),
            "other way": (y, tf.where(far_, 1.0, x)),
            "of another": (y, tf.where(y * y + y * y > 1e-4, x, -x)),
            "by size": (y, tf.where(tf.abs(x) < 1e-6, 1e-6, x)),
        }
        angle = tf.reduce_sum(tf.atan2(*pairs[case]))
    gradients = [g for g in tape.gradient(angle, [y, x]) if g is not None]
    finite = all(bool(tf.reduce_all(tf.math.is_finite(g))) for g in gradients)
    assert finite == (SELECTED[case][1] == [])


@pytest.mark.parametrize(("op", "rules"), [("Angle", [ANGLE]), ("ComplexAbs", [])])
def test_the_gradient_passes_complex_numbers(op: str, rules: list[str]) -> None:
    p = Program()
    made = p.op("Complex", *p.inputs, dtype=C)
    assert p.told(p.op(op, made)) == rules


def test_pytorch_has_a_gradient_of_an_angle_at_the_origin() -> None:
    x = torch.zeros(2, requires_grad=True)
    (torch.atan2(x[0], x[1]) + torch.angle(torch.complex(x[0], x[1]))).backward()
    assert x.grad is not None
    assert x.grad.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(("columns", "rules"), [((0, 1), []), ((0, 0), [ANGLE])])
@pytest.mark.parametrize("size", [2, 3])
def test_a_norm_of_the_whole_row_tells_of_its_elements(columns: tuple[int, int], rules: list[str], size: int) -> None:
    """``far = sum(d², 1) > c; atan2(where(far, d[:, 1], 0), where(far, d[:, 0], 1))`` of rows of two numbers."""
    row = ir.Value(name="y", type=ir.TensorType(F), shape=ir.Shape([8, size]))
    p = Program()
    p.inputs[0] = row

    def whole(name: str, *numbers: int) -> ir.Value:
        value = ir.Value(name=name, type=ir.TensorType(ir.DataType.INT64), shape=ir.Shape([len(numbers)]))
        value.const_value = ir.tensor(np.asarray(numbers, np.int64), name=name)
        p.constants.append(value)
        return value

    def column(place: int, n: int) -> ir.Value:
        stated = [whole(f"b{n}", 0, place), whole(f"e{n}", 0, place + 1), whole(f"s{n}", 1, 1)]
        masks = {"begin_mask": 1, "end_mask": 1, "shrink_axis_mask": 2}
        node = ir.node("StridedSlice", [row, *stated], masks, domain="tf", name=f"column{n}")
        node.outputs[0].name, node.outputs[0].type, node.outputs[0].shape = f"k{n}", ir.TensorType(F), ir.Shape([8])
        p.nodes.append(node)
        return node.outputs[0]

    square = p.op("Square", row)
    square.shape = ir.Shape([8, size])
    far_ = p.op("Greater", p.op("Sum", square, whole("axis", 1)), p.const(1e-6), dtype=ir.DataType.BOOL)
    one, other = (column(place, n) for n, place in enumerate(columns))
    end = p.op("Atan2", p.op("SelectV2", far_, one, p.const(0.0)), p.op("SelectV2", far_, other, p.const(1.0)))
    # of three numbers the third may be what is far
    assert p.told(end) == (rules if size == 2 else [ANGLE])


@pytest.mark.parametrize(("instead", "rules"), [(1.0, []), (0.0, [ANGLE])])
def test_complex_numbers_near_0_may_be_set_apart(instead: float, rules: list[str]) -> None:
    p = Program()
    made = p.op("Complex", *p.inputs, dtype=C)
    far_ = p.op("Greater", p.op("ComplexAbs", made), p.const(1e-4), dtype=ir.DataType.BOOL)
    other = p.op("Complex", p.const(instead), p.const(0.0), dtype=C)
    assert p.told(p.op("Angle", p.op("SelectV2", far_, made, other, dtype=C))) == rules
