"""Named tuples: their defaults, what Python refuses of them, and modules gone through one by one."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

PLAIN = "import collections, re, torch\nfrom torch import nn\nP = collections.namedtuple('P', 'a b')\n"
MODULE = (
    "class M(nn.Module):\n    def __init__(self, d):\n        super().__init__()\n        if d:\n"
    "            self.a = nn.Linear(3, 4)\n        else:\n            self.b = nn.Linear(5, 6)\n"
    "    def forward(self, x):\n        if hasattr(self, 'a'):\n            return self.a(x)\n"
    "        return self.b(x)\n"
)


STARRED = "def f(a, b=None, *c):\n    return a\n\n"
APPLIED = (
    "class O(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, y, *rest):\n        return y * 2\n\n"
)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("P(1, 2) + 1", True),
        ("P(1, 2) + (1,)", False),
        ("(P(1, 2) * 2).a", True),
        ("(P(1, 2) * 2).count(1)", False),
        ("P.__new__.__defaults__ = (5,) * len(P._fields)\ntorch.zeros(2, P(3).b) @ torch.zeros(4, 1)", True),
        ("P.__new__.__defaults__ = (5,) * len(P._fields)\ntorch.zeros(2, P(3).b) @ torch.zeros(5, 1)", False),
        ("n = int(re.split(r'(\\d.*)', 'k3')[1])\ntorch.zeros(2, n) @ torch.zeros(4, 1)", True),
        ("n = int(re.split(r'(\\d.*)', 'k3')[1])\ntorch.zeros(2, n) @ torch.zeros(3, 1)", False),
        (MODULE + "M(False)(torch.zeros(2, 3))", True),
        (MODULE + "M(False)(torch.zeros(2, 5))", False),
        (MODULE + "M(True)(torch.zeros(2, 3))", False),
        ("for m in nn.Sequential(nn.ReLU(), nn.Linear(2, 3)).modules():\n    pass", False),
        ("q, k = map(lambda t: t + 1, torch.zeros(2, 6).chunk(3, dim=1))", True),
        ("q, k, v = map(lambda t: t + 1, torch.zeros(2, 6).chunk(3, dim=1))", False),
        ("q, k = [t + 1 for t in torch.zeros(2, 6).chunk(3, dim=1)]", True),
        (APPLIED + "torch.zeros(2, 3) @ O.apply(torch.zeros(3, 4), *nn.Linear(3, 4).parameters())", False),
        (APPLIED + "torch.zeros(2, 4) @ O.apply(torch.zeros(3, 4), *nn.Linear(3, 4).parameters())", True),
        (STARRED + "torch.zeros(2, 4) @ f(*nn.Linear(4, 4).parameters(), torch.zeros(3, 4))", False),
        (STARRED + "torch.zeros(2, 4) @ f(*nn.Linear(4, 5).parameters(), torch.zeros(3, 4))", True),
        (MODULE + "n = getattr(M(True), '_is_replica', 3)\ntorch.zeros(2, n) @ torch.zeros(4, 1)", True),
        (MODULE + "n = getattr(M(True), '_is_replica', 3)\ntorch.zeros(2, n) @ torch.zeros(3, 1)", False),
        (MODULE + "for m in M(True).modules():\n    if isinstance(m, nn.Linear):\n        m(torch.zeros(2))", True),
        (MODULE + "for m in M(True).modules():\n    if isinstance(m, nn.Linear):\n        m(torch.zeros(3))", False),
    ],
)
def test_what_python_does(tmp_path: Path, text: str, wrong: bool) -> None:
    shared = explore(tmp_path, "main.py", ast.parse(PLAIN + text + "\n"), Versions())
    assert bool([p for p in shared.problems.values() if p.level == "error"]) == wrong


@pytest.mark.parametrize("asked", ["nn.Linear(4, 8), 'reset_parameters'", "nn.Conv2d(3, 4, 1), 'bias'",
                                   "nn.ReLU(), 'train'", "nn.Linear(4, 8), 'in_features'"])  # fmt: skip
def test_a_layer_is_known_to_have_what_pytorch_gives_it(tmp_path: Path, asked: str) -> None:
    import torch

    text = f"n = 3 if hasattr({asked}) else 2\ntorch.zeros(2, n) @ torch.zeros(2, 2)\n"
    assert eval(f"hasattr({asked})", {"nn": torch.nn})
    shared = explore(tmp_path, "main.py", ast.parse(PLAIN + text), Versions())
    assert [p.certain for p in shared.problems.values()] == [True]


def test_a_name_that_every_version_of_a_framework_has_is_there(tmp_path: Path) -> None:
    text = "n = 3 if hasattr(nn, 'SiLU') else 2\ntorch.zeros(2, n) @ torch.zeros(2, 2)\n"
    shared = explore(tmp_path, "main.py", ast.parse(PLAIN + text), Versions())
    assert [p.certain for p in shared.problems.values()] == [True]


def test_a_recursion_into_the_unknown_takes_no_budget(tmp_path: Path) -> None:
    """Each level would branch three times, six levels deep, and what stands behind would not be seen."""
    text = """
