"""What programs ask of values before they go on: of which kind of number one is, and how a tensor lies in memory."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

PROGRAM = """
import numbers
import numpy as np
import torch
from somewhere import value
x = torch.zeros(6, 4)
if {}:
    torch.zeros(2, 3) @ torch.zeros(1, 4)
"""


def proved(question: str, folder: Path) -> list[bool]:
    shared = explore(folder, "main.py", ast.parse(PROGRAM.format(question)), Versions())
    return [p.proved for p in shared.problems.values() if p.level == "error"]


@pytest.mark.parametrize(
    "question",
    [
        "isinstance(3, numbers.Integral)",
        "isinstance(x.shape[0], numbers.Integral)",
        "isinstance(True, numbers.Integral)",
        "isinstance(2.5, numbers.Real)",
        "isinstance(3, (str, numbers.Number))",
        "not isinstance(2.5, numbers.Integral)",
        "not isinstance('3', numbers.Number)",
        "not isinstance(None, numbers.Real)",
        "not isinstance(x, numbers.Number)",
        "x.is_contiguous()",
        "x[2:4].is_contiguous()",
        "not x.T.is_contiguous()",
        "not x[:, :2].is_contiguous()",
    ],
)
def test_an_answer_that_is_known(question: str, tmp_path: Path) -> None:
    assert proved(question, tmp_path) == [True]


@pytest.mark.parametrize(
    "question",
    [
        "not isinstance(3, numbers.Integral)",
        "isinstance(2.5, numbers.Integral)",
        "isinstance([3], numbers.Number)",
        "isinstance(np.zeros(3), numbers.Number)",
        "not x.is_contiguous()",
        "x.T.is_contiguous()",
    ],
)
def test_a_branch_that_is_never_taken(question: str, tmp_path: Path) -> None:
    assert proved(question, tmp_path) == []


@pytest.mark.parametrize(
    "question",
    ["isinstance(value, numbers.Integral)", "not isinstance(np.float32(1), numbers.Real)", "value.is_contiguous()"],
)
def test_an_answer_that_is_not_known(question: str, tmp_path: Path) -> None:
    assert True not in proved(question, tmp_path)
