"""Each family of engines for real: Keras on its backends, PyTorch modules against their export, TensorFlow graphs."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from analyzer.configuration.config import TargetConfig, Thresholds
from analyzer.differential.backend import parse
from analyzer.differential.container import ContainerTransport
from analyzer.differential.files import write_problem
from analyzer.differential.inputs import Inputs, InputSet, from_file, match
from analyzer.differential.pool import Pool
from analyzer.differential.runner import Artefact, Runner
from analyzer.differential.structure import TensorInfo
from analyzer.differential.study import Study
from analyzer.differential.transport import EngineFailed, ProcessTransport
from analyzer.differential.verdict import Failure, Kind
from analyzer.problem import TargetProblem
from analyzer.walls.docker import DockerSandbox

Examine = Callable[..., Study]


@pytest.mark.study
def test_keras_on_torch_is_blamed_for_its_pooling(
    keras_model: Artefact, pool: Pool, examine: Examine, tmp_path: Path
) -> None:
    """Asymmetric padding "same": the edge is replicated. Nested layers have their own names, and are innocent."""
    done = examine(keras_model, ["keras-jax", "keras-torch"], pool)
    import keras

    if tuple(map(int, keras.__version__.split(".")[:2])) >= (3, 16):
        assert done.problems == ()
        return
    assert done.missing == (), "every engine of this test is installed"
    (problem,) = done.problems
    assert (problem.blame.backend, problem.blame.unit.main.layer) == ("keras-torch", "average")
    assert problem.blame.peers["keras-jax"] < 1e-5
    assert problem.known is not None
    assert problem.known.id == "keras-torch-average-pool-same"
    names = {u.id for u in done.localizations["keras-torch"].units}
    assert {"inner/one", "inner/relu", "inner/one:1", "inner/relu:1"} <= names
    written = write_problem(problem, done, {"keras": keras_model}, tmp_path)
    (script,) = tmp_path.rglob("*.py")
    assert (written.script, written.unshown) == (script.name, "")
    env = {k: v for k, v in os.environ.items() if k != "KERAS_BACKEND"}
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False, env=env)
    assert ran.returncode == 1, ran.stderr
    assert "relative error" in ran.stdout


TENSORFLOW_MODEL = """
import sys, tensorflow as tf
graph = tf.Graph()
with graph.as_default():
    x = tf.compat.v1.placeholder(tf.float32, (None, 4), name="x")
    y = tf.nn.relu(x * 2.0, name="scope/relu")
    tf.cast(y * 100.0 + 200.0, tf.int8, name="scope/narrow")
    tf.nn.softmax(y, name="head")
