"""In which order paths are followed, and what counts as left out."""

from __future__ import annotations

from pathlib import Path
from time import process_time

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.paths.paths import Decision, Explorer
from analyzer.tracing.paths.symbols import Site
from analyzer.tracing.tracing import explore, read_source


def decided(prefix: tuple[bool, ...], branches: int) -> list[Decision]:
    """A program of so many independent branches."""
    taken = [*prefix, *[True] * (branches - len(prefix))]
    return [Decision(Site("a.py", line), side, "flag", "", False) for line, side in enumerate(taken)]


def followed(branches: int, most: int, stop: int = 10_000) -> tuple[list[tuple[bool, ...]], Explorer]:
    explorer, found = Explorer(most), []
    for prefix in explorer.prefixes():
        if len(found) == stop:
            break
        decisions = decided(prefix, branches)
        found.append(tuple(d.taken for d in decisions))
        explorer.finished(prefix, decisions)
    return found, explorer


def test_each_side_comes_before_combinations() -> None:
    found, explorer = followed(4, 24)
    assert len(found) == len(set(found)) == 16
    assert not explorer.spent
    first = found[:5]
    assert all({path[i] for path in first} == {True, False} for i in range(4))


def test_a_path_that_is_cut_short_among_combinations_leaves_no_side_out() -> None:
    assert followed(4, 24, stop=7)[1].covered
    assert not followed(4, 24, stop=3)[1].covered


def test_beyond_the_limit_only_new_sides_are_followed() -> None:
    found, explorer = followed(9, 6)
    assert len(found) == 10
    assert not explorer.spent
    assert explorer.covered


def test_one_path_for_each_side_although_a_loop_asks_again_and_again() -> None:
    explorer, paths = Explorer(6), 0
    for prefix in explorer.prefixes():
        paths += 1
        asked = [("other", 0), *([("loop", line) for line in range(20)] * 30)]
        taken = [*prefix, *[True] * (len(asked) - len(prefix))]
        decisions = [
            Decision(Site(n, line), side, "flag", "", False) for (n, line), side in zip(asked, taken, strict=True)
        ]
        explorer.finished(prefix, decisions)
    assert explorer.covered
    assert not explorer.spent
    assert paths == 22


def test_a_path_that_is_put_back_is_followed_again() -> None:
    explorer, found = Explorer(24), []
    for prefix in explorer.prefixes():
        found.append(prefix)
        if len(found) == 2:
            explorer.put_back()
            break
        explorer.finished(prefix, decided(prefix, 3))
    assert not explorer.covered
    for prefix in explorer.prefixes():
        found.append(prefix)
        explorer.finished(prefix, decided(prefix, 3))
    assert found[1] == found[2]
    assert len(found) == 9
    assert explorer.covered


MANY = """
import torch
from torch import nn
from elsewhere import asked

def last():
    nn.Linear(3, 4)(torch.zeros(2, {}))

class First(nn.Module):
    def __init__(self, kind):
        super().__init__()
        n = 0
        for i in range(60):
            for j in range(40):
                n = n * 3 + i + j
        {}
    def forward(self, x):
        return x
""" + "\n".join(f"class C{k}(First):\n    def forward(self, x):\n        return x + {k}\n" for k in range(12))


@pytest.mark.parametrize(("size", "told"), [(5, True), (3, False)])
def test_paths_left_for_other_definitions_are_followed_with_what_those_leave(
    tmp_path: Path, size: int, told: bool
) -> None:
    branches = [f"if kind == {k}:\n            n = asked({k})" for k in range(5)]
    asked = "\n        ".join([*branches, "if kind == 9:\n            last()"])
    assert bool(errors(tmp_path, MANY.format(size, asked))) is told


LONG = """
import os
import torch
from torch import nn

a, b = nn.Linear(4, 4), nn.Linear(5, 5)
x = torch.zeros(2, 4)
total = 0

def run(layer, x):
    return layer(x)

def busy(number):
    total = 0
    for i in range(60):
        for j in range(60):
            total = total * 3 + i + j + number
    return total
"""
WORK = "\n    ".join(f"for n in range(60):\n        total = total * 5 + busy(n * {k})" for k in range(9))


