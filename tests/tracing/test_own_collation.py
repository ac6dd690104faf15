"""A loader's own `collate_fn` is called with as many examples as a batch has."""

from __future__ import annotations

import ast
import contextlib
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

PROGRAM = """
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset, random_split

class Waves(Dataset):
    def __init__(self, count=40):
        self.x, self.y = torch.randn(count, 64), torch.randn(count, 1)
    def __len__(self):
        return len(self.x)
    def __getitem__(self, i):
        return {{"signal": self.x[i].unsqueeze(0), "target": self.y[i]}}

def stacked(items):
    return torch.stack([i.pop("signal") for i in items]), torch.cat([i["target"] for i in items])

class Padding:
    def __call__(self, items):
        return pad_sequence([i["signal"][0] for i in items], batch_first=True)[:, None], torch.zeros(len(items))

train, _ = random_split(Waves(), [30, 10])
loader = DataLoader({data}, batch_size={size}, collate_fn={collate}, drop_last={last})
model = nn.Sequential(nn.Conv1d(1, 4, 5), nn.Flatten(), nn.Linear({features}, 1))
for x, y in loader:
    loss = (model(x).squeeze(1) - y).pow(2).mean()
    torch.zeros({rows}).reshape(x.shape[0])
"""
LOADERS = (("stacked", 4), ("Padding()", 4), ("lambda items: stacked(items)", 4), ("stacked", 10), ("stacked", 7))


def errors(tmp_path: Path, text: str) -> list[int]:
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    return [p.site.line for p in shared.problems.values() if p.level == "error"]


@pytest.mark.parametrize("data", ["Waves()", "train"])
@pytest.mark.parametrize(("collate", "size"), LOADERS)
@pytest.mark.parametrize("features", [240, 256])
def test_batches_of_an_own_collation(tmp_path: Path, data: str, collate: str, size: int, features: int) -> None:
    text = PROGRAM.format(data=data, collate=collate, size=size, features=features, rows=size, last=True)
    with contextlib.nullcontext() if features == 240 else pytest.raises(RuntimeError):
        exec(text, {})
    assert errors(tmp_path, text) == ([] if features == 240 else [24])


def test_the_number_of_examples(tmp_path: Path) -> None:
    text = PROGRAM.format(data="train", collate="stacked", size=6, features=240, rows=5, last=True)
    assert errors(tmp_path, text) == [27]


def test_a_batch_of_very_many(tmp_path: Path) -> None:
    text = PROGRAM.format(data="Waves(40_000)", collate="stacked", size=10_000, features=240, rows=10_000, last=True)
    assert errors(tmp_path, text) == []


def test_what_no_list_is_made_of(tmp_path: Path) -> None:
    text = (
        "import torch\nfrom torch.utils.data import DataLoader\n"
        "loader = DataLoader(list(torch.randn(8, 3)), batch_size=None, collate_fn=lambda row: row[None])\n"
        "for x in loader:\n    x @ torch.ones({}, 2)\n"
    )
    assert errors(tmp_path, text.format(3)) == []
    assert errors(tmp_path, text.format(4)) == [5]
