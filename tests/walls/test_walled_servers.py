"""Walled servers: a walled analysis forks its workers from a process outside, and gains no right by it."""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from analyzer.running.processes import Enclosure, JobResult, run_all
from analyzer.walls import forked, launch
from analyzer.walls.imports import known
from analyzer.walls.kernel import landlock
from analyzer.walls.kernel.rules import Rules
from analyzer.walls.walled_servers import MOST, WalledServers
from tests.walls.processes import runs

pytestmark = pytest.mark.skipif(launch.standing() is not None, reason=f"no wall: {launch.standing()}")

CHEAP = ("onnx_ir",)  # of what may be imported, what takes least
# As whom analyses run: as nobody too where this process is root and nobody may read the interpreter.
USERS = sorted({None, launch.user_for([tempfile.gettempdir()])}, key=str, reverse=True)
Start = Callable[..., forked.Forked]


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that everybody may pass through, as those of analyses are."""
    with tempfile.TemporaryDirectory(prefix="assay-test-") as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)


def _analysis(place: Path, name: str, user: int | None) -> Enclosure:
    home = place / name
    home.mkdir()
    launch.hand_over(home, user)
    rules = Rules(
        libraries=launch.libraries(), read=[str(place)], names=[str(launch.ASSAY)], write=[str(home)], programs=True,
        user=user,
    )  # fmt: skip
    return Enclosure(home, rules)


def _started(place: Path, home: Path, text: str, imports: tuple[str, ...] = CHEAP) -> forked.Forked:
    """In an analysis: a child that runs `text` without a wall of its own."""
    (home / "program.py").write_text(text)
    child = forked.start(
        "program", imports=imports, rules=None, path=[home], folder=home, variables=launch.environment(home), own={},
        session=True,
    )  # fmt: skip
    assert child is not None
    return child


def _run(
    place: Path, texts: Mapping[str, str], user: int | None = None, imports: tuple[str, ...] = CHEAP
) -> dict[str, JobResult]:
    """What a child of each analysis prints first, with the process ids of the analysis and of the child's parent."""
    walls = {name: _analysis(place, name, user) for name in texts}

    def job(name: str) -> Callable[[Any], Any]:
        def run(_send: Any) -> Any:
            child = _started(place, walls[name].home, texts[name], imports)
            line = child.stdout.readline().decode()
            return [line, os.getpid(), child.pid, _parent(child.pid)]

        return run

    jobs = {name: job(name) for name in texts}
    return dict(run_all(jobs, deadline=600, parallel=2, logs=place / "logs", enclosures=walls))


def _parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])


WAITS = """
import os, sys, time
with open(f'/proc/{os.getppid()}/stat') as stat:
    above = stat.read().rsplit(')', 1)[1].split()[1]
print('onnx_ir' in sys.modules, os.getppid(), above, flush=True)
time.sleep(600)
"""


def test_analyses_share_one_fork_server_and_what_runs_in_their_walled_servers_ends_with_them(place: Path) -> None:
    answers = _run(place, {"one": WAITS, "two": WAITS})
    fork_servers = set()
    for answer in answers.values():
        assert answer.error is None, answer.error
        line, analysis, child, walled_server = answer.value
        imported, above, fork_server = line.split()
        assert (imported, int(above)) == ("True", walled_server)
        assert analysis not in (walled_server, int(fork_server))
        assert not runs(child), "it slept when its analysis ended"
        assert not runs(walled_server)
        fork_servers.add(int(fork_server))
    assert len(fork_servers) == 1
    assert fork_servers <= {n._process.pid for n in forked._fork_servers.values() if n._process is not None}
    assert all(runs(pid) for pid in fork_servers)


TRIES = """
import json, os, socket
def tried(what):
    try:
        what()
    except OSError:
        return 'refused'
    return 'done'
def connect():
    with socket.socket() as made:
        made.connect(('127.0.0.1', 9))
print(json.dumps({
    'secret': tried(lambda: open(%(secret)r).read()),
    'other': tried(lambda: open(%(other)r, 'w')),
    'network': tried(lambda: socket.socket()),
    'tree': tried(lambda: open(%(tree)r).read()),
    'own': tried(lambda: open('own.txt', 'w')),
    'root': tried(lambda: os.setuid(0)) if os.getuid() else 'refused',
    'server': tried(lambda: os.kill(int(open(f'/proc/{os.getppid()}/stat').read().rsplit(')', 1)[1].split()[1]), 9)),
    'users': [os.getuid(), os.getgid(), os.getgroups()],
    'rights': [line.split()[1] for line in open('/proc/self/status') if line.startswith(('CapEff', 'NoNewPrivs'))],
}), flush=True)
"""


