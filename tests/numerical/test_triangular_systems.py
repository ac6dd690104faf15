"""A triangular system divides by its diagonal, and neither framework raises where that is 0."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from build import Builder, run
from hypothesis import given
from hypothesis import strategies as st
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


SIZE = 5


def solution(largest: float, *, least: float = 0.0, unit: bool = True, upper: bool = False, left: bool = True) -> Any:
    """What is known of the solution of a system whose elements are no larger, and the graph."""
    b = Builder()
    matrix = b.input("m", (SIZE, SIZE))
    if least:
        eye = b.op("EyeLike", matrix)
        matrix = b.op("Add", matrix, b.op("Mul", eye, b.const(largest + least)))
    shape = (SIZE, 2) if left else (2, SIZE)
    attributes = {"upper": int(upper), "unitriangular": int(unit), "left": int(left)}
    solved = b.op("linalg_solve_triangular", matrix, b.input("d", shape), domain="torch.aten", **attributes)
    graph = b.graph(b.op("Identity", solved))
    found = run(graph, {"m": (-largest, largest), "d": (-3.0, 3.0)}, everything=True)
    return found.values[graph.graph.outputs[0]]


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("unit", [False, True])
@given(seed=st.integers(0, 2**32 - 1), largest=st.sampled_from([0.1, 1.0, 3.0]))
def test_a_solution_grows_no_faster_than_substitution_lets_it(
    upper: bool, left: bool, unit: bool, seed: int, largest: float
) -> None:
    least = 0.0 if unit else 0.5
    known = solution(largest, least=least, unit=unit, upper=upper, left=left)
    generator = torch.Generator().manual_seed(seed)
    signs = torch.randint(0, 2, (SIZE, SIZE), generator=generator) * 2.0 - 1
    matrix = signs * largest * (1.0 if seed % 2 else torch.rand(SIZE, SIZE, generator=generator))
    matrix = matrix if unit else matrix + (largest + least) * torch.eye(SIZE)
    d = torch.randint(0, 2, (SIZE, 2) if left else (2, SIZE), generator=generator) * 6.0 - 3
    x = torch.linalg.solve_triangular(matrix, d, upper=upper, left=left, unitriangular=unit)
    assert known.low <= x.min() <= x.max() <= known.high < 1e30


def test_the_bound_is_reached() -> None:
    matrix = torch.tril(torch.full((SIZE, SIZE), -1.0))
    x = torch.linalg.solve_triangular(matrix, torch.full((SIZE, 1), 3.0), upper=False, unitriangular=True)
    assert float(x.max()) <= solution(1.0).high <= 1.01 * float(x.max())


def test_a_diagonal_that_may_be_0_bounds_nothing() -> None:
    assert solution(1.0, unit=False).high > 1e38
