"""What `id` tells of objects: keys of dictionaries and elements of sets, held against Python."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """import torch
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(4, 5))
first, last = net[0], net[1]
"""
CASES = [
    ("numbers = {id(p): i for i, p in enumerate(net.parameters())}", "numbers[id(last.bias)]", 3),
    ("kept = {id(p) for p in first.parameters()}", "[p for p in net.parameters() if id(p) not in kept][0].shape[0]", 5),
    ("kept = set(map(id, last.parameters()))", "sum(1 for p in net.parameters() if id(p) in kept)", 2),
    ("met = {}\nfor m in (first, last, first):\n    met.setdefault(id(m), []).append(m)", "len(met)", 2),
    ("met = {id(first): 7}\nmet.pop(id(first))", "len(met)", 0),
    ("met = set()\nfor m in (first, last, first):\n    met.add(id(m))", "len(met)", 2),
    ("state = {}\nif id(first) not in state:\n    state[id(first)] = 6", "state[id(first)]", 6),
]


@pytest.mark.parametrize(("made", "asked", "size"), CASES)
@pytest.mark.parametrize("more", [0, 1])
def test_an_object_has_its_number(tmp_path: Path, made: str, asked: str, size: int, more: int) -> None:
    text = f"{HEAD}{made}\ntorch.zeros({asked} + 2) + torch.zeros({size} + {2 + more})\n"
    try:
        exec(text, {})
        fails = False
    except RuntimeError:
        fails = True
    told = [p.site.line for p in explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values() if p.proved]
    assert told == ([text.count("\n")] if fails else [])
    assert fails is bool(more)


@pytest.mark.parametrize("test", ["id(first) % 2", "id(first) < id(last)", "hash(first) % 2"])
def test_the_number_itself_is_not_known(tmp_path: Path, test: str) -> None:
    text = f"{HEAD}if {test}:\n    torch.zeros(2) + torch.zeros(3)\n"
    assert not any(p.proved for p in explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values())
