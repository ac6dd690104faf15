"""Outside a walled analysis: what it says is checked, what it asks for is run in sibling containers.

The analysis has read hostile bytes, so it may be hostile itself. It can ask for nothing that it does not have already:
a command without network, token, socket or privileges, in the image that the target's configuration (or the command
line) names, with limits that are cut to the front's own. It names no image, no path of the host and no other target.
Whoever breaks the rules of the stream is ended.
"""

from __future__ import annotations

import contextlib
import json
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from analyzer.configuration.config import Environment
from analyzer.problem import NotAllowedProblem, TargetProblem
from analyzer.walls.archive import ArchiveRefused, check_name, unpack
from analyzer.walls.memory import half_of_memory
from analyzer.walls.protocol import ALLOWED_ENVIRONMENT, ResourceLimits, Sandbox, Session, SessionEnded, can_stay

MAX_LINE = 8 << 20  # bytes of one message
MAX_RUNS = 64  # commands that one target may have run: exports, conversions, validation data
MAX_SESSIONS = 8  # engines of one target that stay at once: more than the pool keeps warm
MAX_OPENED = 256  # sessions of one analysis: one an engine and model, tens at most
MAX_STAGES = 1_000  # names of stages, which the log shows: a target has ten
MAX_CARRIED = 16 << 30  # bytes that cross for one target, both ways together
# The memory is the least that the front allows: `half_of_memory` where that is more.
CAPS = ResourceLimits(
    seconds=1800, memory=6 << 30, cpus=4, input=4 << 30, output=4 << 30, scratch=2 << 30, log=64 << 10
)


class OutOfTurn(Exception):
    """The container broke the rules; the text says which."""


