"""A child that is registered under a name that another has takes its place, as in PyTorch."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import torch

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

CHANGES = [
    "net.add_module('a', nn.Linear(4, 8)); net.add_module('b', nn.Linear(8, 3)); net.add_module('a', nn.Linear(5, 8))",
    "net.register_module('a', nn.Linear(4, 8)); net.register_module('b', nn.Linear(8, 3)); net.a = nn.Linear(5, 8)",
    "net.add_module('0', nn.Linear(4, 8)); net.append(nn.Linear(8, 3)); net.add_module('0', nn.Linear(5, 8))",
    "net.a = nn.Linear(5, 8); net.add_module(name='a', module=nn.Linear(4, 8)); net.add_module('b', nn.Linear(8, 3))",
    "net = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 3)); net.add_module('1', nn.Linear(8, 5))",
    "net = nn.Sequential(OrderedDict(a=nn.Linear(4, 8), b=r, c=r)); net.add_module('c', nn.Linear(8, 3))",
    "net = nn.Sequential(OrderedDict(a=nn.Linear(4, 8), b=r, c=r)); net.b = nn.Linear(8, 3)",
    "net = Kept(); net.add_module('b', nn.Linear(8, 2)); net.add_module('a', nn.Linear(5, 8))",
    "net = Kept(); net.b = nn.Linear(8, 2); net.a = nn.Linear(5, 8)",
    "net = Kept(); net.late = nn.Linear(3, 6)",
    "net = Listed(); net.parts.add_module('1', nn.Linear(8, 2))",
    "net = Listed(); net.parts.register_module('2', nn.Linear(3, 2))",
]
HEAD = """
from collections import OrderedDict
import torch
from torch import nn
r = nn.ReLU()
class Kept(nn.Module):
    def __init__(self):
        super().__init__()
        self.late = None
        self.add_module("a", nn.Linear(4, 8))
        self.b = nn.Linear(8, 3)
    def forward(self, x):
        for m in self.children():
            x = m(x)
        return x
class Listed(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList([nn.Linear(4, 8), nn.Linear(8, 3)])
    def forward(self, x):
        for m in self.parts:
            x = m(x)
        return x
net = nn.Sequential()
"""


@pytest.mark.parametrize("change", CHANGES)
def test_a_child_is_replaced_where_it_stands(tmp_path: Path, change: str) -> None:
    scope: dict[str, object] = {}
    exec(HEAD + change, scope)
    net = scope["net"]
    assert isinstance(net, torch.nn.Module)
    for size in (4, 5):
        text = f"{HEAD}{change}\ny = net(torch.zeros(1, {size}))\n"
        last = text.count("\n")
        shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
        errors = [p for p in shared.problems.values() if p.level == "error"]
        try:
            expected = tuple(net(torch.zeros(1, size)).shape)
        except RuntimeError:
            assert [p.certain for p in errors] == [True]
            continue
        assert not errors
        found = {t.dims for (_, line, _), tensors in shared.assigned.items() if line == last for t in tensors}
        assert found == {expected}


BY_PROPERTY = """
import weakref
import torch
from torch import nn
class Base(nn.Module):
    @property
    def inner(self):
        return self._modules.get("inner", None)
    @inner.setter
    def inner(self, value):
        self._modules["inner"] = value
class Net(Base):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
    def forward(self, x):
        return self.inner(x)
net = Net(nn.Linear(4, 5))
assert [name for name, _ in net.named_children()] == ["inner"]
widths = weakref.WeakKeyDictionary()
assert widths.get(net) is None
widths[net] = 5
net(torch.zeros(2, {})).view(2, widths.get(net))
"""


@pytest.mark.parametrize(("size", "wrong"), [(4, False), (6, True)])
def test_a_property_that_registers_a_child(tmp_path: Path, size: int, wrong: bool) -> None:
    text = BY_PROPERTY.format(size)
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert [(p.site.line, p.proved) for p in problems if p.level == "error"] == ([(17, True)] if wrong else [])
    text = BY_PROPERTY.format(4).replace("widths[net] = 5", "widths[net] = 6")
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert [(p.site.line, p.proved) for p in problems if p.level == "error"] == [(23, True)]
