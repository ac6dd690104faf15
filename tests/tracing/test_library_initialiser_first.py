"""A class without `__init__` whose library base stands before the program's own: the library's is the one called."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """
import torch
from torch import nn
class Own(nn.Module):
    def __init__(self):
        super().__init__()
        self.cache = {}
class First(nn.Sequential, Own):
    pass
class Last(Own, nn.Sequential):
    pass
class Wide(nn.Linear, Own):
    pass
"""


@pytest.mark.parametrize(
    ("line", "refused"),
    [
        ("First(nn.Linear(2, 3))(torch.zeros(1, 2))", False),
        ("First(nn.Linear(2, 3)).cache[0] = 1", False),
        ("First(nn.Linear(2, 3))(torch.zeros(1, 4))", True),
        ("Wide(2, 3)(torch.zeros(1, 2))", False),
        ("Wide(2, 3)(torch.zeros(1, 4))", True),
        ("Last(nn.Linear(2, 3))", True),
    ],
)
def test_the_first_of_the_order_is_called(line: str, refused: bool, tmp_path: Path) -> None:
    text = f"{HEAD}{line}\n"
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    told = [p.site.line for p in shared.problems.values() if p.level != "note"]
    assert bool(told) == refused
    program = compile(text, "net.py", "exec")
    if refused:
        with pytest.raises((RuntimeError, TypeError)):
            exec(program, {"__name__": "net"})
    else:
        exec(program, {"__name__": "net"})
