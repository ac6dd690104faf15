"""`torch.ops.aten`: the functions and methods of torch under the names of its kernels, against torch."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import torch

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

CALLS = (
    "slice(x, 1, 0, -1, 2)", "slice(x, 1, 1, None, 2)", "slice(x, 1, 0, 1)", "slice(x)", "slice(x, -1, 2, 100)",
    "slice.Tensor(x, 0, 3)", "mm(x, x)", "mm.default(x, x.t())", "cat([x, x], 1)", "view(x, [3, 8])", "view(x, [5, 5])",
    "sum.dim_IntList(x, [1], True)", "relu(x)", "add.Tensor(x, x)", "add.Tensor(x, x.t())", "select.int(x, 1, 2)",
    "select.int(x, 3, 2)", "permute(x, [1, 0])", "transpose.int(x, 0, 1)", "unsqueeze(x, 0)", "expand(x, [2, 4, 6])",
    "slice(x, 2, 0, 1)", "bmm(x[None], x.t()[None])", "t(x)", "flip(x, [0])", "addmm(x[0], x.t(), x)",
)  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_an_operator_of_aten(tmp_path: Path, call: str) -> None:
    text = f"import torch\nx = torch.zeros(4, 6)\ny = torch.ops.aten.{call}\n"
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    errors = [p.site.line for p in shared.problems.values() if p.level == "error"]
    names: dict[str, torch.Tensor] = {}
    try:
        exec(text, names)
    except (RuntimeError, IndexError):
        assert errors == [3]
        return
    assert not errors
    found = next(tensors[0] for (_, line, _), tensors in shared.assigned.items() if line == 3)
    assert found.dims == tuple(names["y"].shape)


def test_an_operator_that_nobody_declares(tmp_path: Path) -> None:
    text = "import torch\ny = torch.ops.aten.native_thing(torch.zeros(4))\ny + torch.zeros(5)\n"
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    assert not shared.problems
    assert shared.unknown_calls
