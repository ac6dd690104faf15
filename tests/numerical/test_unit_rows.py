"""Products of normalised vectors are bounded by Cauchy and Schwarz, and by nothing less in real runs."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
import onnxruntime
import pytest
from build import Builder, bounds, rules, run

from analyzer.graph import Graph


def normalised(b: Builder, x: str, eps: float = 1e-12, axis: int = -1) -> str:
    norm = b.op("ReduceL2", x, b.const([axis], np.int64))
    return str(b.op("Div", x, b.op("Max", norm, b.const(eps))))


def written_out(b: Builder, x: str, form: str, axis: int = -1, square: str = "Mul", eps: float = 1e-12) -> str:
    """Rows over the root of their sum of squares."""
    squares = b.op("Mul", x, x) if square == "Mul" else b.op("Pow", x, b.const(2.0))
    total = b.op("ReduceSum", squares, b.const([axis], np.int64))
    total = b.op("Max", total, b.const(eps)) if form != "added" else b.op("Add", total, b.const(eps))
    if form == "rsqrt":
        return str(b.op("Mul", x, b.op("Reciprocal", b.op("Sqrt", total))))
    return str(b.op("Div", x, b.op("Sqrt", total)))


@pytest.mark.parametrize("form", ["sqrt", "added", "rsqrt"])
@pytest.mark.parametrize("square", ["Mul", "Pow"])
def test_roots_of_sums_of_squares_are_norms(form: str, square: str) -> None:
    def norms(axis: int, own: bool = True, eps: float = 1e-12) -> tuple[float, float]:
        b = Builder()
        x, y = b.input("x", (5, 64)), b.input("y", (5, 64))
        row = written_out(b, x, form, square=square, eps=eps)
        row = row if own else b.op("Mul", y, row)
        squares = b.op("Mul", row, row) if square == "Mul" else b.op("Pow", row, b.const(2.0))
        total = b.op("ReduceSum", squares, b.const([axis], np.int64))
        return bounds(b.graph(total), {"x": (-100, 100), "y": (-100, 100)})

    assert 1 <= norms(-1)[1] < 1.01
    assert norms(0)[1] > 5 - 1e-3  # every row may be the same
    assert norms(-1, own=False)[1] > 100
    assert 1.5 < norms(-1, eps=1e-36)[1] < 2  # squares may be lost, each of them of 1.2e-38
    assert norms(-1, eps=1e-40)[1] > 60


@pytest.mark.parametrize("seed", range(8))
def test_no_row_is_longer(seed: int) -> None:
    rng = np.random.default_rng(seed)
    b = Builder()
    x = b.input("x", (5, 64))
    row = written_out(b, x, ("sqrt", "added", "rsqrt")[seed % 3])
    graph = b.graph(b.op("ReduceSum", b.op("Mul", row, row), b.const([-1], np.int64)))
    _, hi = bounds(graph, {"x": (-100, 100)})
    session = onnxruntime.InferenceSession(ir.to_proto(graph.model).SerializeToString())
    for scale in (1e2, 1.0, 1e-5, 1e-6, 1e-7, 1e-20, 1e-23):
        values = np.clip(rng.standard_normal((5, 64)) * scale, -100, 100).astype(np.float32)
        values[0] = min(scale, 100.0)
        values[1, 1:] *= 1e-20
        (result,) = session.run(None, {"x": values})
        assert result.max() <= hi


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


@pytest.mark.parametrize("axis", [-1, 0])
def test_an_operand_that_a_product_transposes_keeps_its_norms(axis: int) -> None:
    b = Builder()
    x, y = normalised(b, b.input("x", (5, 6))), normalised(b, b.input("y", (4, 6)), axis=axis)
    lo, hi = bounds(b.graph(b.op("Gemm", x, y, transB=1)), {"x": (-100, 100), "y": (-100, 100)})
    assert (hi < 1.01 and lo > -1.01) == (axis == -1)


def into_ball(b: Builder, x: str, compare: str = "Greater", factor: float = 0.99, axis: int = -1) -> str:
    """Rows that are longer than 0.99 brought to that length (or to another by `factor`)."""
    length = b.op("Max", b.op("ReduceL2", x, b.const([axis], np.int64)), b.const(1e-15))
    shorter = b.op("Mul", b.op("Div", x, length), b.const(factor))
    limit = b.const(0.99)
    if compare == "Less":
        return str(b.op("Where", b.op("Less", length, limit), x, shorter))
    return str(b.op("Where", b.op(compare, length, limit), shorter, x))


@pytest.mark.parametrize("compare", ["Greater", "GreaterOrEqual", "Less"])
def test_a_row_brought_into_a_ball_stays_there(compare: str) -> None:
    def distance(factor: float = 0.99, axis: int = -1, other: str = compare) -> list[tuple[str, str]]:
        b = Builder()
        x = into_ball(b, b.input("x", (5, 4)), other, factor, axis)
        square = b.op("ReduceSum", b.op("Mul", x, x), b.const([-1], np.int64))
        return rules(b.graph(b.op("Reciprocal", b.op("Sub", b.const(1.0), square), name="inverse")), {"x": (-100, 100)})

    assert distance() == []
    assert distance(factor=1.1) == distance(axis=0) == [("division-by-zero", "inverse")]
    swapped = {"Greater": "LessOrEqual", "GreaterOrEqual": "LessOrEqual", "Less": "Greater"}[compare]
    if swapped == "LessOrEqual":  # what is short is brought to the length, and what is long stays as it is
        assert distance(other=swapped) == [("division-by-zero", "inverse")]


@pytest.mark.parametrize("seed", range(4))
def test_no_row_in_a_ball_is_longer(seed: int) -> None:
    rng = np.random.default_rng(seed)
    b = Builder()
    row = into_ball(b, b.input("x", (5, 64)))
    graph = b.graph(b.op("ReduceSum", b.op("Mul", row, row), b.const([-1], np.int64)))
    lo, hi = bounds(graph, {"x": (-100, 100)})
    assert 0.98 < hi < 0.9805
    session = onnxruntime.InferenceSession(ir.to_proto(graph.model).SerializeToString())
    for scale in (1e2, 1.0, 0.99 / 8, 1e-5, 1e-7, 1e-20, 1e-23):
        values = np.clip(rng.standard_normal((5, 64)) * scale, -100, 100).astype(np.float32)
        values[0] = scale
        (result,) = session.run(None, {"x": values})
        assert lo <= result.min() <= result.max() <= hi


@pytest.mark.parametrize("axis", [-1, 0])
def test_a_branch_may_be_narrower_than_what_it_is_chosen_for(axis: int) -> None:
    b = Builder()
    x = b.input("x", (5, 4))
    length = b.op("ReduceL2", x, b.const([axis], np.int64))
    for other in (b.const(0.5), b.const([0.5] * 4)):
        graph = b.graph(b.op("Where", b.op("Greater", length, b.const(0.99)), other, x))
        found = run(graph, {"x": (-100, 100)}, everything=True)
        assert found.failed_rules == ()
        assert found.values[graph.graph.outputs[0]].high == 100


@pytest.mark.parametrize("most", [0.5, 4.0])
def test_a_row_over_its_norm_has_the_length_that_it_is_scaled_by(most: float) -> None:
    """``v * (g / |v|)``, as weight normalisation writes it."""

    def graph(eps: float, ones: bool = True) -> Graph:
        b = Builder()
        v, g = b.input("v", (5, 64)), b.input("g", (5, 1) if ones else (5, 64))
        norm = b.op("Max", b.op("ReduceL2", v, b.const([-1], np.int64)), b.const(eps))
        row = b.op("Mul", v, b.op("Div", g, norm))
        return b.graph(b.op("ReduceSum", b.op("Mul", row, row), b.const([-1], np.int64)))

    ranges = {"v": (-100.0, 100.0), "g": (-most, most)}
    _, hi = bounds(graph(1e-12), ranges)
    assert most**2 <= hi < 1.01 * most**2
    assert bounds(graph(1e-36), ranges)[1] > 60 * most**2  # squares may be lost
    session = onnxruntime.InferenceSession(ir.to_proto(graph(1e-12).model).SerializeToString())
    rng = np.random.default_rng(0)
    for scale in (1e2, 1.0, 1e-5, 1e-7, 1e-20):
        values = np.clip(rng.standard_normal((5, 64)) * scale, -100, 100).astype(np.float32)
        (made,) = session.run(None, {"v": values, "g": np.full((5, 1), most, np.float32)})
        assert float(np.max(made)) <= hi


def by_mean_square(b: Builder, x: str, form: str, axis: int = -1, eps: float = 1e-6, power: float = 2.0) -> str:
    """``x * rsqrt(mean(x ** 2) + eps)``, or the quotient."""
    mean = b.op("ReduceMean", b.op("Pow", x, b.const(power)), b.const([axis], np.int64))
    root = b.op("Sqrt", b.op("Add", mean, b.const(eps)))
    return str(b.op("Mul", x, b.op("Reciprocal", root)) if form == "rsqrt" else b.op("Div", x, root))


@pytest.mark.parametrize("form", ["rsqrt", "quotient"])
def test_a_row_over_its_root_mean_square_is_as_long_as_the_root_of_its_size(form: str) -> None:
    def most(**how: float) -> float:
        b = Builder()
        row = by_mean_square(b, b.input("x", (5, 64)), form, **how)  # type: ignore[arg-type]
        return bounds(b.graph(row), {"x": (-1e6, 1e6)})[1]

    assert 8 <= most() < 8.01
    assert 5**0.5 <= most(axis=0) < 2.24
    assert most(power=4.0) > 1e6  # no square
    assert 10 < most(eps=1e-36) < 11  # squares may be lost
    assert most(eps=1e-40) > 1e6


def test_of_exponentials_none_overflows() -> None:
    def told(size: int) -> list[tuple[str, str]]:
        b = Builder()
        row = by_mean_square(b, b.input("x", (5, size)), "rsqrt")
        return rules(b.graph(b.op("Exp", row, name="exp")), {"x": (-1e6, 1e6)})

    assert told(64) == []
    assert told(128 * 128) == [("exp-overflow", "exp")]


@pytest.mark.parametrize("form", ["rsqrt", "quotient"])
@pytest.mark.parametrize("seed", range(6))
def test_no_run_leaves_the_bounds_of_a_mean_square(form: str, seed: int) -> None:
    rng, b = np.random.default_rng(seed), Builder()
    graph = b.graph(by_mean_square(b, b.input("x", (5, 64)), form, eps=(1e-6, 1e-12)[seed % 2]))
    lo, hi = bounds(graph, {"x": (-1e6, 1e6)})
    session = onnxruntime.InferenceSession(ir.to_proto(graph.model).SerializeToString())
    for scale in (1e6, 1.0, 1e-3, 1e-6, 1e-18, 1e-20, 1e-23):
        values = np.clip(rng.standard_normal((5, 64)) * scale, -1e6, 1e6).astype(np.float32)
        values[0] = scale
        values[1, 1:] *= 1e-20
        (result,) = session.run(None, {"x": values})
        assert lo <= result.min() <= result.max() <= hi


def unguarded(b: Builder, x: str, form: str) -> str:
    """Rows over their norm as it is, and all their products."""
    if form == "norm":
        row = b.op("Div", x, b.op("ReduceL2", x, b.const([-1], np.int64)))
    else:
        total = b.op("ReduceSum", b.op("Mul", x, x), b.const([-1], np.int64))
        root = b.op("Sqrt", total)
        row = b.op("Div", x, root) if form == "root" else b.op("Mul", x, b.op("Reciprocal", root))
    return str(b.op("MatMul", row, b.op("Transpose", row, perm=[1, 0])))


@pytest.mark.parametrize("form", ["norm", "root", "rsqrt"])
def test_what_is_left_of_a_norm_that_is_not_0_bounds_its_row(form: str) -> None:
    def told(size: int) -> list[str]:
        b = Builder()
        similar = unguarded(b, b.input("x", (5, size)), form)
        scaled = b.op("Div", similar, b.const(0.1))
        return [rule for rule, _ in rules(b.graph(b.op("Exp", scaled)), {"x": (-1e6, 1e6)})]

    assert told(6) == ["division-by-zero"]  # of the norm alone
    assert told(64) == ["division-by-zero", "exp-overflow"]  # a row of 1e-23 is longer than 1


@pytest.mark.parametrize("form", ["norm", "root", "rsqrt"])
@pytest.mark.parametrize("seed", range(6))
def test_no_row_near_0_leaves_the_bounds(form: str, seed: int) -> None:
    rng, b = np.random.default_rng(seed), Builder()
    graph = b.graph(unguarded(b, b.input("x", (5, 16)), form))
    lo, hi = bounds(graph, {"x": (-1e6, 1e6)})
    assert 17 < hi < 18.1
    session = onnxruntime.InferenceSession(ir.to_proto(graph.model).SerializeToString())
    for scale in (1e6, 1.0, 1e-18, 1e-20, 1e-21, 1e-22, 5e-23):
        values = (rng.standard_normal((5, 16)) * scale).clip(-1e6, 1e6).astype(np.float32)
        values[0], values[0, 0] = 2.6e-23, 4e-23
        (result,) = session.run(None, {"x": values})
        finite = result[np.isfinite(result)]
        assert lo <= finite.min(initial=0.0) <= finite.max(initial=0.0) <= hi
