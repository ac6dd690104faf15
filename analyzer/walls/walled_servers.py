"""One fork server for several walled analyses: whoever starts them keeps it, and each of them gets a walled server.

A walled server is a fork of a fork server (`forked`) that closes the wall of the analysis around itself before it takes
the first order from it. So nothing can be done in a walled server that the analysis could not do in a fork server of
its own; it only need not import a framework again. An analysis asks over a socket, one message a walled server, with
the socket on which it will give its orders; it names imports and variables out of `imports`. The wall is that of
whoever started it.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import time
from pathlib import Path

from analyzer.walls import forked, stage
from analyzer.walls.imports import known
from analyzer.walls.kernel.rules import Rules

MOST = 16  # walled servers of one analysis: exporting, confirming and six engines take eight
MAX_REQUEST = 1 << 14  # bytes
ENDING = 120.0  # seconds for one to end with all that it has started, at any load; then its fork server is ended too


class WalledServers:
    """The walled servers of one analysis behind `rules`, with the folder `home`, as its starter keeps them."""

    def __init__(self, rules: Rules, home: Path) -> None:
        self._ours, self._theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._rules, self._home = rules, home
        self._made: list[_WalledServer] = []
        self._asked = 0
        self.open = True

    @property
    def descriptor(self) -> int:
        """What the analysis must keep open."""
        return self._theirs.fileno()

    def fileno(self) -> int:
        """What becomes readable when the analysis asks."""
        return self._ours.fileno()

    def take(self) -> None:
        """In the analysis: from now on its fork servers are walled servers."""
        self._ours.close()
        forked.ask_over(self._theirs)

    def alone(self) -> None:
        """In the process that started the analysis: from now on that one alone asks."""
        self._theirs.close()

    def serve(self) -> None:
        """Serve one request, which has come; afterwards `open` is False when no other is taken."""
        files: list[int] = []
        try:
            text, files, _, _ = socket.recv_fds(self._ours, MAX_REQUEST, 1)
            self._asked += 1
            if not text or self._asked > MOST:
                self._shut()
            elif len(files) == 1:
                self._make(text, files[0])
        except OSError:
            self._shut()
        finally:
            for descriptor in files:
                os.close(descriptor)

    def _make(self, text: bytes, descriptor: int) -> None:
        """A refusal is silent: nobody holds the other end of the orders any more. Raises OSError for no socket."""
        asked = _understood(text)
        fork_server = forked.fork_server(*asked) if asked is not None else None
        if fork_server is None:
            return
        orders = socket.socket(fileno=os.dup(descriptor))
        life = fork_server.walled_server(self._rules, self._home, orders)
        if life is None:
            orders.close()
            return
        server = _WalledServer(life, orders, fork_server)
        fork_server.children.append(server)
        self._made.append(server)

    def _shut(self) -> None:
        self.open = False
        self._ours.close()

    def count(self) -> int:
        """How many processes run in the walled servers, the walled servers not counted."""
        return sum(len(stage.descendants(server.pid)) for server in self._made if server.poll() is None and server.pid)

    def end(self) -> None:
        """End all walled servers and what runs in them; the analysis has ended."""
        if self.open:
            self._shut()
        for server in self._made:
            server.kill()
        ends = time.monotonic() + ENDING
        for server in self._made:
            server.bury(ends)
        self._made.clear()


class _WalledServer:
    """What a fork server tells of one walled server: its process id, then its exit code."""

    def __init__(self, life: socket.socket, orders: socket.socket, fork_server: forked.ForkServer) -> None:
        self._life, self._orders, self._fork_server, self._told = life, orders, fork_server, b""
        self.pid: int | None = None  # while the fork server still imports
        self.returncode: int | None = None
        life.setblocking(False)

    def poll(self) -> int | None:
        while self.returncode is None:
            try:
                more = self._life.recv(64)
            except BlockingIOError:
                break
            except ConnectionResetError:
                more = b""
            self._told += more
            pid, *later = self._told.split(b"\n")
            if later:
                self.pid = int(pid)
            if len(later) > 1:
                self.returncode = int(later[0])
            elif not more:
                self.returncode = -9  # the fork server has gone, and the walled server with it
        return self.returncode

    def kill(self) -> None:
        """Have it ended, and take back what it was ordered and has not begun."""
        with contextlib.suppress(OSError):
            self._life.send(b"k")
        with contextlib.suppress(OSError):
            self._orders.shutdown(socket.SHUT_RDWR)
            while self._orders.recv(1 << 16, socket.MSG_DONTWAIT):
                pass

    def bury(self, ends: float) -> None:
        """Wait until it has ended, or at `ends` (of `time.monotonic`) end its fork server; let go of its files.

        One that is not born yet finds no order.
        """
        while self.poll() is None and self.pid is not None:
            if not select.select([self._life], [], [], max(0.0, ends - time.monotonic()))[0]:
                self._fork_server.kill()
                self.returncode = -9
        self.returncode = self.returncode or 0
        self.disown()

    def disown(self) -> None:
        self._life.close()
        self._orders.close()


def _understood(text: bytes) -> tuple[tuple[str, ...], dict[str, str]] | None:
    """The imports and the variables of a request; None where it asks for anything else."""
    try:
        asked = json.loads(text)
        imports, own = tuple(asked["imports"]), dict(asked["own"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    texts = all(isinstance(part, str) for part in (*imports, *own, *own.values()))
    return (imports, own) if texts and known(imports, own) else None
