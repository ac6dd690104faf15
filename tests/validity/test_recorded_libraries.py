"""Spaces from code that a library wrote: its branches and refusals count, and sizes of made tensors are followed."""

from __future__ import annotations

import itertools
import runpy
from pathlib import Path
from typing import Any

import pytest

from analyzer.commands.cli import main

pytest.importorskip("torch")

CODE = """
import torch
from torch import nn


class Table(nn.Module):
    def __init__(self, width, heads, length, cut):
        super().__init__()
        if width % heads != 0:
            raise ValueError(f"{width} is no multiple of {heads}")
        self.place = nn.Parameter(torch.zeros(1, length, width))
        self.register_buffer("turns", 1.0 / torch.arange(0, width, 2))
        self.heads, self.cut = heads, cut
        self.fc = nn.Linear(width, width)

    def forward(self, x):
        y = self.fc(x)[:, : self.cut] + self.place
        y = y[:, 1:, None].squeeze(2)
        turns = torch.cat([self.turns, self.turns])
        return y.view(y.shape[0], y.shape[1], self.heads, -1)[..., 0] * turns[: self.heads]


def build(width, heads, length, cut):
    return Table(width, heads, length, cut)
"""
NAMES = {"width": [6, 8, 12], "heads": [1, 2, 4, 5], "length": [1, 3, 4], "cut": [2, 3, 4, 9]}


def really(vector: dict[str, Any], path: Path) -> bool:
    import torch

    try:
        runpy.run_path(str(path))["build"](**vector)(torch.zeros(2, 6, 8))
    except (RuntimeError, ValueError):
        return False
    return True


def test_refusals_parameters_subscripts_and_branches_on_sizes(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(CODE)
    domains = "\n".join(f"  {n}: {v}" for n, v in NAMES.items())
    (tmp_path / "s.yml").write_text(f"version: 1\nhyperparameters:\n{domains}\ninputs: {{x: {{shape: [2, 6, 8]}}}}\n")
    options = ["--space", str(tmp_path / "s.yml"), "--root", str(tmp_path), "--export", str(tmp_path / "keep.py")]
    assert main(["space", "net.py:build", *options]) == 1
    valid = runpy.run_path(str(tmp_path / "keep.py"))["valid"]
    vectors = [dict(zip(NAMES, v, strict=True)) for v in itertools.product(*NAMES.values())]
    said = [valid(v) for v in vectors]
    truth = [really(v, tmp_path / "net.py") for v in vectors]
    assert [(v, a, b) for v, a, b in zip(vectors, said, truth, strict=True) if a is not b] == []
    assert 0 < sum(truth) < len(truth)


def test_a_branch_that_a_size_of_a_tensor_decides_is_no_guess(tmp_path: Path) -> None:
    code = CODE.replace("        y = y[:, 1:, None]", "        if y.shape[1] > 3:\n            y = y[:, 2:, None]")
    assert code != CODE
    (tmp_path / "net.py").write_text(code)
    domains = "\n".join(f"  {n}: {v}" for n, v in NAMES.items())
    (tmp_path / "s.yml").write_text(f"version: 1\nhyperparameters:\n{domains}\ninputs: {{x: {{shape: [2, 6, 8]}}}}\n")
    options = ["--space", str(tmp_path / "s.yml"), "--root", str(tmp_path), "--export", str(tmp_path / "keep.py")]
    assert main(["space", "net.py:build", *options]) == 3
    valid = runpy.run_path(str(tmp_path / "keep.py"))["valid"]
    for values in itertools.product(*NAMES.values()):
        vector = dict(zip(NAMES, values, strict=True))
        assert valid(vector) in (really(vector, tmp_path / "net.py"), None)


def test_a_model_of_transformers_is_read_through_its_own_code(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    (tmp_path / "net.py").write_text(
        "from transformers import BertConfig, BertModel\n\n\n"
        "def build(hidden, heads):\n"
        "    return BertModel(BertConfig(vocab_size=9, hidden_size=hidden, num_attention_heads=heads,\n"
        "        num_hidden_layers=1, intermediate_size=8, max_position_embeddings=8))\n"
    )
    (tmp_path / "s.yml").write_text(
        "version: 1\nhyperparameters: {hidden: {min: 8, max: 24, step: 4}, heads: [1, 2, 3, 4]}\n"
        "inputs: {x: {shape: [2, 4], dtype: int64}}\n"
    )
    options = ["--space", str(tmp_path / "s.yml"), "--root", str(tmp_path), "--export", str(tmp_path / "keep.py")]
    assert main(["space", "net.py:build", *options]) == 1
    valid = runpy.run_path(str(tmp_path / "keep.py"))["valid"]
    for hidden, heads in itertools.product(range(8, 25, 4), (1, 2, 3, 4)):
        assert valid({"hidden": hidden, "heads": heads}) is (hidden % heads == 0)
