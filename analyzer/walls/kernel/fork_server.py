"""A process that has imported a framework, and nothing else, and forks into the children that need it.

    python -s -P -B -c START FOLDER '{"imports": ["torch"], "path": [], "cores": 2}'

It stands outside the walls of its children, so it reads nothing of a model or a project: it imports installed packages
and takes orders from the process that started it. A child closes its own wall (`rules`) before it runs anything.

Standard input is the socket of orders: four bytes (the length), JSON, and four open files: the child's standard input,
output and errors, and a socket for its life. There the child's process id is told, then its exit code (negative: the
signal), a line each. ``k`` on it ends the child and all that it started; at its end the child is forgotten. Until then
an ended child stays a zombie, so that its number is no other's. When the orders end, so does everything.

A child that is ordered to be a walled server closes its wall and is a fork server behind it: its standard input is the
socket of its own orders, which come from there.

A child adopts what its descendants leave behind, and this process what a child leaves behind, which is ended at once.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import gc
import importlib
import json
import os
import selectors
import signal
import socket
import sys
import tempfile
import threading
from dataclasses import dataclass
from typing import Any

import stage  # type: ignore[import-not-found]  # beside this package, on the path that `enter.FORK_SERVER` sets

from . import enter, system


def main() -> None:
    request = json.loads(sys.argv.pop(1))
    orders = socket.socket(fileno=os.dup(0))
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    os.close(null)
    cores = os.sched_getaffinity(0)
    stage.show_cores(request["cores"])  # pools of threads are measured by it
    sys.path[:0] = request["path"]
    for name in request["imports"]:
        with contextlib.suppress(Exception):  # the child imports it again, and says what is wrong
            importlib.import_module(name)
    del sys.path[: len(request["path"])]
    os.sched_setaffinity(0, cores)
    gc.collect()
    gc.freeze()  # or the first collection in each child would copy what all share
    stage.adopt_orphans()
    order = _ForkServer(orders).serve()
    while order is not None and order.get("walled"):
        order = _walled_server(order)
    if order is not None:
        _leave(_outcome(order))


def _walled_server(order: dict[str, Any]) -> dict[str, Any] | None:
    """Behind the wall that is ordered, take orders from standard input; what `_ForkServer.serve` returns."""
    orders = socket.socket(fileno=os.dup(0))
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    enter.close_wall(order["rules"])
    system.prctl(system.PR_SET_DUMPABLE, 1)  # the change of user took it: /proc/self would not be ours
    return _ForkServer(orders).serve()


def _outcome(order: dict[str, Any]) -> int:
    """Do what is ordered; the exit code, as the interpreter would choose it."""
    try:
        enter.run(order)
    except SystemExit as stopped:
        if stopped.code is None or isinstance(stopped.code, int):
            return (stopped.code or 0) & 0xFF
        sys.stderr.write(f"{stopped.code}\n")
        return 1
    except BaseException:
        sys.excepthook(*sys.exc_info())
        return 1
    return 0


def _leave(code: int) -> None:
    """End without what libraries have left for their end: some wait there for threads that the fork server alone has.

    (ONNX Runtime has such a thread from its import on.) What Python does at its end is done, and what is buffered is
    written.
    """
    with contextlib.suppress(Exception):
        threading._shutdown()  # type: ignore[attr-defined]  # threads that are no daemons are waited for
    with contextlib.suppress(Exception):
        atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
    with contextlib.suppress(Exception):
        ctypes.CDLL(None).fflush(None)
    os._exit(code)


@dataclass(slots=True)
class _Child:
    pid: int
    life: socket.socket
    ended: bool = False
    forgotten: bool = False


class _ForkServer:
    """The loop of the parent; `serve` returns an order in each child, and None when orders end."""

    def __init__(self, orders: socket.socket) -> None:
        self.orders = orders
        listed = os.listdir("/proc/self/fd")  # with the descriptor of the listing itself
        self.theirs = {int(name) for name in listed if os.path.lexists(f"/proc/self/fd/{name}")} - {orders.fileno()}
        self.children: list[_Child] = []

    def serve(self) -> dict[str, Any] | None:
        woken, wake = socket.socketpair()
        for end in (woken, wake):
            end.setblocking(False)
        signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        waiting = selectors.DefaultSelector()
        waiting.register(self.orders, selectors.EVENT_READ)
        waiting.register(woken, selectors.EVENT_READ)
        while True:
            for key, _ in waiting.select():
                if key.fileobj is woken:
                    with contextlib.suppress(BlockingIOError):
                        woken.recv(4096)
                elif key.fileobj is self.orders:
                    order = self._receive()
                    if order is None:
                        stage.end_all(os.getpid())
                        return None
                    life = socket.socket(fileno=order["files"][3])
                    if self._fork(order, life):
                        waiting.close()  # not by number: what opens next may have it
                        for ours in (woken, wake, life, self.orders, *(child.life for child in self.children)):
                            ours.close()
                        self._begin(order)
                        return order
                    waiting.register(life, selectors.EVENT_READ)
                else:
                    child = next(c for c in self.children if c.life is key.fileobj)
                    if not self._asked(child):
                        waiting.unregister(child.life)
            self._look_after()

    def _receive(self) -> dict[str, Any] | None:
        try:
            head, files, _, _ = socket.recv_fds(self.orders, enter.LENGTH, 4)
            length = int.from_bytes(head, "big")
            if len(head) != enter.LENGTH or len(files) != 4 or length > enter.MAX_ORDER:
                return None
            text = b""
            while len(text) < length:
                more = self.orders.recv(length - len(text))
                if not more:
                    return None
                text += more
            return {**json.loads(text), "files": files}
        except (OSError, ValueError):
            return None

    def _fork(self, order: dict[str, Any], life: socket.socket) -> bool:
        """Whether this is the child."""
        pid = os.fork()
        if pid:
            for descriptor in order["files"][:3]:
                os.close(descriptor)
            self.children.append(_Child(pid, life))
            _tell(life, pid)
            return False
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        return True

    def _begin(self, order: dict[str, Any]) -> None:
        """In the child: its own files, folder, environment and chance, as if it had been started by itself."""
        if order["session"]:
            os.setsid()
        for number, descriptor in enumerate(order["files"][:3]):
            os.dup2(descriptor, number)
        for name in os.listdir("/proc/self/fd"):
            if int(name) not in self.theirs:
                with contextlib.suppress(OSError):
                    os.close(int(name))
        sys.stdin, sys.stdout, sys.stderr = (
            os.fdopen(number, mode, buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)
            for number, mode in ((0, "r"), (1, "w"), (2, "w"))
        )
        os.chdir(order["folder"])
        system.clear_environment(order["variables"])
        stage.adopt_orphans()
        tempfile.tempdir = None  # chosen anew from the environment
        if "numpy" in sys.modules:
            sys.modules["numpy"].random.seed()  # or all children would draw the same numbers
        sys.argv = ["", *order["arguments"]]
        if order["rules"] is not None:
            order["rules"]["parent"] = os.getppid()

    def _asked(self, child: _Child) -> bool:
        """Do what is asked on the socket of a child; False when it has ended."""
        try:
            word = child.life.recv(1)
        except OSError:
            word = b""
        if word == b"k" and not child.ended:
            stage.end_tree(child.pid)
        child.forgotten = not word
        return bool(word)

    def _look_after(self) -> None:
        for child in list(self.children):
            if not child.ended:
                found = os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
                if found is not None:
                    self._clear_away()  # before it is told that the child has ended
                    child.ended = True
                    _tell(child.life, found.si_status if found.si_code == os.CLD_EXITED else -found.si_status)
            if child.ended and child.forgotten:
                os.waitpid(child.pid, 0)
                child.life.close()
                self.children.remove(child)

    def _clear_away(self) -> None:
        """End what a child has left behind: it has come to this process."""
        ours = {child.pid for child in self.children}
        while left := [pid for pid in stage.children(os.getpid()) if pid not in ours]:
            for pid in left:
                stage.end_tree(pid)
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(pid, 0)


def _tell(life: socket.socket, number: int) -> None:
    with contextlib.suppress(OSError):  # nobody asks any more
        life.sendall(b"%d\n" % number)
