"""`thing.__class__ = Other`: from then on its methods are those of the other class. Each program is run, and traced."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """
import torch
from torch import nn

class Narrow:
    def width(self):
        return 2

class Wide(Narrow):
    def width(self):
        return 3

class Doubled(torch.Tensor):
    def add(self, other):
        return 7
    def rows(self):
        return self.shape[0]

class Twice(nn.Linear):
    def forward(self, x):
        return torch.cat([super().forward(x)] * 2, dim=-1)

def library_class():
    return type("Made", (Wide,), {"width": lambda self: 4})

def doubled(tensor):
    tensor.__class__ = Doubled
    return tensor
"""
FINE = [
    "a = Narrow(); a.__class__ = Wide; torch.ones(a.width()) + torch.ones(3)",
    "a = Narrow(); a.__class__ = library_class(); torch.ones(a.width()) + torch.ones(4)",
    "a = Narrow(); setattr(a, '__class__', Wide); torch.ones(a.width()) + torch.ones(3)",
    "a = Narrow()\nif a.width() == 2:\n    a.__class__ = Wide\nassert type(a) is Wide and isinstance(a, Wide)\n"
    "torch.ones(a.width()) + torch.ones(3)",
    "t = doubled(torch.ones(2, 3)); torch.ones(t.add(1)) + torch.ones(7)",
    "t = doubled(torch.ones(2, 3)); assert t.add(torch.ones(5)) == 7",
    "t = torch.ones(2, 3); t.__class__ = Doubled; torch.ones(t.rows()) + torch.ones(2)",
    "t = torch.ones(2, 3); u = t; t.__class__ = Doubled; assert u.rows() == 2; torch.ones(u.add(1)) + torch.ones(7)",
    "t = torch.ones(2, 3)\nt.__class__ = Doubled\nif type(t) is not Doubled:\n    t.view(7)",
    "layer = nn.Linear(4, 5); layer.__class__ = Twice; layer(torch.ones(1, 4)) + torch.ones(10)",
    "net = nn.Sequential(nn.Linear(4, 5)); net[0].__class__ = Twice; net(torch.ones(1, 4)) + torch.ones(10)",
]
WRONG = [
    "a = Narrow(); a.__class__ = Wide; torch.ones(a.width()) + torch.ones(2)",
    "t = doubled(torch.ones(2, 3)); torch.ones(t.rows()) + torch.ones(3)",
]


@pytest.mark.parametrize("program", FINE)
def test_nothing_is_said_of_what_runs(tmp_path: Path, program: str) -> None:
    exec(HEAD + program, {"__name__": "__main__"})
    shared = explore(tmp_path, "script.py", ast.parse(HEAD + program), Versions())
    assert [p.message for p in shared.problems.values() if p.level == "error"] == []


@pytest.mark.parametrize("program", WRONG)
def test_the_methods_of_the_other_class_are_followed(tmp_path: Path, program: str) -> None:
    with pytest.raises(RuntimeError):
        exec(HEAD + program, {"__name__": "__main__"})
    shared = explore(tmp_path, "script.py", ast.parse(HEAD + program), Versions())
    assert [p.proved for p in shared.problems.values() if p.level == "error"] == [True]
