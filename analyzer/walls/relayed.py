"""Inside a walled analysis: a wall whose commands run in sibling containers, started by the front on request.

The analyses have no engine's socket. What must run elsewhere (the project's code) is asked for over a stream: lines of
JSON, each followed by as many bytes as its `size` says. The front decides which image runs and what the limits are; see
`serving` for its end. In a container the stream is the standard one, and the front is the action's; a walled process of
one's own machine is given one, and the front is the process that started it (`attended`).
"""

from __future__ import annotations

import io
import json
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import IO, Any

from analyzer.configuration.config import Environment
from analyzer.problem import NotAllowedProblem, SurroundingsProblem, TargetProblem
from analyzer.walls.archive import pack
from analyzer.walls.docker import DockerSandbox
from analyzer.walls.protocol import Completed, Order, ResourceLimits, Sandbox, Session, SessionEnded, Stays

TREES = Path("/trees")  # where the front mounts the revisions, read-only
COPY = 1 << 20  # bytes at a time, so that a large file is never whole in memory


class Channel:
    """The two directions of the stream. One request at a time; a reply follows each."""

    def __init__(
        self, incoming: IO[bytes], outgoing: IO[bytes], folder: Path, trees: Mapping[str, Path] = MappingProxyType({})
    ) -> None:
        """`folder`: where the front puts files. `trees`: what the front has itself, by its names for it."""
        self._incoming, self._outgoing, self.folder, self._trees = incoming, outgoing, folder, trees
        self._lock = threading.RLock()

    def split(self, files: Mapping[str, bytes | Path]) -> tuple[dict[str, str], dict[str, bytes | Path]]:
        """What the front has itself, by its place in the trees, and what has to be carried to it."""
        shared: dict[str, str] = {}
        carried: dict[str, bytes | Path] = {}
        for name, content in files.items():
            place = self._place(content.resolve()) if isinstance(content, Path) else None
            if place is not None:
                shared[name] = place
            else:
                carried[name] = content
        return shared, carried

    def _place(self, path: Path) -> str | None:
        for name, tree in self._trees.items():
            if path.is_relative_to(tree):
                return PurePosixPath(name, path.relative_to(tree).as_posix()).as_posix()
        return None

    def tell(self, message: Mapping[str, Any], payload: IO[bytes] | None = None) -> None:
        """Send without waiting for a reply."""
        size = 0
        if payload is not None:
            size = payload.seek(0, io.SEEK_END)
            payload.seek(0)
        with self._lock:
            self._outgoing.write(json.dumps({**message, "size": size}).encode() + b"\n")
            if payload is not None:
                shutil.copyfileobj(payload, self._outgoing, COPY)
            self._outgoing.flush()

    def ask(self, message: Mapping[str, Any], payload: IO[bytes] | None = None) -> dict[str, Any]:
        """Send and wait. Raises `TargetProblem` with the front's sentence where it refuses."""
        with self._lock:
            self.tell(message, payload)
            line = self._incoming.readline()
        if not line:
            raise SystemExit("the front is gone")
        reply: dict[str, Any] = json.loads(line)
        if "problem" in reply:
            kinds = {kind.__name__: kind for kind in (SurroundingsProblem, NotAllowedProblem)}
            raise kinds.get(str(reply.get("kind")), TargetProblem)(str(reply["problem"]))
        return reply


