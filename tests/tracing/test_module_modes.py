"""Training and evaluation mode of torch modules: what a program has set, and nothing that it has not."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """import torch, torch.nn as nn
class Part(nn.Module):
    def forward(self, x):
        return x if self.training else x.sum()
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.part = Part()
    def forward(self, x):
        return self.part(x)
class Frozen(Net):
    def train(self, mode=True):
        super().train(mode)
        self.part.training = False
        return self
"""
# each text, then whether the tensor `y` is a scalar: of the inner module in evaluation mode
PROGRAMS = [
    "m = Net()", "m = Net().eval()", "m = Net().eval().train()", "m = Net()\nm.train(False)",
    "m = Net().train(mode=False)",
    "m = nn.Sequential(Part())", "m = nn.Sequential(nn.ReLU(), Part()).eval()", "m = Net()\nm.part.eval()",
    "m = Net()\nm.training = False", "m = Frozen()", "m = Frozen().train()", "m = nn.Sequential(Frozen())\nm.train()",
    "m = Frozen().eval()", "m = nn.ModuleList([Net().eval()]).train()[0]",
    "m = Net()\nm.apply(lambda p: p.eval())",
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("asserted", ["y.shape == (2, 3)", "y.shape == ()"])
def test_the_mode_that_a_program_has_set(tmp_path: Path, program: str, asserted: str) -> None:
    text = f"{HEAD}{program}\ny = m(torch.zeros(2, 3))\nassert {asserted}, 'no'\n"
    fails = False
    try:
        exec(text, {"__name__": "net"})
    except AssertionError:
        fails = True
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    found = any(p.level == "error" and p.proved for p in shared.problems.values())
    assert found is fails or (fails and "apply" in program)


@pytest.mark.parametrize("use", ["outside(m)", "outside([m])", "torch.some_library_call(m)"])
@pytest.mark.parametrize("asserted", ["y.shape == (2, 3)", "y.shape == ()"])
def test_what_is_given_away_may_be_in_either_mode(tmp_path: Path, use: str, asserted: str) -> None:
    text = f"{HEAD}from elsewhere import outside\nm = Net()\n{use}\ny = m(torch.zeros(2, 3))\nassert {asserted}, 'no'\n"
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    assert not [p for p in shared.problems.values() if p.level == "error" and p.proved]


def test_a_definition_is_looked_at_in_both_modes(tmp_path: Path) -> None:
    text = """import torch, torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(3, 4), nn.Linear(5, 4)
    def forward(self, x):
        x = self.a(x)
        if self.training:
            return x
        return self.b(x)
"""
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    assert [p.site.line for p in shared.problems.values() if p.level == "error" and p.certain] == [10]


@pytest.mark.parametrize("width", [6, 7])
@pytest.mark.parametrize("set_mode", ["m.eval()", "m.train()", "m = nn.ModuleList([m]).eval()[0]"])
def test_layers_of_einops_have_no_mode(tmp_path: Path, set_mode: str, width: int) -> None:
    text = (
        f"{HEAD}from einops.layers.torch import Rearrange\n"
        f"m = nn.Sequential(nn.Sequential(Rearrange('b c h -> b (c h)'), nn.Linear(6, 5)), Part())\n{set_mode}\n"
        f"m(torch.zeros(4, 2, 3))\nnn.Linear({width}, 5)(torch.zeros(4, 6))\n"
    )
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    assert not [n for n in shared.notes if "could not be followed" in n]
    errors = {p.site.line for p in shared.problems.values() if p.level == "error"}
    assert errors == (set() if width == 6 else {len(text.splitlines())})
