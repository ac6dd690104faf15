"""What PyTorch's layers are made of, their parameters, and sums of sequences: sizes held against PyTorch."""

from __future__ import annotations

import ast
import warnings
from pathlib import Path

import pytest
import torch

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """
import torch
from torch import nn
x = torch.zeros
block = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
a, b = nn.Sequential(nn.Linear(4, 5)), nn.Sequential(nn.ReLU(), nn.Linear(5, 6))
class Own(nn.TransformerEncoderLayer):
    def forward(self, x):
        y = self.self_attn(x, x, x)[0] + self.dropout1(x)
        return self.norm2(y) + self.linear2(self.dropout(self.activation(self.linear1(self.norm1(y)))))
class Standardised(nn.Conv2d):
    def forward(self, x):
        return self._conv_forward(x, self.weight - self.weight.mean(), self.bias)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 5)
    def forward(self, x):
        return self.first(x)
def through(layers, x):
    for layer in layers:
        x = layer(x)
    return x
def tied(rows, width):
    head = nn.Linear(width, 9, bias=False)
    head.weight = nn.Embedding(rows, width).weight
    return head
def embedded(rows, width):
    table = nn.Embedding(9, 7)
    table.weight = nn.Parameter(x(rows, width))
    return table
"""
CASES = """
nn.TransformerEncoder(block, 3).layers[1](x(2, 7, 8))
through(nn.TransformerEncoder(block, 3).layers, x(2, 7, 8))
nn.TransformerEncoder(block, 3, nn.LayerNorm(8)).norm(x(2, 8))
nn.TransformerEncoder(block, num_layers=3).layers[2].linear1.weight
nn.TransformerEncoder(Own(8, 2, 12), 2).layers[1](x(2, 7, 8))
nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2), 2).layers[0](x(3, 2, 8), x(5, 2, 8))
nn.TransformerDecoderLayer(8, 2).multihead_attn(x(3, 2, 8), x(5, 2, 8), x(5, 2, 8))[1]
nn.TransformerDecoderLayer(8, 2).norm3(x(3, 8))
nn.Transformer(8, 2, 1, 1).encoder(x(3, 2, 8))
nn.Transformer(8, 2, 1, 1, 12).decoder.layers[0].linear1.weight
Own(8, 2, 12, batch_first=True)(x(2, 3, 8))
Own(8, 2, 12).linear1.weight
block.linear1(x(2, 8))
block.dropout(x(2, 8))
block.activation(x(2, 8))
nn.TransformerEncoderLayer(8, 2, activation='gelu', dropout=0.3).activation(x(3))
nn.TransformerEncoderLayer(8, 2, activation=torch.flatten).activation(x(3, 4))
block.linear2(x(2, 16))
block.self_attn.in_proj_weight
nn.TransformerEncoderLayer(8, 2).linear1.bias
nn.MultiheadAttention(8, 2).out_proj(x(3, 8))
nn.MultiheadAttention(8, 2).out_proj.weight
nn.MultiheadAttention(8, 2).in_proj_bias
nn.MultiheadAttention(8, 2, kdim=4, vdim=3).k_proj_weight
nn.MultiheadAttention(8, 2, kdim=4, vdim=3).v_proj_weight
nn.MultiheadAttention(8, 2, vdim=3).q_proj_weight
nn.LSTM(4, 5, 2).weight_ih_l0
nn.LSTM(4, 5, 2).weight_ih_l1
nn.LSTM(4, 5, 2, bidirectional=True).weight_ih_l1_reverse
nn.LSTM(4, 5, 2, proj_size=3).weight_hh_l1
nn.LSTM(4, 5, 2, proj_size=3, bidirectional=True).weight_ih_l1
nn.LSTM(4, 5, proj_size=3).weight_hr_l0
nn.GRU(4, 5).weight_hh_l0
nn.GRU(4, 5).bias_hh_l0
nn.RNN(4, 5).bias_ih_l0
nn.GRUCell(4, 5).weight_ih
nn.LSTMCell(4, 5).bias_hh
nn.RNNCell(4, 5).weight_hh
nn.InstanceNorm2d(4, affine=True).weight
Standardised(4, 6, 3, stride=2, padding=1)(x(2, 4, 9, 9))
Standardised(4, 6, 3, padding='same', bias=False, groups=2)(x(2, 4, 9, 9))
nn.PReLU().weight
nn.PReLU(5).weight
nn.Bilinear(3, 4, 5).weight
nn.Bilinear(3, 4, 5).bias
nn.EmbeddingBag(9, 3).weight
nn.GroupNorm(2, 6).weight
nn.RMSNorm((3, 4)).weight
nn.LayerNorm((3, 4)).bias
nn.BatchNorm1d(6).running_var
nn.Conv2d(4, 6, (3, 5), groups=2).weight
nn.ConvTranspose1d(4, 6, 3).weight
(a + b)(x(2, 4))
(nn.Sequential(nn.Linear(4, 4), nn.ReLU()) * 3)(x(2, 4))
(2 * nn.Sequential(nn.Linear(4, 4)))(x(2, 4))
through(nn.ModuleList([nn.Linear(4, 5)]) + [nn.Linear(5, 6)], x(2, 4))
through(nn.ModuleList([nn.Linear(4, 5)]) + nn.ModuleList([nn.Linear(5, 6)]), x(2, 4))
nn.DataParallel(nn.Linear(4, 5)).module(x(2, 4))
nn.DataParallel(Net()).module.first(x(2, 4))
nn.DataParallel(Net())(x(2, 4))
tied(11, 4)(x(2, 4))
embedded(11, 3)(x(2, 4).long())
""".strip().splitlines()


