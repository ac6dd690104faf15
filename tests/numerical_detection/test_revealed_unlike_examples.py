"""What shows once another operator is mended is weighed by the examples of the inputs, as what shows at first is."""

from __future__ import annotations

import textwrap
from pathlib import Path

from analyzer.configuration.config import TargetConfig
from analyzer.findings import Level
from analyzer.numerical.analysis import analyse
from tests.numerical_detection.conftest import export_all

PROGRAMS = """
import torch
from torch import nn


class Density(nn.Module):
    def __init__(self, sign):
        super().__init__()
        self.sign = sign

    def forward(self, times, x):
        spread = torch.sqrt(times)
        return (torch.exp(self.sign * (x + times) ** 2 / (2 * times)) / spread).sum()


def falling():
    return Density(-1.0), (0.1 + torch.rand(8), torch.randn(8))


def rising():
    return Density(1.0), (0.1 + torch.rand(8), torch.randn(8))
"""


def test_a_failure_behind_another_that_needs_inputs_unlike_the_example(tmp_path: Path) -> None:
    root = tmp_path / "box" / "project"
    root.mkdir(parents=True)
    (root / "net.py").write_text(textwrap.dedent(PROGRAMS).lstrip())
    entries = [f"net.py:{name}" for name in ("falling", "rising")]
    for entry, graph in export_all(entries, root, tmp_path / "out").items():
        found = analyse(graph, TargetConfig(id=entry, entry=entry), root=root, confirm=False, explain=True).findings
        (exponential,) = [f for f in found if f.op == "Exp"]
        hidden = "it shows once what fails before it is mended" in exponential.message
        falls = entry == "net.py:falling"
        assert (hidden, exponential.level) == (falls, Level.WARNING if falls else Level.ERROR)
        assert any("`times`" in s for s in exponential.evidence.sentences) == falls
