"""Loops of many rounds and ranges of numbers that tensors hold, in a run on made-up numbers."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """
import torch
lengths = torch.linspace(4, 40, 512).round()
m = int(lengths.max().item())
"""
ROWS = """
out = []
for length in lengths:
    left = int((m - length) // 2)
    out += [torch.nn.functional.pad(torch.hann_window(int(length)), (left, int(m - length - left)))]
windows = torch.stack(out)
"""
RANGES = """
out = []
for i in range(300):
    start = lengths[i] - m // 2
    out += [torch.arange(start=start, end=start + m)]
windows = torch.stack(out)
"""


def _errors(folder: Path, text: str) -> list[bool]:
    """Of each error, whether it is called proved."""
    shared = explore(folder, "net.py", ast.parse(text), Versions())
    return [p.proved for p in shared.problems.values() if p.level == "error"]


@pytest.mark.parametrize("loop", [ROWS, RANGES], ids=["rows", "ranges"])
def test_each_round_is_followed_where_each_element_counts(tmp_path: Path, loop: str) -> None:
    for size, wrong in ((40, []), (41, [False])):
        assert _errors(tmp_path, f"{HEAD}{loop}windows @ torch.zeros({size}, 2)\n") == wrong


@pytest.mark.parametrize(
    ("range", "sizes"),
    [
        ("torch.arange(torch.tensor(2.5))", (3,)),
        ("torch.arange(0, torch.tensor(2.5))", (3,)),
        ("torch.arange(torch.tensor(3))", (3,)),
        ("torch.arange(torch.tensor(0.5), 3)", (3,)),
    ],
)
def test_a_range_whose_ends_are_tensors(tmp_path: Path, range: str, sizes: tuple[int, ...]) -> None:
    scope: dict[str, object] = {}
    exec(f"import torch\nx = {range}\nassert x.shape == {sizes}\nfloating = x.is_floating_point()", scope)
    mean = "x.mean()" if scope["floating"] else "x"
    assert not _errors(tmp_path, f"import torch\nx = {range}\n{mean}\nx + torch.zeros({sizes[0]})\n")
    assert len(_errors(tmp_path, f"import torch\nx = {range}\nif x.sum().item() > 0:\n    x + torch.zeros(7)\n")) == 1
