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