@dataclass(frozen=True)
class RelayedWall(Stays):
    """A `Sandbox` at the front's. `place` is `own`, `environment` (what the target asks for) or one of `Served.named`.

    The front is asked when something is to run, not before: it may have to pull the image first.
    """

    channel: Channel
    place: str = "own"

    @property
    def name(self) -> str:
        return str(self._told()["name"])

    @property
    def identity(self) -> str:
        return str(self._told()["identity"])

    def _told(self) -> Mapping[str, Any]:
        return self.channel.ask({"op": "place", "place": self.place})

    def within(self, environment: Environment | None, root: Path) -> Sandbox:
        """The front knows which environment the target asks for, and from which tree it is read."""
        if environment is None or (environment.image is None and environment.requirements is None):
            return self
        inside = replace(self, place="environment")
        inside._told()
        return inside

    def _run(self, order: Order, output: Path | None) -> Completed:
        asked, payload = self._request("run", order)
        with payload:
            reply = self.channel.ask({**asked, "output": output is not None}, payload)
        completed = Completed(**{**reply["completed"], "files": tuple(reply["completed"]["files"])})
        if output is not None:
            for name in completed.files:
                (output / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(self.channel.folder / str(reply["folder"]) / name, output / name)
        return completed

    def _open(self, order: Order) -> Session:
        asked, payload = self._request("open", order)
        with payload:
            return RelayedSession(self.channel, int(self.channel.ask(asked, payload)["session"]), order.limits)

    def _request(self, operation: str, order: Order) -> tuple[dict[str, Any], IO[bytes]]:
        shared, carried = self.channel.split(order.files)
        request = {
            "op": operation,
            "place": self.place,
            "command": list(order.command),
            "shared": shared,
            "limits": asdict(order.limits),
            "environment": order.environment,
        }
        return request, _packed(carried, order.limits.input)


class RelayedSession:
    """A session of the front's, by its number."""

    def __init__(self, channel: Channel, number: int, limits: ResourceLimits) -> None:
        self._channel, self._number, self._limits = channel, number, limits

    def put(self, files: Mapping[str, bytes | Path]) -> None:
        shared, carried = self._channel.split(files)
        with _packed(carried, self._limits.input) as payload:
            self._ask({"op": "put", "shared": shared}, payload)

    def send(self, line: bytes) -> None:
        self._ask({"op": "send", "line": line.decode()})

    def line(self, ends: float, limit: int) -> bytes:
        reply = self._ask({"op": "line", "seconds": ends - time.monotonic(), "limit": limit})
        return self._received(reply)

    def take(self, size: int, ends: float) -> bytes:
        return self._received(self._ask({"op": "take", "bytes": size, "seconds": ends - time.monotonic()}))

    def death(self) -> str:
        return str(self._channel.ask({"op": "death", "session": self._number})["death"])

    def close(self) -> None:
        self._channel.ask({"op": "close", "session": self._number})

    def _ask(self, message: Mapping[str, Any], payload: IO[bytes] | None = None) -> dict[str, Any]:
        reply = self._channel.ask({**message, "session": self._number}, payload)
        if reply.get("timeout"):
            raise TimeoutError
        if "ended" in reply:
            raise SessionEnded(str(reply["ended"]))
        return reply

    def _received(self, reply: Mapping[str, Any]) -> bytes:
        return (self._channel.folder / str(reply["file"])).read_bytes()


def standard_streams(*trees: str) -> Channel:
    """The container's own streams as a channel; what is printed from now on goes to standard error."""
    incoming, outgoing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(2, 1)
    return Channel(incoming, outgoing, Path.cwd(), {name: TREES / name for name in trees})


_given: Channel | None = None  # as the standard streams of a container are: one a process


def give(channel: Channel) -> None:
    """From now on `asked` has this process ask over `channel`."""
    global _given
    _given = channel


def given() -> Channel | None:
    """The channel of this process; None where no wall keeps it from asking an engine itself."""
    return _given


def asked(sandbox: Sandbox | None, place: str = "own") -> Sandbox | None:
    """`sandbox`, or for containers, in a process that may not start any, the front's under the name `place`."""
    return RelayedWall(_given, place) if _given is not None and isinstance(sandbox, DockerSandbox) else sandbox


def answer_with(channel: Channel, make: Callable[[], Any]) -> None:
    """Answer with JSON alone."""
    channel.tell({"op": "answer"}, io.BytesIO(json.dumps(make()).encode()))


def _packed(files: Mapping[str, bytes | Path], limit: int) -> IO[bytes]:
    archive = tempfile.TemporaryFile()  # noqa: SIM115 - closed by the caller
    pack(files, limit, archive)
    return archive
