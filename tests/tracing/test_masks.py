"""Masks select from the dimensions whose sizes they have."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest
import torch

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore


@pytest.mark.parametrize("use", ["y = x[m]", "x[m] = torch.zeros(3, 5)", "x[m] /= 2", "y = x[0][m]"])
@pytest.mark.parametrize("size", [4, 5, 6])
def test_a_mask_of_another_size(tmp_path: Path, use: str, size: int) -> None:
    text = f"import torch\nx = torch.rand(4, 5)\nm = torch.rand({size}) > 2\n{use}\n"
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    errors = [p.site.line for p in shared.problems.values() if p.level == "error" and p.proved]
    fits = size == (5 if "[0]" in use else 4)
    assert errors == ([] if fits else [4])


@pytest.mark.parametrize("number", ["torch.rand(5).argmax().item()", "int(torch.rand(5).argmax())"])
def test_a_list_of_numbers_selects_rows(tmp_path: Path, number: str) -> None:
    text = f"import torch\nn = {number}\ny = torch.zeros(9, 4)[torch.tensor([n, 1, 2], dtype=torch.int64)]\n"
    for size in (4, 5):
        source = f"{text}y @ torch.zeros({size}, 2)\n"
        shared = explore(tmp_path, "net.py", ast.parse(source), Versions())
        assert [p.site.line for p in shared.problems.values() if p.level == "error"] == ([] if size == 4 else [4])


@pytest.mark.parametrize("sign", ["&", "|", "^"])
def test_bits_of_numbers_are_no_mask(tmp_path: Path, sign: str) -> None:
    for kind, lines in (("int64", []), ("bool", [4])):
        text = f"import torch\na = torch.zeros(5, 8, dtype=torch.{kind})\nb = a {sign} a\ntorch.zeros(9, 2)[b]\n"
        shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
        assert [p.site.line for p in shared.problems.values() if p.level == "error"] == lines


MASKS = [
    "x[torch.tensor([True, False, True, False])]",
    "x[torch.as_tensor([True, False, False, False])]",
    "x[torch.tensor([[True, False, True, False, False]] * 4)]",
    "x[torch.tensor([[True, False, True, False, False], [True] * 5, [False] * 5, [True] * 5])]",
    "x[torch.from_numpy(np.array([True, False, True, False]))]",
    "x[torch.tensor([1, 0, 2, 0], dtype=torch.bool)]",
    "x[torch.tensor([1, 0, 2, 0]).bool()]",
    "x[torch.tensor([1, 0, 1, 1]).to(torch.bool)]",
    "x[torch.tensor([1, 0, 1, 1], dtype=torch.uint8)]",
    "x[torch.tensor([True, False, True, False]).long()]",
    "x[torch.tensor([True, False, True], dtype=torch.long)]",
    "x[torch.tensor([True, 2, False])]",
    "x[:, torch.tensor([True, False, True, False, True])]",
    "x[torch.tensor([True, False, True, False])[:4]]",
    "x[~torch.tensor([True, False, False, False])]",
    "x[torch.tensor([True, False, False, False]) | torch.tensor([False, False, True, False])]",
    "x[torch.ByteTensor([1, 0, 1, 1])]",
    "x[torch.BoolTensor([1, 0, 1, 1])]",
    "x[torch.IntTensor([1, 0, 1, 1])]",
    "x.numpy()[np.array([True, False, True, False])]",
    "x.numpy()[np.asarray([1, 0, 1, 0], dtype=bool)]",
    "x.numpy()[np.array([1, 0, 1, 0]).astype(bool)]",
    "x.numpy()[np.array([1, 0, 1, 0], dtype=np.uint8)]",
    "x.numpy()[np.array([True, False, True, False]).astype(int)]",
    "x[torch.tensor([True, False, True, False]) + torch.tensor([True, True, False, False])]",
]


@pytest.mark.parametrize("index", MASKS)
def test_truths_are_a_mask(tmp_path: Path, index: str) -> None:
    text = "import numpy as np\nimport torch\nx = torch.rand(4, 5)\n"
    scope: dict[str, object] = {}
    exec(f"{text}y = {index}", scope)
    y = scope["y"]
    assert isinstance(y, (torch.Tensor, np.ndarray))
    for last, wrong in ((y.shape[-1], []), (y.shape[-1] + 1, [4])):
        source = f"{text}assert {index}.shape == {(*y.shape[:-1], last)}\n"
        shared = explore(tmp_path, "net.py", ast.parse(source), Versions())
        problems = [p.site.line for p in shared.problems.values() if p.level == "error" and p.proved]
        assert problems == wrong


@pytest.mark.parametrize(
    "change", ["m[0] = False", "m[n] = False", "m.fill_(False)", "m.logical_not_()", "m &= torch.rand(4) > 2"]
)
def test_a_mask_that_is_written(tmp_path: Path, change: str) -> None:
    text = f"""
import torch
from somelib import n, other
m = torch.tensor([True, False, True, False])
{change}
y = torch.rand(4, 5)[m]
assert y.shape == (2, 5)
y @ torch.zeros(6, 2)
"""
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    assert [p.site.line for p in shared.problems.values() if p.level == "error" and p.proved] == [8]
