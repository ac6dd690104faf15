"""`torch.autograd.Function`: the way back is followed when a gradient is asked for."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

FUNCTION = """
import torch
class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        ctx.rows = x.shape[0]
        return x @ w
    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return g.view(ctx.rows, 5) @ BACK, x.t() @ g
w = torch.randn(4, 5, requires_grad=True)
y = Product.apply(torch.randn(3, 4), w)
"""
SET_UP = FUNCTION.replace("forward(ctx, x", "forward(x").replace(
    "        ctx.save_for_backward(x, w)\n        ctx.rows = x.shape[0]\n        return x @ w\n",
    "        return x @ w\n    @staticmethod\n    def setup_context(ctx, inputs, output):\n"
    "        ctx.save_for_backward(*inputs)\n        ctx.rows = inputs[0].shape[0]\n",
)


def lines(tmp_path: Path, text: str) -> list[tuple[str, bool]]:
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    written = text.splitlines()
    return [(written[p.site.line - 1].strip(), p.proved) for p in shared.problems.values()]


@pytest.mark.parametrize("text", [FUNCTION, SET_UP])
@pytest.mark.parametrize(("back", "wrong"), [("w.t()", False), ("w", True)])
def test_the_way_back_of_a_loss(tmp_path: Path, text: str, back: str, wrong: bool) -> None:
    program = text.replace("BACK", back)
    found = lines(tmp_path, f"{program}(y * 2).sum().backward()\n")
    assert found == ([("return g.view(ctx.rows, 5) @ w, x.t() @ g", False)] if wrong else [])


@pytest.mark.parametrize("end", ["", "torch.zeros(3, requires_grad=True).sum().backward()\n"])
def test_no_way_back_that_no_loss_takes(tmp_path: Path, end: str) -> None:
    assert lines(tmp_path, FUNCTION.replace("BACK", "w") + end) == []


def test_methods_of_the_class_are_given_the_class(tmp_path: Path) -> None:
    for text in (FUNCTION, SET_UP):
        of_class = text.replace("@staticmethod", "@classmethod")
        for first in ("forward(", "backward(", "setup_context("):
            of_class = of_class.replace(f"def {first}", f"def {first}cls, ")
        assert lines(tmp_path, of_class.replace("BACK", "w.t()") + "y.sum().backward()\n") == []
        assert lines(tmp_path, of_class.replace("BACK", "w") + "y.sum().backward()\n") != []