import sys
def guess(v):
    if isinstance(v, list):
        return [guess(x) for x in v]
    try:
        return guess(v.a) or guess(v.b) or guess(v.c)
    except AttributeError:
        return float(v)
def walk(net, depth, size):
    return walk(net, depth - 1, size + 1) if depth else size
for i in range(20):
    guess(sys.stdin.read())
torch.zeros(2, walk(sys.stdin.read(), 4, 3)) @ torch.zeros(8, 5)
"""
    shared = explore(tmp_path, "main.py", ast.parse(PLAIN + text), Versions())
    assert [p.message for p in shared.problems.values() if "7" in p.message]
    assert shared.steps < 40_000


def test_rounds_that_bring_back_an_earlier_state_take_no_budget(tmp_path: Path) -> None:
    """A training loop whose every step turns a switch changes something in each round, and nothing new."""
    text = """
class Optimizer:
    def __init__(self):
        self.flags = {}
    def step(self):
        for k in ("a", "b", "c"):
            self.flags[k] = not self.flags.get(k, False)
        y = torch.zeros(4, 4)
        for i in range(9):
            y = y @ torch.zeros(4, 4)
        return y
optimizer = Optimizer()
for epoch in range(400):
    for batch in range(50):
        y = optimizer.step()
torch.zeros(2, 3) @ y
"""
    shared = explore(tmp_path, "main.py", ast.parse(PLAIN + text), Versions())
    assert [p.certain for p in shared.problems.values()] == [True]
    assert shared.steps < 60_000


MODEL = """import torch
from typing import Generic, TypeVar
from pydantic import BaseModel, Field, field_validator, model_validator
T = TypeVar("T")

class Inner(BaseModel):
    width: int
    heads: int = Field(2, gt=0)
    sizes: list = Field(default_factory=lambda: [3, 4])

class Outer(BaseModel):
    inner: Inner
    depth: int = 1
    CHECK

class Net(torch.nn.Module, Generic[T]):
    def __init__(self, config):
        super().__init__()
        self.layer = torch.nn.Linear(config.inner.width * config.inner.heads, config.inner.sizes[1])

net = Net(Outer(inner=INNER))
torch.nn.Linear(4, 2)(net.layer(torch.zeros(2, SIZE)))
"""
AFTER = "@model_validator(mode='after')\n    def check(self):\n        return self\n"
BEFORE = "@field_validator('inner')\n    def check(cls, value):\n        return Inner(width=2)\n"


@pytest.mark.parametrize(
    ("check", "inner", "size", "wrong"),
    [
        ("pass", "Inner(width=5)", 10, False),
        ("pass", "Inner(width=5)", 5, True),
        ("pass", "Inner(width=5, heads=1)", 5, False),
        (AFTER, "Inner(width=5)", 5, True),
        (BEFORE, "Inner(width=5)", 4, False),
        ("pass", "{'width': 5}", 10, False),
    ],
)
def test_a_model_of_pydantic(tmp_path: Path, check: str, inner: str, size: int, wrong: bool) -> None:
    text = MODEL.replace("CHECK", check).replace("INNER", inner).replace("SIZE", str(size))
    shared = explore(tmp_path, "main.py", ast.parse(text), Versions())
    assert bool([p for p in shared.problems.values() if p.level == "error"]) == wrong
