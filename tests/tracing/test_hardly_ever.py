"""Sizes that fit each other for one or two sizes of an input alone, of code that nobody calls."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

TORCH = """
import torch
from torch import nn
class Net(nn.Module):
    def forward(self, x):
        n = x.shape[1]
        {}
"""
KERAS = """
import keras
import tensorflow as tf
class Mask(keras.layers.Layer):
    def call(self, inputs):
        n = {}
        rows = tf.range(n)
        return tf.where(rows < tf.reshape(rows + 1, (n, 1)), 0.0, tf.ones((n, {})))
"""


def told(tmp_path: Path, text: str) -> list[tuple[str, str, int, bool]]:
    problems = explore(tmp_path, "program.py", ast.parse(text), Versions()).problems.values()
    return [(p.level, p.rule, p.site.line, p.proved) for p in problems if p.level != "note"]


WARNED = [("warning", "tracing/forced-dimension", 7, False)]


@pytest.mark.parametrize(
    "line",
    [
        "return torch.ones(n, n) + torch.ones(n, n * 2)",
        "return torch.ones(n, n) * torch.ones(n + 1, n)",
        "b, n = x.shape; return x[:, 1:] + x",
        "return x.view(-1, n) - torch.ones(1, 3 * n)",
    ],
)
def test_sizes_that_follow_from_one_and_seldom_fit_are_told(line: str, tmp_path: Path) -> None:
    assert told(tmp_path, TORCH.format(line)) == WARNED


@pytest.mark.parametrize(
    "line",
    [
        "return torch.ones(n, n) + torch.ones(1, n)",
        "return torch.ones(n, n) + torch.ones(n, 1)",
        "b, n = x.shape; return x[:, 1:] + x[:, :-1]",
        "b, n = x.shape; return x + torch.ones(3)",
        "b, n = x.shape; return x + torch.ones(1)",
        "m = n // 2 * 2; return torch.ones(m) + torch.ones(n)",
        "return torch.ones(n) + torch.ones(2 * n) if n == 1 else x",
        "m = x.shape[2]; return torch.ones(m) + torch.ones(n)",
        "m = x.shape[2]; return torch.ones(2 * m) + torch.ones(n)",
        "return nn.Conv1d(1, 2, 3)(x)",
    ],
)
def test_sizes_that_may_fit_are_not(line: str, tmp_path: Path) -> None:
    assert told(tmp_path, TORCH.format(line)) == []


@pytest.mark.parametrize("size", ["tf.shape(inputs)[1]", "inputs.shape[1]"])
def test_so_are_those_of_tensorflow(size: str, tmp_path: Path) -> None:
    assert told(tmp_path, KERAS.format(size, "n")) == []
    assert [level for level, *_ in told(tmp_path, KERAS.format(size, "2 * n"))] == ["warning"]


FORWARD = """
import torch
from torch import nn
class Net({base}):
    def {name}(self, x):
        b, n = x.shape
        y = x[:, {cut}:].reshape(b, n - {cut})
        return torch.cat([y, torch.ones(b, 1)], {axis}) @ torch.ones(n - 1, 3)
"""


def test_an_argument_of_forward_whose_shape_is_asked_is_a_tensor(tmp_path: Path) -> None:
    """What it is elsewhere is not known, but for what a reshape to sizes gives."""
    module = {"base": "nn.Module", "name": "forward", "axis": 1}
    assert told(tmp_path, FORWARD.format(**module, cut=2)) == []
    assert [told[:1] for told in told(tmp_path, FORWARD.format(**module, cut=1))] == [("error",)]
    other = FORWARD.format(base="object", name="forward", axis=1, cut=1)
    assert told(tmp_path, other.replace(".reshape(b, n - 1)", "")) == []
    assert told(tmp_path, other) == [("error", "tracing/incompatible-shape", 8, False)]


@pytest.mark.parametrize(
    "body",
    [
        "n = x.shape[0]\n        largest = x.max(axis=1)\n        return torch.as_tensor(largest + 1)",
        "n = x.shape[0]\n        x = x.astype('float32')\n        return torch.as_tensor(x.max(1) + 1)",
        "n = x.shape[0]\n        y = torch.from_numpy(x)\n        return x.min(1) + n",
        "assert isinstance(x, np.ndarray)\n        n = x.shape[0]\n        return x.min(1) + n",
        "n = x.shape[0]\n        x = np.clip(x, 0, 1)\n        return x.min(1) + n",
    ],
)
def test_an_argument_that_is_treated_as_an_array_is_none(body: str, tmp_path: Path) -> None:
    head = "import numpy as np\nimport torch\nfrom torch import nn\nclass Net(nn.Module):\n    def forward(self, x):\n"
    assert told(tmp_path, f"{head}        {body}\n") == []


def test_whose_words_tell_of_a_tensor_still_is(tmp_path: Path) -> None:
    assert told(tmp_path, TORCH.format("return x.max(1) + 1")) == [("error", "python/argument-mismatch", 7, False)]
