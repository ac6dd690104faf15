"""Values of which nothing is known but the methods that are called: only tensors of PyTorch have these."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.paths.frames import Shared
from analyzer.tracing.programs.used_as_tensors import _OF_TENSORS
from analyzer.tracing.tracing import explore, read_source

FUNCTION = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = nn.Linear(8, 3)
    def forward(self, x):
        {}
"""


def traced(tmp_path: Path, text: str) -> Shared:
    path = tmp_path / "program.py"
    path.write_text(text)
    _, tree = read_source(path, tmp_path)
    return explore(tmp_path, "program.py", tree, Versions())


def errors(shared: Shared) -> list[str]:
    return [p.message for p in shared.problems.values() if p.level == "error"]


def test_others_have_none_of_these_methods() -> None:
    import numpy
    import tensorflow

    others = (numpy.ndarray, torch.nn.Module, str, list, dict, set, bytes)
    for name in _OF_TENSORS:
        assert hasattr(torch.Tensor, name)
        assert not any(hasattr(other, name) for other in (*others, tensorflow.Tensor, tensorflow.Variable))


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        ("return self.last(x.contiguous().view(2, 7))", True),
        ("return self.last(x.contiguous().view(2, 8))", False),
        ("b = x.size(0)\n        return self.last(x.view(b, 5))", True),
        ("b = x.size(0)\n        return self.last(x.view(b, -1))", False),
        ("x = x.permute(0, 2, 1)\n        a, b = x.shape\n        return a", True),
        ("x = x.permute(0, 2, 1)\n        a, b, c = x.shape\n        return a", False),
    ],
)
def test_an_argument_that_is_used_as_a_tensor_is_one(tmp_path: Path, body: str, wrong: bool) -> None:
    found = traced(tmp_path, FUNCTION.format(body))
    assert bool(errors(found)) is wrong
    assert not found.unknown_calls


@pytest.mark.parametrize(
    "body",
    [
        "w, h = x.size\n        return self.last(torch.zeros(w, 8))",
        "return x.size() // 2, x.view(), x.repeat(3, 0)",
        "x.expand()\n        return x.keys()",
    ],
)
def test_what_others_have_too_tells_nothing(tmp_path: Path, body: str) -> None:
    assert errors(traced(tmp_path, FUNCTION.format(body))) == []
