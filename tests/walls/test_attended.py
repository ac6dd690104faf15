"""A taken-over analysis on one's own machine: it reaches no engine, and what it asks for outside is checked."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from analyzer.configuration.config import Config, TargetConfig
from analyzer.differential.environments import Overlays, installer
from analyzer.problem import TargetProblem
from analyzer.running.enclosure import enclosures
from analyzer.running.outcome import Surroundings
from analyzer.running.processes import JobResult, Send, run_all
from analyzer.walls import PYTHON, ResourceLimits, Sandbox
from analyzer.walls.attended import Served
from analyzer.walls.docker import DockerSandbox
from analyzer.walls.process import ProcessSandbox
from analyzer.walls.relayed import RelayedWall, asked, given

Attack = Callable[[], Any]
TARGET = TargetConfig(id="net", entry="net.py:build")
RUN = {"op": "run", "command": [PYTHON, "-c", ""], "limits": {"seconds": 20}, "environment": {}, "shared": {}}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    folder.mkdir()
    (folder / "net.py").write_text("def build(): ...\n")
    (tmp_path / "secret").write_text("topsecret")
    return folder


def taken_over(
    attack: Attack, tree: Path, sandbox: Sandbox | None, served: Sandbox | None = None, deadline: float = 120
) -> JobResult:
    """What `attack` comes to in the process that analyses `TARGET`, behind the wall that `check` closes around it.

    `served` takes the place of the containers that would be started for it.
    """
    where = Surroundings(tree, tree.parent / "out", Config(), sandbox)
    with enclosures({"net": (TARGET, where)}) as walls:
        wall = walls["net"]
        if served is not None:
            wall = replace(wall, served=Served(served, {"head": tree}, tree))

        def job(_: Send) -> Any:
            return attack()

        ((_, answer),) = run_all(
            {"net": job}, deadline=deadline, parallel=1, logs=tree.parent / "logs", enclosures={"net": wall}
        )
    return answer


def tried(act: Callable[[], object]) -> str:
    try:
        return f"done: {act()}"
    except BaseException as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.docker
def test_the_engine_is_not_reached_and_containers_are_asked_for(docker_sandbox: DockerSandbox, tree: Path) -> None:
    place = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock").removeprefix("unix://")

    def attack() -> dict[str, str]:
        import docker

        channel = given()
        assert channel is not None
        wall = asked(docker_sandbox)
        assert isinstance(wall, RelayedWall)
        look = "import os; print(open('project/net.py').read(), os.listdir('/var/run'))"
        return {
            "named socket": tried(lambda: socket.socket(socket.AF_UNIX).connect(place)),
            "client": tried(lambda: docker.DockerClient(base_url=f"unix://{place}").ping()),
            "own sandbox": tried(lambda: docker_sandbox.run([PYTHON, "-c", ""], files={})),
            "environment": str({name for name in os.environ if "DOCKER" in name}),
            "replies": tried(lambda: (channel.folder / "x").write_text("x")),
            "replies, by a link": tried(lambda: (channel.folder / "replies").symlink_to("/etc")),
            "code": wall.run([PYTHON, "-c", look], files={"project": tree}).log,
        }

    answer = taken_over(attack, tree, docker_sandbox)
    assert answer.error is None, answer
    seen = answer.value
    for refused in ("named socket", "client", "own sandbox", "replies", "replies, by a link"):
        assert "done" not in seen[refused], seen
    assert seen["environment"] == "set()"
    assert "def build" in seen["code"]
    assert "docker.sock" not in seen["code"]


@pytest.mark.parametrize(
    "message",
    [
        {"op": "steal"},
        {**RUN, "shared": {"project": "../secret"}},
        {**RUN, "shared": {"project": "head/../../secret"}},
        {**RUN, "shared": {"project": "head//etc/passwd"}},
        {**RUN, "shared": {"../project": "head"}},
        {**RUN, "environment": {"LD_PRELOAD": "x"}},
        {**RUN, "environment": {"DOCKER_HOST": "x"}},
        {**RUN, "limits": {"processes": -1}},
        {**RUN, "command": "reboot"},
        {"op": "install", "package": "evil", "version": "1"},
        {"op": "line", "session": 7, "seconds": 1, "limit": 10},
        {"op": "answer"},
    ],
)
def test_who_breaks_the_rules_is_served_no_more(
    message: dict[str, Any], tree: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    def attack() -> list[str]:
        channel = given()
        assert channel is not None
        first = tried(lambda: channel.ask({"op": "place"})["name"])
        return [first, tried(lambda: channel.ask(message)), tried(lambda: channel.ask({"op": "place"})["name"])]

    answer = taken_over(attack, tree, DockerSandbox("none"), served=ProcessSandbox())
    assert answer.error is None, answer
    first, second, third = answer.value
    assert first.startswith("done")
    assert "done" not in second + third, answer.value
    assert "topsecret" not in str(answer.value)
    assert capfd.readouterr().err.count("nothing more is run for it") == (message["op"] != "answer")


def test_what_is_asked_for_properly_is_done(tree: Path) -> None:
    def attack() -> list[Any]:
        channel = given()
        assert channel is not None
        wall, back = RelayedWall(channel), Path(os.environ["HOME"], "back")
        back.mkdir()
        program = (
            "import os; os.mkdir('out/deep'); open('out/deep/x', 'w').write(open('project/net.py').read() + INPUT)"
        )
        done = wall.run(
            [PYTHON, "-c", f"INPUT = open('given').read(); {program}"],
            files={"project": tree, "given": b" and more"}, output=back,
        )  # fmt: skip
        return [done.files, (back / "deep" / "x").read_text(), done.log, tried(lambda: asked(ProcessSandbox()))]

    answer = taken_over(attack, tree, DockerSandbox("none"), served=ProcessSandbox())
    assert answer.error is None, answer
    files, text, _, other = answer.value
    assert files == ["deep/x"]
    assert text == "def build(): ...\n and more"
    assert "ProcessSandbox" in other, "what is no container runs behind the wall itself"


def test_targets_without_code_are_served_nothing(tree: Path) -> None:
    where = Surroundings(tree, tree.parent / "out", Config(), DockerSandbox("none"))
    with enclosures({"a": (TargetConfig(id="a", path="a.onnx"), where)}) as walls:
        assert walls["a"].served is None


@pytest.mark.parametrize(
    ("package", "version"),
    [("requests", "1.0"), ("onnxruntime", "1.0 evil"), ("onnxruntime", "--index-url=x"), ("onnxruntime", "/tmp"),
     ("../onnxruntime", "1.0"), ("onnxruntime @ http://x", "1.0")],
)  # fmt: skip
def test_nothing_but_versions_of_engines_is_installed(package: str, version: str, tmp_path: Path) -> None:
    with pytest.raises(TargetProblem, match="no version of an engine"):
        installer(Overlays(tmp_path))(package, version)
    assert not list(tmp_path.iterdir())


@pytest.fixture
def image_alone(docker_sandbox: DockerSandbox) -> Iterator[str]:
    """An identity of this test's own: other tests use the engine at the same time."""
    name = f"assay-attended:{os.getpid()}-{time.monotonic_ns()}"
    made = f"FROM {docker_sandbox.image}\nLABEL alone={name}\n"
    done = subprocess.run(["docker", "build", "--quiet", "--tag", name, "-"], input=made, text=True, check=False)
    assert done.returncode == 0
    yield name
    subprocess.run(["docker", "image", "rm", "--force", name], capture_output=True, check=False)


@pytest.mark.docker
def test_containers_go_with_the_process_that_asked_for_them(image_alone: str, tree: Path) -> None:
    """It opens a worker that stays, has a command run that does not end, and is stopped by its own deadline."""
    sandbox = DockerSandbox(image_alone)

    def attack() -> None:
        wall = asked(sandbox)
        assert isinstance(wall, RelayedWall)
        wall.open([PYTHON, "-c", "input()"], files={})
        wall.run([PYTHON, "-c", "import time; time.sleep(600)"], files={}, limits=ResourceLimits(seconds=600))
        time.sleep(600)  # its container may end a moment before it does

    answer = taken_over(attack, tree, sandbox, deadline=15)
    assert "longer than 15 s" in str(answer.error)
    listed = ["docker", "ps", "--all", "--quiet", "--filter", f"ancestor={image_alone}"]
    assert not subprocess.run(listed, capture_output=True, text=True, check=True).stdout.split()
