"""Packages that hand out their names by a `__getattr__` of their own (PEP 562)."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.paths.problems import Diagnostic
from analyzer.tracing.tracing import explore

BY_TABLE = """
import importlib

_HOMES = {"Net": ".net", "width": ".net"}


def __getattr__(name: str):
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        module = importlib.import_module(home, __name__)
    except ImportError as error:
        raise ImportError("install the rest") from error
    found = getattr(module, name)
    globals()[name] = found
    return found
"""
BY_NAME = """
def __getattr__(name):
    if name == "Net":
        from .net import Net

        return Net
    if name == "width":
        return 4
    raise AttributeError(name)
"""
NET = """
from torch import nn

width = 4


class Net(nn.Module):
    def __init__(self, inner=width):
        super().__init__()
        self.first, self.second = nn.Linear(3, width), nn.Linear(inner, 2)

    def forward(self, x):
        return self.second(self.first(x))
"""
PROGRAM = """
import torch
import net_package
from net_package import Net, width

Net(inner=width{change})(torch.randn(2, 3))
net_package.Net(inner=net_package.width{change})(torch.randn(2, 3))
"""


def told(tmp_path: Path, hook: str, program: str) -> list[Diagnostic]:
    package = tmp_path / "net_package"
    package.mkdir()
    (package / "__init__.py").write_text(hook)
    (package / "net.py").write_text(NET)
    (tmp_path / "run.py").write_text(program)
    shared = explore(tmp_path, "run.py", ast.parse(program), Versions())
    return [p for p in shared.problems.values() if p.level in ("error", "warning")]


@pytest.mark.parametrize("hook", [BY_TABLE, BY_NAME])
def test_a_name_is_what_the_hook_gives(hook: str, tmp_path: Path) -> None:
    (problem,) = told(tmp_path, hook, PROGRAM.format(change=" + 1"))
    assert problem.proved
    assert "Linear" in problem.message


@pytest.mark.parametrize("hook", [BY_TABLE, BY_NAME])
def test_a_program_that_runs_is_silent(hook: str, tmp_path: Path) -> None:
    assert not told(tmp_path, hook, PROGRAM.format(change=""))


@pytest.mark.parametrize("hook", [BY_TABLE, BY_NAME])
def test_a_submodule_is_found_though_the_hook_knows_none(hook: str, tmp_path: Path) -> None:
    program = "import torch\nfrom net_package import net\nnet.Net(inner={inner})(torch.randn(2, 3))\n"
    assert not told(tmp_path, hook, program.format(inner=4))
    shared = explore(tmp_path, "run.py", ast.parse(program.format(inner=5)), Versions())
    assert [p.proved for p in shared.problems.values() if p.level == "error"] == [True]


@pytest.mark.parametrize("rows", [3, 4])
def test_what_fails_in_a_module_that_the_hook_imports_is_told(rows: int, tmp_path: Path) -> None:
    global_sum = f"\nimport torch\n\nscale = torch.ones({rows}) + torch.ones(3)\n"
    program = "from net_package import Net\n"
    package = tmp_path / "net_package"
    package.mkdir()
    (package / "__init__.py").write_text(BY_NAME)
    (package / "net.py").write_text(NET + global_sum)
    shared = explore(tmp_path, "run.py", ast.parse(program), Versions())
    assert [p.level for p in shared.problems.values()] == ["error"] * (rows == 4)
