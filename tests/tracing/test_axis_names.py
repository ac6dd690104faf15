"""The letters of two products in one function: what one makes and the next calls otherwise is told as possible."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

NET = """import torch
from torch import nn, einsum
class Attend(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.drop = heads, nn.Dropout(0.1)
        self.to_q = nn.Linear(width, heads * 32)
    def forward(self, q, k, v):
        similar = einsum('b h i d, b h j d -> {}', q, k) * 0.1
        weights = self.drop(similar.softmax(dim=-1))
        return einsum('{}', weights, v)
"""
OUT = "b h i j, b h j d -> b h i d"


def told(tmp_path: Path, text: str) -> list[tuple[str, str, int, bool]]:
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    return [(p.level, p.rule, p.site.line, p.proved) for p in problems if p.level != "note"]


WARNED = [("warning", "tracing/forced-dimension", 11, False)]


@pytest.mark.parametrize(
    ("made", "used", "warned"),
    [
        ("h b i j", OUT, True),
        ("b i h j", OUT, True),
        ("b h i j", OUT, False),
        ("bhij", "bhij, bhjd -> bhid", False),
        ("bihj", "bhij,bhjd->bhid", True),
        ("b h i j", "n g s t, n g t d -> n g s d", False),  # other letters say nothing
        ("b h i j", "... i j, ... j d -> ... i d", False),
    ],
)
def test_a_letter_that_is_another_axis_in_the_next_product(tmp_path: Path, made: str, used: str, warned: bool) -> None:
    assert told(tmp_path, NET.format(made, used)) == (WARNED if warned else [])


def test_a_square_is_read_by_rows_and_by_columns(tmp_path: Path) -> None:
    text = """from torch import einsum
def both(x):
    b, n, d = x.shape
    pairs = einsum('b i d, b j d -> b i j', x, x)
    return einsum('b j i, b j d -> b i d', pairs, x)
"""
    assert not told(tmp_path, text)


def test_what_another_function_calls_otherwise_is_its_own_matter(tmp_path: Path) -> None:
    text = """from torch import einsum
def pairs(x, y):
    return einsum('b i d, b j d -> b i j', x, y)
def both(x, y):
    return einsum('b j i, b j d -> b i d', pairs(y, x), y)
"""
    assert not told(tmp_path, text)
