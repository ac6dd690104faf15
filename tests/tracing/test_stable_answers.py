"""What a run asks twice it is told alike: versions, the machine, functions that remember, and checkpoints that call."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.paths.frames import Shared
from analyzer.tracing.tracing import explore

HEAD = "import torch, torch.nn as nn\n"


def traced(tmp_path: Path, text: str) -> Shared:
    (tmp_path / "net.py").write_text(HEAD + text)
    return explore(tmp_path, "net.py", ast.parse(HEAD + text), Versions())


def errors(shared: Shared) -> list[int]:
    return [p.site.line for p in shared.problems.values() if p.level == "error" and p.proved]


@pytest.mark.parametrize(("size", "wrong"), [(4, False), (5, True)])
@pytest.mark.parametrize(
    "called",
    [
        "checkpoint(layer, x)",
        "checkpoint(layer, x, use_reentrant=False)",
        "checkpoint(lambda a, b: layer(a), x, None, preserve_rng_state=False)",
        "checkpoint_sequential(nn.Sequential(layer, nn.ReLU()), 1, x)",
    ],
)
def test_a_checkpoint_calls_its_function(tmp_path: Path, called: str, size: int, wrong: bool) -> None:
    text = f"""
from torch.utils.checkpoint import checkpoint, checkpoint_sequential
layer = nn.Linear(4, 8)
x = torch.zeros(3, {size})
y = {called}
nn.Linear(8, 2)(y)
"""
    assert errors(traced(tmp_path, text)) == ([6] if wrong else [])


@pytest.mark.parametrize(
    ("condition", "taken"),
    [
        ("version.parse(torch.__version__) >= version.parse('1.9')", True),
        ("version.parse('2.0') == version.parse('2')", True),
        ("version.parse('1.10.2+cpu') < version.parse('1.9')", False),
        ("version.Version('2.1').major == 2 and version.parse('2.1.3').release[:2] == (2, 1)", True),
    ],
)
def test_versions_are_compared_as_packaging_does(tmp_path: Path, condition: str, taken: bool) -> None:
    text = f"""
from packaging import version
size = 4 if {condition} else 5
nn.Linear(4, 8)(torch.zeros(3, size))
"""
    assert errors(traced(tmp_path, text)) == ([] if taken else [5])


def test_a_version_before_its_release_is_not_known(tmp_path: Path) -> None:
    text = """
from packaging import version
size = 4 if version.parse("2.0rc1") < version.parse("2.0") else 5
nn.Linear(4, 8)(torch.zeros(3, size))
"""
    assert errors(traced(tmp_path, text)) == []


def test_the_machine_is_the_same_for_every_layer(tmp_path: Path) -> None:
    text = """
class Net(nn.Module):
    def __init__(self, wide):
        super().__init__()
        self.layer = nn.Linear(4, 8 if torch.cuda.is_available() else 6)
        self.head = nn.Linear(8 if torch.cuda.is_available() else 6, 4 if wide else 5)
    def forward(self, x):
        return self.head(self.layer(x))
x = torch.zeros(3, 4)
for i in range(8):
    x = Net(i < WIDE)(x)
"""
    fits, fails = traced(tmp_path, text.replace("WIDE", "8")), traced(tmp_path, text.replace("WIDE", "6"))
    assert errors(fits) == []
    assert errors(fails) == [9]
    assert not fits.notes  # one question, two paths


def test_functions_that_remember_give_the_same_object(tmp_path: Path) -> None:
    text = """
import functools
calls = []
@functools.lru_cache(maxsize=None)
def size(n):
    calls.append(n)
    return n if n < 2 else size(n - 1) + size(n - 2)
class Net:
    @functools.cached_property
    def made(self):
        calls.append(0)
        return nn.Linear(4, 8)
n = size(12)
net = Net()
same = net.made is net.made
nn.Linear(len(calls), 144)(torch.zeros(3, 14 if same else 1))
nn.Linear(n, 2)(torch.zeros(3, 145))
"""
    assert errors(traced(tmp_path, text)) == [18]


def test_the_fields_of_a_named_tuple_as_a_dictionary(tmp_path: Path) -> None:
    text = """
from collections import namedtuple
Sizes = namedtuple("Sizes", ["in_features", "out_features"])
layer = nn.Linear(**Sizes(4, 8)._asdict())
layer(torch.zeros(3, 5))
"""
    assert errors(traced(tmp_path, text)) == [6]


@pytest.mark.parametrize(
    ("count", "proved"), [("somelib.count()", False), ("3", True), ("len(numpy.load('x'))", False)]
)
def test_nothing_is_proved_in_a_second_round_that_nobody_knows_of(tmp_path: Path, count: str, proved: bool) -> None:
    text = f"""
import numpy, somelib
data = numpy.zeros((1, 4))
place = 0
for _ in range({count}):
    data[place]
    place += 1
"""
    shared = traced(tmp_path, text)
    assert errors(shared) == ([7] if proved else [])


def test_a_flag_may_ask_for_a_second_round(tmp_path: Path) -> None:
    text = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--depth", type=int, required=True)
depth = parser.parse_args().depth
x = torch.zeros(3, 4)
for _ in range(depth):
    x = nn.Linear(4, 8)(x)
"""
    assert errors(traced(tmp_path, text)) == [9]


@pytest.mark.parametrize(("columns", "wrong"), [(2, False), (3, True)])
def test_a_range_is_an_index(tmp_path: Path, columns: int, wrong: bool) -> None:
    text = f"""
import numpy
order = numpy.arange(5)[range(1, 3)]
torch.zeros(4, {columns}) @ torch.zeros(4, 6)[order]
torch.zeros(2, 5)[:, range(5)] @ torch.zeros(5, 2)
"""
    assert errors(traced(tmp_path, text)) == ([5] if wrong else [])
