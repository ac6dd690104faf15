"""Rounds of a loop nobody knows the length of: an index that counts them says no more than how many there can be."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore, trace

LOOPS = [
    "for i, row in enumerate(rows):\n        {}",
    "for i in range(len(rows)):\n        {}",
    "for i, (a, b) in enumerate(zip(rows, rows)):\n        {}",
    "i = 0\n    while rows.more():\n        {}\n        i += 1",
]


def lines(tmp_path: Path, text: str) -> list[int]:
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    return sorted({p.site.line for p in problems if p.level in ("error", "warning")})


def program(loop: str, body: str) -> str:
    head = "import torch\n\ndef pick(t, i):\n    return t[:, i]\n\ndef follow(rows):\n    s = torch.zeros(2, 1)\n    "
    return f"{head}{loop.format(body)}\n    return torch.zeros(2, 3)\n"


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("body", ["col = s[:, i]", "col = pick(s, i)", "col = s[1, i].item()", "s[:, i] = col = 0"])
def test_the_count_is_the_callers(loop: str, body: str, tmp_path: Path) -> None:
    assert lines(tmp_path, program(loop, body)) == []


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("body", ["col = s[:, 1]", "col = s[:, i + 1]", "col = s.view(3)"])
def test_what_the_first_round_does(loop: str, body: str, tmp_path: Path) -> None:
    text = program(loop, body)
    assert lines(tmp_path, text) == [text[: text.index(body)].count("\n") + 1]


@pytest.mark.parametrize("loop", LOOPS)
def test_what_stands_behind_is_followed(loop: str, tmp_path: Path) -> None:
    text = program(loop, "col = s[:, i]").replace("return torch.zeros(2, 3)", "return torch.zeros(2, 3).view(7)")
    assert lines(tmp_path, text) == [text.count("\n")]


def test_rounds_whose_number_is_known(tmp_path: Path) -> None:
    text = program("for i in range(3):\n        {}", "s[:, i]")
    assert lines(tmp_path, text) == [9]


@pytest.mark.parametrize("before", ["", "channels = None\n        ", "channels = 0\n        "])
def test_what_one_round_sets_another_may_set_otherwise(before: str, tmp_path: Path) -> None:
    """Of a module that a caller may have added to, some children are known."""
    text = f"""import torch
from torch import nn

class Head(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 64, 1), nn.Sequential(nn.ReLU(), nn.Conv2d(64, 512, 1)))
        {before}for m in self.features.modules():
            if isinstance(m, nn.Conv2d):
                channels = m.out_channels
        self.classifier = nn.Conv2d(channels, classes, 1)

    def forward(self, x):
        return self.classifier(self.features(x))
"""
    assert lines(tmp_path, text) == []


@pytest.mark.parametrize(("made", "told"), [("torch.empty(0, 5)", []), ("read()", [8])])
def test_a_size_of_0_of_what_is_empty(made: str, told: list[int], tmp_path: Path) -> None:
    head = "import torch\nimport torchvision\n\ndef read():\n    return torchvision.lost()\n"
    text = f"{head}\nx = {made}\nx.reshape(0, 7)\n"
    assert lines(tmp_path, text) == told


STEPPED = """
import torch

class Steps:
    def __init__(self, x, n):
        self.x, self.n, self.at = x, n, 0
    def __iter__(self):
        return self
    def __next__(self):
        if self.at == self.n:
            raise StopIteration
        self.at += 1
        return self.x

out = torch.zeros(4, 3)
for i, x in enumerate(Steps(torch.zeros(4, 3), 1)):
    for k in range(3):
        if torch.rand(3)[k].item() in (0.5, 0.25):
            continue
        print(k)
    out[i * 4:(i + 1) * 4] = x[:{}]
"""


@pytest.mark.parametrize(("rows", "fails"), [(4, False), (3, True)])
def test_what_the_body_has_to_decide_adds_no_round_to_those_of_an_iterator(
    tmp_path: Path, rows: int, fails: bool
) -> None:
    (tmp_path / "net.py").write_text(STEPPED.format(rows))
    found = trace(tmp_path / "net.py", tmp_path, target="net.py").findings
    assert any(f.rule == "tracing/incompatible-shape" for f in found) is fails
