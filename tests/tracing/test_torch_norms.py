"""Parameters of the functions that normalise, held against torch."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import torch

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

CALLS = [
    "F.batch_norm(x, one, one, {given}, one, True)",
    "F.batch_norm(x, one, one, weight=one, bias={given})",
    "F.batch_norm(x, {given}, one)",
    "F.batch_norm(x, one, running_var={given}, training=True)",
    "F.batch_norm(x, {given}, {given}, training=False)",
    "F.instance_norm(x, weight={given})",
    "F.instance_norm(x, {given}, {given})",
    "F.group_norm(x, 2, {given})",
    "F.group_norm(x, 2, one, {given})",
    "F.layer_norm(x, (5,), bias={given})",
    "F.layer_norm(x, x.shape[1:], {given})",
    "F.rms_norm(x, (5,), {given})",
    "torch.batch_norm(x, one, one, {given}, one, True, 0.1, 1e-5, False)",
]


@pytest.mark.parametrize("given", ["one", "torch.ones(5)", "torch.ones(8)", "torch.ones(4, 5)", "None"])
@pytest.mark.parametrize("call", CALLS)
def test_a_parameter_of_another_size(tmp_path: Path, call: str, given: str) -> None:
    text = f"import torch\nimport torch.nn.functional as F\nx, one = torch.rand(2, 4, 5), torch.ones(4)\n{call}\n"
    text = text.format(given=given)
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    found = [p.site.line for p in shared.problems.values() if p.level == "error" and p.proved]
    assert found == ([4] if refused(text) else [])


def refused(text: str) -> bool:
    try:
        exec(text, {})
    except (RuntimeError, ValueError):
        return True
    return False


@pytest.mark.parametrize(("size", "wrong"), [(4, False), (5, True)])
def test_a_layer_with_parameters_of_its_own(tmp_path: Path, size: int, wrong: bool) -> None:
    assert torch.nn.functional.batch_norm(torch.rand(2, 4), torch.ones(4), torch.ones(4)).shape == (2, 4)
    text = f"""
import torch, torch.nn as nn, torch.nn.functional as F
class Norm(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones({size}))
        self.register_parameter("bias", None)
        self.register_buffer("mean", torch.zeros(features))
        self.register_buffer("variance", torch.ones(features))
    def forward(self, x):
        return F.batch_norm(x, self.mean, self.variance, self.weight, self.bias, self.training)
Norm(4)(torch.rand(3, 4, 8))
"""
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    assert [p.site.line for p in shared.problems.values() if p.level == "error"] == ([11] if wrong else [])
