"""An error of Python's own in a module of the repository ends the program that imports it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

MODULE = """
import warnings
NAMES = ("a.first", "a.second")
{}
"""
FAIL = ["PARTS = [name.split('.', 0)[1] for name in NAMES]", "LAST = NAMES[2]", "SIZE = {'a': 1}['b']", "N = int('x')"]
EXPECTED = [
    "PARTS = [name.split('.', 1)[1] for name in NAMES]",
    "import a_package_that_is_not_there",
    "raise ValueError('not for this machine')",
    "TEXT = open('a_file_that_is_not_there').read()",
]


@pytest.mark.parametrize("statement", FAIL)
@pytest.mark.parametrize("importing", ["from package import names", "import package.names as names", "import package"])
def test_a_mistake_is_told(tmp_path: Path, statement: str, importing: str) -> None:
    assert _told(tmp_path, statement, f"{importing}\nprint(1)\n") == [("package/names.py", 4)]


@pytest.mark.parametrize("statement", FAIL)
def test_who_expects_it_goes_on(tmp_path: Path, statement: str) -> None:
    program = "try:\n    from package import names\nexcept Exception:\n    names = None\n"
    assert _told(tmp_path, statement, program) == []
    assert _told(tmp_path, statement, f"{program}[1][2]\n") == [("run.py", 5)]


@pytest.mark.parametrize("statement", EXPECTED)
def test_what_others_decide_is_not(tmp_path: Path, statement: str) -> None:
    assert _told(tmp_path, statement, "from package import names\nprint(1)\n") == []


def _told(tmp_path: Path, statement: str, program: str) -> list[tuple[str, int]]:
    (tmp_path / "package").mkdir(exist_ok=True)
    (tmp_path / "package" / "__init__.py").write_text("from . import names\n")
    (tmp_path / "package" / "names.py").write_text(MODULE.format(statement))
    shared = explore(tmp_path, "run.py", ast.parse(program), Versions())
    return [(p.site.path, p.site.line) for p in shared.problems.values() if p.level == "error"]
