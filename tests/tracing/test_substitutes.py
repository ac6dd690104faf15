"""A program that defines itself what an absent package would give."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

PROGRAM = """
import torch
try:
    from {package} import pairs
except ImportError:
    def pairs(x):
        return x.view(-1, 2)
pairs(torch.zeros({size}))
torch.zeros(2) + torch.zeros({other})
"""


def told(tmp_path: Path, **given: object) -> list[tuple[int, bool]]:
    shared = explore(tmp_path, "program.py", ast.parse(PROGRAM.format(**given)), Versions())
    return [(p.site.line, p.proved) for p in shared.problems.values() if p.level == "error"]


@pytest.mark.parametrize(("size", "lines"), [(4, []), (5, [(7, False)])])
def test_it_is_what_is_called_and_nothing_in_it_is_proved(
    tmp_path: Path, size: int, lines: list[tuple[int, bool]]
) -> None:
    assert told(tmp_path, package="compiled_pairs", size=size, other=2) == lines


def test_what_comes_after_it_may_be_another(tmp_path: Path) -> None:
    assert told(tmp_path, package="compiled_pairs", size=4, other=3) == [(9, False)]


@pytest.mark.parametrize("package", ["torch", "collections"])
def test_a_package_that_is_there_is_used(tmp_path: Path, package: str) -> None:
    assert told(tmp_path, package=package, size=5, other=2) == []
