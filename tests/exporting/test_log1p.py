"""What PyTorch computes by `log1p` is not 0 beside 0, though its exporter writes log(1 + x)."""

from __future__ import annotations

import pytest

from analyzer.configuration.config import InputSpec, TargetConfig
from analyzer.findings import Confidence
from analyzer.graph import ValueRange
from analyzer.numerical.analysis import analyse

SHARES = """
    import torch


    class Share(torch.nn.Module):
        def __init__(self, function):
            super().__init__()
            self.function = function

        def forward(self, amounts):
            return (1 / self.function(amounts)).mean()


    def build():
        return Share(torch.log1p), (torch.rand(5) + 0.1,)


    def by_hand():
        return Share(lambda x: torch.log(1 + x)), (torch.rand(5) + 0.1,)


    def of_exponentials():
        return Share(lambda x: torch.log1p(torch.exp(x))), (torch.rand(5) + 0.1,)
"""


@pytest.mark.parametrize(
    ("entry", "least", "expected"),
    [
        ("build", 1e-12, []),
        ("build", 0.0, ["division-by-zero"]),
        ("build", -1.5, ["division-by-zero", "log-of-nonpositive"]),
        ("by_hand", 1e-12, ["division-by-zero"]),
    ],
)
def test_a_quotient_by_log1p_fails_where_pytorch_s_does(project, export_entry, entry, least, expected):
    project.write("shares.py", SHARES)
    graph = export_entry(f"shares.py:{entry}")
    nodes = [(n.domain, n.op_type) for n in graph.nodes()]
    target = TargetConfig("t", entry="shares.py:f", inputs={"amounts": InputSpec(range=ValueRange(least, 1.0))})
    found = analyse(graph, target, explain=False).findings
    assert sorted(f.rule.removeprefix("numerical/") for f in found) == expected
    assert all(f.confidence is not Confidence.POSSIBLE for f in found)
    assert [(n.domain, n.op_type) for n in graph.nodes()] == nodes  # as it was


def test_softplus_is_offered_for_log1p_of_an_exponential(project, export_entry):
    project.write("shares.py", SHARES)
    target = TargetConfig("t", entry="shares.py:f", inputs={"amounts": InputSpec(range=ValueRange(-10.0, 100.0))})
    found = analyse(export_entry("shares.py:of_exponentials"), target, root=project.root).findings
    (one,) = [f for f in found if f.rule == "numerical/exp-overflow"]
    assert one.suggestion is not None
    assert "softplus" in one.suggestion.description
