"""Classes that inherit from `torch.Tensor` or that PyTorch asks: each call is run, and traced to its width."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """
import torch
from torch import nn
import torch.nn.functional as F

class Plain(torch.Tensor):
    def doubled(self):
        return torch.cat([self, self], dim=-1)

class Named(torch.Tensor):
    @staticmethod
    def __new__(cls, data, name=None):
        made = torch.as_tensor(data).as_subclass(cls)
        made.label = name
        return made
    def __init__(self, data, name=None):
        pass
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return super().__torch_function__(func, types, args, kwargs or {})

class Outer(torch.Tensor):
    def __new__(cls, data):
        return torch.Tensor._make_subclass(cls, data)
    def __mul__(self, other):
        return torch.outer(torch.Tensor(self), torch.Tensor(other))

class Held:
    def __init__(self, values):
        self.values = values
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        def inner(a):
            return [inner(v) for v in a] if isinstance(a, list) else a.values if isinstance(a, Held) else a
        plain = [inner(a) for a in args]
        if func is torch.sum:
            return torch.zeros(7)
        return cls(func(*plain, **(kwargs or {})))

p = Plain(torch.zeros(4, 6))
q = Named(torch.zeros(4, 6), "rows")
o = Outer(torch.zeros(5))
h = Held(torch.zeros(4, 6))
"""
CALLS = """
    p.shape[1]
    p.ndim
    len(p)
    p.doubled().shape[1]
    p.doubled().doubled().shape[-1]
    p.T.shape[0]
    p.sum(0).shape[0]
    (p + p).shape[1]
    (p @ torch.zeros(6, 3)).shape[1]
    (torch.zeros(3, 4) @ p).shape[1]
    (-p).shape[1]
    p[:, 1:].shape[1]
    torch.relu(p).doubled().shape[1]
    torch.stack([p, p]).shape[2]
    F.pad(p, (1, 1)).shape[1]
    nn.Linear(6, 9)(p).shape[1]
    nn.Sequential(nn.Linear(6, 9), nn.ReLU())(p).shape[1]
    torch.max(p, dim=0).values.shape[0]
    p.split(2)[0].doubled().shape[1]
    p.numpy().shape[1]
    q.shape[1]
    q.reshape(8, 3).shape[1]
    nn.Linear(6, 5)(q).shape[1]
    torch.cat([q, q], dim=1).shape[1]
    (q * 2).t().shape[1]
    (o * o).shape[1]
    (o + o).shape[0]
    torch.cat([h, h]).values.shape[0]
    torch.transpose(h, 0, 1).values.shape[1]
    torch.sum(h).shape[0]
    torch.add(h, 1).values.shape[1]
"""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("width", [line.strip() for line in CALLS.strip().splitlines()])
def test_the_object_is_the_tensor_in_it(width: str, tmp_path: Path) -> None:
    scope: dict[str, int] = {}
    exec(f"{HEAD}\nn = {width}\n", scope)
    for more in (0, 1):
        text = f"{HEAD}\nn = {width}\nx = nn.Linear(n, 2)(torch.zeros(3, {scope['n'] + more}))\n"
        problems = explore(tmp_path, "program.py", ast.parse(text), Versions()).problems.values()
        assert [p.site.line for p in problems if p.level == "error"] == [text.count("\n")] * more


REFUSED = """
    p + torch.zeros(5)
    p @ p
    p.view(5, 5)
    torch.cat([p, torch.zeros(3, 5)])
    nn.Linear(5, 2)(p)
    nn.Linear(5, 2)(q)
    torch.cat([q, torch.zeros(3, 5)])
    q.sum(2)
    o + torch.zeros(4)
    torch.cat([h, torch.zeros(3, 5)])
    torch.add(h, torch.zeros(5))
"""


@pytest.mark.parametrize("call", [line.strip() for line in REFUSED.strip().splitlines()])
def test_what_the_tensor_refuses_is_an_error(call: str, tmp_path: Path) -> None:
    text = f"{HEAD}\nx = {call}\n"
    with pytest.raises((RuntimeError, IndexError)):
        exec(text, {})
    problems = explore(tmp_path, "program.py", ast.parse(text), Versions()).problems.values()
    assert [p.level for p in problems] == ["error"]


ACCEPTED = """
    o * torch.zeros(4)
    torch.sum(h, 5)
"""


@pytest.mark.parametrize("call", [line.strip() for line in ACCEPTED.strip().splitlines()])
def test_what_the_class_decides_itself_is_its_own_matter(call: str, tmp_path: Path) -> None:
    text = f"{HEAD}\nx = {call}\n"
    exec(text, {})
    assert not explore(tmp_path, "program.py", ast.parse(text), Versions()).problems