@pytest.mark.parametrize("user", USERS, ids=["own user", "nobody"][: len(USERS)])
def test_a_walled_server_stands_behind_the_wall_of_its_analysis(place: Path, tmp_path: Path, user: int | None) -> None:
    """A child in it without a wall of its own may do what the analysis may, and nothing else."""
    (tmp_path / "secret.txt").write_text("secret")
    (place / "tree.txt").write_text("model")
    (place / "tree.txt").chmod(0o644)
    paths = {
        "secret": str(tmp_path / "secret.txt"),
        "other": str(place / "other.txt"),
        "tree": str(place / "tree.txt"),
    }
    (answer,) = _run(place, {"one": TRIES % paths}, user).values()
    assert answer.error is None, answer.error
    line, analysis, _, walled_server = answer.value
    assert walled_server != analysis
    found = json.loads(line)
    users, rights = found.pop("users"), found.pop("rights")
    if landlock.abi() < 6 and user is None:  # before Linux 6.12 signals reach all processes of one's own user
        assert found.pop("server") in ("refused", "done")
        found["server"] = "refused"
    assert found == {
        "secret": "refused", "other": "refused", "network": "refused", "tree": "done", "own": "done",
        "root": "refused", "server": "refused",
    }  # fmt: skip
    assert users == ([user, user, []] if user is not None else [os.getuid(), os.getgid(), os.getgroups()])
    assert rights == ["0" * 16, "1"]


def test_what_stands_nowhere_is_imported_behind_the_wall(place: Path) -> None:
    """By a fork server of the analysis's own."""
    (answer,) = _run(place, {"one": WAITS.replace("onnx_ir", "fractions")}, imports=("fractions",)).values()
    assert answer.error is None, answer.error
    line, analysis, _, fork_server = answer.value
    assert line.split() == ["True", str(fork_server), str(analysis)]


def test_too_many_processes_in_a_walled_server_are_those_of_the_analysis(place: Path) -> None:
    text = (
        "import os, time\n"
        "for _ in range(80):\n    if os.fork() == 0:\n        time.sleep(600)\n        os._exit(0)\n"
        "time.sleep(600)\n"
    )
    (answer,) = _run(place, {"one": text}).values()
    assert answer.error is not None
    assert "more than 64 processes" in answer.error


def test_a_fork_server_that_has_gone_is_replaced(place: Path) -> None:
    (first,) = _run(place, {"one": WAITS}).values()
    for fork_server in forked._fork_servers.values():
        fork_server.kill()
    (second,) = _run(place, {"two": WAITS}).values()
    assert first.value[0].startswith("True")
    assert second.value is not None, second.error
    assert second.value[0].startswith("True")


GOOD: dict[str, object] = {"imports": list(CHEAP), "own": {}}


@pytest.mark.parametrize(
    "request_text",
    [
        b"no JSON", b"[" * 9000, b"[]", b"{}", b"\xff\xfe",
        *(
            json.dumps({**GOOD, **other}).encode()
            for other in (
                {"imports": ["os"]}, {"imports": ["torch; import os"]}, {"imports": "torch"}, {"imports": [["torch"]]},
                {"imports": ["torch", "antigravity"]}, {"own": {"LD_PRELOAD": "/tmp/mine.so"}},
                {"own": {"PYTHONPATH": "/tmp"}}, {"own": {"KERAS_BACKEND": "../mine"}},
                {"own": {"PYTHONHASHSEED": "0\n"}}, {"own": {"OMP_NUM_THREADS": 4}}, {"own": [["OMP_NUM_THREADS"]]},
                {"imports": None}, {"own": None},
            )
        ),
    ],
    ids=lambda text: text.decode(errors="replace")[:60],
)  # fmt: skip
def test_a_hostile_request_makes_nothing(tmp_path: Path, request_text: bytes) -> None:
    before = set(forked._fork_servers)
    walled_servers = WalledServers(Rules(), tmp_path)
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            socket.send_fds(walled_servers._theirs, [request_text], [theirs.fileno()])
        walled_servers.serve()
        assert walled_servers._made == []
        assert ours.recv(1) == b"", "nobody holds the other end"
    walled_servers.end()
    walled_servers.alone()
    assert set(forked._fork_servers) == before


