"""What PyTorch finds of gradients on an entry point's own example: told where they are no numbers, and only there."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from analyzer.configuration.config import TargetConfig
from analyzer.findings import Confidence, Level
from analyzer.graph.model import UNDEFINED
from analyzer.numerical.analysis import analyse

SPLINE = """
    import torch


    class Chained(torch.nn.Module):
        def __init__(self, guard, hooked=False, rounds=3):
            super().__init__()
            self.layer, self.hooked, self.rounds = torch.nn.Linear(3, 1), hooked, rounds
            self.register_buffer("guard", torch.tensor(guard))

        def forward(self, features):
            x = self.layer(features)
            if self.hooked and x.requires_grad:
                x.register_hook(lambda g: torch.nan_to_num(g))
            made = torch.zeros_like(x)
            for _ in range(self.rounds):
                made = made * (1 - x) / torch.maximum(self.guard, 0 * self.guard)
            return made.sum()


    def build():
        return Chained(1e-16), (torch.randn(6, 3),)


    def guarded():
        return Chained(1.0), (torch.randn(6, 3),)


    def hooked():
        return Chained(1e-16, hooked=True), (torch.randn(6, 3),)


    def frozen():
        model, inputs = build()
        return model.requires_grad_(False), inputs


    def raises_a_second_time():
        model, inputs = build()
        runs = []

        def once(*_):
            runs.append(1)
            if torch.is_grad_enabled():
                raise RuntimeError("not again")

        model.layer.register_forward_pre_hook(once)
        return model, inputs
"""


def test_the_line_whose_derivative_first_makes_nan_is_told(project, export_entry):
    """A zero times 1e16 in three rounds: every result is 0, and the gradient of the layer is NaN."""
    project.write("spline.py", SPLINE)
    graph = export_entry("spline.py:build")
    told = json.loads(graph.model.metadata_props[UNDEFINED])
    assert (told["function"], told["weights"], told["of"]) == ("MulBackward0", 2, 2)
    (line,) = [
        n for n, text in enumerate((project.root / "spline.py").read_text().splitlines(), 1) if "made * (1 - x)" in text
    ]
    assert (told["place"]["path"], told["place"]["line"]) == ("spline.py", line)
    found = analyse(graph, TargetConfig("t", entry="spline.py:build"), confirm=False, explain=False).findings
    (one,) = [f for f in found if f.rule == "numerical/undefined-gradient"]
    assert (one.level, one.confidence, one.location.line) == (Level.ERROR, Confidence.CONFIRMED, line)
    assert "2 of 2 weights NaN" in one.evidence.sentences[0]


@pytest.mark.parametrize("entry", ["guarded", "hooked", "frozen", "raises_a_second_time"])
def test_nothing_is_told_of_gradients_that_are_numbers_or_that_nobody_computes(project, export_entry, entry):
    project.write("spline.py", SPLINE)
    assert UNDEFINED not in export_entry(f"spline.py:{entry}").model.metadata_props


@pytest.mark.parametrize("name", ["build", "READY"])
def test_the_script_fails_as_the_entry_point_does_and_not_once_it_is_mended(project, export_entry, tmp_path, name):
    project.write("spline.py", SPLINE + "\n    READY = build()\n")
    graph = export_entry(f"spline.py:{name}")
    target = TargetConfig("t", entry=f"spline.py:{name}")
    found = analyse(graph, target, confirm=False, explain=False, output=tmp_path / "report").findings
    (script,) = [f.reproducer for f in found if f.rule == "numerical/undefined-gradient"]

    def run():
        return subprocess.run(
            [sys.executable, tmp_path / "report" / script],
            cwd=project.root,
            capture_output=True,
            text=True,
            timeout=300,
        )

    failing = run()
    assert (failing.returncode, failing.stderr) == (1, "")
    assert "NaN in the gradients of 2 of 2 weights" in failing.stdout
    project.write("spline.py", SPLINE.replace("Chained(1e-16), (", "Chained(1.0), (") + "\n    READY = build()\n")
    assert run().returncode == 0
    project.write("spline.py", SPLINE.replace("def build", "def other"))
    assert run().returncode == 2
