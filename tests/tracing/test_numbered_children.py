"""Children of a sequence by their numbers as names."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

SWAPPED = """
import torch
from torch import nn

net = nn.Sequential(nn.Linear(3, 4), nn.Dropout())
old = {old}
setattr(net, "0", nn.Linear(7, 4))
net(torch.zeros(2, 7))
setattr(net, "0", old)
print(net(torch.zeros(2, {n})))
"""


def told(tmp_path: Path, text: str) -> list[int]:
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    return [p.site.line for p in shared.problems.values() if p.level in ("error", "warning")]


@pytest.mark.parametrize("old", ['getattr(net, "0")', "net[0]", "net._modules['0']"])
def test_a_child_that_is_put_back(old: str, tmp_path: Path) -> None:
    assert told(tmp_path, SWAPPED.format(old=old, n=3)) == []
    assert told(tmp_path, SWAPPED.format(old=old, n=7)) != []


def test_a_child_that_nobody_knows(tmp_path: Path) -> None:
    assert told(tmp_path, "import made\n" + SWAPPED.format(old="made.child()", n=3)) == []
