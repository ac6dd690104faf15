"""Packages that lie in a folder without `__init__.py`, which other distributions share."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

FILES = {
    "shared/net/__init__.py": "from shared.net.parts import get\n",
    "shared/net/parts/__init__.py": "from shared.net.parts import sizes\nfrom shared.net.parts.registry import get\n",
    "shared/net/parts/registry.py": """
KEPT = {}
def register(name, value):
    KEPT[name] = value
def get(name):
    if name not in KEPT:
        raise KeyError(name)
    return KEPT[name]
""",
    "shared/net/parts/sizes.py": "from shared.net.parts.registry import register\nregister('small', 4)\n",
    "torch/extra/__init__.py": "",  # hides no library
}


@pytest.mark.parametrize("imported", ["from shared.net import get", "from shared.net.parts.registry import get"])
def test_a_package_imports_its_own_modules(tmp_path: Path, imported: str) -> None:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for size in (4, 5):
        program = f"import torch\n{imported}\ntorch.zeros(2, get('small')) @ torch.zeros({size}, 3)\n"
        shared = explore(tmp_path, "run.py", ast.parse(program), Versions())
        errors = [p.site.line for p in shared.problems.values() if p.level == "error" and p.proved]
        assert errors == ([] if size == 4 else [3])


def test_a_package_named_like_an_installed_library_does_not_hide_it(tmp_path: Path) -> None:
    """``shared/common/jinja2/__init__.py`` without ``shared/__init__.py`` is ``shared.common.jinja2``."""
    folder = tmp_path / "shared" / "common" / "jinja2"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "tools.py").write_text("from jinja2 import Template\nfrom jinja2 import absent_here\n")
    tree = ast.parse((folder / "tools.py").read_text())
    shared = explore(tmp_path, "shared/common/jinja2/tools.py", tree, Versions())
    assert 1 not in [p.site.line for p in shared.problems.values()]
