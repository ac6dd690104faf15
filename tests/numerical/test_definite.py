"""Determinants and factors of matrices that are positive definite by how they were made."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir
import pytest
import torch
from build import Builder, bounds, rules

from analyzer.graph import Graph

LOG = "log-of-nonpositive"


def jittered(case: str, jitter: float, n: int = 3, k: int = 5) -> Graph:
    """The logarithm of a determinant of n rows times each other, with `jitter` on the diagonal."""
    b = Builder()
    x = b.input("x", (2, n, k) if case in ("batch", "einsum") else (n, k))
    matrix: Any = b.const(jitter * np.eye(n))
    if case == "Gemm":
        product = b.op("Gemm", x, x, transB=1)
    elif case == "batch":
        product = b.op("MatMul", x, b.op("Transpose", x, perm=[0, 2, 1]))
    elif case == "einsum":
        product = b.op("Einsum", x, x, equation="bik,bjk->bij")
    else:
        product = b.op("MatMul", x, b.op("Transpose", x, perm=[1, 0]))
    if case == "mean":
        product = b.op("Div", product, b.const(float(k)))
    if case == "compared":
        places = b.op("Range", *(b.const(i, np.int64) for i in (0, n, 1)))
        same = b.op("Equal", b.op("Unsqueeze", places, b.const([1], np.int64)), places)
        matrix = b.op("Mul", b.op("Cast", same, to=1), b.const(jitter))
    if case == "diagonal":
        places = b.op("Range", *(b.const(i, np.int64) for i in (0, n, 1)))
        same = b.op("Equal", b.op("Unsqueeze", places, b.const([1], np.int64)), places)
        noise = b.op("Add", b.op("Softplus", b.input("noise", (1, n))), b.const(jitter))
        matrix = b.op("Where", same, noise, b.const(0.0))
    return b.graph(b.op("Log", b.op("Det", b.op("Add", matrix, product))))


CASES = ["rows", "Gemm", "mean", "batch", "einsum", "compared", "diagonal"]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("n", [3, 12])
def test_a_gram_matrix_with_jitter_has_a_positive_determinant(case: str, n: int) -> None:
    ranges = {"x": (-1, 1), "noise": (-2, 2)}
    assert rules(jittered(case, 0.5, n), ranges) == []


@pytest.mark.parametrize("case", CASES)
def test_without_jitter_it_may_be_0(case: str) -> None:
    assert [rule for rule, _ in rules(jittered(case, 0.0), {"x": (-1, 1), "noise": (-200, 2)})] == [LOG]


def test_jitter_below_what_the_product_rounds_says_nothing() -> None:
    assert [rule for rule, _ in rules(jittered("rows", 1e-6), {"x": (-100, 100)})] == [LOG]
    x = torch.full((3, 5), 99.7)
    assert not bool((x @ x.t() + 1e-6 * torch.eye(3)).det() > 0)


@pytest.mark.parametrize("case", ["another matrix", "rows times columns", "negative scale", "beside the diagonal"])
def test_what_only_looks_like_it(case: str) -> None:
    b = Builder()
    x, y = b.input("x", (3, 3)), b.input("y", (3, 3))
    left, right = (x, b.op("Transpose", y, perm=[1, 0])) if case == "another matrix" else (x, x)
    if case in ("negative scale", "beside the diagonal"):
        right = b.op("Transpose", x, perm=[1, 0])
    product = b.op("MatMul", left, right)
    if case == "negative scale":
        product = b.op("Mul", product, b.const(-1.0))
    jitter = np.eye(3, k=1) if case == "beside the diagonal" else np.eye(3)
    model = b.graph(b.op("Log", b.op("Det", b.op("Add", product, b.const(0.5 * jitter)))))
    assert [rule for rule, _ in rules(model, {"x": (-1, 1), "y": (-1, 1)})] == [LOG]


def spread(case: str, least: float = 0.05) -> Graph:
    """The logarithm of the determinants of diagonal matrices with numbers from `least` to 10,000."""
    b = Builder()
    numbers = b.op("Add", b.op("Relu", b.input("x", (4, 1, 2))), b.const(least))
    same = b.const(np.eye(2, k=int(case == "beside"), dtype=bool), np.bool_)
    matrix: Any = b.op("Where", same, numbers, b.const(1e-3 if case == "not 0 elsewhere" else 0.0))
    if case in ("scaled", "negative scale"):
        matrix = b.op("Mul", matrix, b.const(2.0 if case == "scaled" else -2.0))
    elif case == "sum":
        matrix = b.op("Add", matrix, b.op("Where", same, b.op("Relu", b.input("y", (4, 1, 2))), b.const(0.0)))
    elif case == "picked":
        matrix = b.op("Gather", matrix, b.input("at", (3,), "int64"), axis=0)
    elif case == "picked as rows":
        matrix = b.op("GatherND", matrix, b.const([[2], [0]], np.int64))
    elif case == "cut":
        matrix = b.op("Slice", matrix, *(b.const([v], np.int64) for v in (1, 3, 0)))
    elif case == "columns exchanged":
        matrix = b.op("Gather", matrix, b.const([1, 0], np.int64), axis=2)
    elif case == "rows turned":
        matrix = b.op("Slice", matrix, *(b.const([v], np.int64) for v in (-1, -9, 1, -1)))
    return b.graph(b.op("Log", b.op("Det", matrix)))


SPREAD = {"x": (-1e4, 1e4), "y": (-1e4, 1e4), "at": (0, 3)}


@pytest.mark.parametrize("case", ["plain", "scaled", "sum", "picked", "picked as rows", "cut"])
def test_an_elimination_of_diagonal_matrices_subtracts_nothing(case: str) -> None:
    """However far apart the numbers on the diagonal are."""
    assert rules(spread(case), SPREAD) == []
    assert [rule for rule, _ in rules(spread(case, 0.0), SPREAD)] == [LOG]
    lo, _ = bounds(spread(case), SPREAD)
    torch.manual_seed(0)
    numbers = torch.rand(2000, 2).mul(2e4).sub(1e4).relu() + 0.05
    real = torch.diag_embed(numbers * (2 if case == "scaled" else 1))
    assert lo <= float(real.det().log().min())
    factor = torch.diag_embed(real.diagonal(dim1=-2, dim2=-1).sqrt())
    torch.testing.assert_close(torch.linalg.cholesky(real), factor, rtol=1e-6, atol=0)


@pytest.mark.parametrize("case", ["beside", "not 0 elsewhere", "negative scale", "columns exchanged", "rows turned"])
def test_what_only_looks_diagonal(case: str) -> None:
    assert [rule for rule, _ in rules(spread(case), SPREAD)] == [LOG]


@pytest.mark.parametrize("n", [2, 5, 16, 48])
def test_real_determinants_stay_above_the_bound(n: int) -> None:
    """Rows that are all alike, and random ones: the least eigenvalue is the jitter itself."""
    b = Builder()
    x = b.input("x", (n, 4))
    model = b.graph(
        b.op("Det", b.op("Add", b.op("MatMul", x, b.op("Transpose", x, perm=[1, 0])), b.const(0.5 * np.eye(n))))
    )
    lo, hi = bounds(model, {"x": (-1, 1)})
    assert lo > 0.1 * 0.5**n
    torch.manual_seed(0)
    for rows in (torch.ones(n, 4), torch.zeros(n, 4), *(torch.rand(40, n, 4) * 2 - 1), *torch.randn(40, n, 4).sign()):
        for exchanged in (rows, rows[torch.randperm(n)]):
            assert lo <= float((exchanged @ exchanged.t() + 0.5 * torch.eye(n)).det()) <= hi


@pytest.mark.parametrize(("jitter", "told"), [(0.5, []), (0.0, [LOG])])
def test_a_factor_of_tensorflow_has_a_positive_diagonal(jitter: float, told: list[str]) -> None:
    """``tf.linalg.logdet`` adds the logarithms of a Cholesky factor's diagonal."""
    x = ir.Value(name="x", type=ir.TensorType(ir.DataType.FLOAT), shape=ir.Shape((4, 6)))
    zero = ir.node("Const", [], {"value": ir.tensor(np.int32(0))}, domain="tf")
    fill = ir.node("Const", [], {"value": ir.tensor(np.float32(0))}, domain="tf")
    own = ir.node("Const", [], {"value": ir.tensor(jitter * np.eye(4, dtype=np.float32))}, domain="tf")
    product = ir.node("MatMul", [x, x], {"transpose_b": 1}, domain="tf")
    total = ir.node("AddV2", [product.outputs[0], own.outputs[0]], domain="tf")
    factor = ir.node("Cholesky", total.outputs, domain="tf")
    part = ir.node("MatrixDiagPartV3", [factor.outputs[0], zero.outputs[0], fill.outputs[0]], domain="tf")
    log = ir.node("Log", part.outputs, domain="tf")
    nodes = [zero, fill, own, product, total, factor, part, log]
    graph = ir.Graph([x], log.outputs, nodes=nodes, name="g", opset_imports={"tf": 1, "": 20})
    assert [rule for rule, _ in rules(Graph(ir.Model(graph, ir_version=10), "tensorflow"), {"x": (-1, 1)})] == told


