"""torch.gradient, held against torch: each program is run and traced."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
import torch

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.paths.frames import Shared
from analyzer.tracing.tracing import explore

HEAD = "import torch\nz = torch.zeros\n"
FITTING = """
torch.gradient(z(3, 4))[1]
torch.gradient(z(3, 4), dim=-1)[0]
torch.gradient(z(3, 4, 2), dim=(0, 2))[1]
torch.gradient(z(1, 4), spacing=2.0, dim=1)[0]
""".strip().splitlines()
REFUSED = """
torch.gradient(z(3, 4), dim=2)
torch.gradient(z(1, 4), dim=0)
torch.gradient(z(2, 4), dim=0, edge_order=2)
torch.gradient(z(3, 4), dim=1)[0] + z(3, 5)
""".strip().splitlines()
OPEN = """
torch.gradient(z(3, 4), spacing=(1.0, 2.0))[0]
torch.gradient(z(1, 4), dim=1)[0]
torch.gradient(z(0, 4), dim=1)[0]
torch.gradient(torch.arange(4))[0]
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
    [tensor] = [t for (_, line, _), tensors in shared.assigned.items() if line == 3 for t in tensors]
    assert tensor.dims == tuple(made.shape)
    assert tensor.dtype in (None, str(made.dtype).removeprefix("torch."))


@pytest.mark.parametrize("call", REFUSED)
def test_what_a_real_call_refuses_is_an_error(tmp_path: Path, call: str) -> None:
    with pytest.raises((RuntimeError, ValueError, IndexError)):
        real(call)
    assert [p.site.line for p in traced(tmp_path, call).problems.values() if p.level == "error"] == [3]


@pytest.mark.parametrize("call", OPEN)
def test_nothing_is_said_of_what_runs(tmp_path: Path, call: str) -> None:
    assert isinstance(real(call), torch.Tensor)
    assert not traced(tmp_path, call).problems
