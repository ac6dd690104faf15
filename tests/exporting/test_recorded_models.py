"""What a recorded model fixes is never proved, confirmed or counted as safe; what comes before it is."""

from __future__ import annotations

import pytest

from analyzer.configuration.config import TargetConfig
from analyzer.findings import Confidence
from analyzer.graph import Graph, is_frozen
from analyzer.numerical.analysis import analyse
from analyzer.numerical.confirm.confirmation import Budget

NET = """
import torch


class Net(torch.nn.Module):
    def forward(self, x):
        early = torch.log(x.abs() + 1) + torch.log(x - 1000)
        {reading}
        return early, torch.log(x.abs() + n), torch.sqrt(x * 0 - n)


def build():
    return Net(), (torch.full((3,), 2.0),)
"""


def operators(graph: Graph, name: str) -> list[bool]:
    return [is_frozen(node) for node in graph.nodes() if node.op_type == name]


@pytest.mark.parametrize(
    "reading", ["n = float(x.max())", "n = x.tolist()[0]", "n = 2.0 if torch.equal(x, x + 0) else 0.0"]
)
def test_only_what_comes_before_the_first_reading_is_proved(project, export_entry, reading: str) -> None:
    project.write("net.py", NET.format(reading=f"n = 1.0 if x.sum() > 0 else 0.0\n        {reading}"))
    graph = export_entry("net.py:build")
    assert operators(graph, "Log") == [False, False, True]
    assert operators(graph, "Sqrt") == [True]
    target = TargetConfig(id="net", entry="net.py:build")
    result = analyse(graph, target, root=project.root, budget=Budget(search=2.0))
    found = {f.op: f for f in result.findings}
    assert found["Log"].confidence in (Confidence.PROVED, Confidence.CONFIRMED)
    assert found["Sqrt"].confidence is Confidence.POSSIBLE
    assert any("holds those of the example" in s for s in found["Sqrt"].evidence.sentences)
    assert not any("every run fails" in s for s in found["Sqrt"].evidence.sentences)
    assert result.unsafe_operators.safe == 1
    assert any("safe with the numbers that the model read" in note for note in result.notes)


def test_sizes_that_hang_on_values_are_fixed_too(project, export_entry) -> None:
    project.write(
        "net.py", NET.format(reading="n = 1.0 if x.sum() > 0 else 0.0").replace("x.sum() > 0", "len(x[x > 1]) > 2")
    )
    graph = export_entry("net.py:build")
    assert "assay.notes" in graph.model.metadata_props or operators(graph, "Sqrt") == [False]
    if "assay.notes" in graph.model.metadata_props:
        assert operators(graph, "Sqrt") == [True]