def positive_diagonal(case: str) -> Graph:
    """The logarithm of the diagonal of a triangular matrix, which is made positive: `m - diag(m) + softplus(diag(m))`.

    The diagonal is put back as `torch.diag` is exported; cases differ in what is taken away before.
    """
    b = Builder()
    n = 3
    raw = b.input("x", (n, n))
    flat, places, row = (b.const(v, np.int64) for v in ([n * n], [0, 4, 8], [0]))
    shifted = b.const([1, 5, 6], np.int64)
    triangle = b.op("Trilu", raw, b.const(int(case == "strictly upper"), np.int64), upper=int("upper" in case))

    def diagonal(matrix: Any, at: Any = places) -> Any:
        return b.op("Gather", b.op("Reshape", matrix, flat), at, axis=-1)

    def matrix_of(values: Any) -> Any:
        same = np.eye(n, k=1 if case == "beside" else 0, dtype=bool)
        return b.op("Where", b.const(same, np.bool_), b.op("Unsqueeze", values, row), b.const(0.0))

    source = {"raw": raw, "strictly upper": raw, "another": b.input("other", (n, n))}.get(case, triangle)
    taken = matrix_of(diagonal(source, shifted if case == "shifted" else places))
    positive = b.op("Add", b.op("Softplus", diagonal(triangle)), b.const(1e-6))
    cleared = b.op("Add" if case == "added" else "Sub", triangle, taken)
    return b.graph(b.op("Log", diagonal(b.op("Add", cleared, matrix_of(positive)))))


