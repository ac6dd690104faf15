"""Probabilities that hold NaN are refused by torch.multinomial: seen in a run on made-up numbers, never proved."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

TOP = """
import torch
logits = torch.randn(2, 50)
kept, _ = torch.topk(logits, 3, dim=-1)
logits = logits.masked_fill(logits < kept[:, -1:], float('-inf'))
probs = torch.softmax(logits, dim={axis})
choice = torch.multinomial(probs, 1)
"""
NUCLEUS = """
import torch
def draw(logits, p):
    ordered, places = torch.sort(logits, descending=True, dim=-1)
    far = torch.cumsum(ordered.softmax(-1), dim=-1) > p
    far[:, 0] = False
    ordered[far] = float('-inf')
    logits = torch.full_like(logits, float('-inf')).scatter_(-1, places, ordered)
    return torch.multinomial(torch.softmax(logits, dim={axis}), 1)
draw(torch.randn(2, 50), 0.3)
"""


def told(root: Path, text: str) -> list[tuple[str, bool]]:
    shared = explore(root, "program.py", ast.parse(text), Versions())
    return [(p.message.partition(":")[0], p.proved) for p in shared.problems.values() if p.level == "error"]


@pytest.mark.parametrize("program", [TOP, NUCLEUS])
@pytest.mark.parametrize(("axis", "refused"), [(-1, False), (-2, True), (0, True), (1, False)])
def test_an_axis_that_is_masked_whole(tmp_path: Path, program: str, axis: int, refused: bool) -> None:
    assert told(tmp_path, program.format(axis=axis)) == [("multinomial", False)] * refused


@pytest.mark.parametrize("given", ["torch.log(torch.randn(2, 5))", "torch.randn(2, 5) / 0", "torch.randn(2, 5)"])
def test_other_made_up_numbers_tell_nothing(tmp_path: Path, given: str) -> None:
    assert told(tmp_path, f"import torch\ntorch.multinomial({given}, 1)\ntorch.zeros(2)\n") == []
