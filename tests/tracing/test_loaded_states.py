"""What a module's `load_state_dict` gives, and its parts by dotted names."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """
import torch
from torch import nn
from somelib import state
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(3, 4))
        self.register_buffer("b", torch.zeros(5, 6))
        self.p = nn.Parameter(torch.zeros(7, 8))
net = Net()
"""


@pytest.mark.parametrize(
    "use",
    [
        "print(net.load_state_dict(state, strict=False).unexpected_keys)",
        "missing, unexpected = net.load_state_dict(state, strict=False)\nprint(len(missing), unexpected[:1])",
        "found = net.load_state_dict(state)\nif found.missing_keys or len(found[1]) > 2:\n    print(found)",
        "assert net.load_state_dict(state) is not None",
        "assert len(net.load_state_dict(state)) == 2",
        "assert not net.inner.load_state_dict(state, strict=False).missing_keys",
        "net._register_state_dict_hook(print)",
        "net.register_state_dict_post_hook(print)",
        "net.register_state_dict_pre_hook(print)",
        "net._register_load_state_dict_pre_hook(print)",
        "net.register_load_state_dict_post_hook(print)",
        "net.inner[0]._register_state_dict_hook(print)",
    ],
)
def test_what_loading_gives(tmp_path: Path, use: str) -> None:
    text = f"{HEAD}{use}\ntorch.zeros(2, 3) @ torch.zeros(4, 5)\n"
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert [p.site.line for p in problems if p.level == "error"] == [text.count("\n")]


@pytest.mark.parametrize(
    ("part", "size"),
    [
        ("net.get_buffer('b')", 6), ("net.get_parameter('p')", 8), ("net.get_parameter('inner.0.weight')", 3),
        ("net.inner.get_parameter('0.weight')", 3), ("net.inner[0].get_parameter(target='weight')", 3),
    ],
)  # fmt: skip
def test_parts_by_their_names(tmp_path: Path, part: str, size: int) -> None:
    for given, wrong in ((size, False), (9, True)):
        text = f"{HEAD}{part} @ torch.zeros({given}, 2)\n"
        problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
        assert bool([p for p in problems if p.level == "error"]) is wrong
