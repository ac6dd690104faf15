"""A comparison with a number that is drawn at random has one answer where the limit lies outside of what is drawn."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

PROGRAM = """
import random
import numpy as np
import torch
if not ({}):
    torch.zeros(2) + torch.zeros(3)
"""


@pytest.mark.parametrize(
    "always",
    [
        "random.random() < 1.0",
        "1 > random.random()",
        "random.random() >= 0",
        "not random.random() > 1",
        "random.uniform(2, 1) <= 2",
        "np.random.rand() < 1",
        "np.random.uniform() < 1",
        "np.random.uniform(1, 2) <= 2",
        "torch.rand(1) < 1.0",
        "torch.rand(1).item() < 1.0",
        "(torch.rand(4) < 1.0).all()",
        "torch.all(torch.rand(4).to(torch.float64) <= 1.0)",
        "not (torch.rand(4, 2) > 1.0).any()",
        "(0 + (1 - 0) * torch.rand(3) < 1.0).all()",
        "(2 + (4 - 2) * torch.rand(3) < 5).all()",
        "(~(torch.rand(3) < 0)).all()",
    ],
)
def test_nothing_is_told_where_no_draw_leads(tmp_path: Path, always: str) -> None:
    assert eval(always, _names())
    assert _errors(tmp_path, always) == []


@pytest.mark.parametrize(
    "sometimes",
    [
        "random.random() < 0.5",
        "np.random.rand() > 0.5",
        "(torch.rand(4) < 0.5).all()",
        "(2 + (4 - 2) * torch.rand(3) < 3).all()",
        "torch.randn(1) < 1.0",
        "(torch.rand(0) < 0).any()",
        "random.random() < 0",
        "(torch.rand(3) > 1).any()",
    ],
)
def test_the_other_side_is_told_where_a_draw_leads(tmp_path: Path, sometimes: str) -> None:
    assert _errors(tmp_path, sometimes) == [6]


def _names() -> dict[str, object]:
    names: dict[str, object] = {}
    exec("import random\nimport numpy as np\nimport torch", names)
    return names


def _errors(tmp_path: Path, condition: str) -> list[int]:
    shared = explore(tmp_path, "net.py", ast.parse(PROGRAM.format(condition)), Versions())
    return [p.site.line for p in shared.problems.values() if p.level == "error"]
