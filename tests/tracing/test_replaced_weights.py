"""A layer computes with the weight that it holds, whatever it was made with."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = "import torch\nfrom torch import nn\n\n"
FITS = (
    "layer = nn.Linear(2, 3, bias=False)\nlayer.weight.data = torch.ones(5, 4)\nlayer(torch.ones(1, {4}))\n",
    "layer = nn.Linear(2, 3, bias=False)\nlayer.weight = nn.Parameter(torch.ones(5, 4))\nlayer(torch.ones(1, {4}))\n",
    "layer = nn.Embedding(3, 4)\nlayer.weight.data = torch.ones(9, 6)\nlayer(torch.tensor([8])) @ torch.ones({6}, 2)\n",
    "layer = nn.Conv2d(3, 8, 3)\nlayer.weight.data = layer.weight.data.sum(1, keepdim=True)\n"
    "layer(torch.ones(1, {1}, 9, 9))\n",
    "layer = nn.Conv2d(3, 8, 3)\nlayer.weight = nn.Parameter(torch.ones(8, 3, 5, 5))\n"
    "layer(torch.ones(1, 3, 9, 9)).view(1, 8, {5}, 5)\n",
    "layer = nn.Conv2d(4, 4, 3, groups=4)\nlayer.weight.data = torch.ones(4, 2, 3, 3)\n"
    "layer(torch.ones(1, {8}, 9, 9))\n",
    "layer = nn.ConvTranspose1d(4, 4, 3, groups=2, bias=False)\nlayer.weight.data = torch.ones(4, 3, 3)\n"
    "layer(torch.ones(1, 4, 9)).view(1, {6}, 11)\n",
    "layer = nn.ConvTranspose1d(3, 8, 3)\nlayer.weight.data = torch.ones(2, 8, 3)\nlayer(torch.ones(1, {2}, 9))\n",
    "layer = nn.BatchNorm1d(3, affine=False)\nlayer.running_mean = torch.ones(4)\nlayer.running_var = torch.ones(4)\n"
    "layer(torch.ones(2, {4}))\n",
    "layer = nn.BatchNorm1d(3)\nfor tensor in (layer.weight, layer.bias):\n    tensor.data = torch.ones(4)\n"
    "layer.running_mean = torch.ones(4)\nlayer.running_var = torch.ones(4)\nlayer(torch.ones(2, {4}))\n",
)
FITS += (
    "layer = nn.Conv2d(3, 4, 3)\nlayer.stride, layer.padding = (2, 2), (1, 1)\n"
    "layer(torch.ones(1, 3, 8, 8)).view(1, 4, 4, {4})\n",
    "layer = nn.MaxPool2d(2)\nlayer.kernel_size, layer.stride = 3, 1\n"
    "layer(torch.ones(1, 1, 8, 8)).view(1, 1, 6, {6})\n",
    "layer = nn.Linear(2, 3)\nlayer.in_features = 7\nlayer(torch.ones(1, {2}))\n",
    "class Own(nn.Conv2d):\n    def __init__(self, *sizes):\n        super().__init__(*sizes)\n"
    "        self.padding = (2, 2)\n\nOwn(3, 4, 3)(torch.ones(1, 3, 8, 8)).view(1, 4, 10, {10})\n",
    "class Own(nn.Linear):\n    def __init__(self, *sizes):\n        super().__init__(*sizes)\n"
    "        self.weight, self.bias = nn.Parameter(torch.ones(6, 2)), None\n\n"
    "Own(2, 3)(torch.ones(1, 2)) @ torch.ones({6}, 2)\n",
)
UNKNOWN = (
    "layer = nn.Conv2d(3, 8, 3)\nlayer.weight = nn.Parameter(torch.load('kept.pt')['weight'])\n"
    "layer(torch.ones(1, 1, 9, 9))\n",
    "layer = nn.Linear(3, 8)\nlayer.weight = nn.Parameter(torch.load('kept.pt')['weight'])\nlayer(torch.ones(1, 9))\n",
)


def errors(tmp_path: Path, text: str) -> int:
    found = explore(tmp_path, "program.py", ast.parse(HEAD + text), Versions()).problems.values()
    return sum(p.level == "error" for p in found)


@pytest.mark.parametrize("text", FITS)
def test_sizes_are_those_of_the_weight(tmp_path: Path, text: str) -> None:
    before, _, rest = text.partition("{")
    size, _, after = rest.partition("}")
    assert not errors(tmp_path, f"{before}{size}{after}")
    assert errors(tmp_path, f"{before}{int(size) + 1}{after}") == 1


@pytest.mark.parametrize("text", UNKNOWN)
def test_those_of_a_weight_that_is_not_known_are_open(tmp_path: Path, text: str) -> None:
    assert not errors(tmp_path, text)