@pytest.mark.parametrize("case", ["lower", "upper", "raw"])
def test_a_diagonal_that_is_replaced_by_positive_numbers_is_positive(case: str) -> None:
    assert LOG not in dict(rules(positive_diagonal(case), {"x": (-3, 3), "other": (-3, 3)}))


@pytest.mark.parametrize("case", ["another", "shifted", "beside", "added", "strictly upper"])
def test_a_diagonal_that_something_else_is_taken_from_may_be_anything(case: str) -> None:
    assert LOG in dict(rules(positive_diagonal(case), {"x": (-3, 3), "other": (-3, 3)}))


@pytest.mark.parametrize(("place", "positive", "told"), [(0, True, []), (0, False, [LOG]), (1, True, [LOG])])
def test_a_diagonal_that_tensorflow_sets(place: int, positive: bool, told: list[str]) -> None:
    """``tf.linalg.set_diag(x, softplus(y) + 1e-3)``, of the main diagonal or of the one above it."""
    x = ir.Value(name="x", type=ir.TensorType(ir.DataType.FLOAT), shape=ir.Shape((4, 4)))
    y = ir.Value(name="y", type=ir.TensorType(ir.DataType.FLOAT), shape=ir.Shape((4 - place,)))
    zero, where = (ir.node("Const", [], {"value": ir.tensor(np.int32(v))}, domain="tf") for v in (0, place))
    fill, least = (ir.node("Const", [], {"value": ir.tensor(np.float32(v))}, domain="tf") for v in (0, 1e-3))
    soft = ir.node("Softplus" if positive else "Tanh", [y], domain="tf")
    total = ir.node("AddV2", [soft.outputs[0], least.outputs[0]], domain="tf")
    whole = ir.node("MatrixSetDiagV3", [x, total.outputs[0], where.outputs[0]], domain="tf")
    part = ir.node("MatrixDiagPartV3", [whole.outputs[0], zero.outputs[0], fill.outputs[0]], domain="tf")
    log = ir.node("Log", part.outputs, domain="tf")
    nodes = [zero, where, fill, least, soft, total, whole, part, log]
    graph = ir.Graph([x, y], log.outputs, nodes=nodes, name="g", opset_imports={"tf": 1, "": 20})
    found = rules(Graph(ir.Model(graph, ir_version=10), "tensorflow"), {"x": (-1, 1), "y": (-3, 3)})
    assert [rule for rule, _ in found] == told


