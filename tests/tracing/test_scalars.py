"""Conversions of a tensor to one number or one truth, held against the framework."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest
import torch

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

CONVERSIONS = [
    "y = x.item()", "y = float(x)", "y = int(x)", "y = bool(x)", "y = not x", "y = x and 3", "y = 3 if x else 4",
    "assert x == x, 3", "while x: break", "if x < 3:\n    y = 3", "if x.numel() < 9 and x:\n    y = 3",
    "if x is None or x.numel() > 9:\n    y = x.item()", "y = [v for v in (1, 2) if x]", "y = x == [1, 2] or None",
    "y = x.numel() > 9 and x.item()",
]  # fmt: skip


@pytest.mark.parametrize("made", ["torch.ones(3)", "torch.ones(1, 1)", "torch.ones(0)", "torch.ones(())"])
@pytest.mark.parametrize("use", CONVERSIONS)
def test_a_conversion_of_torch(tmp_path: Path, use: str, made: str) -> None:
    assert traced(tmp_path, made, use) is refused(made, use)


@pytest.mark.parametrize("made", ["np.ones(3)", "np.ones((2, 3))", "np.ones(())"])
@pytest.mark.parametrize("use", [*CONVERSIONS[:10], "y = x.item(0)"])
def test_a_conversion_of_numpy(tmp_path: Path, use: str, made: str) -> None:
    assert traced(tmp_path, made, use) is refused(made, use)


def test_what_may_be_one_element_is_not_refused(tmp_path: Path) -> None:
    text = "import torch\ndef f(x):\n    if x.mean(0) > 1:\n        return x.view(-1, 3).mean(1).item()\n"
    assert not explore(tmp_path, "net.py", ast.parse(text), Versions()).problems


def test_a_conversion_that_is_caught(tmp_path: Path) -> None:
    text = "import torch\ntry:\n    torch.ones(3).item()\nexcept RuntimeError:\n    pass\n"
    assert not explore(tmp_path, "net.py", ast.parse(text), Versions()).problems


def traced(folder: Path, made: str, use: str) -> bool:
    shared = explore(folder, "net.py", ast.parse(f"import torch\nimport numpy as np\nx = {made}\n{use}\n"), Versions())
    return any(p.level == "error" and p.proved and p.site.line > 3 for p in shared.problems.values())


def refused(made: str, use: str) -> bool:
    names = {"torch": torch, "np": np}
    exec(f"x = {made}", names)
    try:
        exec(use, names)
    except (RuntimeError, ValueError, TypeError):
        return True
    return False


ARITHMETIC = """
import torch
x = torch.randn(4)
low, high = x.min().item(), x.max().item()
width = {number}
scaled = torch.zeros(4) {sign} width
scaled + torch.zeros({size})
"""


@pytest.mark.parametrize(
    "number", ["high - low", "(high - low) / 4", "-low", "low * 2 + high", "(high - low) ** 2", "5 * low"]
)
@pytest.mark.parametrize("sign", ["/", "*", "-"])
def test_arithmetic_of_numbers_read_from_tensors_is_a_number(number: str, sign: str, tmp_path: Path) -> None:
    for size, lines in ((4, []), (8, [7])):
        tree = ast.parse(ARITHMETIC.format(number=number, sign=sign, size=size))
        problems = explore(tmp_path, "net.py", tree, Versions()).problems.values()
        assert [p.site.line for p in problems if p.level == "error" and p.proved] == lines


@pytest.mark.parametrize(
    ("call", "fits"),
    [
        ("tf.stack([x, x], axis=-2)", False),
        ("tf.stack([x, x], axis=1)", False),
        ("tf.stack([x, 3.0], axis=-1)", True),
        ("tf.stack([x, x])", True),
        ("tf.unstack(x)", False),
        ("tf.unstack(tf.stack([x, x]))", True),
        ("tf.split(x, 2)", False),
        ("tf.split(tf.stack([x, x]), 2)", True),
    ],
)
def test_scalars_that_tensorflow_stacks_and_takes_apart(tmp_path: Path, call: str, fits: bool) -> None:
    text = f"import tensorflow as tf\nx = tf.zeros(())\n{call}\n"
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    assert [p.proved for p in shared.problems.values()] == ([] if fits else [True])


EXTREMA = ("max(1e-8, 8 * torch.finfo(x.dtype).eps)", "min(2.0, torch.finfo(x.dtype).max / 2)",
           "max(float(open('limit').read()), 1.5)",
           "max(float(open('limit').read()), torch.iinfo(x.dtype).max)")  # fmt: skip


@pytest.mark.parametrize("limit", EXTREMA)
def test_the_larger_of_two_numbers_is_a_number(tmp_path: Path, limit: str) -> None:
    text = "import torch\nx = torch.load('a').reshape(2, 3)\n"
    text += f"torch.ones({{}}, 3) + (x > {limit})\n"
    for rows, told in ((2, []), (1, []), (4, [3])):
        shared = explore(tmp_path, "net.py", ast.parse(text.format(rows)), Versions())
        assert [p.site.line for p in shared.problems.values()] == told


def test_the_larger_of_a_tensor_and_a_number_may_be_a_tensor(tmp_path: Path) -> None:
    text = "import torch\nlimit = torch.load('b')\ntorch.ones(4, 3) + (torch.ones(3) > max(limit, 1e-8))\n"
    assert not explore(tmp_path, "net.py", ast.parse(text), Versions()).problems
