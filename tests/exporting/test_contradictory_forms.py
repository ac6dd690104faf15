"""What is wrong with an exported graph whose model runs in PyTorch is a note; what fails at other sizes blocks."""

from __future__ import annotations

from dataclasses import replace

import onnx_ir as ir

from analyzer.configuration.config import InputSpec, TargetConfig
from analyzer.findings import FailOn, Level
from analyzer.validity.analysis import analyse

NET = """
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Conv1d(4, 8, 3)

    def forward(self, x):
        return self.layer(x)


def build():
    return Net().eval(), (torch.rand(2, 4, 16),)
"""


def test_a_contradiction_of_the_form_itself_is_the_exporters(project, export_entry) -> None:
    """Of a model that ran; of one that did not it blocks."""
    project.write("net.py", NET)
    graph = export_entry("net.py:build")
    assert graph.ran
    target = TargetConfig(id="net", entry="net.py:build")
    assert not analyse(graph, target).findings
    bias = next(value for name, value in graph.graph.initializers.items() if name.endswith("bias"))
    bias.const_value = ir.tensor(bias.const_value.numpy().repeat(2))
    bias.shape = ir.Shape([16])
    (found,) = analyse(graph, target).findings
    assert found.level is Level.NOTE
    assert "exported form contradicts itself" in found.message
    assert not found.blocks(FailOn.POSSIBLE)
    (blocked,) = analyse(replace(graph, ran=False), target).findings
    assert blocked.blocks(FailOn.CONFIRMED)


def test_what_fails_at_other_sizes_than_the_examples_blocks(project, export_entry) -> None:
    project.write("net.py", NET)
    target = {"inputs": {"x": InputSpec(shape=(2, 4, "steps"))}, "symbols": {"steps": (2, 20)}}
    graph = export_entry("net.py:build", **target)
    assert graph.ran
    found = analyse(graph, TargetConfig(id="net", entry="net.py:build", **target)).findings
    assert [f.blocks(FailOn.CONFIRMED) for f in found] == [True]


def test_a_module_that_is_refused_when_it_runs_has_not_run(project, export_entry) -> None:
    """Tracers look at sizes alone, where the run asks for values too."""
    project.write("net.py", NET.replace("self.layer(x)", "x[torch.arange(3), torch.full((3,), 4) + x[0, 0, 0].long()]"))
    assert not export_entry("net.py:build").ran
