"""Each part of an f-string is evaluated, whatever is known of the text of those before."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """
import time
import torch
from torch import nn
layer = nn.Linear(4, 5)
count = sum(p.numel() for p in layer.parameters())
"""
UNKNOWN = ["{time.time()}", "{count / 1e6:.1f}M", "{layer}", "{torch.rand(2)!r:>90}", "{'a':>99999}"]


@pytest.mark.parametrize("before", UNKNOWN)
@pytest.mark.parametrize(("size", "wrong"), [(4, False), (6, True)])
def test_what_stands_behind_a_text_that_is_not_known(tmp_path: Path, before: str, size: int, wrong: bool) -> None:
    text = f'{HEAD}print(f"{before} and {{layer(torch.zeros(2, {size})).shape}}")\n'
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert [p.proved for p in problems if p.level == "error"] == ([True] if wrong else [])


def test_a_text_of_known_parts_is_known(tmp_path: Path) -> None:
    text = f'{HEAD}width = int(f"{{layer.in_features}}{{2:02d}}")\ntorch.zeros(2, 402) @ torch.zeros(width, 2)\n'
    for given, wrong in ((text, []), (text.replace("(2, 402)", "(2, 403)"), [True])):
        problems = explore(tmp_path, "net.py", ast.parse(given), Versions()).problems.values()
        assert [p.proved for p in problems if p.level == "error"] == wrong
