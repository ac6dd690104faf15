"""torch.distributions of vectors, held against torch: each program is run and traced."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
import torch

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.frames import Shared
from analyzer.tracing.tracing import explore

HEAD = "import torch\nD = torch.distributions\nz, eye = torch.zeros, torch.eye\n"
FITTING = """
D.MultivariateNormal(z(2), eye(2)).sample((5,))
D.MultivariateNormal(z(2), eye(2)).sample()
D.MultivariateNormal(z(5, 1, 2), eye(2).expand(3, 2, 2)).rsample((4, 1))
D.MultivariateNormal(z(3, 2), scale_tril=eye(2)).log_prob(z(7, 1, 2))
D.MultivariateNormal(z(3, 2), precision_matrix=eye(2)).entropy()
D.multivariate_normal.MultivariateNormal(z(2).double(), eye(2).double()).sample((6,))
""".strip().splitlines()
REFUSED = """
D.MultivariateNormal(z(3, 2), eye(2)).sample((5,)) + z(4, 2)
D.MultivariateNormal(z(3, 2), eye(2)).log_prob(z(7, 2))
""".strip().splitlines()
OPEN = """
D.MultivariateNormal(z(1), eye(2)).mean
""".strip().splitlines()


def traced(tmp_path: Path, call: str) -> Shared:
    return explore(tmp_path, "net.py", ast.parse(f"{HEAD}y = {call}\n"), Versions())


def real(call: str) -> Any:
    names: dict[str, Any] = {}
    exec(f"{HEAD}y = {call}\n", names)
    return names["y"]


@pytest.mark.parametrize("call", FITTING)
def test_shapes_and_element_types_are_those_of_a_real_call(tmp_path: Path, call: str) -> None:
    made = real(call)
    shared = traced(tmp_path, call)
    assert not shared.problems
    [tensor] = [t for (_, line, _), tensors in shared.assigned.items() if line == 4 for t in tensors]
    assert tensor.dims == tuple(made.shape)
    assert tensor.dtype in (None, str(made.dtype).removeprefix("torch."))


@pytest.mark.parametrize("call", REFUSED)
def test_what_a_real_call_refuses_is_an_error(tmp_path: Path, call: str) -> None:
    with pytest.raises((RuntimeError, ValueError, IndexError)):
        real(call)
    assert [p.site.line for p in traced(tmp_path, call).problems.values() if p.level == "error"] == [4]


@pytest.mark.parametrize("call", OPEN)
def test_nothing_is_said_of_what_runs(tmp_path: Path, call: str) -> None:
    assert isinstance(real(call), torch.Tensor)
    assert not traced(tmp_path, call).problems
