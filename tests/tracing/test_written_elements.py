"""Elements that are known until something is written where they lie, under whatever name."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

WRITES = [
    "x.fill_(2)", "x.copy_(z)", "torch.add(x, x, out=x)", "torch.mul(x, 2, out=x)", "y = x[0]; y.fill_(5)",
    "y = x[:2]; y[0] = 5", "y = x; y += 1", "y = x.view(3, 1); y.zero_()", "y = x.numpy(); y[:] = 2",
    "y = x.detach(); y.mul_(2)", "y = x.t(); y.add_(z)", "x.numpy().fill(4)", "y = x.numpy(); np.copyto(y, z.numpy())",
    "x.numpy().sort()", "y = x[:2]; x.fill_(2); x = y", "y = x[1:].flatten(); y -= 1", "torch.abs_(x)",
    "y = torch.from_numpy(x.numpy()); y.fill_(2)", "y = np.asarray(x); y[0] = 4", "x += 1; y = x; y.fill_(2)",
    "torch.sum(x, 0, out=s); x = s.reshape(1)", "y = x.numpy(); random.shuffle(y)",
    "np.add(x.numpy(), 1, out=x.numpy())",
    "with torch.no_grad(): x.add_(1)", "y, z = x.split([1, 2]); z.fill_(9)", "x.index_fill_(0, torch.tensor([0]), 2)",
]  # fmt: skip
HEAD = """
import random
import numpy as np
import torch
x = torch.tensor([3, 1, 6])
z = torch.tensor([2, 2, 2])
s = torch.tensor(7)
"""


@pytest.mark.parametrize("write", WRITES)
def test_what_was_written_is_not_known_any_more(tmp_path: Path, write: str) -> None:
    text = f"{HEAD}{write}\nn = x[0].item()\ntorch.zeros(2, n) @ torch.zeros(SIZE, 3)\n"
    scope: dict[str, object] = {}
    exec(text.replace("SIZE", "n"), scope)
    n = scope["n"]
    size = str(n) if "shuffle" not in write else "n"
    shared = explore(tmp_path, "net.py", ast.parse(text.replace("SIZE", size)), Versions())
    assert not [p for p in shared.problems.values() if p.level == "error"]


@pytest.mark.parametrize(
    "other", ["y = x.clone()", "y = x + 0; z.fill_(3)", "z += 1", "y = torch.zeros(3); y.add_(x)", "y = x[1:]"]
)
def test_what_was_not_written_is_known(tmp_path: Path, other: str) -> None:
    for size, wrong in ((3, False), (4, True)):
        text = f"{HEAD}{other}\ntorch.zeros(2, x[0].item()) @ torch.zeros({size}, 3)\n"
        shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
        assert [p.proved for p in shared.problems.values() if p.level == "error"] == [True] * wrong


def test_a_write_on_one_path_alone(tmp_path: Path) -> None:
    text = f"""{HEAD}
def f(flag: bool):
    v = torch.tensor([3, 1])
    w = v[:1]
    if flag:
        w.fill_(5)
    return torch.zeros(2, v[0].item()) @ torch.zeros(4, 3)
"""
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    assert [p.level for p in shared.problems.values()] == ["error"]
