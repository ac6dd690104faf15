"""Probabilities beyond their range: constructors of dropouts refuse them, attention when it trains, draws always."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """import torch
from torch import nn
x = torch.zeros(2, 3, 8)
class Own(nn.MultiheadAttention):
    pass
class Block(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, p)
    def forward(self, x):
        return self.attention(x, x, x)[0]
"""
LAYERS = [
    f"nn.{name}({p})"
    for name in ("Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout")
    for p in ("1.1", "p=-0.5", "2", "0.5", "1", "True")
]
BLOCKS = [
    text.format(p)
    for text in (
        "nn.LSTM(2, 3, 2, dropout={})", "nn.GRU(2, 3, 2, dropout={})", "nn.RNN(2, 3, 2, dropout={})",
        "nn.TransformerEncoderLayer(8, 2, 8, {})", "nn.TransformerDecoderLayer(8, 2, 8, dropout={})",
        "nn.Transformer(8, 2, 1, 1, 8, dropout={})", "nn.MultiheadAttention(8, 2, {})",
    )
    for p in ("1.1", "-0.5", "1", "0")
]  # fmt: skip
CALLS = [
    "Block(1.5)(x)", "Block(0.5)(x)", "Block(-0.5)(x)", "Block(1.5).eval()(x)",
    "nn.ModuleList([Block(1.5)]).eval()[0](x)",
    "nn.Sequential(Block(1.5)).train(False)(x)", "nn.MultiheadAttention(8, 2, 1.5).eval()(x, x, x)",
    "nn.MultiheadAttention(8, 2, 1.5)(x, x, x)", "Own(8, 2, 1.5).eval()(x, x, x)", "Own(8, 2, 1.5)(x, x, x)",
    "m = Own(8, 2, 1.5); m.training = False; m(x, x, x)",
    "m = nn.MultiheadAttention(8, 2, 1.5); m.training = False; m(x, x, x)",
    "m = Block(1.5); m.attention.training = False; m(x)", "m = Block(1.5); m.training = False; m(x)",
]  # fmt: skip
DRAWS = [
    "torch.bernoulli(torch.full((2, 1), 1 - 0.2 + 1))", "torch.bernoulli(torch.full((2, 1), 1 - 0.2))",
    "torch.bernoulli(torch.full((2,), fill_value=-0.5))", "torch.bernoulli(torch.full((0, 1), 1.5))",
    "torch.bernoulli(torch.full((2,), 1.5) * 0.5)", "torch.bernoulli(torch.full((2,), 1.5), 0.5)",
    "torch.bernoulli(torch.zeros(2), 1.5)", "torch.bernoulli(torch.zeros(2), p=1.0)",
    "p = torch.full((2,), 1.5); p.mul_(0.5); torch.bernoulli(p)", "p = torch.full((2,), 1.5); torch.bernoulli(p)",
    "p = torch.full((2,), 1.5); p.view(1, 2).clamp_(0, 1); torch.bernoulli(p)",
    "p = torch.full((2,), 1.5); p[:] = 0.5; torch.bernoulli(p)",
]  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("text", [*LAYERS, *BLOCKS, *CALLS, *DRAWS])
def test_a_probability_beyond_its_range(tmp_path: Path, text: str) -> None:
    program = f"{HEAD}{text}\n"
    fails = False
    try:
        exec(program, {"__name__": "net"})
    except (ValueError, RuntimeError):
        fails = True
    shared = explore(tmp_path, "net.py", ast.parse(program), Versions())
    assert any(p.level == "error" and p.proved for p in shared.problems.values()) is fails
    assert fails or not shared.problems


@pytest.mark.parametrize("use", ["outside(m)", "m.train(outside())"])
def test_attention_whose_mode_is_not_known(tmp_path: Path, use: str) -> None:
    program = f"{HEAD}from elsewhere import outside\nm = Block(1.5)\n{use}\nm(x)\n"
    assert not explore(tmp_path, "net.py", ast.parse(program), Versions()).problems
