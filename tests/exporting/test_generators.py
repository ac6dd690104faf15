"""Draws by a generator of the model's own are exported as draws: what they make fail is found."""

from __future__ import annotations

from typing import Any

import pytest

from analyzer.configuration.config import TargetConfig
from analyzer.numerical.analysis import analyse

NET = """
import torch


class Net(torch.nn.Module):
    def forward(self, x):
        own = torch.Generator()
        own.manual_seed(3)
        drawn = DRAWN
        return torch.log(drawn + OFFSET) + x


def build():
    return Net(), (torch.randn(3),)
"""


@pytest.mark.parametrize(
    ("drawn", "offset", "safe"),
    [("torch.rand(3, generator=None)", 1.0, True), ("torch.randn(3, generator=None)", 1.0, False)],
)
def test_draws_of_no_generator(project: Any, export_entry: Any, drawn: str, offset: float, safe: bool) -> None:
    """A function that takes a generator passes on that it was given none: another overload of the same draw."""
    project.write("net.py", NET.replace("DRAWN", drawn).replace("OFFSET", str(offset)))
    graph = export_entry("net.py:build")
    assert "whatever its seed is" not in graph.model.metadata_props.get("assay.notes", "")
    assert any("Random" in node.op_type for node in graph.nodes())
    result = analyse(graph, TargetConfig(id="net", entry="net.py:build"), confirm=False)
    assert (result.unsafe_operators.safe == 1) is safe


@pytest.mark.parametrize(
    ("drawn", "offset", "safe"),
    [
        ("torch.rand(3, generator=own)", 1.0, True),
        ("torch.rand(3, generator=own)", -0.5, False),
        ("torch.randn(3, generator=torch.Generator().manual_seed(1))", 1.0, False),
        ("torch.randn(x.shape, generator=own) * torch.rand(3, generator=own)", 1.0, False),
    ],
)
def test_draws_of_a_generator(project: Any, export_entry: Any, drawn: str, offset: float, safe: bool) -> None:
    project.write("net.py", NET.replace("DRAWN", drawn).replace("OFFSET", str(offset)))
    graph = export_entry("net.py:build")
    assert [value.name for value in graph.graph.inputs] == ["x"]
    assert "whatever its seed is" in graph.model.metadata_props["assay.notes"]
    assert any("Random" in node.op_type for node in graph.nodes())
    result = analyse(graph, TargetConfig(id="net", entry="net.py:build"), confirm=False)
    assert (result.unsafe_operators.safe == 1) is safe
