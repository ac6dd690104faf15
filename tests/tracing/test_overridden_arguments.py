"""Methods that have to be overridden, and decorators of libraries that change the arguments of what they wrap."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.imports import libraries, library_index
from analyzer.tracing.tracing import explore, read_source

BASE = """
import torch
from torch import nn

class Base(nn.Module):
    def compute(self, x):
        '''For classes below.'''
        {}
    def forward(self, x):
        return self.compute(x, mask=None)
"""


def mismatches(folder: Path, text: str) -> list[str]:
    path = folder / "program.py"
    path.write_text(text)
    _, tree = read_source(path, folder)
    problems = explore(folder, "program.py", tree, Versions()).problems.values()
    return [p.message for p in problems if p.rule == "python/argument-mismatch"]


@pytest.mark.parametrize(
    ("body", "told"),
    [("raise NotImplementedError('by others')", False), ("raise NotImplementedError", False), ("return x", True)],
)
def test_the_arguments_of_a_method_that_only_refuses_are_those_of_others(tmp_path: Path, body: str, told: bool) -> None:
    assert bool(mismatches(tmp_path, BASE.format(body))) is told


LIBRARY = """
import torch
import elsewhere

def plainly(function):
    def inner(*args, **kwargs):
        if elsewhere.wants(args):
            args, kwargs = (), {"weights": args[0]}
        return function(*args, **kwargs)
    return inner

@plainly
def model(*, weights=None):
    return weights

def sometimes(function):
    return plainly(function) if elsewhere.asks() else None

@sometimes
def other(*, weights=None):
    return weights

def plain(*, weights=None):
    return weights
"""


@pytest.mark.parametrize(("name", "told"), [("model", False), ("other", False), ("plain", True)])
def test_a_decorator_may_change_the_arguments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, told: bool
) -> None:
    folder = tmp_path / "installed" / "biglib"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text(LIBRARY)
    monkeypatch.syspath_prepend(str(folder.parent))
    cached = (libraries._library, libraries._is_small, libraries.is_installed, library_index.index_of)
    for function in cached:
        function.cache_clear()
    (tmp_path / "repository").mkdir()
    found = mismatches(tmp_path / "repository", f"import torch\nimport biglib\nbiglib.{name}(True)\n")
    for function in cached:
        function.cache_clear()
    assert bool(found) is told
