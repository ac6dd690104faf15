"""`:=` in a comprehension names something in the body around it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

TRUE = [
    ("outs = [x := x[None] for _ in range(2)]", "x.shape == (1, 1, 3) and outs[0].shape == (1, 3)"),
    ("found = any((n := k) > 2 for k in range(9))", "torch.ones(n).shape == (3,)"),
    ("table = {k: (last := k) for k in range(4)}", "torch.ones(last).shape == (3,)"),
    ("rows = [[y := a + b for a in range(2)] for b in range(3)]", "torch.ones(y).shape == (3,)"),
]


def told(tmp_path: Path, text: str) -> list[str]:
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    return [p.rule for p in problems if p.level == "error"]


@pytest.mark.parametrize(("statement", "true"), TRUE)
def test_named(statement: str, true: str, tmp_path: Path) -> None:
    text = f"import torch\ndef run(x):\n    {statement}\n    assert CLAIM\nrun(torch.ones(3))\n"
    exec(text.replace("CLAIM", true), {})
    assert told(tmp_path, text.replace("CLAIM", true)) == []
    assert len(told(tmp_path, text.replace("CLAIM", f"not ({true})"))) == 1


def test_of_unknown_rounds(tmp_path: Path) -> None:
    text = "import os, torch\nx = torch.ones(3)\nouts = [x := x[None] for _ in os.listdir('.')]\nassert x.dim() == 9\n"
    assert told(tmp_path, text) == []
