"""One attempt in a process and a copy of the project of its own, and how long and how large it may become."""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import time
import traceback

from .clock import Budget, waited
from .workspace import writable

ATTEMPT = os.path.abspath(os.path.join("out", "attempt.json"))  # what one attempt came to
FAKE = os.path.abspath(os.path.join("out", "fake"))  # is there as soon as tensors have no values
NEEDS_VALUES = "values"  # the status of a fake run that met a question only real numbers answer
TOO_LONG = "its first training step takes longer than the time allowed"
TOO_LARGE = "more memory than is allowed"
KILLED = "the process ended with code"
LEAST = 2.0  # seconds without which no attempt is made
LARGEST = 0.8  # of the memory of all: what takes more ends before everything else does with it
IMPORTED = ("torch", "tensorflow", "keras")  # by this process, so that each attempt is a fork of it


def attempt(request: dict, mode: str, seconds: float, budget: Budget, varied: bool = False) -> dict:  # type: ignore[type-arg]
    """Run the script in `mode` for at most so many seconds; what came of it, as `script.run_script` says it.

    `varied`: with other numbers in place of those that are made up, and less left out.
    """
    seconds = budget.share(seconds)
    if seconds < LEAST:
        return {"status": "unreachable", "reason": TOO_LONG, "mode": mode}
    for left in (ATTEMPT, FAKE):
        if os.path.exists(left):
            os.remove(left)
    with writable(request["root"]) as root:
        attempted = dict(request, mode=mode, varied=varied, seconds=seconds, root=root)
        warm = any(name in sys.modules for name in IMPORTED)
        code, reason, taken = _ended((_forked if warm else _started)(attempted), seconds, request, budget)
    budget.left -= taken
    try:
        with open(ATTEMPT, encoding="utf-8") as file:
            return dict(json.load(file), seconds=taken, varied=varied)
    except (OSError, ValueError):
        said = reason or f"{KILLED} {code} before the first training step was over"
        fake = mode == "fake" and os.path.exists(FAKE)
        status = NEEDS_VALUES if fake else "unreachable"
        return {"status": status, "reason": said, "fake": fake, "seconds": taken, "mode": mode}


def make(request: dict) -> None:  # type: ignore[type-arg]
    """Make the attempt in this process."""
    from .script import run_script

    write(run_script(request, FAKE), ATTEMPT)


def write(result: dict, path: str) -> None:  # type: ignore[type-arg]
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(result, file)


def _forked(request: dict) -> int:  # type: ignore[type-arg]
    """Make the attempt in a fork of this process, which has imported frameworks and nothing of the project."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # nobody types
            make(request)
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    return child


def _started(request: dict) -> int:  # type: ignore[type-arg]
    """Make the attempt in a new process."""
    path = os.path.join(tempfile.gettempdir(), "attempt.json")  # the folder itself may not be written
    with open(path, "w", encoding="utf-8") as file:
        json.dump(request, file)
    nobody_types = (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)
    command = [sys.executable, "-m", "assay_dry", path]
    return os.posix_spawn(sys.executable, command, os.environ, file_actions=[nobody_types])


def _ended(child: int, seconds: float, request: dict, budget: Budget) -> tuple[int, str, float]:  # type: ignore[type-arg]
    """The exit code; why it was ended before its own end; the seconds it took.

    Tensors without values have half of the time: real ones follow.
    """
    started, lost, looked = time.monotonic(), 0.0, 0
    reason = ""
    while not reason:
        ended, status = os.waitpid(child, os.WNOHANG)
        taken = time.monotonic() - started - lost
        if ended:
            return os.waitstatus_to_exitcode(status), "", taken
        looked += 1
        if looked % 5 == 0:  # a tenth of a second
            lost = max(lost, waited(child))
            if _resident(child) > LARGEST * request["memory"]:
                reason = TOO_LARGE
        if taken > (seconds / 2 if os.path.exists(FAKE) else seconds) or budget.over():
            reason = TOO_LONG
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return 0, reason, time.monotonic() - started - lost


def _resident(pid: int) -> int:
    """Bytes of memory that a process holds; 0 where /proc does not tell."""
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0
