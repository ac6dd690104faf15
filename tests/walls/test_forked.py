"""Children forked after their imports: what they share with their nursery, and what they must not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from analyzer.walls import PYTHON, Limits, forked, launch
from analyzer.walls.process import ProcessSandbox, importing

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="nurseries stand on Linux")

Start = Callable[..., forked.Forked]


@pytest.fixture
def start(tmp_path: Path) -> Start:
    """Starts a Python text in a child that has imported `fractions`; it may write in ``home``."""
    home = tmp_path / "home"
    home.mkdir()

    def begin(text: str, *arguments: str, wall: bool = True, programs: bool = False) -> forked.Forked:
        (tmp_path / "program.py").write_text(text)
        rules = launch.worker_rules(home, read=[tmp_path], programs=programs) if wall else None
        child = forked.start(
            "program", *arguments, imports=("fractions",), rules=rules, path=[tmp_path], folder=home,
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
    """The nursery has none, and what one child may do is nothing to the next."""
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


def test_how_a_child_ends_is_told_and_the_nursery_goes_on(start: Start) -> None:
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


def test_a_command_of_a_sandbox_is_forked_and_ended_like_any_other() -> None:
    text = b"import sys\nprint('fractions' in sys.modules, sys.argv[1:])\nopen('out/left', 'w').close()\nsys.exit(%s)"
    place = importing(ProcessSandbox(), ("fractions",))
    for last, code in ((b"3", 3), (b"print(0) or 1 // 0", 1)):
        done = place.run([PYTHON, "-m", "program", "one"], files={"program.py": text % last})
        assert done.exit_code == code, done.log
        assert "True ['one']" in done.log
    hung = b"import os, time\nos.fork()\ntime.sleep(600)\n"
    began = time.monotonic()
    done = place.run([PYTHON, "-m", "program"], files={"program.py": hung}, limits=Limits(seconds=1))
    assert done.timed_out
    assert time.monotonic() - began < 300  # it ends with the deadline, not with the program


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


def test_a_fork_of_this_process_has_no_nursery_of_its_parent(start: Start) -> None:
    _out(start(""))
    assert forked._nurseries
    child = os.fork()
    if child == 0:
        os._exit(len(forked._nurseries))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    _out(start(""))  # the parent's answers still


def test_nursery_and_children_end_with_their_owner(tmp_path: Path) -> None:
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
        if not any(_runs(pid) for pid in pids):
            return
        time.sleep(0.1)
    raise AssertionError("a nursery outlived its owner")


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
