"""What stands behind a starred expression in a tuple or list whose elements are not known in number."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer.findings import Confidence, Level
from analyzer.tracing.tracing import trace

HEAD = """
import somewhere
import torch

x = somewhere.load()
y = torch.zeros(2, 3, 5)


class Block:
    def __init__(self):
        self.groups, self.heads = 1, 4

    def shape(self):
        batch, length, width, groups, heads = *x.shape, self.groups, self.heads
        return groups, heads


block = Block()
"""
NAMES = [
    ("groups, heads = block.shape()", "torch.zeros(2, 1) @ torch.zeros(groups, heads)"),
    ("groups, heads = block.shape()", "torch.zeros(2, 4) @ torch.zeros(heads, groups)"),
    ("batch, length, heads = *x.shape, 4", "torch.zeros(2, 4) @ torch.zeros(heads, 3)"),
    ("heads, batch, length = 4, *x.shape", "torch.zeros(2, 4) @ torch.zeros(heads, 3)"),
    ("a, b, c, heads = *y.shape, 4", "torch.zeros(c, 4) @ torch.zeros(heads, 5)"),
    ("[a, heads] = *[7], 4", "torch.zeros(2, 4) @ torch.zeros(heads, a)"),
]


def told(tmp_path: Path, text: str) -> list[tuple[Level, Confidence]]:
    file = tmp_path / "program.py"
    file.write_text(HEAD + text + "\n")
    return [(f.level, f.confidence) for f in trace(file, tmp_path, target="t").findings]


@pytest.mark.parametrize(("names", "use"), NAMES)
def test_names_tell_how_many_elements_a_starred_expression_has(names: str, use: str, tmp_path: Path) -> None:
    assert told(tmp_path, f"{names}\n{use}") == []
    assert told(tmp_path, f"{names}\n{use.replace('torch.zeros(', 'torch.zeros(6, 9, ', 1)}") == []  # broadcast
    broken = use.replace("(2, ", "(2, 9 + ", 1).replace("(c, ", "(c, 9 + ", 1)
    assert told(tmp_path, f"{names}\n{broken}") == [(Level.ERROR, Confidence.PROVED)]


@pytest.mark.parametrize(
    "text",
    [
        "sizes = (*x.shape, 4)\ntorch.zeros(2, 9) @ torch.zeros(sizes[2], 3)",
        "sizes = [*x.shape, 4]\ntorch.zeros(2, 9) @ torch.zeros(sizes[3], 3)",
        "sizes = [*x.shape, 4, 5]\nfor size in sizes[2:]:\n    torch.zeros(2, 9) @ torch.zeros(size, 3)",
    ],
)
def test_elements_behind_it_are_not_said_to_stand_at_a_place(text: str, tmp_path: Path) -> None:
    assert [c for _, c in told(tmp_path, text) if c is Confidence.PROVED] == []
