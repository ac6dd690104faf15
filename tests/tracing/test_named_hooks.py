"""Hooks that are given the arguments with names, and hooks that go first."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

BEFORE = """
import torch
from torch import nn

class Takes(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear({width}, 3)
    def forward(self, x, scale=1.0):
        return self.fc(x) * scale

def flattened(module, args, kwargs):
    return (args[0].flatten(1),), {{k: v for k, v in kwargs.items() if k != "extra"}}

net = Takes()
net.register_forward_pre_hook(flattened, with_kwargs=True)
print(net(torch.zeros(2, 2, 3), scale=2.0, extra=1) @ torch.zeros(3, 1))
"""
AFTER = """
import torch
from torch import nn

net = nn.Linear(4, 6)
net.register_forward_hook(lambda m, args, kwargs, out: out.unsqueeze(1), with_kwargs=True)
print(net(torch.zeros(2, 4)).{read})
"""
FIRST = """
import torch
from torch import nn

net = nn.Linear(6, 2)
net.register_forward_pre_hook(lambda m, args: args[0].t())
net.register_forward_pre_hook(lambda m, args: args[0].view({view}), prepend=True)
print(net(torch.zeros(12)))
"""


def told(tmp_path: Path, text: str) -> list[int]:
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    return [p.site.line for p in shared.problems.values() if p.level in ("error", "warning")]


@pytest.mark.parametrize(("width", "lines"), [(6, []), (3, [10])])
def test_a_hook_before(width: int, lines: list[int], tmp_path: Path) -> None:
    assert told(tmp_path, BEFORE.format(width=width)) == lines


@pytest.mark.parametrize(("read", "lines"), [("view(2, 1, 6).squeeze(1) @ torch.zeros(6, 1)", []), ("view(2, 5)", [7])])
def test_a_hook_behind(read: str, lines: list[int], tmp_path: Path) -> None:
    assert told(tmp_path, AFTER.format(read=read)) == lines


@pytest.mark.parametrize(("view", "lines"), [("6, 2", []), ("2, 6", [8])])
def test_a_hook_that_goes_first(view: str, lines: list[int], tmp_path: Path) -> None:
    assert told(tmp_path, FIRST.format(view=view)) == lines
