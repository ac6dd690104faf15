"""What an export is forked from is begun before it."""

from __future__ import annotations

import pytest

from analyzer.exporting import export as exporting
from analyzer.exporting.export import prepare_export
from analyzer.exporting.manifest import ExportProblem
from analyzer.walls import ResourceLimits, forked
from analyzer.walls.process import ProcessSandbox


def test_an_export_is_forked_from_what_was_prepared_for_it(project, export_entry, monkeypatch):
    """One process imports what the sources name: it is begun before the export, and the export asks for the same."""
    begun = []

    class Counted(forked.ForkServer):
        def __init__(self, imports, *more):
            begun.append(imports)
            super().__init__(imports, *more)

    monkeypatch.setattr(forked, "ForkServer", Counted)
    monkeypatch.setattr(exporting, "EXPORTER", ("fractions", "colorsys"))
    project.write(
        "m.py", "import sys\nif not sys:\n    import torch\ndef build(): raise ValueError('colorsys' in sys.modules)\n"
    )
    prepare_export("m.py:build", project.root, ProcessSandbox())
    assert begun == [("fractions", "colorsys")]
    with pytest.raises(ExportProblem, match="True"):
        export_entry("m.py:build", limits=ResourceLimits())
    assert begun == [("fractions", "colorsys")]
    prepare_export("none.py:build", project.root, ProcessSandbox())  # the export says that it is not there
