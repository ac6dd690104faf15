"""How recurrent layers lay their results out: tracing and PyTorch agree on which views work."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """import torch
from torch import nn
out, state = nn.{layer}(5, 7, batch_first={first}, bidirectional={both})(torch.zeros({batch}, 3, 5))
width = 14 if {both} else 7
state = state[0] if isinstance(state, tuple) else state
"""
ALONE = ["out.view(-1)", "out.mT.view(-1)", "out.t().view(-1)", "out.mT.reshape(-1)", "out[:, :2].view(-1)"]
VIEWS = [
    "out.view(-1, width)", "out.reshape(-1, width)", "out.contiguous().view(-1, width)", "out[:, -1].view(-1, 7)",
    "out.view(out.shape[0], out.shape[1], -1, 7)", "out.transpose(0, 1).view(-1, width)", "state.view(-1)",
]  # fmt: skip


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize(("layer", "both", "batch"), [("LSTM", True, 2), ("GRU", False, 2), ("RNN", False, 1)])
@pytest.mark.parametrize("view", VIEWS)
def test_views_of_what_a_recurrent_layer_gives(
    tmp_path: Path, view: str, layer: str, both: bool, batch: int, first: bool
) -> None:
    agree(tmp_path, HEAD.format(layer=layer, first=first, both=both, batch=batch) + view + "\n")


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize(("layer", "both"), [("LSTM", True), ("GRU", False), ("RNN", False)])
@pytest.mark.parametrize("view", ALONE)
def test_views_of_what_it_gives_for_one_sequence(
    tmp_path: Path, view: str, layer: str, both: bool, first: bool
) -> None:
    source = HEAD.format(layer=layer, first=first, both=both, batch=2)
    agree(tmp_path, source.replace("torch.zeros(2, 3, 5)", "torch.zeros(3, 5)") + view + "\n")


def agree(folder: Path, source: str) -> None:
    try:
        exec(source, {})
        fails = False
    except RuntimeError:
        fails = True
    found = explore(folder, "net.py", ast.parse(source), Versions()).problems.values()
    assert [p.site.line for p in found if p.level == "error" and p.certain] == ([6] if fails else [])
