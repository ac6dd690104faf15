"""`from module import *` takes over what `__all__` tells, and without it the names without an underscore."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

FIRST = """
import torch
{}

def helper():
    return torch.zeros(2, 9)

def max(a, b):
    return 9

def layer():
    return torch.zeros(2, 3)

def _kept():
    return torch.zeros(3, 4)
"""
SECOND = "import torch\n\ndef helper():\n    return torch.zeros(2, 3)\n"
TOLD = "__all__ = ['_kept', 'layer', 'part']"
OPEN = "import tables\n__all__ = ['layer', 'part'] + [name for name in tables.names if name]"


@pytest.mark.parametrize(
    ("told", "statements", "refused"),
    [
        (TOLD, "helper() @ torch.zeros(3, 4)", False),
        (TOLD, "helper() @ torch.zeros(9, 4)", True),
        (TOLD, "layer() @ _kept()", False),
        (TOLD, "layer() @ _kept().T", True),
        (TOLD, "torch.zeros(max(3, 2), 2) @ layer()", False),
        (TOLD, "torch.zeros(max(3, 2), 2) @ layer().T", True),
        (TOLD, "torch.zeros(part.width, 2) @ layer()", False),
        (TOLD, "layer() @ torch.zeros(part.width, 2)", True),
        ("", "helper() @ torch.zeros(9, 4)", False),
        ("", "helper() @ torch.zeros(3, 4)", True),
        (OPEN, "helper() @ torch.zeros(3, 4)", False),  # whether the second one gives it is not known
        (OPEN, "layer() @ torch.zeros(4, 4)", True),
    ],
)
def test_names_that_are_taken_over(told: str, statements: str, refused: bool, tmp_path: Path) -> None:
    (tmp_path / "first").mkdir()
    (tmp_path / "first" / "__init__.py").write_text(FIRST.format(told))
    (tmp_path / "first" / "part.py").write_text("width = 5\n")
    (tmp_path / "second.py").write_text(SECOND)
    text = f"import torch\nfrom second import *\nfrom first import *\n\n{statements}\n"
    (tmp_path / "net.py").write_text(text)
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    found = [p for p in shared.problems.values() if p.level == "error"]
    assert [p.proved for p in found] == [True] * refused


LAYERS_OF_A_STAR = """
from keras.models import *
from {}keras.layers import *

class Scaled(Layer):
    def call(self, x):
        return x * 2

x = Input((4, 4, 3))
Model(x, Scaled()(Add()([Conv2D(3, 2)(x), Conv2D({}, 2)(x)])))
"""


@pytest.mark.parametrize("home", ["", "tensorflow."])
@pytest.mark.parametrize(("channels", "fails"), [(3, False), (4, True)])
def test_a_star_brings_the_layers_of_a_framework(tmp_path: Path, home: str, channels: int, fails: bool) -> None:
    text = LAYERS_OF_A_STAR.format(home, channels)
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert [p.proved for p in problems if p.level == "error"] == [True] * fails
