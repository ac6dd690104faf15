"""Indices of several parts, held against the frameworks: index arrays that stand together, and that do not."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest
import torch

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

INDICES = [
    "x[:, (0, 2)]", "x[:, [0, 1], :, [0, 1]]", "x[:, [0, 1], [0, 1]]", "x[0, :, [0, 1]]", "x[[0, 1], :, 0]",
    "x[:, 0, [0, 1]]", "x[:, [0, 1], 0, [1, 2]]", "x[0, [0, 1]]", "x[[[0], [1]], [0, 1, 2]]",
    "x[:, [[0], [1]], [0, 1, 2]]", "x[[0, 1], None, [0, 1]]", "x[..., [0, 1], 0]", "x[[0], [0, 1, 2]]", "x[(0, 1)]",
    "x[(0, 1),]", "x[:, (0, 1), None]", "x[(0, 1), (0, 1)]", "x[:, 1:, [0, 1, 2]]", "x[:, [True, False, True]]",
    "x[[True, False, True, True, False, False, True]]", "x[[True, False, True, False, False, False, False], [0, 1]]",
    "x[[0, 1], [0, 1, 2]]", "x[[0, 1], :, [0, 1, 2]]", "x[[True, False]]", "x[0, ..., [0, 1]]",
]  # fmt: skip


@pytest.mark.parametrize("made", ["torch.zeros(7, 3, 4, 5)", "np.zeros((7, 3, 4, 5))"])
@pytest.mark.parametrize("index", INDICES)
def test_the_shape_of_an_index(tmp_path: Path, index: str, made: str) -> None:
    names = {"torch": torch, "np": np}
    exec(f"x = {made}", names)
    text = f"import torch\nimport numpy as np\nx = {made}\nassert {index}.shape == "
    try:
        shape = tuple(eval(index, names).shape)
    except IndexError:
        assert errors(tmp_path, text + "()") == ["indexing"]
        return
    assert errors(tmp_path, f"{text}{shape}") == []
    assert errors(tmp_path, f"{text}{(*shape[:-1], shape[-1] + 1)}") == ["assert"]
    if shape[0] != shape[1]:
        assert errors(tmp_path, f"{text}{(shape[1], shape[0], *shape[2:])}") == ["assert"]


def errors(folder: Path, text: str) -> list[str]:
    found = explore(folder, "net.py", ast.parse(text), Versions()).problems.values()
    return [p.operator for p in found if p.level == "error"]


@pytest.mark.parametrize(
    ("made", "index", "fails"),
    [
        ("tnp.zeros(8)", ":, tnp.newaxis, tnp.newaxis", False),  # which is None there too
        ("jax.numpy.zeros(8)", ":, jax.numpy.newaxis", False),
        ("tf.zeros(8)", ":, tf.constant_that_nobody_knows", False),
        ("tnp.zeros(8)", ":, tnp.newaxis, 0", True),
        ("tf.zeros(8)", ":, tf.newaxis, 0", True),
    ],
)
def test_what_a_library_names(tmp_path: Path, made: str, index: str, fails: bool) -> None:
    head = "import jax.numpy\nimport tensorflow as tf\nimport tensorflow.experimental.numpy as tnp\n"
    assert errors(tmp_path, f"{head}x = {made}\nx[{index}]") == ["indexing"] * fails


NARROWED = [(-1, 1), (-1, 2), (-5, 5), (-6, 1), (5, 0), (5, 1), (6, 0), (0, 6), (2, -1), (-2, 2), (-2, 1), (0, 5)]


@pytest.mark.parametrize(("start", "length"), NARROWED)
@pytest.mark.parametrize("call", ["torch.narrow(x, 1, {}, {})", "x.narrow(-1, {}, x.shape[1] - 5 + {})"])
def test_a_narrowed_tensor(tmp_path: Path, start: int, length: int, call: str) -> None:
    try:
        made = torch.narrow(torch.zeros(2, 5), 1, start, length).shape[1]
    except (RuntimeError, IndexError):
        made = None
    text = f"import torch\nx = torch.zeros(2, 5)\n{call.format(start, length)} + torch.zeros({{}})\n"
    for size in (made, 7):
        problems = explore(tmp_path, "net.py", ast.parse(text.format((2, size))), Versions()).problems.values()
        assert [p.proved for p in problems] == [True] * (made is None or size == 7 != made != 1)
