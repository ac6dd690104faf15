"""An exception in a rule or in a proof is never silence: it is told, and an unsafe operator stays a finding."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from build import Builder, run

from analyzer.configuration.config import TargetConfig
from analyzer.findings import Confidence
from analyzer.graph import Graph
from analyzer.numerical import context, interpreter
from analyzer.numerical.analysis import analyse
from analyzer.numerical.context import Context


def logarithm() -> Graph:
    b = Builder()
    return b.graph(b.op("Log", b.input("x", (3,)), name="log"))


@pytest.mark.parametrize("error", [ValueError, OverflowError, RecursionError, NotImplementedError])
def test_an_unsafe_operator_whose_rule_raises_is_possible(
    error: type[Exception], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def raising(*_: Any, **__: Any) -> bool:
        raise error("no")

    monkeypatch.setattr(Context, "check", raising)
    with caplog.at_level(logging.WARNING):
        result = analyse(logarithm(), TargetConfig("t", path="m.onnx"), confirm=False, explain=False)
    (found,) = result.findings
    assert (found.rule, found.node) == ("numerical/log-of-nonpositive", "log")
    assert found.confidence is Confidence.POSSIBLE
    assert any("`log`" in n and error.__name__ in n for n in result.notes)
    assert "log" in caplog.text
    assert result.unsafe_operators.safe == 0


@pytest.mark.parametrize("proof", ["proves_by_splitting", "proves_by_regions", "excuse"])
def test_a_proof_that_raises_proves_nothing(proof: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def raising(*_: Any) -> bool:
        raise KeyError("no")

    monkeypatch.setattr(context, proof, raising)
    found = run(logarithm(), {"x": (-1, 1)})
    assert [w.rule for w in found.warnings] == ["numerical/log-of-nonpositive"]
    assert [node.name for node, _ in found.failed_rules] == ["log"]


def test_a_body_that_cannot_be_made_costs_its_node_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def raising(*_: Any) -> None:
        raise RuntimeError("no")

    monkeypatch.setattr(interpreter, "body_of", raising)
    b = Builder()
    b.op("Mystery", "x", name="mystery")
    found = run(b.graph(b.op("Log", b.op("Add", b.input("x", (3,)), "v0_0"), name="log")), {"x": (-1, 1)})
    assert [(node.name, error) for node, error in found.failed_rules] == [("mystery", "RuntimeError: no")]
    assert [w.node.name for w in found.warnings] == ["log"]
