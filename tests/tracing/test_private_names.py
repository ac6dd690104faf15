"""Buffers under the names that Python makes of private ones, and views with a memory of their own."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import torch

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore, read_source

PROGRAM = """
import torch
from torch import nn

class Smooth(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.register_buffer("_Smooth__eye", torch.eye(size))
        self.register_buffer("{name}", torch.zeros({rows}, size))
    def forward(self, x):
        return x @ self.__eye @ self.__rows.transpose(0, 1)

print((Smooth(4)(torch.zeros(2, 4)) @ torch.zeros(3, 5)).shape)
"""
COPIES = {
    "transpose_copy(x, 0, 2)": (4, 3, 2),
    "permute_copy(x, (2, 0, 1))": (4, 2, 3),
    "unsqueeze_copy(x, 1)": (2, 1, 3, 4),
    "select_copy(x, 2, 0)": (2, 3),
    "narrow_copy(x, 1, 0, 2)": (2, 2, 4),
    "expand_copy(x[:, :1], (2, 5, 4))": (2, 5, 4),
}


def told(tmp_path: Path, program: str) -> list[str]:
    (tmp_path / "run.py").write_text(program)
    _, tree = read_source(tmp_path / "run.py", tmp_path)
    return [p.message for p in explore(tmp_path, "run.py", tree, Versions()).problems.values() if p.level == "error"]


@pytest.mark.parametrize("imported", [False, True])
def test_a_private_buffer_is_the_one_that_was_registered_under_its_full_name(imported: bool, tmp_path: Path) -> None:
    for rows in (3, 5):
        program = PROGRAM.format(name="_Smooth__rows", rows=rows)
        if imported:
            (tmp_path / "smooth.py").write_text(program)
        assert bool(told(tmp_path, "import smooth\n" if imported else program)) is (rows == 5)


@pytest.mark.parametrize(("call", "shape"), COPIES.items())
def test_a_copy_of_a_view_has_its_shape_and_is_contiguous(call: str, shape: tuple[int, ...], tmp_path: Path) -> None:
    x = torch.zeros(2, 3, 4)
    found = eval(f"torch.{call}", {"torch": torch, "x": x})
    assert tuple(found.shape) == shape
    assert found.is_contiguous()
    program = f"import torch\nx = torch.zeros(2, 3, 4)\ny = torch.{call}.view({found.numel()})\nassert y.dim() == 1\n"
    assert not told(tmp_path, program)
    assert told(tmp_path, program + f"torch.zeros(3) @ y[:{found.numel()}][:4]\n")
    assert ast.parse(program)
