"""Classes that derive from `nn.Parameter`: their objects are parameters, what is computed of them plain tensors."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """
import torch
from torch import nn
class Made(nn.Parameter):
    def __new__(cls, data=None, requires_grad=True, size=None):
        data = torch.randn(*size) if data is None else data
        return {}
    def __init__(self, data=None, requires_grad=True, size=None):
        self.extra = 7
class Plain(nn.Parameter):
    def wide(self):
        return self.size(1)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = Made(size=(3, 4))
    def forward(self, x):
        return x @ self.w
net, plain = Net(), Plain(torch.randn(5, 6))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
net(torch.zeros(2, 3)).sum().backward()
opt.step()
"""
MADE = [
    "nn.Parameter._make_subclass(cls, data, requires_grad)",
    "torch.Tensor._make_subclass(cls, data, requires_grad)",
    "super().__new__(cls, data, requires_grad)",
]
FITS = """
    net.w + torch.zeros(4)
    torch.zeros(2, 5) @ plain
    torch.zeros(7) + torch.zeros(net.w.extra)
    torch.zeros(6) + torch.zeros(plain.wide())
    net.w.grad + torch.zeros(3, 4)
    net(torch.zeros(1, 3)).T @ torch.zeros(1, 2)
"""
FAILS = """
    net.w + torch.zeros(3)
    torch.zeros(2, 6) @ plain
    torch.zeros(8) + torch.zeros(net.w.extra)
    torch.zeros(5) + torch.zeros(plain.wide())
    net(torch.zeros(1, 4))
"""


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines()]


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("call", _lines(FITS))
def test_what_runs_is_silent(tmp_path: Path, made: str, call: str) -> None:
    text = f"{HEAD.format(made)}{call}\n"
    exec(text, {})
    assert not explore(tmp_path, "net.py", ast.parse(text), Versions()).problems


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("call", _lines(FAILS))
def test_what_is_refused_is_told(tmp_path: Path, made: str, call: str) -> None:
    text = f"{HEAD.format(made)}{call}\n"
    with pytest.raises(RuntimeError):
        exec(text, {})
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert [p.level for p in problems] == ["error"]
