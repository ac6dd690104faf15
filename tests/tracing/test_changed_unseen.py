"""Objects that code which nobody has followed was given: what they hold afterwards is a guess."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """
import torch
import nowhere

class Settings:
    def __init__(self):
        self.n, self.items = 1, []

class Kept:
    def __init__(self):
        self.n = 1
        nowhere.register(self)

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.n = 1

@nowhere.wrapped
def one():
    return 1

@torch.no_grad()
def two():
    return 1

"""
FAILURE = "torch.zeros(2, 3) @ torch.zeros(4, 5)"
GUESSED = {
    "an object": "c = Settings()\nnowhere.setup(c)\nif c.n == 1:",
    "in a list": "c = Settings()\nnowhere.setup([c])\nif c.n == 1:",
    "in a dictionary": "c = Settings()\nnowhere.setup(all={'a': c})\nif c.n == 1:",
    "a list of it": "c = Settings()\nnowhere.setup(c)\nif not c.items:",
    "itself": "if Kept().n == 1:",
    "a function behind a decorator": "if one() == 1:",
}
KNOWN = {
    "given to nobody": "c = Settings()\nnowhere.setup()\nif c.n == 1:",
    "given to Python": "c = Settings()\nprint(c)\nif c.n == 1:",
    "a module": "c = Net()\nnowhere.watch(c)\nif c.n == 1:",
    "a function behind one of PyTorch": "if two() == 1:",
}


def proved(tmp_path: Path, body: str) -> list[bool]:
    text = HEAD + f"{body} {FAILURE}\n"
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    return [p.proved for p in problems if p.level == "error"]


@pytest.mark.parametrize("name", GUESSED)
def test_what_may_have_changed_proves_nothing(tmp_path: Path, name: str) -> None:
    assert proved(tmp_path, GUESSED[name]) == [False]


@pytest.mark.parametrize("name", KNOWN)
def test_what_nobody_has_changed_goes_on_being_proved(tmp_path: Path, name: str) -> None:
    assert proved(tmp_path, KNOWN[name]) == [True]
