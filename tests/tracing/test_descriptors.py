"""Attributes that an object of the class sets and gives, methods that a program puts in another's place."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

DESCRIBED = """
class Doubled:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, owner, kind=None):
        return self if owner is None else getattr(owner, self.name, 4)

    def __set__(self, owner, value):
        setattr(owner, self.name, value * 2)

class Net:
    width = Doubled()

    def __init__(self, width=None):
        if width:
            self.width = width

class Settings(dict):
    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__

settings = Settings(a=3)
settings.b = 4
"""
REPLACED = """
import types
from torch import nn
from torch.nn import functional as F

net = nn.Linear(3, 4)
before = net.forward

def forward(self, x):
    return F.linear(x, self.weight).view(2, 2, -1)

net.forward = types.MethodType(forward, net)
wrapped = nn.Linear(3, 4)
inner = wrapped.forward
wrapped.forward = lambda x: inner(x).unsqueeze(0)
old = nn.ReLU.forward
nn.ReLU.forward = lambda self, x: x.view(1, -1)
relu = nn.ReLU()(torch.ones(2))
nn.ReLU.forward = old
"""
SIZES = [
    ("Net(3).width", DESCRIBED, "6"),
    ("Net().width", DESCRIBED, "4"),
    ("Net(3)._width", DESCRIBED, "6"),
    ("settings['b']", DESCRIBED, "4"),
    ("settings.b", DESCRIBED, "4"),
    ("net(torch.ones(2, 3))", REPLACED, "(2, 2, 2)"),
    ("before(torch.ones(2, 3))", REPLACED, "(2, 4)"),
    ("wrapped(torch.ones(2, 3))", REPLACED, "(1, 2, 4)"),
    ("wrapped.forward(torch.ones(2, 3))", REPLACED, "(1, 2, 4)"),
    ("relu", REPLACED, "(1, 2)"),
    ("nn.ReLU()(torch.ones(2))", REPLACED, "(2,)"),
]


def errors(tmp_path: Path, text: str) -> list[int]:
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    return [p.site.line for p in problems if p.level in ("error", "warning")]


@pytest.mark.parametrize(("asked", "head", "told"), SIZES)
def test_what_python_gives(asked: str, head: str, told: str, tmp_path: Path) -> None:
    shape = f"({asked}).shape" if told.startswith("(") else f"torch.zeros({asked}).shape"
    text = f"import torch\n{head}\nassert {shape} == {told if told.startswith('(') else f'({told},)'}\n"
    exec(text, {})
    assert errors(tmp_path, text) == []
    wrong = text.replace(" == ", " != ") if "==" in text else text
    assert errors(tmp_path, wrong) == [text.count("\n")]


def test_a_class_method_over_a_property_is_what_the_version_of_python_makes_of_it(tmp_path: Path) -> None:
    text = (
        "import torch\n\nclass Base:\n    def __init__(self):\n        self.made = self.kind(size=3)\n\n"
        "    @classmethod\n    @property\n    def kind(cls):\n        return dict\n\n"
        "Base()\ntorch.zeros(2, 3) @ torch.zeros(4, 5)\n"
    )
    for over, lines in (("    @classmethod\n    @property\n", [13]), ("    @classmethod\n", [5])):
        found = text.replace("    @classmethod\n    @property\n", over)
        problems = explore(tmp_path, "net.py", ast.parse(found), Versions()).problems.values()
        assert [p.site.line for p in problems if p.level == "error"] == lines
