"""What ONNX Runtime's own operators are written out as is what ONNX Runtime computes."""

from __future__ import annotations

import os

import numpy as np
import onnx
import onnx_ir as ir
import onnxruntime
import pytest
from onnx import helper

from analyzer.graph import Graph, ValueRange
from analyzer.numerical import Options, interpret
from analyzer.numerical.contributed import BODIES
from analyzer.numerical.functions import body_of
from tests.differential.contributed_cases import CASES, Drawn, model_of

SEED = int(os.environ.get("CONTRIBUTED_SEED", "20261125"))
WRITTEN_OUT = [name for name in CASES if name.partition(" ")[0] in BODIES]


def run(model: onnx.ModelProto, feeds: dict[str, np.ndarray]) -> list[np.ndarray]:
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    found: list[np.ndarray] = onnxruntime.InferenceSession(model.SerializeToString(), options).run(None, feeds)
    return found


def expanded(model: onnx.ModelProto, drawn: Drawn) -> onnx.ModelProto | None:
    """The same model with its one node as a function of standard operators; None without a body."""
    node = next(iter(ir.from_proto(model).graph))
    types = tuple(("", None) if a is None else (str(a.dtype), a.shape) for a in drawn.inputs)
    body = body_of(node, 17, types)
    if body is None:
        return None
    function = ir.to_proto(body)
    function.domain = "written.out"
    (original,) = model.graph.node
    names = list(original.input)
    while names and not names[-1]:
        names.pop()
    called = helper.make_node(original.op_type, names, list(original.output), domain="written.out")
    graph = helper.make_graph(
        [called], "g", list(model.graph.input), list(model.graph.output), list(model.graph.initializer)
    )
    opsets = [helper.make_opsetid("", 23), helper.make_opsetid("written.out", 1)]
    return helper.make_model(graph, opset_imports=opsets, functions=[function], ir_version=11)


@pytest.mark.parametrize("name", WRITTEN_OUT)
def test_a_body_computes_what_the_operator_does(name: str) -> None:
    print("seed", SEED)
    compared = 0
    for turn in range(20):
        drawn = CASES[name](np.random.default_rng([SEED, turn]))
        model, feeds = model_of(name.partition(" ")[0], drawn)
        other = expanded(model, drawn)
        if other is None:
            continue
        for mine, right in zip(run(other, feeds), run(model, feeds), strict=True):
            assert mine.shape == right.shape
            limit = 1.0 if right.dtype.kind in "iu" else 1e-4 * max(1.0, np.abs(right).max())
            assert np.abs(mine.astype(np.float64) - right).max() <= limit, drawn
            compared += 1
    assert compared or name == "FusedMatMul batch"


@pytest.mark.parametrize("name", WRITTEN_OUT)
def test_bounds_of_a_written_out_operator_hold(name: str) -> None:
    print("seed", SEED)
    for turn in range(6):
        drawn = CASES[name](np.random.default_rng([SEED, turn]))
        model, feeds = model_of(name.partition(" ")[0], drawn)
        graph = Graph(ir.from_proto(model))
        ranges = {n: ValueRange(float(a.min()), float(a.max())) for n, a in feeds.items()}
        found = interpret(graph, ranges, options=Options())
        assert (not found.unknown) == (expanded(model, drawn) is not None), drawn
        for value, right in zip(graph.graph.outputs, run(model, feeds), strict=True):
            known = found.values[value]
            slack = 1.0 if right.dtype.kind in "iu" else 1e-5 * max(1.0, float(np.abs(right).max()))
            assert known.low - slack <= right.min(), drawn
            assert right.max() <= known.high + slack, drawn
