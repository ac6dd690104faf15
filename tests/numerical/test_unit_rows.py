"""Products of normalised vectors are bounded by Cauchy and Schwarz, and by nothing less in real runs."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
import onnxruntime
import pytest
from build import Builder, bounds, rules

from analyzer.graph import Graph


def normalised(b: Builder, x: str, eps: float = 1e-12, axis: int = -1) -> str:
    norm = b.op("ReduceL2", x, b.const([axis], np.int64))
    return str(b.op("Div", x, b.op("Max", norm, b.const(eps))))


def cosines(eps: float = 1e-12, both: bool = True) -> Graph:
    b = Builder()
    x, y = b.input("x", (5, 64)), b.input("y", (4, 64))
    right = normalised(b, y, eps) if both else y
    return b.graph(b.op("MatMul", normalised(b, x, eps), b.op("Transpose", right, perm=[1, 0])))


def test_cosines_of_rows_are_at_most_1() -> None:
    lo, hi = bounds(cosines(), {"x": (-100, 100), "y": (-100, 100)})
    assert -1.01 < lo <= -1
    assert 1 <= hi < 1.01


def test_a_projection_is_at_most_the_other_norm() -> None:
    lo, hi = bounds(cosines(both=False), {"x": (-100, 100), "y": (-1, 1)})
    assert -8.1 < lo <= -8
    assert 8 <= hi < 8.1


def test_sums_of_products_too() -> None:
    b = Builder()
    x, y = b.input("x", (5, 1, 64)), b.input("y", (1, 4, 64))
    product = b.op("Mul", normalised(b, x), normalised(b, y))
    cosine = b.op("ReduceSum", product, b.const([2], np.int64), keepdims=0)
    found = rules(b.graph(b.op("Exp", b.op("Div", cosine, b.const(0.05)))), {"x": (-100, 100), "y": (-100, 100)})
    assert found == []


@pytest.mark.parametrize("case", ["another axis", "lost squares", "another vector"])
def test_where_nothing_is_known_of_the_norm(case: str) -> None:
    b = Builder()
    x, y = b.input("x", (5, 64)), b.input("y", (64, 4))
    if case == "another axis":
        left = normalised(b, x, axis=0)
    elif case == "lost squares":
        left = normalised(b, x, eps=1e-30)
    else:
        norm = b.op("ReduceL2", b.op("Mul", x, x), b.const([-1], np.int64))
        left = b.op("Div", x, b.op("Max", norm, b.const(1e-12)))
    assert bounds(b.graph(b.op("MatMul", left, y)), {"x": (-100, 100), "y": (-1, 1)})[1] > 60


@pytest.mark.parametrize("seed", range(12))
def test_no_run_leaves_the_bounds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = cosines(both=bool(seed % 2))
    lo, hi = bounds(graph, {"x": (-100, 100), "y": (-1, 1)})
    session = onnxruntime.InferenceSession(ir.to_proto(graph.model).SerializeToString())
    for scale in (1e2, 1.0, 1e-6, 1e-11, 1e-13, 1e-20):
        y = np.clip(rng.standard_normal((4, 64)), -1, 1).astype(np.float32)
        x = np.clip(rng.standard_normal((5, 64)) * scale, -100, 100).astype(np.float32)
        x[:4] = np.sign(y) * min(scale, 100.0)
        (result,) = session.run(None, {"x": x, "y": np.sign(y) if seed % 3 else y})
        assert lo <= result.min() <= result.max() <= hi