@pytest.mark.parametrize(
    ("exchanged", "attributes", "told"),
    [
        ("first", {}, []),
        ("second", {}, []),
        ("none", {"transpose_a": 1}, []),
        ("none", {"transpose_b": 1}, []),
        ("none", {}, ["sqrt-of-negative"]),
        ("none", {"transpose_a": 1, "transpose_b": 1}, ["sqrt-of-negative"]),
        ("first", {"transpose_a": 1}, ["sqrt-of-negative"]),
        ("unmoved", {}, ["sqrt-of-negative"]),
    ],
)
def test_the_diagonal_of_a_gram_matrix_of_tensorflow(
    exchanged: str, attributes: dict[str, int], told: list[str]
) -> None:
    """A variance of columns as ``diag(transpose(x) @ x)``."""
    x = ir.Value(name="x", type=ir.TensorType(ir.DataType.FLOAT), shape=ir.Shape((4, 4)))
    zero = ir.node("Const", [], {"value": ir.tensor(np.int32(0))}, domain="tf")
    fill = ir.node("Const", [], {"value": ir.tensor(np.float32(0))}, domain="tf")
    order = [0, 1] if exchanged == "unmoved" else [1, 0]
    places = ir.node("Const", [], {"value": ir.tensor(np.array(order, np.int32))}, domain="tf")
    turned = ir.node("Transpose", [x, places.outputs[0]], domain="tf")
    given = {"first": [turned.outputs[0], x], "second": [x, turned.outputs[0]], "none": [x, x]}
    product = ir.node("MatMul", given.get(exchanged, given["first"]), attributes, domain="tf")
    part = ir.node("MatrixDiagPartV3", [product.outputs[0], zero.outputs[0], fill.outputs[0]], domain="tf")
    root = ir.node("Sqrt", part.outputs, domain="tf")
    nodes = [zero, fill, places, turned, product, part, root]
    graph = ir.Graph([x], root.outputs, nodes=nodes, name="g", opset_imports={"tf": 1, "": 20})
    assert [rule for rule, _ in rules(Graph(ir.Model(graph, ir_version=10), "tensorflow"), {"x": (-9, 9)})] == told


def test_runs_of_gram_matrices_have_no_negative_diagonal() -> None:
    rng = np.random.default_rng(0)
    for _ in range(100):
        x = (rng.normal(size=rng.integers(1, 40, 2)) * 10.0 ** rng.uniform(-20, 15)).astype(np.float32)
        assert np.diagonal(x.T @ x).min() >= 0
