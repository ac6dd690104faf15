"""Functions of NumPy, PyTorch and SciPy that few programs call: the shapes of what they give, held against them."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """import numpy as np, torch
import scipy.ndimage
m = np.ones((4, 5))
s = np.eye(4)
u = np.zeros((3, 10), dtype=np.uint8)
t = torch.eye(4).repeat(2, 1, 1)
"""
CALLS = [
    "np.triu_indices_from(m, 1)[0]", "np.tril_indices_from(s)[1]", "np.diag_indices_from(s)[1]", "np.unpackbits(u)",
    "np.unpackbits(u, axis=1)", "np.packbits(u, axis=1)", "np.packbits(u)", "np.piecewise(m, [m > 0], [1.0])",
    "np.fromfunction(lambda i, j: i + j, (3, 6))", "np.linalg.cond(np.stack([s, s]))", "np.bitwise_left_shift(u, 2)",
    "np.random.zipf(2.0, (2, 3))", "np.random.standard_cauchy((2, 3))", "np.random.negative_binomial(2, 0.5, 7)",
    "torch.unravel_index(torch.ones(2, 3, dtype=torch.int64), (4, 5))[1]",
    "torch.unravel_index(torch.tensor(3), m.shape)[0]", "torch.lu_unpack(*torch.linalg.lu_factor(t))[2]",
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("wrong", [0, 1])
def test_the_shape_of_what_is_given(call: str, wrong: int, tmp_path: Path) -> None:
    names: dict[str, Any] = {}
    exec(f"{HEAD}y = {call}\n", names)
    shape = tuple(names["y"].shape)
    text = f"{HEAD}y = {call}\ny.reshape({(*shape, 1 + wrong)})\n"
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    assert [(p.site.line, p.proved) for p in shared.problems.values()] == [(8, True)] * wrong
    (found,) = next(tensors for (_, line, _), tensors in shared.assigned.items() if line == 7)[:1]
    assert found.dtype in (None, str(names["y"].dtype).removeprefix("torch."))


@pytest.mark.parametrize("name", ["interpolation.zoom", "interpolation.shift", "filters.gaussian_filter", "zoom"])
@pytest.mark.parametrize("wrong", [0, 1])
def test_a_second_name_of_scipy(name: str, wrong: int, tmp_path: Path) -> None:
    text = f"{HEAD}y = scipy.ndimage.{name}(m, 2)\ny.reshape({(80 if 'zoom' in name else 20) + wrong})\n"
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert [p.site.line for p in problems] == [8] * wrong
