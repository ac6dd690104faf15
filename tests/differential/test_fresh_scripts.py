"""No script is cited that did not show its problem in a fresh process."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from onnx import helper

from analyzer.configuration.config import TargetConfig
from analyzer.differential.backend import parse
from analyzer.differential.files import write_problem, write_problems
from analyzer.differential.fresh import FreshProcess
from analyzer.differential.layer_findings import layer_finding
from analyzer.differential.pool import Pool
from analyzer.differential.reproducer import onnx_script
from analyzer.differential.runner import Artefact
from analyzer.differential.scripts import Against, script
from analyzer.differential.study import Study
from analyzer.findings import Level

Examine = Callable[..., Study]
TARGET = TargetConfig("m", path="m.onnx", backends=("onnxruntime", "onnxruntime:opt=disable"))


@pytest.fixture(scope="module")
def suspicious(pad_max: Artefact, pool: Pool, examine: Examine) -> Study:
    done = examine(pad_max, ["onnxruntime", "onnxruntime:opt=disable"], pool)
    if not done.problems:
        pytest.skip("this ONNX Runtime folds a Pad into a MaxPool rightly")
    return done


def test_a_script_that_agrees_is_not_cited_and_does_not_block(
    suspicious: Study, pad_max: Artefact, tmp_path: Path
) -> None:
    shown = write_problems(suspicious, {"onnx": pad_max}, tmp_path)
    (problem,) = shown.problems
    assert (tmp_path / "differential" / problem.script).is_file()
    assert layer_finding(problem, shown, TARGET).level is Level.ERROR
    # The same deviation, blamed on an engine that does not have it.
    wrong = replace(problem, backend=parse("onnxruntime:opt=disable"), script="")
    again = write_problem(wrong, replace(suspicious, problems=()), {"onnx": pad_max}, tmp_path / "again")
    assert again.script == ""
    assert "agrees" in again.unshown
    assert list((tmp_path / "again").rglob("*.*")) == []
    finding = layer_finding(again, shown, TARGET)
    assert finding.level is Level.WARNING
    assert finding.reproducer is None
    assert any("No script shows it" in s for s in finding.evidence.sentences)


def test_two_problems_of_one_key_have_two_scripts(suspicious: Study, pad_max: Artefact, tmp_path: Path) -> None:
    (problem,) = suspicious.problems
    twice = write_problems(replace(suspicious, problems=(problem, problem)), {"onnx": pad_max}, tmp_path)
    names = [p.script for p in twice.problems]
    assert len(set(names)) == 2
    assert all((tmp_path / "differential" / n).is_file() for n in names)


def test_a_version_that_is_not_there_cannot_run(tmp_path: Path, save_model: Callable[..., Artefact]) -> None:
    artefact = save_model(tmp_path / "m.onnx", [helper.make_node("Relu", ["x"], ["y"])], {}, [2, 3])
    backend = replace(parse("onnxruntime"), version="0.0.1")
    feeds = {"x": np.ones((2, 3), np.float32)}
    path = onnx_script(artefact.files["m.onnx"].read_bytes(), feeds, backend, 1e-4, tmp_path, "old")
    ran = FreshProcess(overlay=lambda _package, _version: tmp_path / "nothing")(path, [], backend)
    assert ran.exit_code == 2
    assert "needs version 0.0.1" in ran.said


CRASHES = {
    "it raises": (helper.make_node("Reshape", ["x", "s"], ["y"]), {"s": np.array([7], np.int64)}, 1),
    "it runs": (helper.make_node("Relu", ["x"], ["y"]), {}, 0),
}


@pytest.mark.parametrize("case", CRASHES)
def test_a_crash_is_shown_by_the_engine_alone(case: str, tmp_path: Path, save_model: Callable[..., Artefact]) -> None:
    node, weights, code = CRASHES[case]
    artefact = save_model(tmp_path / "m.onnx", [node], weights, [2, 3])
    model = artefact.files["m.onnx"].read_bytes()
    feeds = {"x": np.ones((2, 3), np.float32)}
    path = onnx_script(model, feeds, parse("onnxruntime"), 0.0, tmp_path, "crash", crashes=True)
    assert FreshProcess()(path, [], parse("onnxruntime")).exit_code == code
    path.write_text(path.read_text().replace("import onnxruntime as ort", "import onnxruntime_of_mars as ort"))
    assert FreshProcess()(path, [], parse("onnxruntime")).exit_code == 2


TORCH = {"steps": [{"name": "y", "target": "aten.relu.default", "args": [{"tensor": "x"}], "kwargs": {}}]}
X = {"x": np.array([-1.0, 2.0], np.float32)}


def _onnx(operator: str) -> bytes:
    value = lambda n: helper.make_tensor_value_info(n, 1, [2])  # noqa: E731
    graph = helper.make_graph([helper.make_node(operator, ["x"], ["y"])], "g", [value("x")], [value("y")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
    model.ir_version = 10
    return bytes(model.SerializeToString())


@pytest.mark.parametrize(
    ("against", "code"),
    [
        (Against(onnx=_onnx("Abs")), 1),
        (Against(onnx=_onnx("Relu")), 0),
        (Against(right={"y": np.array([0.0, 3.0])}), 1),
        (Against(crashes=True), 0),
    ],
    ids=["another function was exported", "the same function", "other values", "no crash"],
)
def test_operators_of_torch_beside_their_export(against: Against, code: int, tmp_path: Path) -> None:
    path = script(parse("torch"), against, TORCH, {}, X, ("y",), 1e-5, tmp_path, "s")
    assert path is not None
    assert FreshProcess()(path, [], parse("torch")).exit_code == code


def test_a_keras_layer_with_weights_is_built_once(keras_model: Artefact, pool: Pool, tmp_path: Path) -> None:
    runner = pool.get(parse("keras-jax"), keras_model)
    assert not isinstance(runner, type(None))
    part, weights = runner.cut(["image"], ["before"])  # type: ignore[union-attr]
    assert weights
    feeds = {"image": np.ones((1, 8, 8, 3), np.float32)}
    path = script(
        parse("keras-jax"), Against(other="keras-numpy"), part, weights, feeds, ("before",), 1e-4, tmp_path, "s"
    )
    assert path is not None
    assert FreshProcess()(path, [], parse("keras-jax")).exit_code == 0


def test_a_script_and_what_it_starts_see_the_version_it_is_about(tmp_path: Path) -> None:
    told = tmp_path / "told.py"
    with tempfile.TemporaryDirectory(dir="/var/tmp") as kept:  # /tmp is to be read
        overlay = Path(kept)
        (overlay / "keras").mkdir()
        (overlay / "keras" / "__init__.py").write_text("__version__ = '9.9'\n")
        again = "import keras, sys; sys.exit(keras.__version__ == '9.9')"
        told.write_text(
            f"import subprocess, sys, keras\nkeras.__version__ == '9.9' or sys.exit(2)\n"
            f"sys.exit(subprocess.run([sys.executable, '-c', {again!r}]).returncode)\n"
        )
        ran = FreshProcess(lambda package, version: overlay)(told, [], parse("keras-torch@9.9"))
        assert ran.shows, ran
