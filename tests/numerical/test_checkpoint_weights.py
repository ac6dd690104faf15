"""A checkpoint's weights: exactly its values, their range, or widened; unbounded weights and inputs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from build import Builder

from analyzer.config import TargetConfig
from analyzer.graph import Graph, Role, set_role
from analyzer.numerical.analysis import analyse

TARGET = TargetConfig("t", entry="m.py:build")


def scaled(initial: float, operator: str) -> Graph:
    """operator(gain * x) with a gain of four elements that training changes."""
    b = Builder()
    gain = b.const(np.full(4, initial))
    result = b.op(operator, b.op("Mul", b.input("x", ("n", 4)), gain), name="op")
    graph = b.graph(result)
    set_role(graph.graph.initializers[gain], Role.PARAMETER)
    value = graph.graph.initializers.pop(gain)
    value.name = "gain"
    graph.graph.initializers["gain"] = value
    return graph


def saved(folder: Path, values: np.ndarray) -> str:
    from safetensors.numpy import save_file

    save_file({"gain": values.astype(np.float32)}, folder / "w.safetensors")
    return "w.safetensors"


def flagged(graph: Graph, target: TargetConfig, root: Path) -> list[str]:
    result = analyse(graph, target, confirm=False, explain=False, root=root)
    return [f.rule for f in result.findings if "gradient" not in f.rule]


@pytest.mark.parametrize(
    ("weights", "expected"), [("exact", []), ("range", []), ("widened", ["numerical/exp-overflow"])]
)
def test_widened_weights_go_on_from_the_checkpoint(tmp_path: Path, weights: str, expected: list[str]) -> None:
    file = saved(tmp_path, np.array([0.5, 0.5, 0.5, 0.8]))  # widened: [0.2, 1.1]; exp(100 * 0.88) overflows
    assert flagged(scaled(0.1, "Exp"), replace(TARGET, checkpoint=file, weights=weights), tmp_path) == expected


def test_exact_weights_are_known_element_by_element(tmp_path: Path) -> None:
    """Between -2 and 3 lies 0, but no element is near it."""
    file = saved(tmp_path, np.array([-2.0, 1.0, 3.0, -1.0]))

    def reciprocal() -> Graph:
        b = Builder()
        gain = b.const(np.full(4, 1.0))
        graph = b.graph(b.op("Div", b.input("x", ("n", 4)), gain, name="div"))
        value = graph.graph.initializers.pop(gain)
        value.name = "gain"
        graph.graph.initializers["gain"] = value
        set_role(value, Role.PARAMETER)
        return graph

    for weights, expected in (("exact", []), ("range", ["numerical/division-by-zero"])):
        graph = reciprocal()
        target = replace(TARGET, checkpoint=file, weights=weights)
        assert flagged(graph, target, tmp_path) == expected
        held = graph.graph.initializers["gain"].const_value
        assert held is not None
        assert held.numpy().tolist() == [1.0] * 4  # the graph is left as it was


def test_unbounded_weights_and_inputs() -> None:
    for unbounded in (("parameters",), ("inputs",)):
        target = replace(TARGET, unbounded=unbounded)
        assert flagged(scaled(0.1, "Exp"), target, Path()) == ["numerical/exp-overflow"]
    assert flagged(scaled(0.1, "Exp"), TARGET, Path()) == []


def test_a_finding_names_its_ranges_and_the_one_that_would_help(tmp_path: Path) -> None:
    result = analyse(scaled(1.0, "Exp"), TARGET, confirm=False, root=tmp_path)
    (finding,) = [f for f in result.findings if f.rule == "numerical/exp-overflow"]
    text = repr(finding.evidence)
    assert "x in [-100, 100] (default for inputs)" in text
    assert "gain" in text
    assert "It would vanish if x stayed within" in text


def test_a_broken_checkpoint_does_not_cost_the_analysis(tmp_path: Path) -> None:
    """Its own check tells what is wrong with it; the model is analysed with the weights that it has itself."""
    broken = saved(tmp_path, np.array([0.5, np.nan, 0.5, 0.5]))
    result = analyse(
        scaled(2.0, "Exp"), replace(TARGET, checkpoint=broken), confirm=False, explain=False, root=tmp_path
    )
    assert [f.rule for f in result.findings] == ["numerical/exp-overflow"]
    assert result.notes == ("The initial values of `gain` are analysed: the checkpoint's are not finite.",)


def test_a_checkpoint_of_another_model_does_not_cost_the_analysis(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    save_file({"other": np.ones(3, np.float32)}, tmp_path / "w.safetensors")
    target = replace(TARGET, checkpoint="w.safetensors")
    result = analyse(scaled(2.0, "Exp"), target, confirm=False, explain=False, root=tmp_path)
    assert [f.rule for f in result.findings] == ["numerical/exp-overflow"]
    assert result.notes[0].startswith("Weights are taken from the model, not from its checkpoint:")
