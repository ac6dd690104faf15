"""Whether a name of a library is that of a class or of a function."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest
import torch
from torch import nn

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

NAMES = [
    "nn.ReLU", "nn.Module", "nn.Parameter", "nn.ParameterList", "nn.functional.relu", "nn.functional.gelu",
    "nn.init.zeros_", "torch.relu", "torch.add", "torch.Tensor", "torch.Tensor.sigmoid", "torch.no_grad",
    "torch.device", "torch.Size", "torch.float32", "torch.linalg.norm", "torch.special.expit", "torch.fft.fft",
    "torch.finfo", "torch.enable_grad", "torch.nn.utils.clip_grad_norm_", "torch.optim.Adam",
]  # fmt: skip
TESTS = ["isinstance(a, type)", "inspect.isclass(a)", "isinstance(a, type) and issubclass(a, nn.Module)"]


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("name", NAMES)
def test_what_python_says_of_it(tmp_path: Path, name: str, test: str) -> None:
    right = eval(test, {"torch": torch, "nn": nn, "inspect": inspect, "a": eval(name)})
    text = f"import inspect\nimport torch\nfrom torch import nn\na = {name}\nx = torch.zeros(2, 3)\n"
    text += f"if {test}:\n    {'x' if right else 'x @ x'}\nelse:\n    {'x @ x' if right else 'x'}\n"
    found = explore(tmp_path, "net.py", ast.parse(text), Versions())
    assert not [p for p in found.problems.values() if p.level == "error" and p.proved]


@pytest.mark.parametrize(("wrong", "lines"), [(False, []), (True, [9])])
def test_an_activation_that_is_a_class_or_a_function(tmp_path: Path, wrong: bool, lines: list[int]) -> None:
    text = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\nclass Net(nn.Module):\n"
    text += "    def __init__(self, act):\n        super().__init__()\n"
    text += "        self.act = act() if isinstance(act, type) else act\n"
    text += f"    def forward(self, x):\n        return self.act(x) @ torch.zeros({4 if wrong else 3}, 1)\n"
    text += "for act in (F.relu, torch.tanh, nn.GELU, nn.functional.silu):\n    Net(act)(torch.zeros(2, 3))\n"
    found = explore(tmp_path, "net.py", ast.parse(text), Versions())
    assert [p.site.line for p in found.problems.values() if p.level == "error" and p.proved] == lines
