"""What runs a module on an example: tracing and export of PyTorch."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 5)
    def forward(self, x, y=0):
        return self.inner(x) + y
net = Net()
"""


@pytest.mark.parametrize(
    "use",
    [
        "torch.jit.trace(net, torch.zeros(2, {}))",
        "torch.jit.trace(net, (torch.zeros(2, {}), torch.zeros(1)))",
        "torch.jit.trace(net.inner, example_inputs=torch.zeros(2, {}))",
        "torch.onnx.export(net, torch.zeros(2, {}), 'net.onnx')",
        "torch.onnx.export(net, args=(torch.zeros(2, {}),), f='net.onnx')",
        "torch.jit.trace(net, torch.zeros(1, 4))(torch.zeros(2, {}))",
        "torch.fx.symbolic_trace(net)(torch.zeros(2, {}))",
    ],
)
@pytest.mark.parametrize(("size", "wrong"), [(4, False), (6, True)])
def test_what_runs_on_an_example(tmp_path: Path, use: str, size: int, wrong: bool) -> None:
    problems = explore(tmp_path, "net.py", ast.parse(f"{HEAD}{use.format(size)}\n"), Versions()).problems.values()
    assert [p.proved for p in problems if p.level == "error"] == ([True] if wrong else [])


@pytest.mark.parametrize("example", ["{'x': torch.zeros(2, 6)}", "somelib.example()", "(torch.zeros(2, 4), {'y': 1})"])
def test_an_example_that_is_not_plain_is_not_run(tmp_path: Path, example: str) -> None:
    for use in (f"torch.jit.trace(net, {example})", f"torch.onnx.export(net, {example}, 'f')"):
        problems = explore(tmp_path, "net.py", ast.parse(f"import somelib{HEAD}{use}\n"), Versions()).problems.values()
        assert not [p for p in problems if p.level == "error"]
