"""A loss that is no number on an entry point's own example is told at what makes it so; infinite masks are not."""

from __future__ import annotations

import subprocess
import sys

import pytest

from analyzer.configuration.config import TargetConfig
from analyzer.findings import Confidence, Level
from analyzer.graph.model import UNDEFINED
from analyzer.numerical.analysis import analyse

LOSSES = """
    import torch
    import torch.nn.functional as F


    class Words(torch.nn.Module):
        def __init__(self, kind):
            super().__init__()
            self.head, self.kind = torch.nn.Linear(6, 5), kind

        def forward(self, tokens, words):
            scores = self.head(tokens)
            masked = scores.masked_fill(torch.arange(5) > 2, float("-inf"))
            if self.kind == "smoothed":
                return F.cross_entropy(masked, words, label_smoothing=0.1)
            if self.kind == "divergence":
                target = F.log_softmax(masked.detach(), 1)
                return F.kl_div(F.log_softmax(scores, 1), target, log_target=True, reduction="batchmean")
            if self.kind == "scores":
                return masked
            return F.cross_entropy(masked, words)


    def example():
        return torch.randn(4, 6), torch.tensor([0, 1, 2, 0])


    def smoothed():
        return Words("smoothed"), example()


    def divergence():
        return Words("divergence"), example()


    def scores():
        return Words("scores"), example()


    def plain():
        return Words("plain"), example()
"""
PLACES = {"smoothed": ("label_smoothing", "infinite"), "divergence": ("kl_div", "NaN")}


@pytest.mark.parametrize(("entry", "told"), PLACES.items())
def test_the_line_that_makes_the_loss_no_number_is_told_with_its_script(project, export_entry, tmp_path, entry, told):
    project.write("words.py", LOSSES)
    graph = export_entry(f"words.py:{entry}")
    target = TargetConfig("t", entry=f"words.py:{entry}")
    found = analyse(graph, target, confirm=False, explain=False, output=tmp_path / "report").findings
    (one,) = [f for f in found if f.rule == "numerical/undefined-loss"]
    lines = (project.root / "words.py").read_text().splitlines()
    assert (one.level, one.confidence) == (Level.ERROR, Confidence.CONFIRMED)
    assert told[0] in lines[one.location.line - 1]
    assert f"the loss is {told[1]}" in one.message
    script = tmp_path / "report" / one.reproducer
    done = subprocess.run([sys.executable, script], cwd=project.root, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (1, "")
    project.write("words.py", LOSSES.replace('float("-inf")', "-30.0"))
    done = subprocess.run([sys.executable, script], cwd=project.root, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0


@pytest.mark.parametrize("entry", ["scores", "plain"])
def test_infinite_masks_are_no_mistake(project, export_entry, entry):
    project.write("words.py", LOSSES)
    assert UNDEFINED not in export_entry(f"words.py:{entry}").model.metadata_props
