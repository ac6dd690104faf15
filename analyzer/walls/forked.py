"""Children that are forked after their imports: importing a framework costs seconds, a fork milliseconds.

One nursery (`kernel.nursery`) for each set of imports and variables, started at the first order and kept as long as
this process lives. A child that it cannot give is started in the ordinary way by the caller.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from analyzer.walls import launch
from analyzer.walls.kernel.enter import LENGTH, MAX_ORDER, NURSERY
from analyzer.walls.kernel.rules import Rules

CORES = 2  # that a framework sees while it is imported; the same as an engine's worker shows it
KEPT = 6  # nurseries at once: TensorFlow's takes 0.6 GB, PyTorch's 0.2
PATIENCE = 120.0  # seconds for the imports of a nursery, on a loaded machine


class Forked:
    """A child of a nursery, with what `subprocess.Popen` offers of one that reads and writes through pipes."""

    def __init__(self, pid: int, life: socket.socket, stdin: IO[bytes], stdout: IO[bytes], stderr: IO[bytes]) -> None:
        self.pid, self.stdin, self.stdout, self.stderr = pid, stdin, stdout, stderr
        self.returncode: int | None = None
        self._life = life

    def poll(self) -> int | None:
        """Its exit code (negative: the signal that ended it), None while it runs."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code; raises `subprocess.TimeoutExpired`."""
        if self.returncode is None:
            if not select.select([self._life], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0)
            line = _line(self._life)
            self.returncode = int(line) if line else -9  # the nursery has gone, and its children with it
            self._life.close()
        return self.returncode

    def kill(self) -> None:
        """What `end` does: nothing that it has started is left either."""
        self.end()

    def end(self) -> None:
        """Kill it and all that it has started; the nursery does, for a wall may keep our signals from it."""
        if self.poll() is None:
            with contextlib.suppress(OSError):
                self._life.send(b"k")
            self.wait()


class _Nursery:
    def __init__(self, imports: Sequence[str], variables: Mapping[str, str]) -> None:
        self.lock = threading.Lock()
        self.children: list[Forked] = []
        self._home = tempfile.TemporaryDirectory(prefix="assay-nursery-", ignore_cleanup_errors=True)
        self._orders, theirs = socket.socketpair()
        path = [str(launch.ASSAY)] if any(name.startswith("analyzer.") for name in imports) else []
        request = json.dumps({"imports": list(imports), "path": path, "cores": CORES})
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-s", "-P", "-B", "-c", NURSERY, str(launch.KERNEL), request],
                env=launch.environment(Path(self._home.name), variables),
                cwd=self._home.name,
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )

    def start(self, order: Mapping[str, object], files: Sequence[int]) -> tuple[int, socket.socket] | None:
        life, theirs = socket.socketpair()
        text = json.dumps(order).encode()
        assert len(text) < MAX_ORDER
        try:
            with theirs, self.lock:
                socket.send_fds(self._orders, [len(text).to_bytes(LENGTH, "big")], [*files, theirs.fileno()])
                self._orders.sendall(text)
            life.settimeout(PATIENCE)
            line = _line(life)
            life.settimeout(None)
            return int(line), life
        except (OSError, ValueError):
            life.close()
            return None

    def idle(self) -> bool:
        """Whether no child of it is alive."""
        self.children = [child for child in self.children if child.poll() is None]
        return not self.children and not self.lock.locked()

    def disown(self) -> None:
        """In a fork of this process: it is the parent's, and ends with the parent."""
        self._orders.close()
        self._home._finalizer.detach()  # type: ignore[attr-defined]

    def close(self) -> None:
        """End it and its children."""
        self._orders.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(10)
        self._home.cleanup()


_lock = threading.Lock()
_nurseries: dict[tuple[object, ...], _Nursery] = {}
_inherited: list[_Nursery] = []


def _forget() -> None:
    """In a fork: nurseries answer to the parent alone."""
    global _lock
    _lock = threading.Lock()
    for nursery in _nurseries.values():
        nursery.disown()
        _inherited.append(nursery)  # not collected: its process is no child of this one
    _nurseries.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def start(
    what: str, *arguments: str, imports: Sequence[str], rules: Rules | None, folder: Path,
    variables: Mapping[str, str], own: Mapping[str, str], session: bool, path: Sequence[str | Path] = (),
    form: str = "module", errors: str = "apart",
) -> Forked | None:  # fmt: skip
    """Run `what` in a child that has `imports` already; None where no nursery can stand or give one.

    Args:
        rules: the child's wall, closed before anything is run (None: no wall).
        path: comes before the interpreter's import path.
        folder: the working directory.
        variables: the whole environment of the child.
        own: those of them that are known when the nursery imports; each combination has a nursery of its own.
        session: the child leads a session.
        form: as for `launch.command`, ``module`` or ``script``.
        errors: ``apart``, ``joined`` with the output, or ``dropped``.
    """
    if not sys.platform.startswith("linux"):
        return None
    nursery = _nursery(tuple(imports), own)
    if nursery is None:
        return None
    order = {
        form: what,
        "arguments": arguments,
        "rules": rules.to_json() if rules is not None else None,
        "path": [str(entry) for entry in path],
        "folder": str(folder),
        "variables": dict(variables),
        "session": session,
    }
    pipes = [os.pipe() for _ in range(3)]
    theirs, ours = [pipes[0][0], pipes[1][1], pipes[2][1]], [pipes[0][1], pipes[1][0], pipes[2][0]]
    with open(os.devnull, "wb") as nowhere:
        third = {"apart": theirs[2], "joined": theirs[1], "dropped": nowhere.fileno()}[errors]
        found = nursery.start(order, [*theirs[:2], third])
    for descriptor in theirs if found else [*theirs, *ours]:
        os.close(descriptor)
    if found is None:
        return None
    stdin, stdout, stderr = os.fdopen(ours[0], "wb"), os.fdopen(ours[1], "rb"), os.fdopen(ours[2], "rb")
    child = Forked(*found, stdin, stdout, stderr)
    nursery.children = [other for other in nursery.children if other.returncode is None]  # and let go of its files
    nursery.children.append(child)
    return child


def _nursery(imports: tuple[str, ...], own: Mapping[str, str]) -> _Nursery | None:
    key = (imports, *sorted(own.items()))
    with _lock:
        nursery = _nurseries.pop(key, None)
        if nursery is not None and nursery.process.poll() is not None:
            nursery.close()
            nursery = None
        if nursery is None:
            if len(_nurseries) >= KEPT:
                idle = next((key for key, other in _nurseries.items() if other.idle()), None)
                if idle is None:
                    return None
                _nurseries.pop(idle).close()
            with contextlib.suppress(OSError):
                nursery = _Nursery(imports, own)
        if nursery is not None:
            _nurseries[key] = nursery  # the one that was asked for last stands last
    return nursery


def _line(source: socket.socket) -> bytes:
    text = b""
    while not text.endswith(b"\n"):
        try:
            byte = source.recv(1)
        except ConnectionResetError:
            byte = b""
        if not byte:
            return b""
        text += byte
    return text
