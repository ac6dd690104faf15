"""The containers from the inside: the one that analyses, the one that runs the project's code. On a real engine."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from analyzer.problem import TargetProblem
from analyzer.running.containers import FILES_LIMIT, limits
from analyzer.walls import PYTHON, ResourceLimits, SessionEnded
from analyzer.walls.docker import DockerSandbox
from analyzer.walls.serving import CAPS, OutOfTurn, Server
from analyzer.walls.volume import filled_volume

pytestmark = pytest.mark.docker
TOKEN = "ghs_secret-of-the-front"
LOOK = """
import glob, json, os, resource, socket
status = dict(line.split(":", 1) for line in open("/proc/self/status") if ":" in line)
def first(*paths):
    for path in paths:
        try:
            return open(path).read().split()[0]
        except OSError:
            pass
def refused(act):
    try:
        act()
        return False
    except OSError:
        return True
def environments():
    found = b""
    for path in glob.glob("/proc/[0-9]*/environ"):
        try:
            found += open(path, "rb").read()
        except OSError:
            pass
    return found.decode(errors="replace")
written = []
for folder in "/ /box /etc /usr/local /var/tmp /home /root /opt /trees /trees/head /dev/shm".split():
    try:
        open(folder + "/mark", "w").close()
        written.append(folder)
    except OSError:
        pass
