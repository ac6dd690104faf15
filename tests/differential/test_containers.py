"""Workers that stay in a container: warm, walled in, and no less exact than a process. On a real engine."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import onnx
import pytest

from analyzer.configuration.config import Environment
from analyzer.differential.backend import parse
from analyzer.differential.container import ContainerTransport, _announced
from analyzer.differential.pool import Pool
from analyzer.differential.runner import Artefact, Runner
from analyzer.differential.study import Study
from analyzer.differential.transport import WORKER, EngineFailed
from analyzer.differential.verdict import Kind
from analyzer.problem import TargetProblem
from analyzer.walls.docker import DockerSandbox
from analyzer.walls.docker_engine import BOX, connect, image_id
from analyzer.walls.docker_session import DockerSession

BASE = os.environ.get("ASSAY_TEST_IMAGE", "python:3.11-slim-bookworm")
NETWORK = os.environ.get("ASSAY_INSTALL_NETWORK", "host")
Examine = Callable[..., Study]


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The base image with ONNX Runtime of the version that is installed here."""
    import onnxruntime

    try:
        client = connect()
        image_id(client, BASE)
        client.close()
    except TargetProblem as problem:
        if os.environ.get("ASSAY_TEST_DOCKER") == "1":
            pytest.fail(str(problem))
        pytest.skip(str(problem))
    root = tmp_path_factory.mktemp("requirements")
    wanted = f"numpy=={np.__version__}\nonnx=={onnx.__version__}\nonnxruntime=={onnxruntime.__version__}\n"
    (root / "requirements.txt").write_text(wanted)
    sandbox = DockerSandbox(BASE, install_network=NETWORK).within(Environment(requirements="requirements.txt"), root)
    assert sandbox.image is not None
    return sandbox.image


@pytest.fixture
def transport(image: str) -> Iterator[ContainerTransport]:
    made = ContainerTransport("onnxruntime", DockerSandbox(image))
    yield made
    made.close()


FEEDS = {"x": np.linspace(-1, 1, 243, dtype=np.float32).reshape(1, 3, 9, 9)}


@pytest.mark.docker
def test_one_container_serves_every_request(transport: ContainerTransport, healthy: Artefact, pool: Pool) -> None:
    runner = Runner(parse("onnxruntime"), transport)
    runner.load(healthy)
    local = pool.get(parse("onnxruntime"), healthy)
    assert isinstance(local, Runner)
    first, second = runner.run(FEEDS), runner.run(FEEDS, ["r", "a"])
    np.testing.assert_allclose(first.arrays["y"], local.run(FEEDS).arrays["y"], rtol=1e-6)
    np.testing.assert_allclose(second.arrays["a"], local.run(FEEDS, ["a"]).arrays["a"], rtol=1e-5, atol=1e-6)
    assert transport.starts == 1
    with pytest.raises(EngineFailed) as failed:
        transport.exchange({"op": "exit"}, deadline=30)
    assert failed.value.failure.kind is Kind.CRASH
    assert runner.run(FEEDS).ok, "a new container, the model loaded again"
    assert transport.starts == 2


@pytest.mark.docker
def test_the_container_is_walled_in(transport: ContainerTransport, healthy: Artefact) -> None:
    Runner(parse("onnxruntime"), transport).load(healthy)
    assert isinstance(transport.session, DockerSession)
    container = transport.session._container
    assert container is not None
    container.reload()
    attributes = container.attrs
    host, config = attributes["HostConfig"], attributes["Config"]
    assert host["NetworkMode"] == "none"
    assert host["ReadonlyRootfs"] is True
    assert host["CapDrop"] == ["ALL"]
    assert host["SecurityOpt"] == ["no-new-privileges"]
    assert {m["Type"] for m in attributes["Mounts"]} <= {"volume", "tmpfs"}, "no folder of the host"
    assert host["Memory"] == host["MemorySwap"] == transport.memory
    assert config["User"] == "65534:65534"
    names = {e.partition("=")[0] for e in config["Env"]}
    assert not [n for n in names if "TOKEN" in n or n.startswith("DOCKER")]
    code, said = container.exec_run(["touch", f"{BOX}/assay_worker/evil.py"])
    assert code != 0, said