def test_a_request_without_a_socket_or_with_something_else_is_refused(tmp_path: Path) -> None:
    walled_servers = WalledServers(Rules(), tmp_path)
    walled_servers._theirs.send(json.dumps(GOOD).encode())
    walled_servers.serve()
    assert walled_servers._made == []
    with (tmp_path / "file").open("wb") as file:
        socket.send_fds(walled_servers._theirs, [json.dumps(GOOD).encode()], [file.fileno()])
    walled_servers.serve()
    assert walled_servers._made == []
    assert not walled_servers.open
    walled_servers.end()
    walled_servers.alone()


def test_requests_without_end_are_served_no_more(tmp_path: Path) -> None:
    walled_servers = WalledServers(Rules(), tmp_path)
    for _ in range(MOST + 1):
        walled_servers._theirs.send(b"x")
        walled_servers.serve()
    assert not walled_servers.open
    walled_servers.end()
    walled_servers.alone()


def test_orders_that_came_before_the_end_are_not_done_after_it(tmp_path: Path) -> None:
    """The analysis has ended while its fork server still imports: the walled server finds nothing to do."""
    walled_servers = WalledServers(Rules(libraries=launch.libraries(), write=[str(tmp_path)], programs=True), tmp_path)
    ours, theirs = socket.socketpair()
    with theirs:
        # Fresh imports, so that the fork server has to begin.
        text = json.dumps({"imports": ["onnx_ir"], "own": {"TF_CPP_MIN_LOG_LEVEL": "7"}}).encode()
        socket.send_fds(walled_servers._theirs, [text], [theirs.fileno()])
    order = json.dumps(
        {"script": str(tmp_path / "late.py"), "arguments": [], "rules": None, "path": [], "folder": str(tmp_path),
         "variables": {}, "session": True}
    ).encode()  # fmt: skip
    (tmp_path / "late.py").write_text("open('late.txt', 'w').close()")
    life, its = socket.socketpair()
    with ours, its, life, open(os.devnull, "r+b") as null:
        socket.send_fds(ours, [len(order).to_bytes(4, "big")], [null.fileno()] * 3 + [its.fileno()])
        ours.sendall(order)
        walled_servers.serve()
        (walled_server,) = walled_servers._made
        walled_servers.end()
        its.close()
        select.select([life], [], [])  # nobody holds the order any more
        assert life.recv(16) == b""
    walled_servers.alone()
    assert walled_server.returncode is not None
    assert not (tmp_path / "late.txt").exists()


def test_the_declared_imports_are_those_of_the_workers() -> None:
    assert known(("torch",), {"PYTHONHASHSEED": "0", "TF_CPP_MIN_LOG_LEVEL": "3"})
    assert not known(("torch", "os"), {})
    assert not known(("torch",), {"HOME": "/"})


def test_nothing_is_left_when_the_owner_is_killed(place: Path) -> None:
    """With an analysis at work in its walled server."""
    home = place / "home"
    text = (
        "import os, signal, sys, threading, time\nfrom pathlib import Path\n"
        "from tests.walls import test_walled_servers as here\nfrom analyzer.running.processes import run_all\n"
        f"place = Path({str(place)!r})\nwall = here._analysis(place, 'home', None)\n"
        "def job(send):\n"
        "    child = here._started(place, wall.home, here.WAITS)\n"
        "    child.stdout.readline()\n"
        "    send([os.getpid(), child.pid, here._parent(child.pid)])\n"
        "    time.sleep(600)\n"
        "def told(name, pids):\n"
        "    print(*pids, flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "list(run_all({'one': job}, deadline=600, parallel=1, logs=place / 'logs', on_message=told,\n"
        "    enclosures={'one': wall}))\n"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False, cwd=launch.ASSAY)
    pids = [int(word) for word in done.stdout.split()]
    assert len(pids) == 3, done.stderr
    assert home.is_dir()
    while any(runs(pid) for pid in pids):
        time.sleep(0.1)
