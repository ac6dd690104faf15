"""Modules that write more into their state than their parameters and buffers."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

PROGRAM = """
import torch
from torch import nn
class Part(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 3)
    {}
class Whole(nn.Module):
    def __init__(self):
        super().__init__()
        self.part = Part()
names = sorted(Whole().state_dict())
assert len(names) == {}
"""
OWN = [
    ("def get_extra_state(self): return {'version': 2}", 3),
    ("def state_dict(self, *a, prefix='', **k): return {**super().state_dict(*a, prefix=prefix, **k)}", 2),
    ("def _save_to_state_dict(self, d, prefix, keep): d[prefix + 'more'] = torch.ones(3)", 3),
]


def told(tmp_path: Path, text: str) -> list[str]:
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    return [p.rule for p in problems if p.level == "error"]


@pytest.mark.parametrize(("method", "count"), OWN)
def test_more(method: str, count: int, tmp_path: Path) -> None:
    text = PROGRAM.format(method, count)
    exec(text, {})
    assert told(tmp_path, text) == []


def test_no_more(tmp_path: Path) -> None:
    assert told(tmp_path, PROGRAM.format("", 2)) == []
    assert told(tmp_path, PROGRAM.format("", 3)) == ["tracing/uncaught-exception"]


LOADED = """
import torch
from torch import nn
class Counted(nn.Module):
    version = 2
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.tensor(0))
    def get_extra_state(self):
        return {"version": self.version}
    def set_extra_state(self, state):
        self.version = state["version"] + 1
one, other = Counted(), Counted()
one.count += 5
"""
LOAD = "other.load_state_dict(one.state_dict())\n"


@pytest.mark.parametrize("statement", ["other.count == 5", "other.version == 3", "other.count.shape == ()"])
def test_what_is_loaded(statement: str, tmp_path: Path) -> None:
    exec(f"{LOADED}{LOAD}assert {statement}\n", {})
    assert told(tmp_path, f"{LOADED}{LOAD}assert {statement}\n") == []
    if "shape" not in statement:
        assert len(told(tmp_path, f"{LOADED}assert {statement}\n")) == 1
