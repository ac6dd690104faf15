"""Processes and threads without end behind the kernel's wall: whoever watches ends them all, and goes on."""

from __future__ import annotations

import array
import mmap
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from analyzer.commands.enclosed import enclosed
from analyzer.running.processes import Enclosure, Send, run_all
from analyzer.walls import PYTHON, ResourceLimits, launch
from analyzer.walls.kernel.rules import Rules
from analyzer.walls.process import ProcessSandbox
from analyzer.walls.protocol import PROCESSES

pytestmark = pytest.mark.skipif(launch.standing() is not None, reason=str(launch.standing()))
MOST = 400  # no test may take the machine down where the watcher fails


class Started:
    """The ids of processes, in memory that forks share."""

    def __init__(self) -> None:
        self.memory = mmap.mmap(-1, 8 * (MOST + 1))

    def bomb(self) -> None:
        """Children that stay, and children of children in sessions of their own, as fast as the watcher may be slow."""
        for index in range(MOST):
            child = os.fork()
            if child == 0:
                if index % 2:
                    os.setsid()
                    if os.fork():
                        os._exit(0)  # its parent is gone
                self.memory[8 * index : 8 * index + 8] = os.getpid().to_bytes(8, "little")
                time.sleep(600)
                os._exit(0)
            time.sleep(0.01)
        time.sleep(600)

    def alive(self) -> list[int]:
        pids = [pid for pid in array.array("q", self.memory[:]) if pid]
        assert len(pids) > PROCESSES // 2, "the bomb did not go off"
        return [pid for pid in pids if _runs(pid)]


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def gone(started: Started) -> bool:
    ends = time.monotonic() + 30
    while started.alive() and time.monotonic() < ends:
        time.sleep(0.1)
    return not started.alive()


def test_an_analysis_is_ended_and_the_others_answer(tmp_path: Path) -> None:
    started = Started()
    home = tmp_path / "home"
    home.mkdir()
    rules = Rules(libraries=launch.libraries(), write=[str(home)], programs=True)

    def bomb(_: Send) -> Any:
        started.bomb()

    def well(_: Send) -> Any:
        time.sleep(1)
        return "well"

    walls = {name: Enclosure(home, rules) for name in ("bomb", "well")}
    jobs = {"bomb": bomb, "well": well}
    answers = dict(run_all(jobs, deadline=120, parallel=2, logs=tmp_path / "logs", enclosures=walls))
    assert answers["bomb"].error == f"the analysis started more than {PROCESSES} processes."
    assert answers["well"].value == "well"
    assert gone(started)


def test_a_command_is_ended(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    started = Started()

    def bomb() -> int:
        started.bomb()
        return 0

    assert enclosed(bomb, read=[tmp_path], write=[]) == 3
    assert f"more than {PROCESSES} processes" in capfd.readouterr().err
    assert gone(started)


@pytest.mark.parametrize("what", ["processes", "threads"])
def test_code_of_a_project_is_ended(what: str) -> None:
    act = {
        "processes": "os.fork() or time.sleep(600)",
        "threads": "threading.Thread(target=time.sleep, args=(600,), daemon=True).start()",
    }[what]
    program = f"import os, threading, time\nfor _ in range({MOST}):\n    {act}\n    time.sleep(0.01)\ntime.sleep(600)"
    done = ProcessSandbox().run([PYTHON, "-c", program], files={}, limits=ResourceLimits(seconds=120))
    assert done.exit_code != 0
    assert not done.timed_out
    assert done.seconds < 100


LATE = """
import os, time
from analyzer.walls import stage

told, tell = os.pipe()
left, leave = os.pipe()
stage.adopt_orphans()
parent = os.fork()
if parent == 0:
    os.read(told, 1)
    child = os.fork()
    if child == 0:
        time.sleep(600)
    os.write(leave, child.to_bytes(8, "little"))
    os._exit(0)
is_zombie, children = stage._is_zombie, []

def late(pid):
    if pid == parent and not children:
        os.write(tell, b"x")
        children.append(int.from_bytes(os.read(left, 8), "little"))
        while not is_zombie(parent):
            time.sleep(0.01)
    return is_zombie(pid)

stage._is_zombie = late
stage.end_all(os.getpid())
ended = is_zombie(children[0])
os.kill(children[0], 9)
assert ended
"""


def test_what_is_forked_by_a_process_that_ends_meanwhile_is_ended_too() -> None:
    """Between the look at /proc and that at its state a process forks and exits: what it leaves has not been seen."""
    done = subprocess.run([sys.executable, "-c", LATE], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
