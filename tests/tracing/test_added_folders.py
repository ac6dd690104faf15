"""Modules in folders that a file adds to `sys.path` are those that it imports."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

PARTS = "import torch\n\n\ndef halves(x):\n    return x.view(-1, 2)\n"
ABOVE = "import os, sys\nhere = os.path.dirname(os.path.abspath(__file__))\nsys.path.{}\n"
NAMED = "import os, sys\nsys.path.append(os.path.join(os.path.dirname(__file__), '..', 'lib'))\n"


def told(root: Path, changes: str, home: str, size: int, module: str = "own_parts") -> list[str]:
    """Files in which an error is told of a program in a package, which imports a module of the folder `home`."""
    for folder in ("net", "net/runs", home):
        (root / folder).mkdir(exist_ok=True)
    (root / "net" / "__init__.py").write_text("")
    (root / "net" / "runs" / "__init__.py").write_text("")
    (root / home / f"{module}.py").write_text(PARTS)
    imported = f"import torch\n{changes}from {module} import halves\n\n\ndef run(x):\n    return halves(x)\n"
    (root / "net" / "runs" / "steps.py").write_text(imported)
    program = f"import torch\nfrom net.runs.steps import run\nrun(torch.zeros({size}))\n"
    shared = explore(root, "program.py", ast.parse(program), Versions())
    return [p.site.path for p in shared.problems.values() if p.level == "error"]


@pytest.mark.parametrize("change", ["insert(0, os.path.dirname(here))", "append(f'{here}/..')"])
@pytest.mark.parametrize("size", [4, 5])
def test_a_folder_above_is_searched(tmp_path: Path, change: str, size: int) -> None:
    assert told(tmp_path, ABOVE.format(change), "net", size) == ["net/own_parts.py"] * (size == 5)


@pytest.mark.parametrize("size", [4, 5])
def test_a_folder_that_the_change_names_is_searched(tmp_path: Path, size: int) -> None:
    assert told(tmp_path, NAMED, "net/lib", size) == ["net/lib/own_parts.py"] * (size == 5)


@pytest.mark.parametrize("changes", ["", "import sys\nprint(sys.path)\n"])
def test_where_nothing_is_added_no_other_folder_is_searched(tmp_path: Path, changes: str) -> None:
    assert told(tmp_path, changes, "net", 5) == []


def test_an_added_folder_hides_nothing_that_is_installed(tmp_path: Path) -> None:
    assert told(tmp_path, ABOVE.format("append(here)"), "net", 5, "einops") == []