@pytest.mark.docker
def test_a_study_in_containers_blames_the_fusion(
    image: str, pad_max: Artefact, examine: Examine, tmp_path: Path
) -> None:
    with Pool(
        connect=lambda b, _: ContainerTransport("onnxruntime", DockerSandbox(image)) if "onnx" in b.name else None
    ) as pool:
        done = examine(pad_max, ["onnxruntime", "onnxruntime:opt=disable"], pool)
        starts = [r.transport.starts for r in pool.runners if isinstance(r.transport, ContainerTransport)]
    (problem,) = done.problems
    assert (problem.blame.backend, problem.blame.unit.op) == ("onnxruntime", "Pad+MaxPool")
    assert problem.culprit is not None
    assert problem.culprit.name == "Pad_Fusion"
    assert set(starts) == {1}, "however many requests there were"


@pytest.mark.docker
def test_weights_that_change_and_deadlines_are_verdicts(image: str, healthy: Artefact) -> None:
    """The engine is broken in its source, which travels into the container: hashes differ, then it hangs."""
    transport = ContainerTransport("onnxruntime", DockerSandbox(image))
    source = transport.folder / WORKER / "onnxruntime_engine.py"
    source.write_text(
        source.read_text(encoding="utf-8")
        + "\nimport time\ncalls = np.zeros(1)\nOnnxRuntime.weights = lambda self: {'w': calls}\n"
        "original = OnnxRuntime.evaluate\n"
        "def evaluate(self, feeds, fetches):\n"
        "    calls[0] += 1\n"
        "    if fetches: time.sleep(600)\n"
        "    return original(self, feeds, fetches)\n"
        "OnnxRuntime.evaluate = evaluate\n",
        encoding="utf-8",
    )
    try:
        runner = Runner(parse("onnxruntime"), transport)
        runner.load(healthy)
        assert runner.run(FEEDS, state=True).mutated
        runner.deadline = 5.0
        outcome = runner.run(FEEDS, ["r"])
        assert outcome.failure is not None
        assert outcome.failure.kind is Kind.TIMEOUT
    finally:
        transport.close()


@pytest.mark.docker
def test_a_gpu_that_is_not_there_is_a_verdict(image: str, healthy: Artefact) -> None:
    transport = ContainerTransport("onnxruntime", DockerSandbox(image, gpus=True))
    try:
        with pytest.raises(EngineFailed) as failed:
            Runner(parse("onnxruntime:device=cuda"), transport).load(healthy)
    finally:
        transport.close()
    assert failed.value.failure.kind is Kind.MISSING
    assert "offers no GPU" in failed.value.failure.message or "CUDAExecutionProvider" in failed.value.failure.message


def test_code_of_a_project_stays_in_one_container() -> None:
    """Where the sandbox is a container, the worker of an entry point is one that stays, in the sandbox's image."""
    artefact = Artefact("keras-entry", {}, {"entry": "m.py:f", "root": "project"})
    pool = Pool(sandbox=DockerSandbox("team/image:1"))
    transport = pool._transport(parse("keras-jax"), artefact)
    assert isinstance(transport, ContainerTransport)
    assert transport.sandbox == DockerSandbox("team/image:1")
    assert transport.variables["KERAS_BACKEND"] == "jax"
    transport.close()


@pytest.mark.parametrize(
    "line",
    [b'{"files": [["other", 1]]}', b'{"files": [["a", -1]]}', b'{"files": [["a", 99]]}', b'{"files": 3}', b"[", b"[]"],
)
def test_a_worker_sends_what_was_asked_for_and_no_more(line: bytes) -> None:
    with pytest.raises(EngineFailed):
        _announced(line, ["a"], 50)
    assert _announced(b'{"files": [["a", 50]]}', ["a"], 50) == [("a", 50)]
