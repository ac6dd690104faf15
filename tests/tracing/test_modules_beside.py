"""A module beside a file of a package is not the library of its name, where it lacks what the file asks for."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore


@pytest.mark.parametrize(("package", "refused"), [(True, False), (False, True)])
@pytest.mark.parametrize("folder", [True, False])
def test_a_library_of_the_name_is_meant(package: bool, folder: bool, refused: bool, tmp_path: Path) -> None:
    """A script's own folder comes first for Python; that of a file in a package does not count at all."""
    (tmp_path / "net").mkdir()
    if package:
        (tmp_path / "net" / "__init__.py").write_text("")
    beside = tmp_path / "net" / ("tuning/__init__.py" if folder else "tuning.py")
    beside.parent.mkdir(exist_ok=True)
    beside.write_text("RATES = 3\n")
    text = "import tuning\n\n\ndef build(name=tuning.REQUIRED):\n    return name\n"
    (tmp_path / "net" / "words.py").write_text(text)
    shared = explore(tmp_path, "net/words.py", ast.parse(text), Versions())
    assert [p.rule for p in shared.problems.values() if p.level == "error"] == ["python/missing-attribute"] * refused
