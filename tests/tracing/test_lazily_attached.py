"""Packages that import their names when they are asked for."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.paths.frames import Shared
from analyzer.tracing.tracing import explore

ATTACHED = """
import lazy_loader as lazy
__getattr__, __dir__, __all__ = lazy.attach(
    __name__, {submodules}, {{"deep.layers": ["Head"], "sizes": ["WIDTH"], "head": ["head"]}}
)
"""
FILES = {
    "net/sizes.py": "WIDTH = 4\nOTHER = 4\n",
    "net/head.py": "import torch\ndef head(x):\n    return torch.nn.Linear(4, 2)(x)\n",
    "net/deep/__init__.py": "",
    "net/deep/layers.py": """
import torch
from net import WIDTH
class Head(torch.nn.Linear):
    def __init__(self):
        super().__init__(WIDTH, 2)
""",
}


def _traced(tmp_path: Path, program: str, submodules: str = "['sizes']") -> Shared:
    for name, text in {**FILES, "net/__init__.py": ATTACHED.format(submodules=submodules)}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return explore(tmp_path, "run.py", ast.parse(program), Versions())


def errors(tmp_path: Path, program: str, submodules: str = "['sizes']") -> list[int]:
    shared = _traced(tmp_path, program, submodules)
    return [p.site.line for p in shared.problems.values() if p.level == "error" and p.proved]


@pytest.mark.parametrize("submodules", ["['sizes']", "{'sizes'}", "('sizes',)"])
@pytest.mark.parametrize(
    "program",
    [
        "import torch, net\nnet.Head()(torch.zeros(3, {}))\n",
        "import torch\nfrom net import Head; Head()(torch.zeros(3, {}))\n",
        "import torch, net\ntorch.zeros(net.WIDTH, 2) + torch.zeros({}, 1)\n",
        "import torch, net\ntorch.zeros(net.sizes.OTHER, 2) + torch.zeros({}, 1)\n",
        "import torch\nfrom net import sizes; torch.zeros(sizes.OTHER, 2) + torch.zeros({}, 1)\n",
    ],
)
def test_a_name_is_imported_when_it_is_asked_for(tmp_path: Path, program: str, submodules: str) -> None:
    assert errors(tmp_path, program.format(4), submodules) == []
    assert errors(tmp_path, program.format(5), submodules) == [2]


@pytest.mark.parametrize("submodules", ["open('names').read().split()", "['sizes'] + open('names').read().split()"])
def test_nothing_is_said_where_the_names_are_not_known(tmp_path: Path, submodules: str) -> None:
    program = "import torch, net\ntorch.zeros(net.WIDTH, 2) + torch.zeros(5, 1)\n"
    assert errors(tmp_path, program, submodules) == []


def test_nothing_is_said_of_a_name_that_no_module_is_said_to_give(tmp_path: Path) -> None:
    assert errors(tmp_path, "import torch, net\ntorch.zeros(net.absent, 2)\n") == []


def test_what_the_package_binds_itself_comes_first(tmp_path: Path) -> None:
    program = "import torch, net\nnet.WIDTH = 5\ntorch.zeros(net.WIDTH, 2) + torch.zeros({}, 1)\n"
    assert errors(tmp_path, program.format(5)) == []
    assert errors(tmp_path, program.format(4)) == [3]


@pytest.mark.parametrize(
    "program",
    [
        "import torch, net\nnet.head(net.head(torch.zeros(3, {}))[:, :1].expand(3, 4))\n",
        "import torch, net, net.head\nnet.head(torch.zeros(3, {}))\n",
        "import torch; from net import head; import net.head as again\nhead(torch.zeros(3, {}))\n",
    ],
)
def test_a_function_is_not_hidden_by_the_module_of_its_name(tmp_path: Path, program: str) -> None:
    path = "net/head.py"
    shared = {size: _traced(tmp_path, program.format(size)) for size in (4, 5)}
    assert not shared[4].problems
    assert [(p.site.path, p.level) for p in shared[5].problems.values()] == [(path, "error")]


HOOKS = {
    "an import under an if": """
def __getattr__(name):
    if name != "Head":
        raise AttributeError(name)
    try:
        from .deep.layers import Head as found
    except Exception as error:
        raise ImportError("no PyTorch") from error
    return found
""",
    "a table of modules": """
import importlib
_HOMES = {"Head": ".deep.layers"}
def __getattr__(name):
    if name in _HOMES:
        value = getattr(importlib.import_module(_HOMES[name], __name__), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__} has no attribute {name}")
""",
    "a table of a module's names": """
import importlib
_HOMES = {"Head": "layers"}
def __getattr__(name):
    if name not in _HOMES:
        raise AttributeError(name)
    return getattr(importlib.import_module(f"{__name__}.deep.{_HOMES[name]}"), name)
""",
}


@pytest.mark.parametrize("hook", HOOKS.values(), ids=HOOKS)
@pytest.mark.parametrize(
    "program",
    [
        "import torch, net\nnet.Head()(torch.zeros(3, {}))\n",
        "import torch\nfrom net import Head; Head()(torch.zeros(3, {}))\n",
        "import torch\nfrom net import sizes, Head; Head()(torch.zeros(sizes.OTHER - 4 + 3, {}))\n",
    ],
)
def test_a_hook_that_the_package_wrote_is_called(tmp_path: Path, hook: str, program: str) -> None:
    folder = tmp_path / "net"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "__init__.py").write_text("")
    (folder / "__init__.py").write_text(hook)
    (folder / "sizes.py").write_text(FILES["net/sizes.py"])
    (folder / "deep" / "layers.py").write_text(FILES["net/deep/layers.py"].replace("from net ", "from net.sizes "))
    found = {}
    for size in (4, 5):
        shared = explore(tmp_path, "run.py", ast.parse(program.format(size)), Versions())
        found[size] = [p.site.line for p in shared.problems.values() if p.level == "error" and p.proved]
    assert found == {4: [], 5: [2]}


def test_a_hook_that_knows_no_such_name_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text("def __getattr__(name):\n    raise AttributeError(name)\n")
    program = "import torch\ntry:\n    import net; net.Head\nexcept AttributeError:\n    torch.zeros(3)\n"
    assert not explore(tmp_path, "run.py", ast.parse(program), Versions()).problems
