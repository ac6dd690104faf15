"""What a filter lets pass that nobody can answer: there may be nothing of it, or all."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """
import os
import torch

def test_one():
    layer = torch.nn.Linear(2, 3)
"""
FAILURE = "torch.zeros(2, 3) @ torch.zeros(4, 5)"
NAMES = "x for x in os.listdir('.') if x.endswith('.pt')"
PARTS = "p for p in layer.parameters() if torch.isnan(p).any()"
SILENT = {
    "a list": f"bad = [{PARTS}]\nif bad: {FAILURE}",
    "of names": f"bad = [{NAMES}]\nif bad: {FAILURE}",
    "a set": f"bad = {{{NAMES}}}\nif 'a.pt' in bad or bad: {FAILURE}",
    "a dictionary": f"bad = {{x: 1 {NAMES[2:]}}}\nif bad: {FAILURE}\nif list(bad.values()): {FAILURE}",
    "a filter": f"bad = list(filter(lambda p: torch.isnan(p).any(), layer.parameters()))\nif bad: {FAILURE}",
    "a tuple": f"bad = tuple({NAMES})\nif bad: {FAILURE}",
    "in order": f"bad = sorted({NAMES})\nif len(bad) > 0: {FAILURE}",
    "a part": f"bad = [{NAMES}][:3]\nif bad: {FAILURE}",
    "joined": f"bad = [{PARTS}] + []\nif bad: {FAILURE}",
    "its length": f"bad = [{PARTS}]\ntorch.zeros(2, 3) @ torch.zeros(3 + len(bad), 5)",
    "each of them": f"for x in [{NAMES}]: {FAILURE}",
    "a loop": f"bad = []\nfor p in layer.parameters():\n    if torch.isnan(p).any(): bad.append(p)\nif bad: {FAILURE}",
    "the next of them": f"x = next(({NAMES}), None)\nif x is not None: {FAILURE}",
}
KEPT = "kept = [w for w in (2, 3, 4) if w > 2]"
LOUD = {
    "a filter that is known": f"{KEPT}\nif kept: {FAILURE}",
    "its length": f"{KEPT}\ntorch.zeros(2, 4) @ torch.zeros(len(kept) + 1, 5)",
    "what passed it": f"{KEPT}\nif 4 in kept and 2 not in kept: {FAILURE}",
    "another list": f"bad = [{PARTS}]\nother = [1]\nif other: {FAILURE}",
}


def proved(tmp_path: Path, body: str) -> list[bool]:
    text = HEAD + "".join(f"    {line}\n" for line in body.splitlines())
    problems = explore(tmp_path, "test_net.py", ast.parse(text), Versions()).problems.values()
    return [p.proved for p in problems if p.level == "error"]


@pytest.mark.parametrize("name", SILENT)
def test_what_nobody_knows_proves_nothing(tmp_path: Path, name: str) -> None:
    assert True not in proved(tmp_path, SILENT[name])


@pytest.mark.parametrize("name", LOUD)
def test_what_is_known_goes_on_being_proved(tmp_path: Path, name: str) -> None:
    assert proved(tmp_path, LOUD[name]) == [True]
