"""Sizes that a program computes of what its callers choose are no choices of their own."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.language.arithmetic import binary
from analyzer.tracing.language.values import Unknown
from analyzer.tracing.paths.frames import Shared
from analyzer.tracing.paths.tracer import Tracer
from analyzer.tracing.tracing import explore
from analyzer.validity.terms import Poly


def test_a_quotient_of_an_argument_is_not_chosen(tmp_path: Path) -> None:
    tr = Tracer(Shared(tmp_path, Versions()))
    width = Unknown("an argument", "param", "width")
    for value, kind in ((binary(tr, ast.Div, width, 2, ast.parse("width / 2")), "derived"), (width, "param")):
        term = tr.term_of(value)
        assert isinstance(term, Poly)
        assert [tr.symbols.kind(s.name) for s in term.symbols] == [kind]


ROWS = """
import torch
from torch import nn

def use(numbers):
    rows = max(numbers) + 1
    {}
    table.weight.view(1, rows, {})

use([int(line) for line in open("numbers")])
"""


@pytest.mark.parametrize(
    ("made", "width", "fails"),
    [("table = nn.Embedding(rows, 200)", 100, True), ("table = nn.Embedding(rows, 200)", 200, False),
     ("table = nn.Linear(200, 6)", 100, False)],
)  # fmt: skip
def test_a_number_that_has_made_a_layer_is_no_size_left_open(
    tmp_path: Path, made: str, width: int, fails: bool
) -> None:
    """Behind it a number of data is not -1, which stands for whatever is left."""
    problems = explore(tmp_path, "net.py", ast.parse(ROWS.format(made, width)), Versions()).problems.values()
    assert any(p.level == "error" for p in problems) is fails