@pytest.mark.parametrize(("passes", "told"), [(1, True), (2, False)])
def test_a_path_cut_by_its_budget_excuses_what_it_has_passed_more_often(
    tmp_path: Path, passes: int, told: bool
) -> None:
    branch = f'layers = [a, b] if os.path.exists("cache") else [a] * {passes}\n'
    loop = f"for layer in layers:\n    run(layer, x)\nif len(layers) == {passes} and layers[-1] is a:\n    {WORK}\n"
    assert bool(errors(tmp_path, LONG + branch + loop)) is told


def test_a_path_cut_by_its_budget_excuses_no_other_call(tmp_path: Path) -> None:
    """The same line of a function goes well there, in calls from other lines."""
    branch = (
        f'if os.path.exists("cache"):\n    run(a, x)\n    run(b, x)\nelse:\n    run(a, x)\n    run(a, x)\n    {WORK}\n'
    )
    assert errors(tmp_path, LONG + branch)


def test_what_the_default_run_meets_is_kept_where_the_run_with_symbols_is_cut(tmp_path: Path) -> None:
    branch = f'if os.environ.get("SLOW") is not None:\n    {WORK}\nimport some\nif some.thing(x):\n    run(b, x)\n'
    assert errors(tmp_path, LONG + branch)


CONFIGURED = """
import torch
import yaml
from torch import nn

def make(kind, size):
    layers = {"a": nn.Linear(4, 4), "b": nn.Linear(5, 5)}
    return layers[kind](torch.zeros(2, 4))

"""


def test_what_a_program_reads_from_a_file_is_no_choice_of_a_caller(tmp_path: Path) -> None:
    assert not errors(tmp_path, CONFIGURED + "make(**yaml.safe_load(open('net.yml')))\n")
    assert errors(tmp_path, CONFIGURED + "make(kind='b', size=3)\n")


SIDES = "\n    ".join(f"if os.path.exists('{n}'):\n        total = total + {n}" for n in range(6))
TESTS = (
    "".join(f"def test_{n}():\n    total = busy({n})\n    {SIDES}\n\n" for n in range(9))
    + "def test_last():\n    run(b, x)\n"
)


def test_the_first_path_of_each_test_comes_before_further_paths_of_one(tmp_path: Path) -> None:
    assert errors(tmp_path, LONG + TESTS)


def errors(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "program.py"
    path.write_text(text)
    _, tree = read_source(path, tmp_path)
    shared = explore(tmp_path, "program.py", tree, Versions())
    return [p.message for p in shared.problems.values() if p.level == "error"]


CHANCE = """
import torch

def pick():
    for round in range(3):
        if torch.rand(()) > 0.5:
            return round
    return {otherwise}

start = pick()
print(torch.zeros(4, 2)[start : start + 1].expand(1, 2))
"""


def test_several_answers_of_data_prove_nothing_where_others_work(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(CHANCE.format(otherwise=-1))
    _, tree = read_source(tmp_path / "net.py", tmp_path)
    assert not explore(tmp_path, "net.py", tree, Versions()).problems
    text = CHANCE.format(otherwise=-1).replace("return round", "return round - 9")
    _, tree = read_source(tmp_path / "net.py", tmp_path, text)
    assert explore(tmp_path, "net.py", tree, Versions()).problems  # no choice works


@pytest.mark.parametrize("element", ["f'layer{n}'", "made[n]", "(n, made)"])
def test_a_set_that_is_filled_one_by_one_takes_as_long_as_its_elements(tmp_path: Path, element: str) -> None:
    text = "import torch\nmade = [object() for n in range(1500)]\nheld = set()\n" + "".join(
        f"n = {n}\nheld.add({element})\n" for n in range(1500)
    )
    started = process_time()
    assert errors(tmp_path, f"{text}torch.zeros(1500).view(7)\n")
    assert process_time() - started < 4
