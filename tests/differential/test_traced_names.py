"""Which tensors of a traced PyTorch program are those of its ONNX export: names alone do not tell."""

from __future__ import annotations

import sys
from typing import Any

import pytest

import analyzer.exporting.inside
from analyzer.differential.worker.torch_program import Program
from analyzer.exporting.inside import translations

torch = pytest.importorskip("torch")


def loss() -> Any:
    class Loss(torch.nn.Module):  # type: ignore[name-defined, misc]
        def forward(self, x: Any, mean: Any, spread: Any) -> Any:
            """Decomposed by the exporter's own table, the first line makes a difference and a sum as the last does."""
            fit = torch.nn.functional.binary_cross_entropy(torch.sigmoid(x), x, reduction="sum")
            return fit - 0.5 * torch.sum(1 + spread - mean.pow(2) - spread.exp())

    return Loss()


def notes(exported: Any, **options: Any) -> dict[str, str]:
    """What the exporter notes of each value."""
    written = torch.onnx.export(exported, dynamo=True, optimize=False, verbose=False, **options)
    found = ((o.name, n.metadata_props.get("pkg.torch.onnx.fx_node")) for n in written.model.graph for o in n.outputs)
    return {str(name): text for name, text in found if text}


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Program]:
    monkeypatch.setitem(sys.modules, "assay_inside", analyzer.exporting.inside)  # as in a worker
    monkeypatch.setitem(sys.modules, "assay_inside.translations", translations)
    exported = torch.export.export(loss(), (torch.rand(2, 3), torch.rand(2, 3), torch.rand(2, 3)))
    return exported, Program(exported)


def test_every_tensor_is_that_of_the_export(program: tuple[Any, Program]) -> None:
    exported, traced = program
    names = notes(exported, custom_translation_table=translations.table(torch))
    assert traced.alive(names, by_module=False) == [n.name for n in traced.nodes]


def test_equal_names_of_other_tensors_are_told_apart(program: tuple[Any, Program]) -> None:
    """The numbers in names are shifted where one side is decomposed, and a line of text may be equal nevertheless."""
    exported, traced = program
    names = notes(exported)
    assert "sum_1" in names
    alive = traced.alive(names, by_module=False)
    assert "sigmoid" in alive
    assert not {"sub", "sub_1", "sum_1", "sub_2"} & set(alive)
