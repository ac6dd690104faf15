"""From outputs that differ to the one responsible layer, its engine, its pass and a script that shows it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx_ir as ir
import pytest

from analyzer.configuration.config import TargetConfig, Thresholds
from analyzer.differential import analyse
from analyzer.differential.pool import Pool
from analyzer.differential.runner import Artefact
from analyzer.differential.structure import Description, Operation, TensorInfo, inbound, live_at, units
from analyzer.differential.study import Study
from analyzer.differential.verdict import Kind
from analyzer.findings import AnalysisResult, Confidence, FailOn, Level
from analyzer.graph import Graph
from analyzer.running.worsening import mark_worse

Examine = Callable[..., Study]


def _analyse(artefact: Artefact, output: Path, pool: Pool, backends: Sequence[str] | None = None) -> AnalysisResult:
    path = artefact.files[artefact.request["path"]]
    target = TargetConfig("model", path=path.name, backends=tuple(backends) if backends else None)
    return analyse(Graph(ir.load(path)), target, root=path.parent, output=output, thresholds=Thresholds(), pool=pool)


def test_a_fusion_bug_is_blamed_reduced_and_reproduced(pad_max: Artefact, pool: Pool, tmp_path: Path) -> None:
    result = _analyse(pad_max, tmp_path, pool)
    (finding,) = result.findings
    assert finding.rule == "differential/inconsistent-layer"
    assert (finding.level, finding.confidence) == (Level.ERROR, Confidence.CONFIRMED)
    assert finding.blocks(FailOn.CONFIRMED)
    assert finding.op == "Pad+MaxPool"
    assert finding.node == "pool"
    assert "Pad_Fusion" in finding.message
    assert len(finding.message) <= 200
    assert finding.evidence.data["nodes"] <= 3
    assert finding.evidence.data["known"] == "ort-pad-max-pool"
    assert any("opt=disable 0" in s for s in finding.evidence.sentences), "the innocent variant is named"
    assert finding.reproducer is not None
    script = tmp_path / finding.reproducer
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert "model: Pad, MaxPool" in done.stdout
    issue = script.with_suffix(".md").read_text()
    assert "Already known" in issue
    assert "disabled_optimizers" in issue
    (chart,) = result.maps
    assert [n.label for n in chart.nodes if n.responsible] == ["pool"]


def test_a_healthy_model_is_silent_on_every_engine(healthy: Artefact, pool: Pool, tmp_path: Path) -> None:
    engines = ["onnxruntime", "onnxruntime:opt=disable", "onnxruntime:threads=1", "openvino", "reference"]
    result = _analyse(healthy, tmp_path, pool, engines)
    assert result.findings == ()
    assert result.maps == ()
    assert len(result.backends) == 5
    assert all("agrees" in sentence for sentence in result.backends)
    assert not list(tmp_path.rglob("*.py"))


def test_replay_stays_silent_on_every_layer_of_a_healthy_model(healthy: Artefact, pool: Pool, examine: Examine) -> None:
    done = examine(healthy, ["onnxruntime", "openvino"], pool, thorough=True)
    assert done.problems == ()
    errors = done.localizations["onnxruntime"].errors["openvino"]
    assert len(errors) >= 4
    assert max(errors.values()) < 1e-5


def test_a_missing_engine_is_a_note_and_no_finding(healthy: Artefact, pool: Pool, tmp_path: Path) -> None:
    import onnxruntime

    if "CUDAExecutionProvider" in onnxruntime.get_available_providers():
        pytest.skip("there is a GPU here")
    result = _analyse(healthy, tmp_path, pool, ["onnxruntime", "onnxruntime:device=cuda"])
    assert result.findings == ()
    assert any("CUDAExecutionProvider" in note for note in result.notes)


def test_a_model_that_no_engine_takes_is_a_note(
    tmp_path: Path, pool: Pool, save_model: Callable[..., Artefact]
) -> None:
    from onnx import helper

    nodes = [
        helper.make_node("Relu", ["x"], ["r"], name="first"),
        helper.make_node("NoSuchOperator", ["r"], ["y"], name="odd", domain="com.nobody"),
    ]
    model = save_model(tmp_path / "m.onnx", nodes, {}, [2, 3], domains=["com.nobody"])
    path = model.files["m.onnx"]
    target = TargetConfig("model", path=path.name, backends=("onnxruntime",))
    result = analyse(Graph(ir.load(path)), target, root=tmp_path, output=tmp_path, thresholds=Thresholds(), pool=pool)
    assert result.findings == ()
    assert result.notes, "no engine takes the model, and the report says so"


def test_common_mode_is_told_from_one_engine_being_wrong(
    tmp_path: Path, pool: Pool, save_model: Callable[..., Artefact], examine: Examine
) -> None:
    """Resize with align_corners and a shrinking scale: two engines agree with each other, not with the standard."""
    from onnx import helper

    resize = helper.make_node(
        "Resize", ["x", "", "s"], ["y"], name="shrink", mode="linear", coordinate_transformation_mode="align_corners"
    )
    scales = np.array([1, 1, 0.6, 0.6], np.float32)
    model = save_model(tmp_path / "m.onnx", [resize], {"s": scales}, [1, 1, 6, 6])
    ramp = np.arange(36, dtype=np.float32).reshape(1, 1, 6, 6)
    done = examine(model, ["onnxruntime", "openvino"], pool, feeds={"x": ramp})
    # Without AVX, OpenVINO has no kernel for it ("bad combination"): then one engine stands against the standard.
    crashed = {p.backend.engine.name for p in done.problems if p.blame.kind is Kind.CRASH}
    assert crashed <= {"openvino"}
    others = {p.blame.kind for p in done.problems if p.blame.kind is not Kind.CRASH}
    assert others == ({Kind.VALUE} if crashed else {Kind.COMMON})


def test_ill_conditioned_but_right_is_silent(
    tmp_path: Path, pool: Pool, save_model: Callable[..., Artefact], examine: Examine
) -> None:
    """tan(cosh(cosh x)) near its poles: engines differ in the first digit, and so do neighbouring inputs."""
    from onnx import helper

    chain = [
        helper.make_node("Cosh", ["x"], ["a"], name="inner"),
        helper.make_node("Cosh", ["a"], ["b"], name="outer"),
        helper.make_node("Tan", ["b"], ["y"], name="tan"),
    ]
    model = save_model(tmp_path / "m.onnx", chain, {}, [4, 16])
    done = examine(
        model,
        ["onnxruntime", "openvino"],
        pool,
        feeds={"x": np.linspace(-2.6, 2.6, 64, dtype=np.float32).reshape(4, 16)},
    )
    assert done.problems == ()


def test_only_what_got_worse_blocks(pad_max: Artefact, pool: Pool, tmp_path: Path) -> None:
    (finding,) = _analyse(pad_max, tmp_path, pool).findings
    assert [f.new for f in mark_worse([finding], [])] == [True]
    assert [f.new for f in mark_worse([finding], [finding])] == [False]
    error = float(finding.evidence.data["error"])
    milder = replace(finding, evidence=replace(finding.evidence, data={**finding.evidence.data, "error": error / 10}))
    assert [f.new for f in mark_worse([finding], [milder])] == [True], "ten times worse than on the base"
    assert [f.new for f in mark_worse([milder], [finding])] == [False]
    other = replace(finding, rule="numerical/log-of-nonpositive", new=False)
    assert mark_worse([other], []) == (other,)


def _chain() -> Description:
    """x -> a -> b -> d, a -> c -> d, and a constant k that feeds c."""
    operations = (
        Operation("k", "Const", (), ("k",)),
        Operation("a", "A", ("x",), ("a",)),
        Operation("b", "B", ("a",), ("b",)),
        Operation("c", "C", ("a", "k"), ("c",)),
        Operation("d", "D", ("b", "c"), ("d",)),
    )
    return Description(operations, (TensorInfo("x", "float32", (1,)),), ("d",))


def test_units_lie_between_cut_points() -> None:
    structure = _chain()
    every = units(structure, frozenset({"a", "b", "c", "d", "k"}))
    assert [(u.id, u.inputs) for u in every] == [("a", ("x",)), ("b", ("a",)), ("c", ("a",)), ("d", ("b", "c"))]
    assert [o.name for o in every[2].operations] == ["k", "c"], "a constant belongs to the unit that uses it"
    fused = units(structure, frozenset({"a", "c", "d"}))
    assert [(u.id, u.inputs, u.op) for u in fused][-1] == ("d", ("c", "a"), "B+D")
    assert inbound(fused)["d"] == ("c", "a")
    assert live_at(every, 2, ("d",), ("x",)) == ("a", "b")


def test_what_nothing_uses_is_not_compared() -> None:
    dropout = Operation("a", "Dropout", ("x",), ("a", "mask"))
    structure = Description((dropout, Operation("b", "B", ("a",), ("b",))), (TensorInfo("x", "float32", (1,)),), ("b",))
    found = units(structure, frozenset({"a", "mask", "b"}))
    assert [(u.id, u.outputs) for u in found] == [("a", ("a",)), ("b", ("b",))]


def test_the_oracle_is_told_from_a_majority(pad_max: Artefact, pool: Pool, examine: Examine) -> None:
    """Two variants with the same bug outnumber the right one; the float64 oracle still blames both of them."""
    done = examine(pad_max, ["onnxruntime", "onnxruntime:threads=1", "onnxruntime:opt=disable"], pool)
    assert {p.blame.backend for p in done.problems} == {"onnxruntime", "onnxruntime:threads=1"}
    assert all(p.blame.kind is Kind.VALUE for p in done.problems)
