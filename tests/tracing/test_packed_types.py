"""Whether a sequence is packed, as programs ask it, held against PyTorch: each program is run and traced."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

PROGRAM = """
import torch
from torch import nn
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(4, 6, batch_first=True)
        self.linear = nn.Linear({width}, 3)

    def forward(self, x):
        h, _ = self.rnn(x)
        if {asked}:
            h, lengths = pad_packed_sequence(h, batch_first=True)
            return self.linear(h[:, :, :{packed}])
        return self.linear(h[:, :, :{plain}])

x = torch.randn(2, 5, 4)
Net()({given})
"""
ASKED = [
    "isinstance(h, PackedSequence)",
    "type(h) is PackedSequence",
    "type(h) == PackedSequence",
    "PackedSequence is type(h)",
    "not type(h) is not PackedSequence",
    "isinstance(x, torch.nn.utils.rnn.PackedSequence)",
    "not torch.is_tensor(h)",
    "not isinstance(h, torch.Tensor)",
    "isinstance(h, tuple)",
]


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("given", ["x", "pack_padded_sequence(x, [5, 3], batch_first=True)"])
@pytest.mark.parametrize("packed", [5, 6])
def test_a_sequence(tmp_path: Path, asked: str, given: str, packed: int) -> None:
    text = PROGRAM.format(asked=asked, given=given, width=6, packed=packed, plain=11 - packed)
    fails = False
    try:
        exec(text, {"__name__": "net"})
    except RuntimeError:
        fails = True
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    told = [p.site.line for p in shared.problems.values() if p.level == "error" and p.proved]
    assert bool(told) == fails
