"""Masks select from the dimensions whose sizes they have."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

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
