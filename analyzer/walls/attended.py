"""On this machine: what a walled process asks for is served by a process beside it, which no wall holds.

The action's front serves its analyses in the same way (`serving`), over the streams of their containers. So no process
that has read hostile bytes reaches the container engine, here or there.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from analyzer.configuration.config import Environment
from analyzer.walls.archive import flatten
from analyzer.walls.kernel import system
from analyzer.walls.protocol import Sandbox, SessionEnded
from analyzer.walls.relayed import Channel
from analyzer.walls.serving import CAPS, OutOfTurn, Server
from analyzer.walls.stream import Received

STOPPING = 20.0  # seconds to end what runs: an engine takes a second or two to kill and remove a container
DAY = 86_400.0  # seconds: of a command without a deadline


@dataclass(frozen=True)
class Served:
    """What one walled process may have run; see `Server` for the fields."""

    sandbox: Sandbox | None
    trees: Mapping[str, Path]
    root: Path
    environment: Environment | None = None
    named: Mapping[str, Sandbox] = field(default_factory=dict)
    install: Callable[[str, str], Path] | None = None


class Attendant:
    """The process beside one walled process, which is forked after it has started.

    `folder` is where it puts files, which the walled process may read and not write; `user` is whom they belong to.
    """

    def __init__(self, served: Served, folder: Path, user: int | None = None, seconds: float = DAY) -> None:
        ours, self._theirs = socket.socketpair()
        self._folder, self._trees = folder, {name: path.resolve() for name, path in served.trees.items()}
        context = multiprocessing.get_context("fork")
        self._process = context.Process(
            target=_attend, args=(ours, self._theirs, served, folder, user, seconds, os.getpid()), daemon=True
        )
        self._process.start()
        ours.close()

    @property
    def descriptor(self) -> int:
        """What the walled process must keep open."""
        return self._theirs.fileno()

    def channel(self) -> Channel:
        """In the walled process: where it asks."""
        return Channel(self._theirs.makefile("rb"), self._theirs.makefile("wb"), self._folder, self._trees)

    def alone(self) -> None:
        """In the process that started both: from now on the walled one alone holds the stream."""
        self._theirs.close()

    def stop(self) -> None:
        """End what was started, and this process."""
        self._theirs.close()
        self._process.terminate()
        self._process.join(STOPPING)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()


class SocketSession(Received):
    """The walled process as a `Session`: what it says comes from one socket; files reach it through a folder."""

    def __init__(self, stream: socket.socket, folder: Path, user: int | None) -> None:
        super().__init__()
        self._stream, self._folder, self._user = stream, folder, user

    def put(self, files: Mapping[str, bytes | Path]) -> None:
        for name, content in flatten(files, CAPS.output):
            path = self._folder / name
            for above in reversed(path.relative_to(self._folder).parents[:-1]):
                self._make(self._folder / above)
            path.write_bytes(content if isinstance(content, bytes) else content.read_bytes())
            self._give(path)

    def death(self) -> str:
        return "has ended"

    def close(self) -> None:
        self._stream.close()

    def _socket(self) -> socket.socket:
        return self._stream

    def _make(self, folder: Path) -> None:
        if not folder.is_dir():
            folder.mkdir()
            self._give(folder)

    def _give(self, path: Path) -> None:
        if self._user is not None:
            os.chown(path, self._user, self._user)


def _attend(
    ours: socket.socket, theirs: socket.socket, served: Served, folder: Path, user: int | None, seconds: float,
    parent: int,
) -> None:  # fmt: skip
    """In the process beside: serve until the walled process has gone, breaks the rules, or its time is over."""
    theirs.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started both ends both
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # by the way of the context managers, which remove containers
    with contextlib.suppress(OSError, AttributeError):  # another system than Linux
        system.die_with_parent(parent, signal.SIGTERM)
    session = SocketSession(ours, folder, user)
    ends = time.monotonic() + seconds
    try:
        with Server(
            session, served.sandbox, served.trees, served.environment, served.root, ends,
            named=served.named, install=served.install,
        ) as server:  # fmt: skip
            server.answer(0)
    except OutOfTurn as broken:
        print(f"assay: an analysis {broken}; nothing more is run for it.", file=sys.stderr)
    except (SessionEnded, TimeoutError):
        pass
    finally:
        session.close()
