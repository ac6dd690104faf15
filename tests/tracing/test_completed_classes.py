"""Classes that others complete: what inherits from them, or is mixed in beside them, sets what they read."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore


def warned(tmp_path: Path, text: str, **others: str) -> list[str]:
    (tmp_path / "part.py").write_text(text)
    for name, other in others.items():
        (tmp_path / f"{name}.py").write_text(other)
    problems = explore(tmp_path, "part.py", ast.parse(text), Versions()).problems.values()
    return [p.rule for p in problems if p.level in ("error", "warning")]


ALONE = """
import torch

class Part:
    def device(self):
        return torch.zeros(1 if self.on_gpu else 0)
"""


@pytest.mark.parametrize(
    "beside",
    [
        "from part import Part\n" + "#\n" * 40_000 + "class Whole(Part):\n    on_gpu = True\n",
        "from part import Part\nclass Whole(Part):\n    on_gpu = True\n",
        "from part import Part\nclass Whole(Other, Part):\n    pass\n",
        "import part\nclass Whole(\n    Other,\n    part.Part,\n):\n    pass\n",
        "class Other:\n    def __init__(self):\n        self.on_gpu = False\n",  # as something beside it does
        "def move(part):\n    part.on_gpu = True\n",
    ],
)
def test_others_set_it(beside: str, tmp_path: Path) -> None:
    assert warned(tmp_path, ALONE, beside=beside) == []


@pytest.mark.parametrize(
    "beside",
    ["", "from part import Part\nprint(Part())\nclass Other:\n    def __init__(self):\n        self.on_gpu = 1\n"],
)
def test_nobody_sets_it(beside: str, tmp_path: Path) -> None:
    assert warned(tmp_path, ALONE, beside=beside) == ["python/missing-attribute"]


def test_an_object_of_the_class_itself(tmp_path: Path) -> None:
    beside = "from part import Part\nclass Whole(Part):\n    on_gpu = True\n"
    assert warned(tmp_path, f"{ALONE}\nprint(Part().device())\n", beside=beside) == ["python/missing-attribute"]


def test_a_class_that_leaves_a_method_to_others(tmp_path: Path) -> None:
    abstract = """
import torch
from abc import abstractmethod

class Agent:
    def act(self):
        return torch.zeros(1) + self.actor

    @abstractmethod
    def learn(self): ...
"""
    assert warned(tmp_path, abstract) == []
    assert warned(tmp_path, abstract.replace("@abstractmethod", "")) == ["python/missing-attribute"]


ASSERTING = """
import torch

class Checks:
    def test_length(self):
        self.assertEqual(len(torch.zeros(3)), 3)
        self.assertAllClose(torch.zeros(3), 0)
"""


def test_assertions_are_of_the_test_case_that_it_is_mixed_into(tmp_path: Path) -> None:
    assert warned(tmp_path, ASSERTING) == []
    named = ["python/missing-attribute"]
    assert warned(tmp_path, ASSERTING.replace("assertAllClose", "close_to")) == named
    assert warned(tmp_path, f"{ASSERTING}\nChecks().test_length()\n") == 2 * named


def test_the_files_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from analyzer.tracing.imports import repository_files

    read: list[Path] = []
    text_of = repository_files.text_of
    monkeypatch.setattr(repository_files, "text_of", lambda root, *of: read.append(of[0]) or text_of(root, *of))
    text = "import torch\n\n" + "".join(
        f"class Part{n}:\n    def device(self):\n        return torch.zeros(1 if self.on_gpu else 0)\n\n"
        for n in range(5)
    )
    assert len(warned(tmp_path, text)) == 5
    assert len(read) == 1
