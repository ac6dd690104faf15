"""How far a change moves a model, in the comment and the check of a pull request."""

from __future__ import annotations

from dataclasses import replace

from analyzer.findings import Confidence, DeviationMap, Evidence, Finding, Level, MapNode
from tests.action.harness import Workbench
from tests.action.reports import VAE, report

LINE = (
    "Head against base on 64 instances: the outputs move by 0.12 of their largest value, top-1 changes on 3.1 % "
    "(2 from class 0 to 1), most on instance 4 of normal; brought in by `fc` (MatMul, 0.1 alone)."
)
CHART = DeviationMap(
    "Head against base",
    "base",
    "head",
    (MapNode("a", "conv", "Conv", 0.0, None, 0.0), MapNode("b", "fc", "MatMul", 0.1, None, 0.1, responsible=True)),
    (("a", "b"),),
)
BEYOND = Finding(
    "differential/drift",
    Level.ERROR,
    Confidence.CONFIRMED,
    "The change moves the model's outputs beyond the budget: top-1 changes on 3.1 % of the instances (budget 0.5).",
    "vae-loss",
    layer="fc",
    op="MatMul",
    evidence=Evidence("deviation", (LINE,)),
    reproducer="targets/vae-loss/differential/drift.py",
)


def test_one_line_and_one_graph_are_shown_and_a_budget_decides_the_check(bench: Workbench) -> None:
    moved = replace(VAE, backends=(LINE,), maps=(CHART,))
    bench.open_pull()
    bench.analyse = lambda *_, **__: replace(report(), targets=(moved,))
    within = bench.run()
    (comment,) = bench.simulator.state.issue_comments.values()
    assert within.code == 0, within.log
    assert "Head against base on 64 instances" in comment.body
    assert "brought in by" in comment.body
    assert "```mermaid" in comment.body
    bench.analyse = lambda *_, **__: replace(report(BEYOND), targets=(moved,))
    beyond = bench.run()
    assert beyond.code == 1, beyond.log
    (comment,) = bench.simulator.state.issue_comments.values()
    assert "beyond the budget" in comment.body
    (own,) = bench.simulator.state.review_comments.values()
    assert own.path == "models/vae.onnx"
    assert "beyond the budget" in own.body
    assert [c.conclusion for c in bench.simulator.state.check_runs.values()][-1] == "failure"
