"""Gradients of singular vectors, eigenvectors and orthogonal factors: where they are NaN, and where they are finite."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir
import pytest
import torch

from analyzer.graph import Graph, ValueRange
from analyzer.numerical import interpret
from analyzer.numerical.confirm.torch_evaluation import PreparedModel
from analyzer.numerical.confirm.torch_evaluation import run as evaluate
from analyzer.numerical.confirm.torch_registry import Mode

F = ir.DataType.FLOAT
EQUAL, NORM, SINGULAR = (
    f"numerical/gradient-of-{name}" for name in ("equal-eigenvalues", "norm-at-zero", "singular-matrix")
)


def shapes_of(name: str, rows: int, columns: int) -> list[tuple[int, ...]]:
    k = min(rows, columns)
    if name == "_linalg_svd":
        return [(rows, k), (k,), (k, columns)]
    if name == "_linalg_eigh":
        return [(rows,), (rows, columns)]
    return [(rows, k), (k, columns)] if name == "linalg_qr" else [(rows, 2), (rows, columns, 2)]


def program(name: str, rows: int, columns: int, read: list[int], added: Any = None, detached: bool = False) -> Graph:
    """Sums of squares of the results `read`, of a matrix to which a constant may be added."""
    x = ir.Value(name="x", type=ir.TensorType(F), shape=ir.Shape((rows, columns)))
    nodes, matrix, given = [], x, {}
    if added is not None:
        constant = ir.Value(name="c", type=ir.TensorType(F), shape=ir.Shape((rows, columns)))
        constant.const_value = ir.tensor(np.asarray(added, np.float32), name="c")
        given["c"] = constant
        nodes.append(ir.Node("", "Add", [matrix, constant], name="added"))
        matrix = nodes[-1].outputs[0]
    attributes = [ir.AttrInt64("full_matrices", 0)] if name == "_linalg_svd" else []
    taken = ir.Node("torch.aten", name, [matrix], attributes, num_outputs=len(shapes_of(name, rows, columns)))
    nodes.append(taken)
    for number, (value, shape) in enumerate(zip(taken.outputs, shapes_of(name, rows, columns), strict=True)):
        value.name, value.dtype, value.shape = f"y{number}", F, ir.Shape(shape)
    ends = []
    for number in read:
        value = taken.outputs[number]
        if detached:
            nodes.append(ir.Node("", "Identity", [value], name="copy"))
            nodes[-1].metadata_props["namespace"] = ": m.M/detach: aten.detach.default"
            value = nodes[-1].outputs[0]
        nodes.append(ir.Node("", "Mul", [value, value], name=f"square{number}"))
        ends.append(nodes[-1].outputs[0])
    for number, node in enumerate(nodes):
        if node.outputs[0].name is None:
            node.outputs[0].name = f"v{number}"
    graph = ir.Graph([x], ends, nodes=nodes, initializers=list(given.values()), opset_imports={"": 20, "torch.aten": 1})
    return Graph(ir.Model(graph, ir_version=10), framework="torch")


def told(graph: Graph, low: float = -1.0, high: float = 1.0) -> list[str]:
    found = interpret(graph, {"x": ValueRange(low, high)})
    assert not found.unknown
    assert not found.failed_rules
    return [w.rule for w in found.warnings]


def finite(graph: Graph, x: torch.Tensor) -> bool:
    """Whether PyTorch's gradient of the sums of the results, weighted, is finite."""
    given = x.clone().requires_grad_(True)
    values = evaluate(PreparedModel(graph.model), {"x": given}, Mode(surrogate=False))
    total = torch.zeros(())
    for value in graph.graph.outputs:
        made = values[value.name or ""]
        if made.dim() == 3:  # real and imaginary parts count alike: vectors are told up to a complex factor of size 1
            made = made.sum(2)
        total = total + (made * torch.arange(made.numel()).reshape(made.shape)).sum()
    total.backward()
    assert given.grad is not None
    return bool(torch.isfinite(given.grad).all())


@pytest.mark.parametrize(
    ("name", "shape", "read", "rules"),
    [
        ("_linalg_svd", (3, 3), [0], [EQUAL]),
        ("_linalg_svd", (3, 3), [2], [EQUAL]),
        ("_linalg_svd", (4, 2), [0], [EQUAL]),
        ("_linalg_svd", (3, 3), [1], []),
        ("_linalg_svd", (1, 1), [0, 2], []),
        ("_linalg_svd", (3, 1), [0], [NORM]),
        ("_linalg_svd", (3, 1), [2], []),
        ("_linalg_svd", (1, 3), [2], [NORM]),
        ("_linalg_eigh", (3, 3), [1], [EQUAL]),
        ("_linalg_eigh", (3, 3), [0], []),
        ("_linalg_eigh", (1, 1), [1], []),
        ("linalg_eig", (3, 3), [1], [EQUAL]),
        ("linalg_qr", (3, 3), [0], [SINGULAR]),
        ("linalg_qr", (3, 3), [1], [SINGULAR]),
    ],
)
def test_the_gradient_at_zero_is_told_where_pytorch_has_none(
    name: str, shape: tuple[int, int], read: list[int], rules: list[str]
) -> None:
    graph = program(name, *shape, read)
    assert told(graph) == rules
    assert finite(graph, torch.zeros(shape)) == (not rules)
    assert finite(graph, torch.randn(shape, generator=torch.Generator().manual_seed(3)))


@pytest.mark.parametrize("name", ["_linalg_svd", "_linalg_eigh", "linalg_qr"])
def test_what_is_detached_has_no_gradient(name: str) -> None:
    assert told(program(name, 3, 3, [0, 1], detached=True)) == []


DISTINCT = np.diag([1.0, 20.0, 40.0])


@pytest.mark.parametrize(
    ("name", "added", "most", "safe"),
    [
        ("_linalg_svd", DISTINCT, 1.0, True),
        ("_linalg_eigh", DISTINCT, 1.0, True),
        ("linalg_qr", DISTINCT + np.diag([9.0, 0, 0]), 1.0, True),
        ("_linalg_svd", DISTINCT, 5.0, False),
        ("_linalg_eigh", DISTINCT, 5.0, False),
        ("_linalg_eigh", np.eye(3), 0.001, False),
        ("_linalg_svd", np.eye(3), 0.001, False),
        ("linalg_qr", np.diag([1.0, 2.0, 0.0]), 0.1, False),
    ],
)
def test_distinct_numbers_on_the_diagonal_keep_the_values_apart(name: str, added: Any, most: float, safe: bool) -> None:
    graph = program(name, 3, 3, [0, 1], added)
    assert (told(graph, -most, most) == []) == safe
    if safe:
        for seed in range(50):
            x = (torch.rand(3, 3, generator=torch.Generator().manual_seed(seed)) * 2 - 1) * most
            assert finite(graph, x)
            assert finite(graph, x.sign() * most)
    else:
        assert not finite(graph, torch.zeros(3, 3)) or name == "_linalg_svd" or most == 5.0


def test_wide_matrices_need_singular_values_apart_from_zero() -> None:
    added = np.eye(3, 4) * np.array([[0.0], [20.0], [40.0]])
    assert told(program("_linalg_svd", 3, 4, [2], added)) == [EQUAL]
    assert not finite(program("_linalg_svd", 3, 4, [2], added), torch.zeros(3, 4))
    assert told(program("_linalg_svd", 3, 4, [2], added + np.eye(3, 4) * 9)) == []
