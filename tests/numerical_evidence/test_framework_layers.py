"""What only degenerate weights bring about blocks nothing, in a framework's own layer and by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer.configuration.config import TargetConfig
from analyzer.exporting.export import export
from analyzer.findings import Confidence, Finding, Level
from analyzer.numerical.analysis import analyse
from analyzer.numerical.findings import OWN_WEIGHTS
from analyzer.walls.process import ProcessSandbox

SOURCE = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.parametrized = nn.utils.parametrizations.weight_norm(nn.Linear(6, 6))
        self.hooked = nn.utils.weight_norm(nn.Linear(6, 6))
        self.by_hand = nn.Parameter(torch.randn(6, 6))

    def forward(self, x):
        h = self.hooked(self.parametrized(x))
        w = self.by_hand / self.by_hand.abs().sum(0)
        return h @ w


def build():
    torch.manual_seed(0)
    return Net(), (torch.rand(2, 6),)
"""


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Finding]:
    """Layer -> the finding about its division, after a search for real failures."""
    folder: Path = tmp_path_factory.mktemp("project")
    (folder / "net.py").write_text(SOURCE)
    target = TargetConfig(id="net", entry="net.py:build")
    graph = export("net.py:build", folder, target=target, sandbox=ProcessSandbox())
    found = analyse(graph, target, explain=False).findings
    return {f.layer: f for f in found if f.rule == "numerical/division-by-zero"}


@pytest.mark.parametrize("layer", ["parametrized.parametrizations.weight.0", "hooked"])
def test_weight_normalisation_of_the_framework_blocks_nothing(findings: dict[str, Finding], layer: str) -> None:
    found = findings[layer]
    assert found.level is Level.NOTE
    assert OWN_WEIGHTS in found.evidence.sentences


def test_a_division_by_hand_is_a_note_too(findings: dict[str, Finding]) -> None:
    found = findings[""]
    assert (found.level, found.confidence) == (Level.NOTE, Confidence.CONFIRMED)
    assert any("`by_hand` is 0" in s and "exactly" in s for s in found.evidence.sentences)
    assert found.location is not None
    assert found.location.line == SOURCE.splitlines().index("        w = self.by_hand / self.by_hand.abs().sum(0)") + 1
