"""Layers without weights compute, in a run on made-up numbers, what the function of their name does."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

GATES = """
import torch
from torch import nn
chosen, places = torch.randn(4, 6).topk(2, dim=1)
gates = torch.zeros(4, 6).scatter(1, places, {layer}(chosen))
batch = torch.nonzero(gates)[:, 0]
"""
DISPATCHED = "parts = torch.split(torch.zeros(4, 3)[batch], (gates > 0).sum(0).tolist())\ntorch.cat(parts) @ {other}\n"


def _errors(folder: Path, text: str) -> list[bool]:
    """Of each error, whether it is called proved."""
    shared = explore(folder, "net.py", ast.parse(text), Versions())
    return [p.proved for p in shared.problems.values() if p.level == "error"]


@pytest.mark.parametrize("layer", ["nn.Softmax(1)", "nn.Softmax(dim=-1)", "nn.Sigmoid()", "nn.Softplus()"])
def test_gates_are_positive(tmp_path: Path, layer: str) -> None:
    text = GATES.format(layer=layer) + DISPATCHED
    assert _errors(tmp_path, text.format(other="torch.zeros(3, 5)")) == []
    assert len(_errors(tmp_path, text.format(other="torch.zeros(4, 5)"))) == 1


@pytest.mark.parametrize("layer", ["nn.Softplus(2.0)", "nn.GELU()", "nn.LogSoftmax(1)", "nn.ReLU(inplace=True)"])
def test_a_layer_keeps_its_shape(tmp_path: Path, layer: str) -> None:
    text = GATES.format(layer="torch.exp") + f"kept = {layer}(gates)[batch]\n"
    assert _errors(tmp_path, text + "kept @ torch.zeros(6, 5)\n") == []
    assert len(_errors(tmp_path, text + "kept @ torch.zeros(7, 5)\n")) == 1