seen = {
    "capabilities": [int(status[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")],
    "no new privileges": int(status["NoNewPrivs"]), "filter": int(status["Seccomp"]),
    "user": [*map(int, status["Uid"].split()), *map(int, status["Gid"].split()), *os.getgroups()],
    "interfaces": [name for _, name in socket.if_nameindex()],
    "reached": [host for host in ("1.1.1.1", "169.254.169.254", "172.17.0.1")
                if not refused(lambda: socket.create_connection((host, 80), timeout=2))],
    "environments": environments(),
    "sockets": [path for path in ("/var/run/docker.sock", "/run/docker.sock") if os.path.exists(path)],
    "written": written,
    "processes": first("/sys/fs/cgroup/pids.max", "/sys/fs/cgroup/pids/pids.max"),
    "memory": first("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"),
    "core": resource.getrlimit(resource.RLIMIT_CORE)[1],
    "host": [m for m in (line.split()[1] for line in open("/proc/mounts")) if m.startswith(("/github", "/work"))],
}
"""
Look = Callable[[ResourceLimits], dict[str, Any]]


@pytest.fixture(params=["analysis", "code"])
def look(request: pytest.FixtureRequest, docker_sandbox: DockerSandbox, tmp_path: Path) -> Look:
    """What a program sees in a container as the front makes it: one that stays, with the trees, or one that is run."""

    def analysis(given: ResourceLimits) -> dict[str, Any]:
        tree = tmp_path / "head"
        tree.mkdir()
        (tree / "model.onnx").write_bytes(b"model")
        with filled_volume({"head": tree}, docker_sandbox.image, "/trees") as volume:
            sandbox = DockerSandbox(docker_sandbox.image, volumes=(volume,))
            session = sandbox.open(
                [PYTHON, "-I", "-c", LOOK + "print(json.dumps(seen), flush=True)"], files={}, limits=given
            )
            try:
                return dict(json.loads(session.line(time.monotonic() + 120, 1 << 20)))
            finally:
                session.close()

    def code(given: ResourceLimits) -> dict[str, Any]:
        program = LOOK + "json.dump(seen, open('out/seen', 'w'))"
        back = tmp_path / "back"
        back.mkdir()
        completed = docker_sandbox.run([PYTHON, "-c", program], files={}, output=back, limits=given)
        assert completed.files == ("seen",), completed.log
        return dict(json.loads((back / "seen").read_text()))

    return analysis if request.param == "analysis" else code


def test_there_is_nothing_worth_having(look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("INPUT_TOKEN", "GITHUB_TOKEN", "ACTIONS_RUNTIME_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_TOKEN"):
        monkeypatch.setenv(name, TOKEN)
    seen = look(ResourceLimits(memory=512 << 20))
    assert seen["capabilities"] == [0] * 5
    assert (seen["no new privileges"], seen["filter"]) == (1, 2)
    assert set(seen["user"]) == {65534}
    assert (seen["interfaces"], seen["reached"]) == (["lo"], [])
    assert "HOME=/tmp" in seen["environments"], "its own can be read, so others' could"
    assert TOKEN not in seen["environments"]
    assert "INPUT_" not in seen["environments"]
    assert (seen["sockets"], seen["host"]) == ([], [])
    assert set(seen["written"]) <= {"/dev/shm"}, "a memory file system of this container alone"
    assert (int(seen["processes"]), int(seen["memory"])) == (ResourceLimits().processes, 512 << 20)
    assert seen["core"] == 0


def test_both_kinds_have_the_same_bound_on_processes_and_less_than_the_machine() -> None:
    """Threads count. What the project's code may ask for through an analysis is cut to the same."""
    assert ResourceLimits().processes == limits().processes == CAPS.processes
    assert limits().memory < os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") or limits().memory == 2 << 30
    assert limits().output == FILES_LIMIT


def serve(sandbox: DockerSandbox, program: str, seconds: float, limit: int, **bounds: Any) -> bytes:
    session = sandbox.open([PYTHON, "-I", "-c", program], files={}, limits=ResourceLimits(**bounds))
    try:
        with Server(session, None, {}, None, Path("/nowhere"), time.monotonic() + seconds) as server:
            return server.answer(limit)[1]
    finally:
        session.close()


LINE = "import sys\nwhile True: sys.stdout.write('x' * (1 << 20))"
STAGES = """while True: print('{"op": "stage"}')"""
GIGABYTES = """print('{"op": "answer", "size": 2147483648}', flush=True)\nwhile True: print('x' * (1 << 20))"""


@pytest.mark.parametrize(
    ("program", "raised", "told"),
    [
        pytest.param(LINE, SessionEnded, "a line of more than", id="a line without end"),
        pytest.param(STAGES, OutOfTurn, "stages", id="stages without end"),
        pytest.param(GIGABYTES, OutOfTurn, "2,147,483,648", id="an answer of 2 GB"),
        pytest.param("import time; time.sleep(600)", TimeoutError, "", id="no answer"),
        pytest.param("block = bytearray(1 << 30)", SessionEnded, "memory|137", id="more memory than it may have"),
    ],
)
def test_what_an_analysis_may_answer_ends(
    docker_sandbox: DockerSandbox, program: str, raised: type[Exception], told: str
) -> None:
    with pytest.raises(raised, match=told):
        serve(docker_sandbox, program, 6, 1 << 20, memory=256 << 20)


def test_what_the_projects_code_hands_back_ends(docker_sandbox: DockerSandbox, tmp_path: Path) -> None:
    """2 GB of files, printing without end, and children left behind; each costs its own run alone."""
    program = "import os\nfor i in range(2048):\n  open(f'out/{i}', 'wb').write(bytes(1 << 20))"
    big = tmp_path / "big"
    big.mkdir()
    completed = docker_sandbox.run(
        [PYTHON, "-c", program], files={}, output=big, limits=ResourceLimits(output=16 << 20)
    )
    assert completed.exit_code != 0, "the folder itself is no larger"
    assert sum(path.stat().st_size for path in big.rglob("*")) <= 16 << 20
    program = "import sys\nwhile True: sys.stdout.write('x' * (1 << 20))"
    completed = docker_sandbox.run([PYTHON, "-c", program], files={}, limits=ResourceLimits(seconds=20, log=4096))
    assert completed.refused == "more than 256 MiB of printed text" or completed.timed_out
    assert len(completed.log) < 6_000
    with pytest.raises(TargetProblem, match="no image"):
        DockerSandbox("no/such:image").open([PYTHON, "-c", ""], files={})
