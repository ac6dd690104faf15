"""Where a worker runs and how messages and arrays reach it: a long-lived local process.

The container form stands in `container`.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Protocol

from analyzer.differential.verdict import Failure, Kind, kind_of_error
from analyzer.walls import ResourceLimits, forked, launch, stage
from analyzer.walls.archive import flatten
from analyzer.walls.imports import COMPILERS, ENGINES, TOLD
from analyzer.walls.kernel.rules import GPU_DEVICES
from analyzer.walls.protocol import OUTPUT, PROCESSES

WORKER = "assay_worker"
SOURCE = Path(__file__).parent / "worker"
MAX_REPLY = 64 << 20  # bytes; tensors travel in files, a reply is metadata
MAX_WAITING = 2  # replies that are read ahead: whoever answers without end waits
RESERVE = 2 << 30  # bytes of data beyond `memory` before an allocation fails: thread stacks and allocator reserves
LINKED = 16 << 20  # bytes of a file from which workers share it: behind the wall none of them writes there
LOG_LINES = 40  # the last ones, of an engine that died
MOST_SPENT = 3600.0  # seconds of processor time that one request can have taken; more is nonsense
MEASURED = {"OMP_NUM_THREADS", "MKL_NUM_THREADS"}  # read when libraries are loaded, so each needs a process of its own


class EngineFailed(Exception):
    """A request ended in a verdict."""

    def __init__(self, kind: Kind, message: str) -> None:
        super().__init__(message)
        self.failure = Failure(kind, message)


class WorkerTransport(Protocol):
    """One worker. `folder` is where the files named in requests lie on this side; results come back below `results`."""

    folder: Path
    results: str

    def place(self, files: Mapping[str, Path]) -> None:
        """Put files and folders of this machine where the worker finds them by name."""

    def remember(self, request: Mapping[str, Any]) -> None:
        """What a new worker is told first, instead of the `load` that this one was sent."""

    def exchange(
        self, request: Mapping[str, Any], *, send: Sequence[str] = (), receive: Sequence[str] = (), deadline: float
    ) -> Any:
        """Send one request, return the reply's value. Raises `EngineFailed`."""

    def close(self) -> None:
        """End the worker and remove its folder."""


@dataclass(frozen=True, slots=True)
class EngineEnvironment:
    """The interpreter and the import path that an engine runs with. `overlay` comes before what is installed.

    `programs`: the engine compiles by programs of this machine. `devices`: it computes on an accelerator.
    """

    python: str = sys.executable
    overlay: Path | None = None
    variables: Mapping[str, str] = field(default_factory=dict)
    programs: bool = False
    devices: bool = False


