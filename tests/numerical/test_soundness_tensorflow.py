"""TensorFlow's own operators: sampled eager runs stay within the bounds, and failures are flagged."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import onnx_ir as ir
import pytest
from containment import analysed, failed, outside
from operator_catalogue import Operand, v
from sampling import abstraction, random_box, samples

from analyzer.graph import Graph

TYPES = {"float32": ir.DataType.FLOAT, "int32": ir.DataType.INT32, "bool": ir.DataType.BOOL}
UNARY = (
    "Exp Expm1 Log Log1p Sqrt Rsqrt Reciprocal Square Softplus Softsign Sigmoid Tanh Relu Relu6 Elu Selu LeakyRelu "
    "Lgamma Digamma Erf Erfc Floor Ceil Round Rint Sign Neg Abs Sin Cos Tan L2Loss Softmax LogSoftmax "
    "ZerosLike OnesLike"
)
BINARY = (
    "AddV2 Sub Mul RealDiv DivNoNan MulNoNan SquaredDifference Maximum Minimum Pow FloorDiv FloorMod Atan2 Xlogy Xdivy "
    "Greater LessEqual NotEqual"
)
AXIS = np.array([1], np.int32)
CASES: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    *((op, (v(3, 4),), {}) for op in UNARY.split()),
    *((op, (v(3, 4), v(4)), {}) for op in BINARY.split()),
    *((op, (v(3, 4), AXIS), {"keep_dims": True}) for op in ("Sum", "Mean", "Max", "Min", "Prod")),
    *((op, (v(3, 4), v(3, 4)), {}) for op in ("ReluGrad", "SigmoidGrad", "TanhGrad", "SoftplusGrad")),
    ("BiasAdd", (v(3, 4), v(4)), {}),
    ("MatMul", (v(3, 4), v(5, 4)), {"transpose_a": False, "transpose_b": True}),
    ("ClipByValue", (v(3, 4), v(), v()), {}),
    ("SelectV2", (v(3, 4, dtype="bool"), v(3, 4), v(4)), {}),
    ("Conv2D", (v(1, 5, 5, 2), v(3, 3, 2, 3)), {"strides": [1, 2, 2, 1], "padding": "SAME"}),
    ("DepthwiseConv2dNative", (v(1, 5, 5, 2), v(3, 3, 2, 2)), {"strides": [1, 1, 1, 1], "padding": "VALID"}),
    ("MaxPool", (v(1, 5, 5, 2),), {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "SAME"}),
    ("AvgPool", (v(1, 5, 5, 2),), {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "SAME"}),
    ("ConcatV2", (v(2, 3), v(2, 1), np.array(1, np.int32)), {}),
    ("Pack", (v(2, 3), v(2, 3)), {"axis": 1}),
    ("SoftmaxCrossEntropyWithLogits", (v(3, 4), v(3, 4, within=(0, 1))), {}),
    ("LRN", (v(1, 3, 3, 4),), {"depth_radius": 2, "bias": 1.0, "alpha": 0.5, "beta": 0.5}),
]


def graph_of(op: str, operands: tuple[Any, ...], attributes: dict[str, Any]) -> Graph:
    inputs, values, nodes = [], [], []
    for index, operand in enumerate(operands):
        if isinstance(operand, Operand):
            value = ir.Value(name=f"i{index}", type=ir.TensorType(TYPES[operand.dtype]), shape=ir.Shape(operand.shape))
            inputs.append(value)
        else:
            constant = ir.node("Const", [], {"value": ir.tensor(operand)}, domain="tf")
            nodes.append(constant)
            value = constant.outputs[0]
        values.append(value)
    node = ir.node(op, values, attributes, domain="tf", num_outputs=2 if op.startswith("SoftmaxCross") else 1)
    graph = ir.Graph(inputs, node.outputs, nodes=[*nodes, node], name="g", opset_imports={"tf": 1, "": 20})
    return Graph(ir.Model(graph, ir_version=10), framework="tensorflow")


def raw(op: str, feed: list[np.ndarray], attributes: dict[str, Any]) -> list[np.ndarray]:
    import tensorflow as tf

    function = getattr(tf.raw_ops, op)
    names = [n for n in inspect.signature(function).parameters if n not in ("name", "T", *attributes)]
    arguments: dict[str, Any] = dict(attributes)
    if op in ("ConcatV2", "Pack"):
        arguments["values"] = feed if op == "Pack" else feed[:-1]
        if op == "ConcatV2":
            arguments["axis"] = feed[-1]
    else:
        arguments.update(zip(names, feed, strict=False))
    result = function(**arguments)
    return [r.numpy() for r in (result if isinstance(result, (list, tuple)) else [result])]


@pytest.mark.parametrize(("op", "operands", "attributes"), CASES, ids=[c[0] for c in CASES])
def test_sampled_runs_are_contained(op: str, operands: tuple[Any, ...], attributes: dict[str, Any]) -> None:
    rng = np.random.default_rng([3, *op.encode()])
    graph = graph_of(op, operands, attributes)
    compared = 0
    for _ in range(10):
        boxes = [random_box(rng, o) if isinstance(o, Operand) else None for o in operands]
        assumptions = {
            f"i{n}": abstraction(rng, o, *b)
            for n, (o, b) in enumerate(zip(operands, boxes, strict=True))
            if b is not None
        }
        result = analysed(graph, assumptions)
        assert not result.unknown
        streams = [
            samples(rng, o, *b, 8) if b is not None else iter([o] * 8) for o, b in zip(operands, boxes, strict=True)
        ]
        for _ in range(8):
            feed = [next(s) for s in streams]
            outputs = raw(op, feed, attributes)
            bad = any(o.dtype.kind == "f" and not np.isfinite(o).all() for o in outputs)
            if bad and failed(result):
                continue
            for value, output in zip(graph.graph.outputs, outputs, strict=True):
                why = outside(result.values[value], output)
                assert not why, (why, assumptions, feed)
                compared += output.size
    assert compared > 0
