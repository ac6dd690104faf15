"""The first program in every sandbox: starts the command, ends what it leaves running, hands back its files.

It carries no dependency (it is streamed into containers that know nothing of Assay) and runs on Python 3.8 and later.

    python -I stage.py '{"command": […], "rlimits": {"AS": bytes, …}, "pack": true, "seconds": 300, "watch": true}'

With ``fork`` the command is ``python -m MODULE``, and a fork of this process runs the module: it has imported already
what takes long. The command's standard output goes to standard error. With ``pack`` the folder ``out`` is written to
standard output as a tar stream afterwards; ``cores`` is how many processor cores it sees. Exit code: the command's, or
128 + the signal that ended it. Should nobody outside keep the deadline any more (``seconds``), or the process that
started this one be gone (``watch``), everything is ended.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tarfile
import time

PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h


def adopt_orphans() -> None:
    """Let processes that the command detaches become children of this one, so that they can be found and ended."""
    with contextlib.suppress(Exception):  # another system: only the process group is ended
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def descendants(root: int) -> list[int]:
    """Process ids below `root`, from /proc; empty where there is none."""
    children = _families()
    found: list[int] = []
    queue = [root]
    while queue:
        below = children.get(queue.pop(), [])
        found.extend(below)
        queue.extend(below)
    return found


def children(root: int) -> list[int]:
    """Process ids right below `root`, zombies too."""
    return _families().get(root, [])


def _families() -> dict[int, list[int]]:
    """Parent -> children, from /proc; empty where there is none."""
    found: dict[int, list[int]] = {}
    try:
        pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return {}
    for pid in pids:
        try:
            with open(f"/proc/{pid}/stat", "rb") as stat:
                parent = int(stat.read().rsplit(b")", 1)[1].split()[1])
        except (OSError, IndexError, ValueError):
            continue
        found.setdefault(parent, []).append(pid)
    return found


def tasks(pids: list[int]) -> int:
    """How many threads these processes have; a process without others counts as one."""
    count = 0
    for pid in pids:
        try:
            count += len(os.listdir(f"/proc/{pid}/task"))
        except OSError:
            continue
    return count


def tasks_of_user(user: int, none: int = 4096) -> int:
    """How many threads all processes of `user` have; `none` where /proc does not tell, or there are none."""
    pids = []
    try:
        for name in os.listdir("/proc"):
            with contextlib.suppress(OSError):
                if name.isdigit() and os.stat(f"/proc/{name}").st_uid == user:
                    pids.append(int(name))
    except OSError:
        return none or 4096
    return tasks(pids) or none


def show_cores(count: int) -> None:
    """Let this process, and what it starts, see at most `count` cores: pools of threads grow with the machine."""
    with contextlib.suppress(AttributeError, OSError):  # another system than Linux
        cores = sorted(os.sched_getaffinity(0))
        first = os.getpid() % len(cores)  # not all on the same ones
        os.sched_setaffinity(0, (cores[first:] + cores[:first])[:count])


ENDING = 10.0  # seconds: a round takes milliseconds, and each finds fewer


def end_all(root: int) -> None:
    """Kill everything below `root`, as often as it takes for processes that fork while they are killed.

    It ends with a look that finds nothing but what was dead before it: a process found dead afterwards may have forked
    in between.
    """
    ends = time.monotonic() + ENDING
    dead: set[int] = set()
    while time.monotonic() < ends:
        found = descendants(root)
        if dead.issuperset(found):
            return
        dead = {pid for pid in found if _is_zombie(pid)}
        for pid in found:
            if pid not in dead:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)


def end_tree(root: int) -> None:
    """Kill `root` and everything below it; it is halted first, so that it starts nothing while the others are killed.

    What is started after the last look would lead a session of its own, and belong to nobody.
    """
    with contextlib.suppress(OSError):
        os.kill(root, signal.SIGSTOP)
    end_all(root)
    with contextlib.suppress(OSError):
        os.kill(root, signal.SIGKILL)


def _is_zombie(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", "rb") as stat:
            return stat.read().rsplit(b")", 1)[1].split()[0] == b"Z"
    except (OSError, IndexError):
        return True


def limit(rlimits: dict[str, int]) -> None:
    import resource

    for name, value in rlimits.items():
        kind = getattr(resource, "RLIMIT_" + name, None)
        if kind is None:
            continue
        hard = resource.getrlimit(kind)[1]
        if hard != resource.RLIM_INFINITY:
            value = min(value, hard)
        with contextlib.suppress(ValueError, OSError):  # macOS refuses some of them
            resource.setrlimit(kind, (value, value))


class ForkedProcess:
    """A fork of this process, which `main` waits for as for a program; `pid` is 0 in the fork itself."""

    def __init__(self) -> None:
        self.pid = os.fork()

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code, or minus the signal that ended it; raises `subprocess.TimeoutExpired`."""
        started, pause = time.monotonic(), 0.001
        while True:
            pid, status = os.waitpid(self.pid, 0 if timeout is None else os.WNOHANG)
            if pid:
                return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
            if timeout is not None and time.monotonic() - started > timeout:
                raise subprocess.TimeoutExpired("fork", timeout)
            time.sleep(pause)
            pause = min(2 * pause, 0.05)


def run_module(command: list[str]) -> None:
    """Be ``python -m MODULE ARGUMENT…`` in this process, which has imported something already."""
    import runpy

    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    sys.argv = command[2:]
    sys.path.insert(0, os.getcwd())
    runpy.run_module(command[2], run_name="__main__", alter_sys=True)


GRACE = 10  # seconds after which a deadline that should have been kept from outside is kept here


def wait(child: subprocess.Popen[bytes] | ForkedProcess, seconds: float | None, parent: int | None) -> int:
    """The child's exit code; past the deadline, or without a parent, everything is killed."""
    started = time.monotonic()
    while True:
        try:
            return child.wait(timeout=1)
        except subprocess.TimeoutExpired:
            late = seconds is not None and time.monotonic() - started > seconds + GRACE
            if late or (parent is not None and os.getppid() != parent):
                end_all(os.getpid())
                return child.wait()


def _started(command: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=2, stderr=2)


def main() -> None:
    request = json.loads(sys.argv[1])
    command = [part.replace("{python}", sys.executable) for part in request["command"]]
    adopt_orphans()
    if request.get("cores"):
        show_cores(request["cores"])
    os.makedirs("out", exist_ok=True)
    rlimits = request.get("rlimits", {})
    if rlimits:
        limit(rlimits)
    try:
        child = (
            ForkedProcess()
            if request.get("fork")
            else subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=2, stderr=2)
        )
        if not child.pid:
            return run_module(command)
        code = wait(child, request.get("seconds"), os.getppid() if request.get("watch") else None)
    except OSError as error:
        sys.stderr.write(f"cannot start {command[0]}: {error.strerror}\n")
        code = 127
    end_all(os.getpid())
    if request.get("pack"):
        with tarfile.open(fileobj=sys.stdout.buffer, mode="w|", format=tarfile.PAX_FORMAT) as archive:
            for folder, folders, names in os.walk("out"):
                folders.sort()
                for name in sorted(names):
                    path = os.path.join(folder, name)
                    archive.add(path, arcname=os.path.relpath(path, "out"), recursive=False)
        sys.stdout.buffer.flush()
    sys.exit(code if code >= 0 else 128 - code)


if __name__ == "__main__":
    main()
