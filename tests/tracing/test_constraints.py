"""Constraints of torch.distributions: each number that is told is held against PyTorch's."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import torch.distributions.constraints as constraints

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.operators.torch_constraints import ARE_DISCRETE, EVENT_DIMS
from analyzer.tracing.tracing import explore


@pytest.mark.parametrize("name", [*EVENT_DIMS, *ARE_DISCRETE])
def test_a_constraint_is_pytorchs(name: str) -> None:
    of, asked = name.split(".")[-2:]
    told = {**EVENT_DIMS, **ARE_DISCRETE}[name]
    assert getattr(getattr(constraints, of), asked) is told


PROGRAM = """
import torch
from torch.distributions import constraints
class Map(torch.nn.Module):
    domain = constraints.{}
shape = [4] * max(Map.domain.event_dim, 1)
torch.zeros(shape) + torch.zeros({})
"""


@pytest.mark.parametrize(("name", "sizes"), [("real", "4"), ("simplex", "4"), ("square", "4, 4")])
def test_a_shape_follows_from_it(tmp_path: Path, name: str, sizes: str) -> None:
    fits, other = (PROGRAM.format(name, given) for given in (sizes, sizes.replace("4", "5")))
    exec(fits, {})
    assert not explore(tmp_path, "net.py", ast.parse(fits), Versions()).problems
    assert [p.level for p in explore(tmp_path, "net.py", ast.parse(other), Versions()).problems.values()] == ["error"]
