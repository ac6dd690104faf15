"""Tensors in the lists that PyTorch makes a tensor of: each stands for a number, and has one element."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import torch

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

ROWS = (
    "[torch.ones(1)] * 3",
    "[torch.ones(1, 1), torch.ones(1, 1)]",
    "[torch.ones(()), torch.ones(1)]",
    "[2.0, torch.ones(1)]",
    "[[torch.ones(1)] * 3] * 2",
    "(torch.ones(1), torch.ones(1))",
    "[numpy.ones(1)] * 3",
    "[torch.ones(1).numpy()] * 3",
    "[torch.ones(4).numpy()] * 3",
    "[torch.ones(2)] * 3",
    "[torch.ones(0)] * 3",
    "[torch.ones(3, 1)[:, 0]] * 2",
    "[torch.ones(1), torch.ones(2)]",
)


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("made", ["torch.tensor({})", "torch.as_tensor({})", "torch.FloatTensor({})"])
def test_tensors_in_lists(tmp_path: Path, made: str, rows: str) -> None:
    text = f"import numpy, torch\nx = {made.format(rows)}\n"
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    errors = [p.site.line for p in shared.problems.values() if p.level == "error"]
    names: dict[str, torch.Tensor] = {}
    try:
        exec(text, names)
    except ValueError:
        assert errors == [2]
        return
    assert not errors
    found = next(tensors[0] for (_, line, _), tensors in shared.assigned.items() if line == 2)
    assert found.dims == tuple(names["x"].shape)
