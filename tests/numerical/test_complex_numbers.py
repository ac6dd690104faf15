"""Bounds of complex numbers hold both parts; their exponential overflows by the real part alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir
import pytest

from analyzer.graph import Graph, ValueRange
from analyzer.numerical import interpret
from analyzer.numerical.result import Options

COMPLEX, FLOAT = ir.DataType.COMPLEX64, ir.DataType.FLOAT


def program(op: str, *, swapped: bool = False) -> Graph:
    """``op(complex(a, b))``, or of it and ``complex(c, d)``."""
    inputs = [ir.Value(name=n, type=ir.TensorType(FLOAT), shape=ir.Shape([16])) for n in "abcd"]
    pairs = [inputs[1::-1] if swapped else inputs[:2], inputs[2:]]
    made = [ir.node("Complex", pair, domain="tf", name=f"made{n}") for n, pair in enumerate(pairs)]
    used = made if op in ("AddV2", "Sub", "Mul") else made[:1]
    last = ir.node(op, [m.outputs[0] for m in used], domain="tf", name="last")
    for number, node in enumerate((*made, last)):
        node.outputs[0].type, node.outputs[0].shape = ir.TensorType(COMPLEX), ir.Shape([16])
        node.outputs[0].name = f"v{number}"
    graph = ir.Graph(inputs, last.outputs, nodes=[*made, last], name="g", opset_imports={"tf": 1, "": 20})
    return Graph(ir.Model(graph, ir_version=10), framework="tensorflow")


def found(graph: Graph, ranges: dict[str, tuple[float, float]]) -> Any:
    options = Options(everything=True)
    return interpret(graph, {k: ValueRange(*r) for k, r in ranges.items()}, options=options)


@pytest.mark.parametrize(("swapped", "told"), [(False, []), (True, ["numerical/exp-overflow"])])
def test_an_exponential_overflows_by_the_real_part_alone(swapped: bool, told: list[str]) -> None:
    ranges = {"a": (-3.0, 2.0), "b": (-1e6, 1e6), "c": (0.0, 0.0), "d": (0.0, 0.0)}
    assert [w.rule for w in found(program("Exp", swapped=swapped), ranges).warnings] == told


def test_what_is_no_pair_of_real_numbers_is_told() -> None:
    x = ir.Value(name="x", type=ir.TensorType(COMPLEX), shape=ir.Shape([16]))
    node = ir.node("Exp", [x], domain="tf", name="last")
    graph = ir.Graph([x], node.outputs, nodes=[node], name="g", opset_imports={"tf": 1, "": 20})
    model = Graph(ir.Model(graph, ir_version=10), framework="tensorflow")
    assert [w.rule for w in found(model, {"x": (-100.0, 100.0)}).warnings] == ["numerical/exp-overflow"]
    assert found(model, {"x": (-10.0, 10.0)}).warnings == ()


@pytest.mark.parametrize("op", ["Exp", "AddV2", "Sub", "Mul", "Neg", "Square", "Sin", "Identity"])
@pytest.mark.parametrize("seed", range(3))
def test_bounds_hold_both_parts(op: str, seed: int) -> None:
    import tensorflow as tf

    rng = np.random.default_rng([seed, *op.encode()])
    ranges, given = {}, {}
    for name in "abcd":
        low, high = sorted(rng.uniform(-3, 3, 2).tolist())
        ranges[name], given[name] = (low, high), rng.uniform(low, high, 16).astype(np.float32)
    graph = program(op)
    bounds = found(graph, ranges).values[graph.graph.outputs[0]]
    x, y = tf.complex(given["a"], given["b"]), tf.complex(given["c"], given["d"])
    function = {
        "Exp": tf.exp, "AddV2": tf.add, "Sub": tf.subtract, "Mul": tf.multiply, "Neg": tf.negative,
        "Square": tf.square, "Sin": tf.sin, "Identity": tf.identity,
    }[op]  # fmt: skip
    result = (function(x, y) if op in ("AddV2", "Sub", "Mul") else function(x)).numpy()
    for part in (result.real, result.imag):
        assert bounds.low <= part.min() <= part.max() <= bounds.high
