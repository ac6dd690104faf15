"""`torch.clamp_` and its like: functions that write into their operand, of the shape that it has, against torch."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import torch

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

KEPT = (
    "torch.abs_(x)", "torch.clamp_(x, 0.1, 0.9)", "torch.clamp_(x, min=0.1)", "torch.clamp_min_(x, 0.5)",
    "torch.exp_(x)", "torch.sqrt_(x)", "torch.round_(x)", "torch.nan_to_num_(x)", "torch.xlogy_(x, x)",
    "torch.sigmoid_(x)", "torch.negative_(x)", "torch.poisson(x)", "torch.hardshrink(x)",
    "x.hardshrink()", "torch.dequantize(x)", "torch.threshold(x, 0.0, 1.0)", "torch.rrelu(x)",
    "torch.threshold_(x, 0.0, 1.0)", "torch.celu_(x)", "torch.selu_(x)", "x.fill_diagonal_(1.0)",
)  # fmt: skip


@pytest.mark.parametrize("call", KEPT)
def test_the_shape_is_kept(tmp_path: Path, call: str) -> None:
    text = f"import torch\nx = torch.rand(2, 3).round()\ny = {call}\n"
    names: dict[str, torch.Tensor] = {}
    exec(text, names)
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    found = next(tensors[0] for (_, line, _), tensors in shared.assigned.items() if line == 3)
    assert not shared.problems
    assert found.dims == tuple(names["y"].shape)


def test_the_operand_is_the_result(tmp_path: Path) -> None:
    text = "import torch\nx = torch.rand(2, 3)\ny = torch.exp_(x)\n(x + y) @ torch.ones(4, 1)\n"
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert [(p.level, p.site.line) for p in problems] == [("error", 4)]


@pytest.mark.parametrize(("sizes", "wrong"), [("3", True), ("2, 3", False), ("2, 2, 2", False), ("2, 3, 2", True)])
def test_a_diagonal_that_there_is_not(tmp_path: Path, sizes: str, wrong: bool) -> None:
    text = f"import torch\nx = torch.rand({sizes})\nx.fill_diagonal_(1.0)\n"
    fails = False
    try:
        exec(text, {})
    except RuntimeError:
        fails = True
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert bool([p for p in problems if p.level == "error" and p.proved]) == fails == wrong
