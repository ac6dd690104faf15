"""What has a `reshape` that takes sizes is an array, whichever library gives it, and has those sizes then."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore


@pytest.mark.parametrize(
    ("made", "fits"),
    [
        ("load().predict(3).reshape(10, 3)", False),
        ("load().reshape([10, 3])", False),
        ("load().reshape((-1, 3))", False),
        ("load().reshape(10, 4)", True),
        ("load().reshape(-1)", True),  # one argument alone may be a tuple of sizes, or anything
        ("load().reshape(sizes)", True),
        ("load().reshape(0, 3)", True),  # of MXNet: as many as there are
        ("load().reshape(-4, 3)", True),
        ("load().reshape(3, order='F')", True),
        ("load().resize(10, 3)", True),
    ],
)
def test_the_sizes_of_what_nobody_knows(made: str, fits: bool, tmp_path: Path) -> None:
    text = f"import numpy as np\nfrom somewhere import load, sizes\nnp.asarray({made}) @ np.zeros((4, 3))\n"
    shared = explore(tmp_path, "main.py", ast.parse(text), Versions())
    assert [p.site.line for p in shared.problems.values() if p.level == "error"] == ([] if fits else [3])


@pytest.mark.parametrize(
    ("called", "shape"),
    [
        ("transpose(0, 2, 1)", "(4, 5, 3)"),
        ("transpose((2, 0, 1))", "(5, 4, 3)"),
        ("transpose(1, 2)", "(4, 5, 3)"),  # NumPy refuses two axes of three
        ("max(axis=-1, keepdims=True)", "(4, 3, 1)"),
        ("max(-1, keepdims=True)", "(4, 3, 1)"),
        ("repeat(2, axis=0)", "(8, 3, 5)"),
        ("sum(-1)", "(4, 3)"),
    ],
)
def test_a_method_that_libraries_have_differently(called: str, shape: str, tmp_path: Path) -> None:
    head = "import numpy as np\nfrom somewhere import load\nx = load().reshape(4, 3, 5)\n"
    text = f"{head}assert x.{called}.shape == {shape}"
    for wrong in (False, True):
        shared = explore(tmp_path, "main.py", ast.parse(text.replace("==", "!=") if wrong else text), Versions())
        assert [p.site.line for p in shared.problems.values() if p.level == "error"] == ([4] if wrong else [])


@pytest.mark.parametrize("called", ["max(0)", "repeat(2, 1, 1)", "take(i)", "nonzero()"])
def test_a_method_whose_library_nobody_knows(called: str, tmp_path: Path) -> None:
    text = f"from somewhere import i, load\nx = load().reshape(4, 3, 5)\nx.{called}.transpose(3, 4) - x.{called}[7]"
    shared = explore(tmp_path, "main.py", ast.parse(text), Versions())
    assert [p.message for p in shared.problems.values()] == []


def test_a_slice_of_an_open_list_from_a_place_nobody_knows(tmp_path: Path) -> None:
    text = (
        "import torch\nfrom somewhere import records, share\nfiles = [r for r in records]\n"
        "first = files[int(share * len(files)):]\ntorch.zeros(2, 3) @ torch.zeros(4, 3)\n"
    )
    shared = explore(tmp_path, "main.py", ast.parse(text), Versions())
    assert [p.site.line for p in shared.problems.values()] == [5]
    assert not [n for n in shared.notes if "followed further" in n]


LEFT = """
import torch
from somewhere import load
def joined(a, b):
    if b.shape != a.shape:
        b = b.reshape(a.shape)
    return torch.cat([a, b])
a, b = (torch.tensor(load(k)).reshape((1, 1, 1, -1)) for k in (1, 2))
joined(a, b).transpose(0, 3) @ torch.zeros({size}, 2)
"""


def test_what_is_left_of_two_unknowns_may_be_the_same(tmp_path: Path) -> None:
    for size, count in ((2, 0), (3, 1)):
        problems = explore(tmp_path, "net.py", ast.parse(LEFT.format(size=size)), Versions()).problems.values()
        assert sum(p.level == "error" for p in problems) == count


def test_a_number_beside_an_unknown_is_told(tmp_path: Path) -> None:
    text = (
        "import torch\nfrom somewhere import load\na = torch.tensor(load(1)).reshape((1, -1))\n"
        "if a.shape[1] != 4:\n    a @ torch.zeros(4, 2)\n"
    )
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert [p.proved for p in problems if p.level == "error"] == [False]
