"""Children that are forked after their imports: importing a framework costs seconds, a fork milliseconds.

One fork server (`kernel.fork_server`) for each set of imports and variables, started at the first order and kept as
long as this process lives; a walled analysis asks its starter for a walled server instead (`walled_servers`). A child
that neither can give is started in the ordinary way by the caller.
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
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Protocol

from analyzer.walls import launch, stage
from analyzer.walls.imports import ALONE, known
from analyzer.walls.kernel.enter import FORK_SERVER, LENGTH, MAX_ORDER
from analyzer.walls.kernel.rules import Rules
from analyzer.walls.memory import free_memory

CORES = 2  # that a framework sees while it is imported; the same as an engine's worker shows it
KEPT = 6  # fork servers at once: TensorFlow's takes 0.6 GB, PyTorch's 0.2
MOST = 12  # where memory is free: each backend of Keras has one, the exporter, the confirmation, the other engines
SPARE = 4 << 30  # bytes that are free then
PATIENCE = 120.0  # seconds for the imports of a fork server, on a loaded machine


class Forked:
    """A child of a fork server, with what `subprocess.Popen` offers of one that reads and writes through pipes."""

    def __init__(self, pid: int, life: socket.socket, stdin: IO[bytes], stdout: IO[bytes], stderr: IO[bytes]) -> None:
        self.pid, self.stdin, self.stdout, self.stderr = pid, stdin, stdout, stderr
        self.returncode: int | None = None
        self._life = life
        self._reading = threading.Lock()  # who closes a worker waits for it beside the one who asks it
        self._closing = threading.Lock()  # a number that is closed may stand for another file at once

    def poll(self) -> int | None:
        """Its exit code (negative: the signal that ended it), None while it runs or another thread waits for it."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code; raises `subprocess.TimeoutExpired`.

        One thread at a time looks at the socket: one that another closes meanwhile wakes nobody.
        """
        until = None if timeout is None else time.monotonic() + timeout
        if not self._reading.acquire(timeout=-1 if timeout is None else timeout):
            raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0)
        try:
            if self.returncode is None:
                left = None if until is None else max(0.0, until - time.monotonic())
                if not select.select([self._life], [], [], left)[0]:
                    raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0)
                line = _line(self._life)
                with self._closing:
                    self.returncode = int(line) if line else -9  # the fork server has gone, and its children with it
                    self._life.close()
            return self.returncode
        finally:
            self._reading.release()

    def kill(self) -> None:
        """What `end` does: nothing that it has started is left either."""
        self.end()

    def end(self) -> None:
        """Kill it and all that it has started; the fork server does, for a wall may keep our signals from it."""
        if self.poll() is None:
            with self._closing, contextlib.suppress(OSError):
                if self.returncode is None:
                    self._life.send(b"k")
            self.wait()

    def disown(self) -> None:
        """In a fork of this process: it is the parent's."""
        self._life.close()


class Born(Protocol):
    """A child of a fork server, as far as the fork server's owner keeps count of it."""

    returncode: int | None

    def poll(self) -> int | None: ...

    def disown(self) -> None:
        """Let go of its files, in a fork of this process."""


