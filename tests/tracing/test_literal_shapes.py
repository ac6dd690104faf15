"""Literals that no tensor bears or that change nothing are told from the text, where nothing else is."""

from __future__ import annotations

import ast

import pytest

from analyzer.tracing.programs.literal_shapes import literal_problems

HEAD = "import torch\nimport tensorflow as tf\nfrom torch import einsum\n"
WRONG = [
    "x.reshape(n, -2)", "x.view(-1, -1, 3)", "x.view(-1, 0)", "torch.reshape(x, (-1, -2))", "x.reshape(shape=(0, 3))",
    "x.reshape(0)", "x.view(0, n, 3)", "x.expand(0, n)", "x.repeat(1, 0, n)", "x.repeat(n, 0)", "tf.tile(x, [1, 0])",
    "x.transpose(-1, -1)", "torch.transpose(x, 0, 0)", "tf.transpose(x, [0, 2, 2, 1])", "x.permute(0, 3, 1, -1)",
    "x.permute(0, 2, 4)", "tf.reduce_mean(x, axis=[2, 2])", "x.sum(dim=(1, 1))", "einsum('bij,bjk->bil', x, y)",
    "einsum('b i j, b j k -> b i l', x, y)",
]  # fmt: skip
RIGHT = [
    "x.reshape(n, -1)", "x.view(0)", "x.repeat(0)", "torch.zeros(0).reshape(0, 4)", "torch.empty((0,)).view(0, 3)",
    "x.transpose(0, 1)", "x.transpose(-1, 1)", "tf.transpose(x, [0, 2, 3, 1])", "x.permute(0, 3, 1, 2)",
    "x.permute(-1, 0, 1)", "x.sum(dim=(0, 1))", "torch.roll(x, shifts=(1, 1), dims=(1, 1))", "x.permute(*rest, 1, 1)",
    "einsum('bij,bjk->bik', x, y)", "einsum('bij,jk->b', x, y)", "x.reshape(n, 0) if x.numel() == 0 else x",
    "other(0, 0).transpose(a, a)", "x.new_zeros(0, 4)", "torch.Net(dim=(2, 2))", "x.made(dim=(64, 64))",
    "x.unflatten(0, (2, 3))", "'a b'.translate(0, 0)",
]  # fmt: skip


def told(text: str, head: str = HEAD) -> list[tuple[str, int]]:
    return [(p.level, p.site.line) for p in literal_problems(ast.parse(head + text), "net.py")]


@pytest.mark.parametrize("text", WRONG)
def test_what_no_tensor_bears_is_told_as_possible(text: str) -> None:
    assert told(f"def f(x, y, n):\n    return {text}\n") == [("warning", 5)]


@pytest.mark.parametrize("text", RIGHT)
def test_what_may_be_meant_is_not(text: str) -> None:
    assert not told(f"def f(x, y, n, a, rest):\n    return {text}\n")


@pytest.mark.parametrize(
    "around",
    ["with pytest.raises(RuntimeError):\n    ", "if len(x) == 0:\n    ", "if x.shape[0] < 1:\n    "],
)
def test_what_is_meant_to_fail_or_to_be_empty(around: str) -> None:
    assert not told(f"{around}x.view(0, 3)\n")


def test_the_last_number_of_an_array_of_numpy_is_an_axis() -> None:
    assert told("x.repeat(n, 0)\n")
    assert not told("x.repeat(n, 0)\n", f"{HEAD}import numpy as np\n")
    assert not told("np.repeat(x, 3, 0)\n", f"{HEAD}import numpy as np\n")
    assert not told("x.reshape(n, -2)\n", "import numpy as np\n")  # no file of tensors
