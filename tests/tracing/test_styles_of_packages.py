"""Ways in which published packages write models: each program runs, and its twin with one other size fails."""

from __future__ import annotations

import ast
import sys
import types
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

torch = pytest.importorskip("torch")

BY_NAME = """
import fnmatch
import torch
from torch import nn
from torch.nn import functional as F

MODELS = {}

def register(make):
    MODELS[make.__name__] = make
    return make

@register
def small_net(width=3):
    return nn.Linear(width, 4)

@register
def small_other(width=5):
    return nn.Linear(width, 4)

@register
def large(width=9):
    return nn.Linear(width, 4)

def models(pattern="", exclude=""):
    names = MODELS.keys()
    if pattern:
        names = fnmatch.filter(names, pattern)
    return sorted(n for n in names if not exclude or not fnmatch.fnmatch(n, exclude))
"""
OF_A_CLASS = """
import torch
from torch import nn

class Adapted(nn.Linear):
    def __init__(self, given, made, rank=2, **settings):
        nn.Linear.__init__(self, given, made, **settings)
        self.down = nn.Parameter(self.weight.new_zeros((rank, given)))
        self.up = nn.Parameter(self.weight.new_zeros((made, rank)))
        self.merged = False
        self.reset_parameters()

    def reset_parameters(self):
        nn.Linear.reset_parameters(self)
        if hasattr(self, "up"):
            nn.init.zeros_(self.up)

    def train(self, mode=True):
        nn.Linear.train(self, mode)
        self.merged = not mode
        return self

    def forward(self, x):
        if self.merged:
            return nn.Linear.forward(self, x)
        return nn.Linear.forward(self, x) + x @ self.down.T @ self.up.T

class Bare(nn.Module):
    def __init__(self):
        nn.Module.__init__(self)
        nn.Module.register_buffer(self, "kept", torch.zeros(3))
        nn.Module.add_module(self, "layer", nn.Linear(4, 5))
"""
SEQUENCES = """
import torch
from torch import nn

scores = torch.zeros(10, 2, 6).log_softmax(2)

def loss(targets, given, labels):
    return nn.CTCLoss(reduction="none")(scores, torch.ones(targets, dtype=torch.long), given, labels)

def whole(*rows):
    return torch.tensor(rows)
"""
REGISTERED = """
import sys
import torch
from torch import nn

MODELS = {}

def register(make):
    module = sys.modules[make.__module__]
    assert hasattr(module, "MODELS")
    MODELS[make.__name__] = make
    return make

@register
def small(width=3):
    return nn.Linear(width, 4)

@register
class Large(nn.Linear):
    def __init__(self, width=5):
        super().__init__(width, 4)

def made(name):
    if name not in MODELS:
        raise RuntimeError("unknown")
    return MODELS[name]()
"""
MIXED = """
import torch
from torch.distributions import Categorical, Independent, MixtureSameFamily, Normal

def mixture(k, *batch):
    parts = Independent(Normal(torch.zeros(*batch, 5, 7), torch.ones(*batch, 5, 7)), 1)
    return MixtureSameFamily(Categorical(logits=torch.zeros(k)), parts)
"""
PAIRS = [
    (REGISTERED, "made('small')(torch.zeros(2, {}))", 3, 4),
    (REGISTERED, "made('Large')(torch.zeros(2, {}))", 5, 4),
    (REGISTERED, "torch.zeros(1, len(sys.modules[Large.__module__].MODELS)) @ torch.zeros({})", 2, 0),
    (REGISTERED, "torch.zeros(1, 2 + (small.__module__ == Large().__module__ == '__main__')) @ torch.zeros({})", 3, 2),
    (MIXED, "mixture({}).log_prob(torch.zeros(4, 7))", 5, 6),
    (MIXED, "mixture({}, 4)", 5, 1),
    (MIXED, "mixture(5).log_prob(torch.zeros(4, 7)) @ torch.zeros({})", 4, 7),
    (BY_NAME, "MODELS[models('small*')[0]]()(torch.zeros(2, {}))", 3, 5),
    (BY_NAME, "MODELS[models('small*', exclude='*net')[0]]()(torch.zeros(2, {}))", 5, 3),
    (BY_NAME, "[MODELS[n](7)(torch.zeros(2, {})) for n in models('*a[lr]*')]", 7, 9),
    (BY_NAME, "torch.zeros(2, len(fnmatch.filter(['a.pt', 'b.py', 'c.pt'], '*.pt'))) @ torch.zeros({}, 2)", 2, 3),
    (OF_A_CLASS, "Adapted(3, 4)(torch.zeros(2, {}))", 3, 4),
    (OF_A_CLASS, "Adapted(3, 4).eval()(torch.zeros(2, {}))", 3, 4),
    (OF_A_CLASS, "Bare().kept @ torch.zeros({})", 3, 4),
    (OF_A_CLASS, "Bare().layer(torch.zeros(2, {}))", 4, 3),
    (OF_A_CLASS, "nn.Linear.forward(nn.Linear(3, 4), torch.zeros(2, {}))", 3, 4),
    (OF_A_CLASS, "nn.Module.train(nn.Linear(3, 4), False)(torch.zeros(2, {}))", 3, 4),
    (SEQUENCES, "loss((2, 3), whole(10, 9), whole(3, 2)) @ torch.zeros({})", 2, 3),
    (SEQUENCES, "loss(({}, 3), whole(10, 9), whole(3, 2))", 2, 3),
    (SEQUENCES, "loss((5,), whole(*[9] * {}), whole(3, 2))", 2, 3),
    (SEQUENCES, "loss((5,), (10, 9), [2] * {} + [3])", 1, 2),
    (SEQUENCES, "loss((2, 3), whole([10], [9]), torch.ones(1, {}, dtype=torch.long))", 2, 3),
]


