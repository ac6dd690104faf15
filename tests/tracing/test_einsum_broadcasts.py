"""An axis of size 1 fits any other of its name in `einops.einsum`, as PyTorch and NumPy have it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = (
    "import numpy as np\nimport torch\nfrom einops import einsum\nx, y = torch.zeros(2, 1, 3), torch.zeros(2, 8, 3)\n"
)


def told(folder: Path, text: str) -> list[tuple[bool, int]]:
    shared = explore(folder, "use.py", ast.parse(HEAD + text), Versions())
    return [(p.certain, p.site.line) for p in shared.problems.values() if p.level in ("error", "warning")]


@pytest.mark.parametrize(("one", "other"), [("x", "y"), ("y", "x"), ("x.numpy()", "y.numpy()"), ("y", "y")])
def test_size_1_fits(tmp_path: Path, one: str, other: str) -> None:
    use = f"einsum({one}, {other}, 'b h i, b h j -> b h i j')"
    assert not told(tmp_path, f"z = {use}\nz.reshape(2, 8, 9)\n")
    assert told(tmp_path, f"z = {use}\nz.reshape(2, 1, 9)\n") == [(True, 6)]


@pytest.mark.parametrize(("one", "other"), [("x", "y[:, :7]"), ("y[:, :7]", "y"), ("y.numpy()", "y[:, :7].numpy()")])
def test_other_sizes_have_to_agree(tmp_path: Path, one: str, other: str) -> None:
    fits = one == "x"
    found = told(tmp_path, f"einsum({one}, {other}, 'b h i, b h j -> b h i j')")
    assert found == ([] if fits else [(True, 5)])


def test_a_name_twice_of_one_tensor_is_a_diagonal(tmp_path: Path) -> None:
    assert told(tmp_path, "einsum(torch.zeros(1, 3), torch.zeros(3), 'i i, i -> i')\n") == [(True, 5)]


def test_sizes_that_cannot_agree_are_told_whatever_they_are(tmp_path: Path) -> None:
    use = "    return einsum(torch.zeros(2, {}), torch.zeros(2, 2 * n + 4), 'b h, b h -> b h')\n"
    assert told(tmp_path, "def run(n: int):\n" + use.format("2 * n + 3"))
    assert not told(tmp_path, "def run(n: int):\n" + use.format("n + n + 4"))