@dataclass
class Server:
    """Serves one target. Use as a context manager: what still runs is ended with it.

    `sandbox` None: no code of the project runs. `trees`: the revisions by the names under which they are mounted.
    `environment` and `root`: what the target asks for, and the tree in which it is described.
    """

    session: Session
    sandbox: Sandbox | None
    trees: Mapping[str, Path]
    environment: Environment | None
    root: Path
    ends: float  # of time.monotonic: when the target's time is over
    stage: Callable[[str], None] = lambda _name: None
    named: Mapping[str, Sandbox] = field(default_factory=dict)  # further places, by the names that a person gave them
    install: Callable[[str, str], Path] | None = None  # a package of a version to where it then lies
    _inside: Sandbox | None = None
    _opened: dict[int, Session] = field(default_factory=dict)
    _runs: int = 0
    _count: int = 0
    _stages: int = 0
    _carried: int = 0
    _replies: int = 0

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        for session in self._opened.values():
            with contextlib.suppress(Exception):
                session.close()
        self._opened.clear()

    def answer(self, limit: int) -> tuple[dict[str, Any], bytes]:
        """Serve until the container answers: its message, and at most `limit` bytes that follow it.

        Raises `OutOfTurn`, `SessionEnded`, `TimeoutError`.
        """
        while True:
            message = self._next()
            operation = message.get("op")
            size = _number(message, "size", 0, CAPS.input + (64 << 20))
            if operation == "answer":
                if size > limit:
                    raise OutOfTurn(f"answered with {size:,} bytes, more than {limit:,}")
                return message, self.session.take(size, self.ends)
            if operation == "stage":
                self._stages += 1
                if self._stages > MAX_STAGES:
                    raise OutOfTurn(f"named more than {MAX_STAGES:,} stages")
                self.stage(str(message.get("stage"))[:60])
                if size:
                    raise OutOfTurn("sent bytes with the name of a stage")
                continue
            with tempfile.TemporaryDirectory(prefix="assay-relay-") as folder:
                try:
                    self._reply(self._serve(operation, message, size, Path(folder)))
                except TargetProblem as problem:
                    self._reply({"problem": str(problem)[:2000], "kind": type(problem).__name__})

    def _next(self) -> dict[str, Any]:
        try:
            message = json.loads(self.session.line(self.ends, MAX_LINE))
        except (ValueError, RecursionError):
            raise OutOfTurn("sent what is no message") from None
        if not isinstance(message, dict):
            raise OutOfTurn("sent what is no message")
        return message

    def _reply(self, message: Mapping[str, Any]) -> None:
        self.session.send(json.dumps(message).encode())

    def _serve(self, operation: Any, message: Mapping[str, Any], size: int, folder: Path) -> Mapping[str, Any]:
        carried = folder / "carried"
        carried.mkdir()
        files: dict[str, bytes | Path] = {}
        if size:
            files = self._receive(size, carried)
        shared = message.get("shared", {})
        if not isinstance(shared, dict):
            raise OutOfTurn("named no files")
        files |= {_name(name): self._shared(place) for name, place in shared.items()}
        if operation == "install":
            return self._install(message)
        if operation in ("place", "run", "open"):
            place = self._place(message.get("place"))
            if operation == "place":
                return {"name": place.name, "identity": place.identity}
            return self._run(place, message, files, folder) if operation == "run" else self._open(place, message, files)
        number = _number(message, "session", 0, 1 << 30)
        session = self._opened.get(number)
        if session is None:
            raise OutOfTurn("named a session that it does not have")
        if operation == "close":
            self._opened.pop(number).close()
            return {}
        if operation == "death":
            return {"death": session.death()[:1000]}
        return self._exchange(session, operation, message, files)

    def _place(self, name: Any) -> Sandbox:
        if isinstance(name, str) and name in self.named:
            return self.named[name]
        if self.sandbox is None:
            raise NotAllowedProblem("running this repository's code is not allowed here")
        if name != "environment":
            return self.sandbox
        if self._inside is None:
            self._inside = self.sandbox.within(self.environment, self.root)
        return self._inside

    def _install(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        self._runs += 1
        if self.install is None or self._runs > MAX_RUNS:
            raise OutOfTurn("asked for packages that it may not have")
        return {"path": str(self.install(str(message.get("package")), str(message.get("version"))))}

    def _run(
        self, place: Sandbox, message: Mapping[str, Any], files: Mapping[str, bytes | Path], folder: Path
    ) -> Mapping[str, Any]:
        self._runs += 1
        if self._runs > MAX_RUNS:
            raise OutOfTurn(f"asked for more than {MAX_RUNS} runs")
        output = folder / "output"
        output.mkdir()
        completed = place.run(
            _command(message),
            files=files,
            output=output if message.get("output") else None,
            limits=self._limits(message),
            environment=_environment(message),
        )
        below = self._number_of_reply()
        if completed.files:
            self._count_bytes(sum((output / name).stat().st_size for name in completed.files))
            self.session.put({f"{below}/{name}": output / name for name in completed.files})
        return {"completed": {**asdict(completed), "files": list(completed.files)}, "folder": below}

    def _open(self, place: Sandbox, message: Mapping[str, Any], files: Mapping[str, bytes | Path]) -> Mapping[str, Any]:
        self._count += 1
        if len(self._opened) >= MAX_SESSIONS or self._count > MAX_OPENED:
            raise OutOfTurn(f"asked for more than {MAX_SESSIONS} sessions at once, or {MAX_OPENED} altogether")
        if not can_stay(place):
            raise TargetProblem(f"no worker can stay in {place.name}")
        opened = place.open(
            _command(message), files=files, limits=self._limits(message), environment=_environment(message)
        )
        self._opened[self._count] = opened
        return {"session": self._count}

    def _exchange(
        self, session: Session, operation: Any, message: Mapping[str, Any], files: Mapping[str, bytes | Path]
    ) -> Mapping[str, Any]:
        seconds = message.get("seconds", 0.0)
        if not isinstance(seconds, int | float):
            raise OutOfTurn("named no time")
        ends = min(self.ends, time.monotonic() + max(0.0, min(float(seconds), CAPS.seconds)))
        try:
            if operation == "put":
                session.put(files)
                return {}
            if operation == "send":
                session.send(str(message.get("line")).replace("\n", " ").encode("utf-8", "replace"))
                return {}
            if operation == "line":
                return self._bytes(session.line(ends, _number(message, "limit", 0, 256 << 20)))
            if operation == "take":
                return self._bytes(session.take(_number(message, "bytes", 0, CAPS.output), ends))
        except TimeoutError:
            return {"timeout": True}
        except SessionEnded as ended:
            return {"ended": str(ended)[:1000]}
        raise OutOfTurn("asked for something that does not exist")

    def _bytes(self, content: bytes) -> Mapping[str, Any]:
        self._count_bytes(len(content))
        name = self._number_of_reply()
        self.session.put({name: content})
        return {"file": name}

    def _number_of_reply(self) -> str:
        self._replies += 1
        return f"replies/{self._replies}"

    def _receive(self, size: int, folder: Path) -> dict[str, bytes | Path]:
        """The carried files, put below `folder` by our own reader of archives."""
        self._count_bytes(size)
        try:
            with tempfile.TemporaryFile() as archive:
                left = size
                while left:
                    chunk = self.session.take(min(left, 1 << 20), self.ends)
                    archive.write(chunk)
                    left -= len(chunk)
                archive.seek(0)
                names = unpack(archive, folder, CAPS.input)
        except ArchiveRefused as refusal:
            raise OutOfTurn(f"sent {refusal}") from None
        return {name: folder / name for name in names}

    def _shared(self, place: Any) -> Path:
        """A path in one of the trees, by its name inside the container."""
        if not isinstance(place, str):
            raise OutOfTurn("named no file")
        tree, _, below = place.partition("/")
        if tree not in self.trees or ".." in PurePosixPath(below).parts or below.startswith("/"):
            raise OutOfTurn("named a file outside the trees")
        root = self.trees[tree].resolve()
        path = (root / below).resolve()
        if not path.is_relative_to(root) or not path.exists():
            raise OutOfTurn("named a file outside the trees")
        return path

    def _limits(self, message: Mapping[str, Any]) -> ResourceLimits:
        """What was asked for, cut to what the front allows and to the time that is left."""
        asked = message.get("limits")
        if not isinstance(asked, dict):
            raise OutOfTurn("named no limits")
        chosen: dict[str, Any] = {}
        for name, most in asdict(replace(CAPS, memory=max(CAPS.memory, half_of_memory()))).items():
            value = asked.get(name, most)
            if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
                raise OutOfTurn(f"named no limit for {name}")
            chosen[name] = type(most)(min(value, most))
        left = max(1.0, self.ends - time.monotonic())
        return replace(ResourceLimits(**chosen), seconds=min(chosen["seconds"], left))

    def _count_bytes(self, size: int) -> None:
        self._carried += size
        if self._carried > MAX_CARRIED:
            raise OutOfTurn(f"moved more than {MAX_CARRIED >> 30} GiB")


def _command(message: Mapping[str, Any]) -> list[str]:
    command = message.get("command")
    if not isinstance(command, list) or not command or len(command) > 64:
        raise OutOfTurn("named no command")
    if not all(isinstance(part, str) and len(part) < 100_000 and "\0" not in part for part in command):
        raise OutOfTurn("named no command")
    return command


def _environment(message: Mapping[str, Any]) -> dict[str, str]:
    given = message.get("environment")
    if not isinstance(given, dict) or not set(given) <= ALLOWED_ENVIRONMENT:
        raise OutOfTurn("named variables that no command may have")
    if not all(isinstance(value, str) and len(value) < 1000 and "\0" not in value for value in given.values()):
        raise OutOfTurn("named variables that no command may have")
    return given


def _name(name: Any) -> str:
    try:
        check_name(str(name))
    except ArchiveRefused as refusal:
        raise OutOfTurn(f"sent {refusal}") from None
    return str(name)


def _number(message: Mapping[str, Any], name: str, low: int, high: int) -> int:
    value = message.get(name, 0)
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise OutOfTurn(f"named no proper {name}")
    return value