def carry_worker(folder: Path) -> None:
    """Put the worker's source where it will be started."""
    shutil.copytree(SOURCE, folder / WORKER, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
    inside = SOURCE.parent.parent / "exporting" / "inside"
    if inside.is_dir():  # the code that builds a model from an entry point
        target = folder / "assay_inside"
        shutil.copytree(inside, target, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)


class Meter:
    """Seconds of processor time that workers say they have spent; a start before the first request is not counted."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._lock = threading.Lock()

    def add(self, told: object) -> None:
        """What one worker tells of one request; nonsense counts as nothing."""
        if isinstance(told, float) and 0 <= told <= MOST_SPENT:
            with self._lock:
                self.seconds += told


def read_reply(text: bytes | str, request: int | None = None, meter: Meter | None = None) -> Any:
    """The value of the reply to `request`, or `EngineFailed`. It is checked: the worker has run hostile code."""
    try:
        reply = json.loads(text)
        if reply.get("id") != request:
            raise EngineFailed(Kind.CRASH, "the worker answers something that was not asked")
        if meter is not None:
            meter.add(reply.get("spent"))
        if "error" in reply:
            error = reply["error"]
            raise EngineFailed(kind_of_error(error["kind"]), str(error["message"])[:700])
        return reply["value"]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise EngineFailed(Kind.CRASH, f"the worker's reply is not understood ({type(error).__name__})") from None


class Turns:
    """Lets one of several workers live at a time: together they would hold a large model several times."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._alive: ProcessTransport | None = None

    @contextlib.contextmanager
    def of(self, worker: ProcessTransport) -> Iterator[None]:
        """While `worker` is asked something; the one before it is ended and starts again when it is asked."""
        with self._lock:
            if self._alive is not None and self._alive is not worker:
                self._alive.pause()
            self._alive = worker
            yield


class ProcessTransport:
    """A child process of this machine, started at the first request and again after a crash or a timeout.

    Where the kernel's wall stands it reads the engine's libraries and `folder`, and writes ``folder/out`` only.
    """

    results = f"{OUTPUT}/"

    def __init__(
        self,
        engine: str,
        environment: EngineEnvironment,
        *,
        memory: int = 6 << 30,
        limits: ResourceLimits | None = None,
        meter: Meter | None = None,
        turns: Turns | None = None,
    ) -> None:
        """`limits`: the worker runs a project's own code, so its files and processes are bounded too.

        `turns`: the model is large. The worker lives in turn with others.
        """
        self.engine, self.environment, self.memory, self.limits = engine, environment, memory, limits
        self.meter, self._turns = meter, turns
        self.starts = 0
        place = launch.memory_backed() if turns is None else None  # a link needs the file system of what it links
        self.folder = Path(tempfile.mkdtemp(prefix="assay-worker-", dir=place))
        self._child: subprocess.Popen[bytes] | forked.Forked | None = None
        self._lines: queue.Queue[bytes | None] = queue.Queue(MAX_WAITING)
        self._asked = 0
        self._log: list[str] = []
        self._setup: list[dict[str, Any]] = []
        self._closed = False
        self._trees: dict[str, Path] = {}  # of a project, which are there already
        carry_worker(self.folder)

    def remember(self, request: Mapping[str, Any]) -> None:
        self._setup = [dict(request)]

    def exchange(
        self, request: Mapping[str, Any], *, send: Sequence[str] = (), receive: Sequence[str] = (), deadline: float
    ) -> Any:
        with self._open(), contextlib.nullcontext() if self._turns is None else self._turns.of(self):
            return self._exchange(request, time.monotonic() + deadline)

    def _exchange(self, request: Mapping[str, Any], ends: float) -> Any:
        if self._child is None or self._child.poll() is not None:
            self._start()
            for earlier in self._setup:  # a restart after a crash: load again
                if request["op"] != "load":
                    self._ask(earlier, ends)
        value = self._ask(request, ends)
        if request["op"] == "load":
            self._setup = [dict(request)]
        return value

    @contextlib.contextmanager
    def _open(self) -> Iterator[None]:
        """What breaks, or is begun, while another thread closes the worker is an end that was wished."""
        try:
            yield
        except Exception:
            if not self._closed:
                raise
        if self._closed:
            self.close()
            raise EngineFailed(Kind.CRASH, "the worker was closed")

    def place(self, files: Mapping[str, Path]) -> None:
        with self._open():
            self._place(files)

    def _place(self, files: Mapping[str, Path]) -> None:
        for name, path in files.items():
            target = self.folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if path.is_dir() and self.limits is not None:
                if self._trees.get(name) == path:
                    continue
                self._trees[name] = path
                for below, source in flatten({name: path}, self.limits.input):
                    (self.folder / below).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(str(source), self.folder / below)
            elif path.is_dir():
                shutil.rmtree(target, ignore_errors=True)  # of the model that was loaded before
                shutil.copytree(path, target)
            else:
                target.unlink(missing_ok=True)  # of the model that was loaded before; it may be a link
                if path.stat().st_size < LINKED or not _linked(path, target):
                    shutil.copyfile(path, target)

    def _start(self) -> None:
        out, overlay = self.folder / OUTPUT, self.environment.overlay
        home = out / "home"
        home.mkdir(parents=True, exist_ok=True)
        rules = launch.worker_rules(
            out,
            more=[*([overlay] if overlay is not None else []), *launch.prefixes(self.environment.python)],
            read=[self.folder],
            programs=self.environment.programs or self.limits is not None,
            memory=self.memory + RESERVE if self.limits is None else None,
            output=(self.limits or ResourceLimits()).output,
            devices=GPU_DEVICES if self.environment.devices else (),
        )
        ordered = self.environment.python == sys.executable  # -P is as old as Python 3.11
        hidden = "CUDA_VISIBLE_DEVICES" if self.environment.devices else ""  # from one that computes on processors
        told = {name: value for name, value in TOLD.items() if name != hidden}
        variables = {**told, **self.environment.variables}
        whole = launch.environment(home, variables)
        self._child = None
        imports = (COMPILERS if self.environment.programs else ENGINES).get(self.engine.partition("-")[0])
        if (
            ordered
            and imports
            and not (overlay or self.environment.devices or set(self.environment.variables) & MEASURED)
        ):
            self._child = forked.start(
                WORKER, self.engine, str(self.folder),
                imports=imports, rules=rules, path=[self.folder], folder=home, variables=whole, own=variables,
                session=self.limits is not None,
            )  # fmt: skip
        self._child = self._child or subprocess.Popen(
            launch.command(
                WORKER, self.engine, str(self.folder),
                rules=rules, path=[p for p in (overlay, self.folder) if p is not None], python=self.environment.python,
                ordered=ordered,
            ),
            cwd=home,
            env=whole,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=self.limits is not None,
        )  # fmt: skip
        self.starts += 1
        self._lines = queue.Queue(MAX_WAITING)
        assert self._child.stdout is not None
        assert self._child.stderr is not None
        threading.Thread(target=_read_lines, args=(self._child.stdout, self._lines), daemon=True).start()
        threading.Thread(target=_keep_log, args=(self._child.stderr, self._log), daemon=True).start()

    def _ask(self, request: Mapping[str, Any], ends: float) -> Any:
        assert self._child is not None
        assert self._child.stdin is not None
        if self._closed:  # while it was started
            raise EngineFailed(Kind.CRASH, "the worker was closed")
        try:
            self._asked += 1
            self._child.stdin.write(json.dumps({**request, "id": self._asked}).encode() + b"\n")
            self._child.stdin.flush()
        except OSError:
            raise self._death() from None
        while True:
            try:
                line = self._lines.get(timeout=max(0.01, min(0.5, ends - time.monotonic())))
            except queue.Empty:
                if time.monotonic() >= ends:
                    self._kill()
                    raise EngineFailed(Kind.TIMEOUT, "gave no answer before the deadline and was ended") from None
                if _size_below(self.folder / OUTPUT) > (self.limits or ResourceLimits()).output:
                    self._kill()
                    raise EngineFailed(Kind.CRASH, "wrote more than its results may take") from None
                if stage.tasks([self._child.pid, *stage.descendants(self._child.pid)]) > PROCESSES:
                    self._kill()
                    raise EngineFailed(Kind.CRASH, f"started more than {PROCESSES} processes and threads") from None
                if _resident(self._child.pid) > self.memory:
                    self._kill()
                    limit = self.memory / (1 << 30)
                    raise EngineFailed(Kind.MEMORY, f"needed more than {limit:.3g} GiB of memory") from None
                continue
            if line is None:
                self._child.wait()
                raise self._death()
            if not line.endswith(b"\n"):
                self._kill()  # what else it sends belongs to no request
                raise EngineFailed(Kind.CRASH, "the worker's reply is too long")
            return read_reply(line, self._asked, self.meter)

    def _death(self) -> EngineFailed:
        """The verdict on a worker that has ended. No engine kills itself: the kernel does, where memory runs out."""
        assert self._child is not None
        code = self._child.wait()
        how = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
        kind = Kind.MEMORY if code == -signal.SIGKILL else Kind.CRASH
        return EngineFailed(kind, f"the worker {how}: {' '.join(self._log[-3:])[:400]}")

    def _kill(self) -> None:
        if self._child is not None and self._child.poll() is None:
            if isinstance(self._child, forked.Forked):
                self._child.end()
                return
            stage.end_tree(self._child.pid)  # compilers that the engine has started
            self._child.wait()

    def pause(self) -> None:
        """End the worker; the next request starts it again."""
        self._kill()
        if self._child is not None:
            for stream in (self._child.stdin, self._child.stdout, self._child.stderr):
                if stream is not None:
                    with contextlib.suppress(OSError):
                        stream.close()
        self._child = None

    def close(self) -> None:
        self._closed = True
        self.pause()
        shutil.rmtree(self.folder, ignore_errors=True)


def _linked(path: Path, target: Path) -> bool:
    try:
        target.hardlink_to(path)
    except OSError:  # another file system, or another user's file
        return False
    return True


def _read_lines(stream: IO[bytes], lines: queue.Queue[bytes | None]) -> None:
    try:
        while line := stream.readline(MAX_REPLY):
            lines.put(line)
    except (OSError, ValueError):
        pass
    lines.put(None)


def _keep_log(stream: IO[bytes], log: list[str]) -> None:
    try:
        while line := stream.readline(1 << 16):
            log.append(line.decode("utf-8", "replace").strip())
            del log[:-LOG_LINES]
    except (OSError, ValueError):
        pass


def _size_below(folder: Path) -> int:
    """Bytes of the files below `folder`, as far as they can be counted while they change."""
    total = 0
    for below, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(below, name)).st_size
    return total


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return 0
