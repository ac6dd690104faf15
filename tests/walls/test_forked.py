"""Children forked after their imports: what they share with their fork server, and what they must not."""

from __future__ import annotations

import itertools
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from analyzer.walls import PYTHON, ResourceLimits, forked, launch
from analyzer.walls.imports import ALONE, COMPILERS, TOLD, known
from analyzer.walls.kernel import landlock
from analyzer.walls.process import ProcessSandbox, import_ahead, importing
from analyzer.walls.protocol import ALLOWED_ENVIRONMENT
from tests.walls.processes import runs

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="fork servers stand on Linux")

Start = Callable[..., forked.Forked]


@pytest.fixture
def start(tmp_path: Path) -> Start:
    """Starts a Python text in a child that has imported `fractions`; it may write in ``home``."""
    home = tmp_path / "home"
    home.mkdir()
    numbers = itertools.count()

    def begin(text: str, *arguments: str, wall: bool = True, programs: bool = False) -> forked.Forked:
        program = f"program{next(numbers)}"  # one that is started may not be read yet when the next is written
        (tmp_path / f"{program}.py").write_text(text)
        rules = launch.worker_rules(home, read=[tmp_path], programs=programs) if wall else None
        child = forked.start(
            program, *arguments, imports=("fractions",), rules=rules, path=[tmp_path], folder=home,
            variables=launch.environment(home, {"TOLD": "yes"}), own={}, session=programs,
        )  # fmt: skip
        assert child is not None
        return child

    return begin


def _out(child: forked.Forked) -> str:
    child.stdin.close()
    with child.stdout, child.stderr:
        told, errors = child.stdout.read().decode(), child.stderr.read().decode()
    assert child.wait(30) == 0, errors
    return told


def test_a_child_has_the_imports_and_its_own_world(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "do-not-tell")
    told = _out(
        start(
            "import os, sys\n"
            "print('fractions' in sys.modules, 'kernel' in sys.modules, 'stage' in sys.modules)\n"
            "print(sys.argv[1:], os.environ['TOLD'], 'GITHUB_TOKEN' in os.environ, os.path.basename(os.getcwd()))\n"
            "print(sorted(os.listdir('/proc/self/fd'), key=int)[:5])\n"
            "print(b'do-not-tell' in open('/proc/self/environ', 'rb').read())\n",
            "one",
        )
    ).splitlines()
    assert told == ["True False False", "['one'] yes False home", "['0', '1', '2', '3']", "False"]  # 3: the listing


@pytest.mark.skipif(launch.standing() is not None, reason=f"no wall: {launch.standing()}")
def test_each_child_closes_its_own_wall(start: Start, tmp_path: Path) -> None:
    """The fork server has none, and what one child may do is nothing to the next."""
    (tmp_path.parent / "secret.txt").write_text("secret")
    text = (
        "import os, socket, sys\n"
        "def tried(what):\n"
        "    try:\n        what()\n    except OSError:\n        return 'refused'\n    return 'done'\n"
        f"print(tried(lambda: open({str(tmp_path.parent / 'secret.txt')!r}).read()))\n"
        "print(tried(lambda: socket.socket()))\n"
        "print(tried(lambda: open('own.txt', 'w')))\n"
        "print(tried(lambda: os.kill(os.getppid(), 0)))\n"
        "print(tried(lambda: open(f'/proc/{os.getppid()}/environ').read()))\n"
    )
    free = _out(start(text, wall=False)).split()
    assert free == ["done"] * 5
    assert _out(start(text)).split() == ["refused", "refused", "done", "refused", "refused"]


