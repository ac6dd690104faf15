"""Solutions of definite systems, and quadratic forms that are not negative, with twins that may be."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir
import pytest
import torch

from analyzer.graph import Graph, ValueRange
from analyzer.numerical import Options, interpret
from analyzer.numerical.domain.tensor import AbstractTensor

N = 3


class Made:
    """A graph of nodes under any domain, whose types and shapes are stated."""

    def __init__(self) -> None:
        self.nodes: list[ir.Node] = []
        self.inputs: list[ir.Value] = []

    def input(self, name: str, *shape: int) -> ir.Value:
        self.inputs.append(ir.Value(name=name, shape=ir.Shape(shape), type=ir.TensorType(ir.DataType.FLOAT)))
        return self.inputs[-1]

    def const(self, data: Any) -> ir.Value:
        node = ir.Node("", "Constant", [], [ir.AttrTensor("value", ir.tensor(np.asarray(data)))])
        return self._added(node, None)

    def op(
        self, name: str, *given: Any, domain: str = "", shape: Any = None, outputs: int = 1, **attributes: int
    ) -> Any:
        held = [ir.AttrInt64(key, value) for key, value in attributes.items()]
        node = ir.Node(domain, name, list(given), held, num_outputs=outputs)
        return self._added(node, shape)

    def _added(self, node: ir.Node, shape: Any) -> ir.Value:
        self.nodes.append(node)
        for place, output in enumerate(node.outputs):
            output.name = f"v{len(self.nodes)}_{place}"
            if shape is not None:
                output.dtype, output.shape = ir.DataType.FLOAT, ir.Shape(shape)
        return node.outputs[0]

    def graph(self, *outputs: ir.Value) -> Graph:
        domains = {"": 20, "torch.aten": 1}
        return Graph(ir.Model(ir.Graph(self.inputs, outputs, nodes=self.nodes, opset_imports=domains), ir_version=10))


def matrix(m: Made, case: str) -> ir.Value:
    """Squares of `scale` on a diagonal, or rows of `factor` times each other, and something added."""
    if case in ("diagonal", "thin"):
        scale = m.input("scale", N)
        placed = m.op("Where", m.const(np.eye(N, dtype=bool)), m.op("Mul", scale, scale), m.const(np.float32(0)))
        jitter = m.const(np.float32(0.01 if case == "diagonal" else 0.0))
        return m.op("Add", placed, m.op("Where", m.const(np.eye(N, dtype=bool)), jitter, m.const(np.float32(0))))
    rows = m.input("factor", N, 4)
    product = m.op("MatMul", rows, m.op("Transpose", rows))
    jitter = 0.5 if case == "Gram" else 1e-7
    return m.op("Add", product, m.const((jitter * np.eye(N)).astype(np.float32)))


def form(case: str = "diagonal", how: str = "cholesky", other: bool = False) -> tuple[Graph, str]:
    """exp(-d' S⁻¹ d / 2) for one d; with `other`, of two vectors."""
    m = Made()
    d = m.input("d", N)
    column = m.op("Unsqueeze", d, m.const(np.array([1])))
    made = matrix(m, case)
    if how == "cholesky":
        factor = m.op("linalg_cholesky_ex", made, domain="torch.aten", shape=(N, N), outputs=2, check_errors=1)
        solved = m.op("cholesky_solve", column, factor, domain="torch.aten", shape=(N, 1))
    else:
        solved = m.op("_linalg_solve_ex", made, column, domain="torch.aten", shape=(N, 1), outputs=4)
    answer = m.op("Squeeze", solved, m.const(np.array([1])))
    product = m.op("Mul", m.input("e", N) if other else d, answer)
    total = m.op("ReduceSum", product, m.const(np.array([0])), keepdims=0)
    result = m.op("Exp", m.op("Mul", m.const(np.float32(-0.5)), total))
    return m.graph(result), str(total.name)


RANGES = {"d": (-30, 30), "e": (-30, 30), "scale": (-2, 2), "factor": (-1, 1)}


def interpreted(graph: Graph) -> Any:
    held = {v.name: ValueRange(*map(float, RANGES[str(v.name)])) for v in graph.graph.inputs}
    return interpret(graph, held, options=Options(everything=True))


@pytest.mark.parametrize("how", ["cholesky", "solve"])
@pytest.mark.parametrize("case", ["diagonal", "Gram"])
def test_a_density_is_not_above_what_its_determinant_makes_it(case: str, how: str) -> None:
    graph, total = form(case, how)
    found = interpreted(graph)
    assert [w.rule for w in found.warnings] == []
    (value,) = [t for v, t in found.values.items() if v.name == total]
    assert value.low >= (0 if case == "diagonal" else -1e-30)


@pytest.mark.parametrize("how", ["cholesky", "solve"])
@pytest.mark.parametrize(
    ("case", "other"), [("diagonal", True), ("Gram", True), ("nearly singular", False), ("thin", False)]
)
def test_what_is_no_square_or_has_no_certain_sign(case: str, other: bool, how: str) -> None:
    graph, _ = form(case, how, other)
    assert [w.rule for w in interpreted(graph).warnings] == ["numerical/exp-overflow"]


def test_rounding_makes_a_form_of_a_nearly_singular_matrix_negative() -> None:
    """Which is why its sign is not told."""
    generator = torch.Generator().manual_seed(0)
    least = 0.0
    for _ in range(2000):
        rows = torch.rand(N, 2, generator=generator)
        d = torch.rand(N, generator=generator)
        least = min(least, float(d @ torch.linalg.solve_ex(rows @ rows.T + 1e-7 * torch.eye(N), d)[0]))
    assert least < -200


@pytest.mark.parametrize("seed", range(4))
def test_no_solution_leaves_its_bounds(seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    for case in ("diagonal", "Gram"):
        graph, total = form(case)
        values = {v.name: t for v, t in interpreted(graph).values.items()}
        solved = next(v for n in graph.graph if n.op_type == "cholesky_solve" for v in n.outputs)
        bound: AbstractTensor = values[solved.name]
        for _ in range(200):
            d = (torch.rand(N, generator=generator) * 60 - 30) * 10 ** float(-30 * torch.rand(1, generator=generator))
            scale = torch.rand(N, generator=generator) * 4 - 2
            rows = torch.rand(N, 4, generator=generator) * 2 - 1
            made = (
                torch.diag(scale**2) + 0.01 * torch.eye(N) if case == "diagonal" else rows @ rows.T + 0.5 * torch.eye(N)
            )
            answer = torch.cholesky_solve(d[:, None], torch.linalg.cholesky(made))[:, 0]
            assert bound.low <= float(answer.min())
            assert float(answer.max()) <= bound.high
            assert float((d * answer).sum()) >= values[total].low
