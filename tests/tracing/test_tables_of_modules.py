"""Properties over the tables of a module, `_modules` and `_parameters`, held against PyTorch."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

PROGRAM = """
import torch
from torch import nn

class Base(nn.Module):
    @property
    def inner(self):
        return {read}

    @inner.setter
    def inner(self, value):
        {write}

    @inner.deleter
    def inner(self):
        del self._modules["inner"]

    @property
    def scale(self):
        return self._parameters["scale"]

    def scaled(self, value):
        self._parameters["scale"] = value

class Net(Base):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(2, 2)
        del self.inner
        self.inner = nn.Linear(4, 6)
        self.scaled(nn.Parameter(torch.ones({width})))

    def forward(self, x):
        for child in self.children():
            x = child(x)
        return self.inner(torch.ones(2, 4)) * self.scale + x

Net()(torch.randn(2, {features}))
"""


@pytest.mark.parametrize("read", ["self._modules.get('inner', None)", "self._modules['inner']"])
@pytest.mark.parametrize("write", ["self._modules['inner'] = value", "self._modules.update(inner=value)"])
@pytest.mark.parametrize(("width", "features"), [(6, 4), (5, 4), (6, 5)])
def test_a_property_over_a_table(tmp_path: Path, read: str, write: str, width: int, features: int) -> None:
    text = PROGRAM.format(read=read, write=write, width=width, features=features)
    fails = False
    try:
        exec(text, {"__name__": "net"})
    except RuntimeError:
        fails = True
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    told = [p.site.line for p in shared.problems.values() if p.level == "error" and p.proved]
    assert bool(told) == fails
