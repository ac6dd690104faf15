"""`Module.apply`: the function is called with every module, and may set what others read."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

PROGRAM = """
import torch
from torch import nn
class Part(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)
    def forward(self, x):
        return self.layer(x)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.Sequential(Part(), nn.ReLU(), Part())
    def forward(self, x):
        return self.parts(x)
class Counter:
    def __init__(self):
        self.width = 0
    def __call__(self, module):
        self.width += 1
net = Net()
def mark(module):
    module.told = [1]
def widen(module):
    if isinstance(module, Part):
        module.layer = nn.Linear(4, 5)
seen = []
counter = Counter()
"""


@pytest.mark.parametrize(
    "then",
    [
        "net.apply(mark)\nnet.told.append(2)\nnet.parts[0].told.append(3)\n",
        "net.told.append(2)\n",
        "net.apply(lambda m: setattr(m, 'told', 3))\nprint(net.told, net.parts[2].layer.told)\n",
        "net.apply(widen)\nnet(torch.ones(2, 4))\n",
        "net.parts[0].apply(widen)\nnet.parts[0](torch.ones(2, 4)) + torch.ones(2, 5)\n",
        "net.parts[0].apply(widen)\nnet.parts[0](torch.ones(2, 4)) + torch.ones(2, 4)\n",
        "nn.Sequential(Part()).apply(widen)[0](torch.ones(2, 4)) + torch.ones(2, 4)\n",
        "net.apply(fn=seen.append)\ntorch.ones(len(seen)) + torch.ones(7)\n",
        "net.apply(counter)\ntorch.ones(counter.width) + torch.ones(7)\n",
        "net.apply(lambda m: seen.append(m))\ntorch.ones(len(seen)) + torch.ones(6)\n",
        "net.apply(lambda m: seen.append(m))\ntorch.ones(len(seen)) + torch.ones(7)\n",
        "net.apply(lambda m: seen.append(m))\nprint(seen[-1].parts, seen[0].bias, seen[0].parts)\n",
    ],
)  # fmt: skip
def test_a_function_is_applied_to_every_module(tmp_path: Path, then: str) -> None:
    pytest.importorskip("torch")
    text = PROGRAM + then
    fails = False
    try:
        exec(text, {"__name__": "net"})
    except (RuntimeError, AttributeError):
        fails = True
    told = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    found = [p for p in told if p.level in ("error", "warning")]
    if fails and ".parts)" not in then:
        assert [p.site.line for p in found if p.level == "warning" or p.proved]
    elif not fails:
        assert not found, [p.message for p in found]