def test_how_a_child_ends_is_told_and_the_fork_server_goes_on(start: Start) -> None:
    codes = []
    for text in ("import sys; sys.exit(7)", "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "1 / 0", ""):
        child = start(text)
        codes.append(child.wait(30))
        assert child.poll() == codes[-1]
    assert codes == [7, -signal.SIGSEGV, 1, 0]


def test_ending_a_child_ends_what_it_has_started(start: Start) -> None:
    child = start("import os, time\nprint(os.fork(), flush=True)\ntime.sleep(600)\n", programs=True)
    below = int(child.stdout.readline())
    with pytest.raises(subprocess.TimeoutExpired):
        child.wait(0.01)
    child.end()
    assert child.poll() == -signal.SIGKILL
    assert not Path(f"/proc/{below}").exists() or "Z" in Path(f"/proc/{below}/stat").read_text().split()[2]


def test_two_threads_may_wait_for_one_child(start: Start) -> None:
    for _ in range(50):  # which of them reads its end is chance; one that missed it waited for ever
        child = start("import time; time.sleep(100)")
        with ThreadPoolExecutor(4) as threads:
            waiting = [threads.submit(child.wait) for _ in range(4)]
            child.end()
            assert [each.result() for each in waiting] == [-signal.SIGKILL] * 4


def test_a_command_of_a_sandbox_is_forked_and_ended_like_any_other() -> None:
    text = b"import sys\nprint('fractions' in sys.modules, sys.argv[1:])\nopen('out/left', 'w').close()\nsys.exit(%s)"
    place = importing(ProcessSandbox(), ("fractions",))
    for last, code in ((b"3", 3), (b"print(0) or 1 // 0", 1)):
        done = place.run([PYTHON, "-m", "program", "one"], files={"program.py": text % last})
        assert done.exit_code == code, done.log
        assert "True ['one']" in done.log
    hung = b"import os, time\nos.fork()\ntime.sleep(600)\n"
    began = time.monotonic()
    done = place.run([PYTHON, "-m", "program"], files={"program.py": hung}, limits=ResourceLimits(seconds=1))
    assert done.timed_out
    assert time.monotonic() - began < 300  # it ends with the deadline, not with the program


def test_what_was_imported_ahead_is_what_a_command_is_forked_from(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[tuple[str, ...]] = []

    class Counted(forked.ForkServer):
        def __init__(self, imports: Sequence[str], *more: Any) -> None:
            begun.append(tuple(imports))
            super().__init__(imports, *more)

    monkeypatch.setattr(forked, "ForkServer", Counted)
    sandbox, names, told = ProcessSandbox(), ("fractions", "colorsys"), {"OMP_NUM_THREADS": "1"}
    import_ahead(sandbox, names, told)
    assert begun == [names]
    sentence = "import sys; print('begun' if 'colorsys' in sys.modules else 'begins')"
    done = importing(sandbox, names).run(
        [PYTHON, "-m", "told"],
        files={"told.py": sentence.encode()},
        limits=ResourceLimits(seconds=60),
        environment=told,
    )
    assert done.log.strip() == "begun"
    assert begun == [names]
    import_ahead(sandbox, (), told)  # sources that name no framework
    assert begun == [names]


def test_files_of_children_that_have_ended_are_let_go(start: Start) -> None:
    _out(start(""))
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        start("").wait(30)
    assert len(os.listdir("/proc/self/fd")) <= before + 3  # those of the last


def test_two_children_at_once_draw_other_numbers(start: Start) -> None:
    text = "import random, sys\nsys.stdin.read()\nprint(random.random())\n"
    first, second = start(text), start(text)
    assert first.pid != second.pid
    assert _out(second) != _out(first)


def test_a_fork_of_this_process_has_no_fork_server_of_its_parent(start: Start) -> None:
    _out(start(""))
    assert forked._fork_servers
    child = os.fork()
    if child == 0:
        os._exit(len(forked._fork_servers))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    _out(start(""))  # the parent's answers still


def test_fork_server_and_children_end_with_their_owner(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(
        "import os, time\nprint(os.getpid(), os.getppid(), flush=True)\ntime.sleep(600)"
    )
    text = (
        "import os, signal\nfrom pathlib import Path\nfrom analyzer.walls import forked, launch\n"
        f"here = Path({str(tmp_path)!r})\n"
        "child = forked.start('program', imports=(), rules=None, path=[here], folder=here,\n"
        "    variables=launch.environment(here), own={}, session=True)\n"
        "print(child.stdout.readline().decode(), flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False, cwd=launch.ASSAY)
    pids = [int(word) for word in done.stdout.split()]
    assert len(pids) == 2, done.stderr
    for _ in range(300):
        if not any(runs(pid) for pid in pids):
            return
        time.sleep(0.1)
    raise AssertionError("a fork server outlived its owner")


ATTACK = """
import ctypes, fcntl, json, os, resource, signal, socket, sys
victim, other = int(sys.argv[1]), int(sys.argv[2])
libc = ctypes.CDLL(None, use_errno=True)
done = []
def tried(name, what):
    try:
        if what() not in (-1, False, None):
            done.append(name)
    except OSError:
        pass
def owned():
    one, two = socket.socketpair()
    fcntl.fcntl(one, fcntl.F_SETOWN, pid)
    fcntl.fcntl(one, 10, signal.SIGKILL)  # F_SETSIG
    fcntl.fcntl(one, fcntl.F_SETFL, os.O_ASYNC)
    two.send(b"x")
for pid in (victim, other):
    for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD):
        tried(f"signal {number}", lambda: os.kill(pid, number) or 1)
        tried(f"signal {number} to a thread", lambda: libc.syscall(234, pid, pid, number) + 1 or None)
    tried("signal to its group", lambda: os.killpg(pid, signal.SIGKILL) or 1)
    tried("ptrace", lambda: libc.syscall(101, 16, pid, 0, 0))
    tried("limit", lambda: resource.prlimit(pid, resource.RLIMIT_CPU, (1, 1)))
    for name in ("mem", "environ", "maps", "fd/0", "fd/3", "cwd/x", "oom_score_adj"):
        if name != "oom_score_adj":  # a number for all to read
            tried(name, lambda: open(f"/proc/{pid}/{name}", "rb"))
        tried(name + " to write", lambda: open(f"/proc/{pid}/{name}", "r+b", buffering=0))
    tried("fd/3 is", lambda: os.readlink(f"/proc/{pid}/fd/3"))
    owned()
    for act in (lambda: os.sched_setaffinity(pid, [min(os.sched_getaffinity(0))]),
                lambda: os.setpriority(os.PRIO_PROCESS, pid, 19), lambda: os.setpriority(os.PRIO_PGRP, pid, 19),
                lambda: os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0)),
                lambda: libc.syscall(251, 1, pid, 3 << 13)):  # ioprio_set: idle
        tried("scheduling", act)  # says that it did, or fails; what it has done is looked at from outside
open_files = [n for n in os.listdir("/proc/self/fd") if int(n) > 3 and os.path.exists(f"/proc/self/fd/{n}")]
shared = [line for line in open("/proc/self/maps") if line.split()[1].startswith("rw") and "s" in line.split()[1]]
print(json.dumps([[d for d in done if d != "scheduling"], open_files, shared]))
"""


def _state(pid: int) -> list[object]:
    return [
        runs(pid), os.sched_getaffinity(pid), os.getpriority(os.PRIO_PROCESS, pid), os.sched_getscheduler(pid),
        resource.prlimit(pid, resource.RLIMIT_CPU),
    ]  # fmt: skip


# Whether the child may start programs. Before Linux 6.12 (Landlock 6) one that may can end others of its user.
PROGRAMS = [False, True] if launch.standing() is None and landlock.abi() >= 6 else [False]


@pytest.mark.skipif(launch.standing() is not None, reason=f"no wall: {launch.standing()}")
@pytest.mark.parametrize("programs", PROGRAMS)
def test_a_child_does_nothing_to_its_fork_server_or_to_another(start: Start, programs: bool) -> None:
    other = start("import sys\nprint(sys.stdin.read())")
    fork_server = int(Path(f"/proc/{other.pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
    before = [_state(fork_server), _state(other.pid)]
    told = _out(start(ATTACK, str(fork_server), str(other.pid), programs=programs))
    assert json.loads(told) == [[], [], []]
    assert [_state(fork_server), _state(other.pid)] == before
    other.stdin.write(b"well")
    assert _out(other) == "well\n"
    _out(start(""))  # and it has more


LEAVES = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        print(os.getpid(), flush=True)
        time.sleep(600)
    os._exit(0)
os.wait()
if sys.argv[1:]:
    time.sleep(600)
sys.stdin.read(1)
"""


@pytest.mark.parametrize("ended", [False, True])
def test_what_a_child_leaves_behind_ends_with_it(start: Start, ended: bool) -> None:
    """A process that has left its family, its session and its parent."""
    child = start(LEAVES, *(["stay"] if ended else []), programs=True)
    left = int(child.stdout.readline())
    assert runs(left)
    if ended:
        child.end()
    else:
        child.stdin.close()
        assert child.wait(30) == 0
    assert not runs(left)


def test_a_child_that_floods_or_halts_holds_up_no_other(start: Start) -> None:
    flood = start("import sys\nwhile True:\n    sys.stdout.write('x' * 65536)\n    sys.stderr.write('x' * 65536)")
    assert flood.stdout.read(1) == b"x"
    halted = start("import os, signal\nprint(1, flush=True)\nos.kill(os.getpid(), signal.SIGSTOP)")
    assert halted.stdout.readline() == b"1\n"
    for _ in range(3):
        assert _out(start("print(1)")) == "1\n"
    for child in (flood, halted):
        child.end()
        assert child.poll() == -signal.SIGKILL


def test_a_child_ends_though_a_thread_of_the_fork_server_is_missing(tmp_path: Path) -> None:
    """ONNX Runtime's import starts one, and its end waits for it; Python's own end is kept."""
    (tmp_path / "program.py").write_text(
        "import atexit, sys\natexit.register(print, 'last')\nsys.stdout.write('first ')\nsys.exit('no more')"
    )
    child = forked.start(
        "program", imports=("onnxruntime",), rules=None, path=[tmp_path], folder=tmp_path,
        variables=launch.environment(tmp_path), own={}, session=True,
    )  # fmt: skip
    assert child is not None
    try:
        assert child.wait(60) == 1
    finally:
        child.end()
    assert (child.stdout.read(), child.stderr.read()) == (b"first last\n", b"no more\n")


@pytest.mark.parametrize(("free", "kept"), [(0, forked.KEPT), (forked.SPARE + 1, forked.MOST)])
def test_more_fork_servers_are_kept_while_memory_is_free(free: int, kept: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forked, "free_memory", lambda: free)
    monkeypatch.setattr(forked, "_fork_servers", {})
    try:
        for number in range(forked.MOST + 1):
            assert forked.fork_server(("fractions",), {"NUMBER": str(number)}) is not None
        assert [key[1] for key in forked._fork_servers] == [
            ("NUMBER", str(number)) for number in range(forked.MOST + 1 - kept, forked.MOST + 1)
        ]
    finally:
        for one in forked._fork_servers.values():
            one.close()


def test_one_that_has_imported_more_serves_as_well() -> None:
    own = {"OMP_NUM_THREADS": "1"}
    more = forked.fork_server(("fractions", "decimal"), own)
    assert more is not None
    assert forked.fork_server(("fractions",), own) is more
    assert forked.fork_server(("fractions",), {"OMP_NUM_THREADS": "2"}) is not more, "it was told something else"
    assert forked.fork_server(("fractions", "wave"), own) is not more


def test_what_must_import_itself_shares_with_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Inductor writes where the process stood when dynamo was imported."""
    own = {"OMP_NUM_THREADS": "3"}
    monkeypatch.setattr(forked, "ALONE", frozenset({("fractions",)}))
    more = forked.fork_server(("fractions", "decimal"), own)
    assert forked.fork_server(("fractions",), own) is not more
    assert COMPILERS["torch"] in ALONE


def test_what_all_children_are_told_is_allowed_everywhere() -> None:
    assert set(TOLD) <= ALLOWED_ENVIRONMENT
    assert known((), TOLD)
