"""A triangular system divides by its diagonal, and neither framework raises where that is 0."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from build import Builder, run
from onnx import numpy_helper


def told(diagonal: str | None, domain: str = "tf", above: float = 0.0, **attributes: int) -> list[tuple[str, str]]:
    """The warnings for a triangle of weights whose diagonal is set to `diagonal` of the input plus `above`."""
    b = Builder()
    b.initializers.append(numpy_helper.from_array(np.ones((3, 3), np.float32), "w"))
    matrix = "w"
    if diagonal is not None:
        made = b.op(diagonal, b.input("x", (3,)))
        if above:
            made = b.op("Add", made, b.const(above))
        matrix = b.op("MatrixSetDiag", "w", made, domain="tf")
    operator = "MatrixTriangularSolve" if domain == "tf" else "linalg_solve_triangular"
    graph = b.graph(b.op(operator, matrix, b.input("d", (3, 1)), name="solve", domain=domain, **attributes))
    found = run(graph, {"x": (-200.0, 200.0), "w": (-1.0, 1.0), "d": (-1.0, 1.0)}).warnings
    return [(w.rule.removeprefix("numerical/"), w.node.name or "") for w in found if not w.backward]


@pytest.mark.parametrize("domain", ["tf", "torch.aten"])
@pytest.mark.parametrize("diagonal", ["Softplus", "Relu", "Abs", "Sigmoid"])
def test_a_diagonal_that_may_be_0_is_told(diagonal: str, domain: str) -> None:
    assert told(diagonal, domain) == [("division-by-zero", "solve")]
    assert not told(diagonal, domain, above=0.1)


def test_a_diagonal_of_either_sign_is_not() -> None:
    assert not told("Tanh")
    assert not told(None)


def test_nor_is_one_that_is_taken_for_1() -> None:
    assert not told("Softplus", "torch.aten", unitriangular=1)


def test_torch_divides_by_the_diagonal() -> None:
    singular = torch.tensor([[0.0, 0.0], [1.0, 1.0]])
    assert not torch.linalg.solve_triangular(singular, torch.ones(2, 1), upper=False).isfinite().all()
