"""Modules that a package imports by names it puts together fill its registry."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

REGISTRY = """
import importlib

REGISTRY = {{}}

def register(cls):
    REGISTRY[cls.__name__] = cls
    return cls

for name in ("narrow", "wide"):
    importlib.import_module({}, __package__)
"""
PLUGIN = "from . import register\n\n@register\nclass {}:\n    width = {}\n"


@pytest.mark.parametrize(("size", "refused"), [(8, False), (3, True)])
@pytest.mark.parametrize("folder", ["nets", "nets/deep"])
def test_plugins_named_below_the_package(folder: str, size: int, refused: bool, tmp_path: Path) -> None:
    home = tmp_path / folder
    home.mkdir(parents=True)
    (tmp_path / "nets" / "__init__.py").write_text("")
    (home / "__init__.py").write_text("")
    (home / "kinds").mkdir()
    (home / "kinds" / "__init__.py").write_text(REGISTRY.format("'.' + name"))
    (home / "kinds" / "narrow.py").write_text(PLUGIN.format("Narrow", 3))
    (home / "kinds" / "wide.py").write_text(PLUGIN.format("Wide", 8))
    package = folder.replace("/", ".")
    text = f"import torch\nfrom {package}.kinds import REGISTRY\n"
    text += "if 'Wide' not in REGISTRY:\n    torch.zeros(2, 3) @ torch.zeros(4, 5)\n"
    text += f"torch.zeros(2, REGISTRY['Wide'].width) @ torch.zeros({size}, 2)\n"
    (tmp_path / "train.py").write_text(text)
    shared = explore(tmp_path, "train.py", ast.parse(text), Versions())
    assert [p.proved for p in shared.problems.values() if p.level == "error"] == [True] * refused


UNNAMED = """
import importlib
import os

REGISTRY = {"Narrow": 3}

for name in os.environ["PLUGINS"].split(","):
    importlib.import_module("nets." + name)
"""


@pytest.mark.parametrize(("given", "proved"), [(UNNAMED, False), ("REGISTRY = {'Narrow': 3}\n", True)])
def test_plugins_without_a_known_name_may_have_filled_it(given: str, proved: bool, tmp_path: Path) -> None:
    (tmp_path / "nets").mkdir()
    (tmp_path / "nets" / "__init__.py").write_text(given)
    (tmp_path / "nets" / "wide.py").write_text("from nets import REGISTRY\nREGISTRY['Wide'] = 8\n")
    text = "import torch\nfrom nets import REGISTRY\n\n"
    text += "if 'Wide' not in REGISTRY:\n    torch.zeros(2, 3) @ torch.zeros(4, 5)\n"
    (tmp_path / "train.py").write_text(text)
    shared = explore(tmp_path, "train.py", ast.parse(text), Versions())
    assert any(p.proved for p in shared.problems.values()) == proved