def told(root: Path, text: str) -> list[tuple[str, bool]]:
    shared = explore(root, "net.py", ast.parse(text), Versions())
    return [(p.rule, p.proved) for p in shared.problems.values() if p.level != "note"]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("fits", [True, False])
def test_sizes(tmp_path: Path, case: str, fits: bool) -> None:
    names: dict[str, object] = {"__name__": "net"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(HEAD, names)
        found = eval(case, names)
    assert isinstance(found, torch.Tensor)
    shape = (*found.shape, 1 if fits else 2)
    expected = [] if fits else [("tracing/incompatible-shape", True)]
    assert told(tmp_path, f"{HEAD}\n{case}.reshape({shape})\n") == expected


@pytest.mark.parametrize(
    "absent",
    [
        "nn.LSTM(4, 5, bias=False).bias_ih_l0",
        "nn.LSTM(4, 5).weight_ih_l1",
        "nn.MultiheadAttention(8, 2, kdim=4).in_proj_weight",
        "nn.MultiheadAttention(8, 2).q_proj_weight",
        "nn.MultiheadAttention(8, 2, bias=False).in_proj_bias",
        "nn.GroupNorm(2, 6, affine=False).weight",
        "nn.InstanceNorm1d(6).weight",
        "nn.GRUCell(4, 5, bias=False).bias_ih",
        "nn.RMSNorm(4, elementwise_affine=False).weight",
    ],
)
def test_of_a_parameter_that_is_not_there_nothing_is_told(tmp_path: Path, absent: str) -> None:
    assert (
        told(
            tmp_path,
            f"{HEAD}\nheld = getattr({absent.rpartition('.')[0]}, '{absent.rpartition('.')[2]}', None)\n"
            "if held is not None:\n    held + torch.zeros(2, 977)\n",
        )
        == []
    )


def test_a_list_of_modules_is_extended_in_place(tmp_path: Path) -> None:
    text = f"{HEAD}\nlayers = nn.ModuleList([nn.Linear(4, 5)])\nsame = layers\nlayers += [nn.Linear(5, 6)]\n"
    assert told(tmp_path, text + "through(same, x(2, 4)) + x(2, 6)\n") == []
    assert told(tmp_path, text + "through(same, x(2, 4)) + x(2, 5)\n") == [("tracing/incompatible-shape", True)]


def test_a_program_that_puts_another_part_in_its_place_has_that(tmp_path: Path) -> None:
    text = f"{HEAD}\nblock.linear1 = nn.Linear(8, 3)\nblock.linear1(x(2, 8)) + x(2, "
    assert told(tmp_path, f"{text}3)\n") == []
    assert told(tmp_path, f"{text}16)\n") == [("tracing/incompatible-shape", True)]
