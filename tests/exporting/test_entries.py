"""Which names of a file are offered as entry points; nothing runs."""

from __future__ import annotations

import pytest

from analyzer.exporting import export as exporting
from analyzer.exporting.entries import find_entries
from analyzer.exporting.export import prepare_export
from analyzer.exporting.manifest import ExportProblem
from analyzer.walls import Limits, forked
from analyzer.walls.process import ProcessSandbox


def test_factories_and_module_level_models(project):
    path = project.write(
        "m.py",
        """
        import keras
        import torch
        from torch import nn
        from torch.nn import Linear as L

        raise SystemExit("never runs")

        class Net(nn.Module):
            pass

        class Deep(Net):
            pass

        def build(): return Net()
        def build_model(width=8): return Net()
        def create_net(*, depth): return Net()
        def make_loss(x): return Net()
        def builder(): return 1
        def build_graph(): print("nothing")
        def get_data(): return 1
        net = Net()
        deep: nn.Module = Deep()
        layer = L(2, 3)
        model = keras.Sequential([])
        number = int(3)
        tensor = torch.zeros(3)
    """,
    )
    assert find_entries(path) == ("build", "build_model", "net", "deep", "layer", "model")


def test_a_file_without_a_framework_offers_nothing(project):
    assert find_entries(project.write("m.py", "def build_model(): return 1\n")) == ()
    assert find_entries(project.write("broken.py", "import torch\ndef build(:\n")) == ()
    assert find_entries(project.root / "missing.py") == ()


def test_an_export_is_forked_from_what_was_prepared_for_it(project, export_entry, monkeypatch):
    """One process imports what the sources name: it is begun before the export, and the export asks for the same."""
    begun = []

    class Counted(forked.Nursery):
        def __init__(self, imports, *more):
            begun.append(imports)
            super().__init__(imports, *more)

    monkeypatch.setattr(forked, "Nursery", Counted)
    monkeypatch.setattr(exporting, "EXPORTER", ("fractions", "colorsys"))
    project.write(
        "m.py", "import sys\nif not sys:\n    import torch\ndef build(): raise ValueError('colorsys' in sys.modules)\n"
    )
    prepare_export("m.py:build", project.root, ProcessSandbox())
    assert begun == [("fractions", "colorsys")]
    with pytest.raises(ExportProblem, match="True"):
        export_entry("m.py:build", limits=Limits())
    assert begun == [("fractions", "colorsys")]
    prepare_export("none.py:build", project.root, ProcessSandbox())  # the export says that it is not there