open(sys.argv[1], "wb").write(graph.as_graph_def().SerializeToString())
"""


@pytest.mark.study
def test_xla_is_blamed_for_clamping_a_cast(tmp_path: Path, pool: Pool, examine: Examine) -> None:
    path = tmp_path / "model.pb"
    subprocess.run([sys.executable, "-c", TENSORFLOW_MODEL, path], check=True, capture_output=True)
    artefact = Artefact("tensorflow", {"model.pb": path}, {"path": "model.pb"})
    done = examine(artefact, ["tensorflow", "tensorflow:mode=xla"], pool)
    (problem,) = done.problems
    assert problem.backend.knobs["mode"] == "xla"
    assert problem.blame.unit.main.name == "scope/narrow"
    assert problem.culprit is not None
    assert problem.culprit.name == "mode=xla"
    write_problem(problem, done, {"tensorflow": artefact}, tmp_path)
    (script,) = tmp_path.rglob("*.py")
    assert subprocess.run([sys.executable, script], capture_output=True, check=False).returncode == 1


def test_validation_data_is_matched_and_bad_data_is_refused(tmp_path: Path) -> None:
    wanted = [TensorInfo("x", "float32", (None, 3)), TensorInfo("ids", "int64", (None,))]
    np.savez(tmp_path / "a.npz", x=np.zeros((4, 3)), ids=np.arange(4), labels=np.arange(4))
    (one,) = from_file(tmp_path / "a.npz", wanted).sets
    assert one.feeds["x"].dtype == np.float32
    assert one.truth is not None
    renamed = match({"first": np.zeros((4, 3)), "second": np.arange(4)}, wanted, "data")
    assert isinstance(renamed, InputSet)
    with pytest.raises(TargetProblem, match="has shape \\[4, 5\\]"):
        match({"x": np.zeros((4, 5)), "ids": np.arange(4)}, wanted, "data")
    with pytest.raises(TargetProblem, match="its inputs are x, ids"):
        match({"x": np.zeros((4, 3))}, wanted, "data")
    np.savez(tmp_path / "b.npz", x=np.array([{}], dtype=object))
    with pytest.raises(TargetProblem, match="not a readable"):
        from_file(tmp_path / "b.npz", wanted)
    with pytest.raises(TargetProblem, match="holds no validation data"):
        from_file(tmp_path / "missing.npz", wanted)


def test_the_command_shows_engines_and_a_histogram(
    healthy: Artefact, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    from analyzer.commands.cli import main

    path = healthy.files["healthy.onnx"]
    rng = np.random.default_rng(0)
    data = tmp_path / "data.npz"
    np.savez(data, x=rng.standard_normal((6, 3, 9, 9)).astype(np.float32), labels=rng.integers(0, 5, 6))
    monkeypatch.setenv("COLUMNS", "200")
    code = main(
        ["diff", str(path), "--inputs", str(data), "--backends", "ort,ort:opt=disable", "--out", str(tmp_path / "o")]
    )
    printed = capfd.readouterr().out
    assert code == 0
    assert "agrees" in printed
    assert "D_CLASS of onnxruntime and onnxruntime:opt=disable" in printed
    assert "█" in printed
    assert main(["diff", str(path), "--backends", "nonsense"]) == 2
    assert main(["diff", str(tmp_path / "nothing.onnx")]) == 3


def test_class_distances_need_ground_truth(healthy: Artefact, pool: Pool) -> None:
    from analyzer.differential.compare import run_all

    runners = [pool.get(parse(n), healthy) for n in ("onnxruntime", "onnxruntime:opt=disable")]
    assert all(isinstance(r, Runner) for r in runners)
    feeds = {"x": np.ones((2, 3, 9, 9), np.float32)}
    loose = [r for r in runners if isinstance(r, Runner)]
    assert run_all(loose, None, Inputs((InputSet("a", feeds),)), Thresholds()).pairs == {}
    ((metrics),) = run_all(loose, None, Inputs((InputSet("a", feeds, np.array([1, 2])),)), Thresholds()).pairs.values()
    assert [m.metric for m in metrics] == ["class", "mad"]
    assert not any(m.inconsistent for m in metrics)


@pytest.mark.docker
def test_containers_give_verdicts(healthy: Artefact) -> None:
    """On a real engine: an image that is not there, one without the engine's package, and the GPU request's refusal."""
    import docker

    try:
        client = docker.from_env(timeout=20)
        client.ping()
    except docker.errors.DockerException as error:
        if os.environ.get("ASSAY_TEST_DOCKER") == "1":
            pytest.fail(str(error))
        pytest.skip("no Docker engine answers")
    image = os.environ.get("ASSAY_TEST_IMAGE", "python:3.11-slim-bookworm")
    seen = {}
    for name, wanted, gpus in (("gone", "assay/no-such-image:1", False), ("bare", image, False), ("gpu", image, True)):
        transport = ContainerTransport("onnxruntime", DockerSandbox(wanted, gpus=gpus))
        try:
            Runner(parse("onnxruntime"), transport, deadline=60).load(healthy)
        except EngineFailed as failed:
            seen[name] = failed.failure
        finally:
            transport.close()
    client.close()
    assert seen["gone"].kind is Kind.MISSING
    assert "assay/no-such-image" in seen["gone"].message
    assert seen["bare"].kind in (Kind.MISSING, Kind.CRASH), "no NumPy in there"
    if "gpu" in seen:
        assert seen["gpu"].kind in (Kind.MISSING, Kind.CRASH)


def test_target_config_without_backends_runs_nothing(tmp_path: Path) -> None:
    import onnx_ir as ir

    from analyzer.differential import analyse
    from analyzer.graph import Graph

    empty = Graph(ir.Model(ir.Graph([], [], nodes=[], opset_imports={"": 18}), ir_version=10))
    target = TargetConfig("m", path="m.onnx", backends=())
    result = analyse(empty, target, root=tmp_path, output=tmp_path, thresholds=Thresholds())
    assert (result.findings, result.backends, result.notes) == ((), (), ())


@pytest.mark.parametrize("name", ["openvino", "onnxruntime"])
def test_many_layers_are_replayed_by_one_worker(name: str, tmp_path: Path, pool: Pool) -> None:
    """What an engine compiles has threads of its own, and a worker with more than the wall allows is ended."""
    count = 80
    values = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [4]) for n in ("t0", f"t{count}")]
    nodes = [helper.make_node("Sin", [f"t{i}"], [f"t{i + 1}"]) for i in range(count)]
    graph = helper.make_graph(nodes, "g", values[:1], values[1:])
    path = tmp_path / "deep.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    runner = pool.get(parse(name), Artefact("onnx", {"deep.onnx": path}, {"path": "deep.onnx"}))
    assert not isinstance(runner, Failure)
    assert isinstance(runner.transport, ProcessTransport)
    child = runner.transport._child
    x = np.linspace(-1, 1, 4, dtype=np.float32)
    outcomes = runner.replay([({f"t{i}": x}, [f"t{i + 1}"]) for i in range(count)])
    assert all(outcome.ok for outcome in outcomes)
    assert runner.transport._child is child
