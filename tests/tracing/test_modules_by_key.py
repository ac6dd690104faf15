"""A module that `nn.ModuleDict` holds is also the attribute of its key, held against PyTorch."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """
import torch
from torch import nn
given = {"first": nn.Linear(4, 6), "blocks": nn.ModuleList([nn.Linear(6, 5), nn.Linear(5, 6)])}
net = nn.ModuleDict(given)
class Own(nn.ModuleDict):
    pass
"""
CHANGES = [
    "",
    "given['first'] = nn.Linear(9, 6)",  # the dictionary that it was made of is copied
    "net = nn.ModuleDict(dict(first=nn.Linear(4, 6), blocks=nn.ReLU())); net.blocks = nn.ModuleList([nn.Linear(6, 6)])",
    "net = nn.ModuleDict(); net['first'] = nn.Linear(4, 6); net['blocks'] = nn.ModuleList()",
    "net.first = nn.Linear(4, 3); net['first'] = nn.Linear(4, 6)",
    "net['first'] = nn.Linear(4, 3); net.first = nn.Linear(4, 6)",
    "net['first'] = nn.Linear(4, 3); net.add_module('first', nn.Linear(4, 6))",
    "net.update({'first': nn.Linear(4, 6)})",
    "net = Own(given)",
    "net = nn.ModuleDict(list(given.items()))",
    "net = nn.ModuleDict([['first', given['first']], ('blocks', given['blocks'])])",
    "net = nn.ModuleDict(zip(given, given.values()))",
    "net = nn.ModuleDict((k, v) for k, v in given.items())",
    "net = nn.ModuleDict(given.items())",
    "net = nn.ModuleDict(modules=given)",
    "net = nn.ModuleDict(nn.ModuleDict(given)); net['first'] = given['first']",
    "old = net; net = nn.ModuleDict(old); old['first'] = nn.Linear(9, 6)",
]
USE = """
x = net.first(torch.zeros(2, {features}))
for block in net.blocks:
    x = block(x)
x @ torch.zeros(6, 3)
if not (hasattr(net, "first") and getattr(net, "first", None) is net["first"]):
    x @ torch.zeros(9, 3)
"""


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("features", [4, 5])
def test_a_module_is_the_attribute_of_its_key(tmp_path: Path, change: str, features: int) -> None:
    text = f"{HEAD}{change}\n{USE.format(features=features)}"
    fails = False
    try:
        exec(text, {"__name__": "net"})
    except RuntimeError:
        fails = True
    assert fails == (features == 5)
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    told = [p for p in shared.problems.values() if p.level == "error" and p.proved]
    assert bool(told) == fails


@pytest.mark.parametrize(
    "change", ["del net.first", "del net['first']", "net.pop('first')", "net.clear()", "net = Own(given); net.clear()"]
)
def test_one_that_is_taken_out_is_no_attribute(tmp_path: Path, change: str) -> None:
    text = f"{HEAD}{change}\nif hasattr(net, 'first'):\n    torch.zeros(2) + torch.zeros(3)\n"
    exec(text, {"__name__": "net"})
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    assert [p for p in shared.problems.values() if p.level == "error" and p.proved] == []


@pytest.mark.parametrize("features", [4, 5])
def test_a_parameter_of_a_parameter_dict(tmp_path: Path, features: int) -> None:
    text = (
        "import torch\nfrom torch import nn\nheld = nn.ParameterDict({'scale': nn.Parameter(torch.ones(5))})\n"
        f"held.scale = nn.Parameter(torch.ones(4))\nheld.scale * torch.ones(2, {features})\n"
    )
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    assert [p.site.line for p in shared.problems.values() if p.level == "error"] == [5] * (features == 5)