class ForkServer:
    """One fork server: a process of this one, or a walled server that others keep."""

    def __init__(self, imports: Sequence[str], variables: Mapping[str, str], outside: socket.socket | None) -> None:
        """`outside`: where a walled server is asked for. Raises OSError."""
        self.lock = threading.Lock()
        self.children: list[Born] = []
        self._process: subprocess.Popen[bytes] | None = None
        self._home: tempfile.TemporaryDirectory[str] | None = None
        self._orders, theirs = socket.socketpair()
        self._orders.settimeout(PATIENCE)
        with theirs:
            if outside is None:
                self._grow(imports, variables, theirs)
            else:
                text = json.dumps({"imports": imports, "own": variables}).encode()
                socket.send_fds(outside, [text], [theirs.fileno()])

    def _grow(self, imports: Sequence[str], variables: Mapping[str, str], theirs: socket.socket) -> None:
        self._home = tempfile.TemporaryDirectory(prefix="assay-fork-server-", ignore_cleanup_errors=True)
        path = [str(launch.ASSAY)] if any(name.startswith("analyzer.") for name in imports) else []
        request = json.dumps({"imports": list(imports), "path": path, "cores": CORES})
        self._process = subprocess.Popen(
            [sys.executable, "-s", "-P", "-B", "-c", FORK_SERVER, str(launch.KERNEL), request],
            env=launch.environment(Path(self._home.name), variables),
            cwd=self._home.name,
            stdin=theirs.fileno(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def start(self, order: Mapping[str, object], files: Sequence[int]) -> tuple[int, socket.socket] | None:
        """A child that does `order`: its process id, and the socket of its life; None where there is none."""
        life = self._send(order, files)
        if life is None:
            return None
        try:
            life.settimeout(PATIENCE)
            line = _line(life)
            life.settimeout(None)
            return int(line), life
        except (OSError, ValueError):
            life.close()
            return None

    def walled_server(self, rules: Rules, home: Path, orders: socket.socket) -> socket.socket | None:
        """A walled server behind `rules` that takes its orders from `orders`: the socket of its life, at once."""
        order = {
            "walled": True,
            "arguments": (),
            "rules": rules.to_json(),
            "folder": str(home),
            "variables": launch.environment(home),
            "session": True,
        }
        with open(os.devnull, "r+b") as nowhere:
            return self._send(order, [orders.fileno(), nowhere.fileno(), nowhere.fileno()])

    def _send(self, order: Mapping[str, object], files: Sequence[int]) -> socket.socket | None:
        life, theirs = socket.socketpair()
        text = json.dumps(order).encode()
        assert len(text) < MAX_ORDER
        try:
            with theirs, self.lock:
                socket.send_fds(self._orders, [len(text).to_bytes(LENGTH, "big")], [*files, theirs.fileno()])
                self._orders.sendall(text)
            return life
        except OSError:
            life.close()
            with contextlib.suppress(OSError):
                self._orders.shutdown(socket.SHUT_RDWR)  # half an order may stand there: it takes no other
            return None

    def alive(self) -> bool:
        """Whether somebody takes orders; nothing is ever said on their socket, so it can be read at its end alone."""
        return not select.select([self._orders], [], [], 0)[0]

    def idle(self) -> bool:
        """Whether no child of it is alive."""
        self.children = [child for child in self.children if child.poll() is None]
        return not self.children and not self.lock.locked()

    def disown(self) -> None:
        """In a fork of this process: it is the parent's, and ends with the parent."""
        self._orders.close()
        if self._home is not None:
            self._home._finalizer.detach()  # type: ignore[attr-defined]
        for child in self.children:
            child.disown()

    def kill(self) -> None:
        """End it at once with all that it has started."""
        if self._process is not None:
            stage.end_tree(self._process.pid)

    def close(self) -> None:
        """End it and its children."""
        self._orders.close()
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(10)
        if self._home is not None:
            self._home.cleanup()


_lock = threading.Lock()
_fork_servers: dict[tuple[Any, ...], ForkServer] = {}  # by their imports, and each variable with its value
_inherited: list[ForkServer] = []
_outside: socket.socket | None = None


def ask_over(outside: socket.socket) -> None:
    """From now on this process asks for walled servers over `outside`; where it gets none, it starts fork servers."""
    global _outside
    _outside = outside


def _forget() -> None:
    """In a fork: fork servers answer to the parent alone."""
    global _lock, _outside
    _lock, _outside = threading.Lock(), None
    for fork_server in _fork_servers.values():
        fork_server.disown()
        _inherited.append(fork_server)  # not collected: its process is no child of this one
    _fork_servers.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def start(
    what: str, *arguments: str, imports: Sequence[str], rules: Rules | None, folder: Path,
    variables: Mapping[str, str], own: Mapping[str, str], session: bool, path: Sequence[str | Path] = (),
    form: str = "module", errors: str = "apart",
) -> Forked | None:  # fmt: skip
    """Run `what` in a child that has `imports` already; None where no fork server can stand or give one.

    Args:
        rules: the child's wall, closed before anything is run (None: no wall).
        path: comes before the interpreter's import path.
        folder: the working directory.
        variables: the whole environment of the child.
        own: those of them that are known when the fork server imports; each combination has a fork server of its own.
        session: the child leads a session.
        form: as for `launch.command`, ``module`` or ``script``.
        errors: ``apart``, ``joined`` with the output, or ``dropped``.
    """
    family = fork_server(tuple(imports), own)
    if family is None:
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
        found = family.start(order, [*theirs[:2], third])
    for descriptor in theirs if found else [*theirs, *ours]:
        os.close(descriptor)
    if found is None:
        return None
    stdin, stdout, stderr = os.fdopen(ours[0], "wb"), os.fdopen(ours[1], "rb"), os.fdopen(ours[2], "rb")
    child = Forked(*found, stdin, stdout, stderr)
    family.children = [other for other in family.children if other.returncode is None]  # and let go of its files
    family.children.append(child)
    return child


def fork_server(imports: tuple[str, ...], own: Mapping[str, str]) -> ForkServer | None:
    """The fork server with these imports and variables, started now where there is none; None where it cannot be."""
    if not sys.platform.startswith("linux"):
        return None
    key = (imports, *sorted(own.items()))
    outside = _outside if known(imports, own) else None
    with _lock:
        if key not in _fork_servers:  # one that has imported more serves as well
            key = next((other for other in _fork_servers if _serves(other, key)), key)
        found = _fork_servers.pop(key, None)
        if found is not None and not found.alive():
            found.close()
            found, outside = None, None  # what was refused is not asked for again
        if found is None:
            if len(_fork_servers) >= (MOST if free_memory() > SPARE else KEPT):
                idle = next((key for key, other in _fork_servers.items() if other.idle()), None)
                if idle is None:
                    return None
                _fork_servers.pop(idle).close()
            with contextlib.suppress(OSError):
                found = ForkServer(imports, own, outside)
        if found is not None:
            _fork_servers[key] = found  # the one that was asked for last stands last
    return found


def _serves(other: tuple[Any, ...], wanted: tuple[Any, ...]) -> bool:
    """Whether a fork server has the variables that are wanted, and imports besides what is wanted."""
    return other[1:] == wanted[1:] and wanted[0] not in ALONE and set(wanted[0]) <= set(other[0])


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
