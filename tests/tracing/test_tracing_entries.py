"""Entry points ``(model, example inputs)`` are traced as they are exported, and modules that nothing calls."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer.findings import Confidence, Level
from analyzer.problem import UsageProblem
from analyzer.tracing import trace

TORCH = """import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.head = nn.Linear(8 * 30 * 30, {features})

    def forward(self, x{more}):
        return self.head(self.conv(x).flatten(1))

def build():
    return Net(), {examples}

model = Net()
pair = (model, (torch.rand(2, 3, {size}, 32),))
"""


def lines(tmp_path: Path, source: str, entry: str | None) -> list[int]:
    path = tmp_path / "net.py"
    path.write_text(source)
    result = trace(path, tmp_path, target="t", entry=entry)
    found = [f for f in result.findings if f.level is Level.ERROR and f.confidence is Confidence.PROVED]
    return [f.location.line for f in found if f.location is not None]


@pytest.mark.parametrize(
    ("examples", "expected"),
    [
        ("(torch.rand(2, 3, 32, 32),)", []),
        ("(torch.rand(2, 3, 30, 32),)", [11]),
        ("[torch.rand(2, 3, 30, 32)]", [11]),
        ("{'x': torch.rand(2, 3, 30, 32)}", [11]),
        ("{'x': torch.rand(2, 3, 32, 32)}", []),
    ],
)
def test_the_model_is_called_with_its_examples(tmp_path: Path, examples: str, expected: list[int]) -> None:
    assert lines(tmp_path, TORCH.format(features=4, more="", examples=examples, size=32), "build") == expected


def test_a_pair_at_module_level(tmp_path: Path) -> None:
    assert lines(tmp_path, TORCH.format(features=4, more="", examples="None", size=30), "pair") == [11]
    assert lines(tmp_path, TORCH.format(features=4, more="", examples="None", size=32), "pair") == []


def test_an_object_at_module_level_is_no_error(tmp_path: Path) -> None:
    assert lines(tmp_path, TORCH.format(features=4, more="", examples="None", size=32), "model") == []


def test_a_missing_entry_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match=r"net\.py defines no function or class named nowhere"):
        lines(tmp_path, TORCH.format(features=4, more="", examples="None", size=32), "nowhere")


CHAIN = """import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, {middle})
        self.second = nn.Linear(16, 4)

    def forward(self, x):
        return self.second(torch.relu(self.first(x)))
"""


@pytest.mark.parametrize(("middle", "expected"), [(16, []), (8, [11])])
def test_layers_that_cannot_follow_one_another_at_any_rank(tmp_path: Path, middle: int, expected: list[int]) -> None:
    assert lines(tmp_path, CHAIN.format(middle=middle), None) == expected
