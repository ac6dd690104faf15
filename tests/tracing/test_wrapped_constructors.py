"""``functools.wraps(f)(g)`` gives ``g``: constructors that a class wraps for those that inherit from it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

WRAPPED = """
import functools
import torch
from torch import nn

def remembering(init_fn):
    def init(self, *args, **kwargs):
        self.given = (args, kwargs)
        init_fn(self, *args, **kwargs)
    {returns}

class Base(nn.Module):
    def __init_subclass__(cls):
        super().__init_subclass__()
        cls.__init__ = remembering(cls.__init__)

class Embedded(Base):
    def __init__(self, features, rows=5):
        super().__init__()
        self.rows = nn.Embedding(rows, features)
    def forward(self, x):
        return self.rows(x)
"""
RETURNS = ["return functools.wraps(init_fn)(init)", "return functools.update_wrapper(init, init_fn)", "return init"]


def lines(tmp_path: Path, program: str) -> list[int]:
    (tmp_path / "run.py").write_text(program)
    found = explore(tmp_path, "run.py", ast.parse(program), Versions()).problems.values()
    return [p.site.line for p in found if p.level == "error"]


@pytest.mark.parametrize("returns", RETURNS)
def test_a_wrapped_constructor_is_called_with_what_is_given(returns: str, tmp_path: Path) -> None:
    program = WRAPPED.format(returns=returns)
    assert lines(tmp_path, program) == []
    call = "Embedded({})(torch.zeros(2, 3, dtype=torch.int64)) @ torch.zeros(7, 2)\n"
    assert lines(tmp_path, program + call.format("features=7")) == []
    assert lines(tmp_path, program + call.format("features=8")) == [23]
    assert lines(tmp_path, program + call.format("rows=8")) == [9]  # as Python says: `features` is missing
