"""Small ONNX models for the tests of the pipeline."""

from __future__ import annotations

from pathlib import Path

import onnx
from onnx import TensorProto, helper


def save(path: Path, nodes: list[onnx.NodeProto], *, shape: tuple[int | str, ...] = (2, 4)) -> Path:
    """A float32 model from `x` to `y`, both of `shape`, with the constants ``one`` and ``tiny``."""
    constants = [
        helper.make_tensor("one", TensorProto.FLOAT, [], [1.0]),
        helper.make_tensor("tiny", TensorProto.FLOAT, [], [1e-3]),
    ]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)],
        constants,
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10), path)
    return path


def unsafe(path: Path) -> Path:
    """log(1 - sigmoid(x)): minus infinity from x = 17 on."""
    return save(
        path,
        [
            helper.make_node("Sigmoid", ["x"], ["p"], name="probability"),
            helper.make_node("Sub", ["one", "p"], ["q"], name="rest"),
            helper.make_node("Log", ["q"], ["y"], name="log_rest"),
        ],
    )


def safe(path: Path) -> Path:
    """log(sigmoid(x) + 0.001): always finite."""
    return save(
        path,
        [
            helper.make_node("Sigmoid", ["x"], ["p"], name="probability"),
            helper.make_node("Add", ["tiny", "p"], ["q"], name="rest"),
            helper.make_node("Log", ["q"], ["y"], name="log_rest"),
        ],
    )


# An entry point whose weights and order of layers differ from run to run, unless seeds are fixed.
UNORDERED = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleDict({name: nn.Linear(4, 4) for name in {"encoder", "decoder", "middle", "head"}})
        self.scale = nn.Parameter(torch.rand(4))

    def forward(self, x):
        for layer in self.layers.values():
            x = torch.relu(layer(x))
        return torch.log(torch.sigmoid(x * self.scale) * torch.sigmoid(-40 * x)) / x.norm(dim=1, keepdim=True)


def build():
    return Net(), (torch.randn(2, 4),)
"""