def _run(folder: Path, head: str, call: str) -> bool:
    """Whether it runs as a script."""
    (folder / "run.py").write_text(f"{head}\n{call}\n")
    main = sys.modules["__main__"]
    try:
        module = sys.modules["__main__"] = types.ModuleType("__main__")
        exec(compile((folder / "run.py").read_text(), "run.py", "exec"), vars(module))
    except (RuntimeError, ValueError):
        return False
    finally:
        sys.modules["__main__"] = main
    return True


@pytest.mark.parametrize(("head", "call", "fits", "other"), PAIRS)
def test_one_size_decides(tmp_path: Path, head: str, call: str, fits: int, other: int) -> None:
    assert _run(tmp_path, head, call.format(fits))
    assert not _run(tmp_path, head, call.format(other))
    for size, wrong in ((fits, []), (other, [True])):
        text = f"{head}\n{call.format(size)}\n"
        problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
        assert [p.proved for p in problems if p.level == "error"] == wrong, [p.message for p in problems]


OBJECTS = """
import enum, fractions
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar
from somewhere import decorated
import torch

@dataclass
class Plain:
    size: int = 3

class Old(object):
    pass

class Heir(Plain):
    pass

class Scaled(Plain):
    def __mul__(self, number):
        return Scaled(self.size * number)

class Written(Plain):
    pass

Written.__mul__ = lambda self, number: number

class Pair(NamedTuple):
    size: int = 3

class Number(int):
    pass

class Level(enum.IntEnum):
    ONE = 1

class Of(Generic[TypeVar("T")]):
    pass

@decorated
class Other:
    pass

class Meta(type):
    pass

class Made(metaclass=Meta):
    pass
"""


@pytest.mark.parametrize(
    ("made", "refused"),
    [
        ("Plain() * 2", True),
        ("Old() - 1", True),
        ("Heir() + 1.5", True),
        ("Scaled() // 2", True),
        ("Scaled() * 2", False),
        ("Written() * 2", False),
        ("Pair() * 2", False),
        ("Number(3) * 2", False),
        ("Level.ONE + 1", False),
        ("Of() * 2", True),
        ("Other() * 2", False),
        ("Made() * 2", False),
        ("Plain().size * 2", False),
    ],
)
def test_an_object_and_a_number(tmp_path: Path, made: str, refused: bool) -> None:
    problems = explore(tmp_path, "net.py", ast.parse(f"{OBJECTS}\n{made}\n"), Versions()).problems.values()
    assert [p.proved for p in problems if p.level == "error"] == [True] * refused
