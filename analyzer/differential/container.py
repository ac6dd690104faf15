"""A worker that stays behind a wall of its own: one container an environment, GPUs where the engine has them.

Messages go through the session's standard input and output, files in as tar streams, results out behind the reply that
announces them; no folder of the host is mounted. The wall is that of the sandbox, which opens the session.

The image needs Python 3.9 or later, NumPy, and the engine (``onnx`` too for ONNX engines).
"""

from __future__ import annotations

import contextlib
import json
import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from analyzer.differential.transport import MAX_REPLY, WORKER, EngineFailed, Meter, carry_worker, read_reply
from analyzer.differential.verdict import Kind
from analyzer.problem import TargetProblem
from analyzer.walls import PYTHON, ResourceLimits, SessionSandbox
from analyzer.walls.archive import flatten
from analyzer.walls.protocol import OUTPUT, Session, SessionEnded

GPU_REFUSALS = (
    "could not select device driver",
    "nvidia-container",
    "no known gpu vendor",
    "capabilities: [[gpu]]",
    "cdi device",
)
MEMORY = 6 << 30  # bytes of one worker: a framework and a model of ordinary size


class ContainerTransport:
    """A long-lived worker in `sandbox`; a new session after a crash or a timeout."""

    results = f"{OUTPUT}/"

    def __init__(
        self,
        engine: str,
        sandbox: SessionSandbox,
        *,
        variables: Mapping[str, str] | None = None,
        memory: int = MEMORY,
        limits: ResourceLimits = ResourceLimits(),  # noqa: B008 - frozen
        meter: Meter | None = None,
    ) -> None:
        self.engine, self.sandbox, self.meter = engine, sandbox, meter
        self.variables, self.memory, self.limits = dict(variables or {}), memory, replace(limits, memory=memory)
        self.starts = 0
        self.folder = Path(tempfile.mkdtemp(prefix="assay-worker-"))
        self.session: Session | None = None
        self._asked = 0
        self._setup: list[dict[str, Any]] = []
        self._placed: list[str] = []
        carry_worker(self.folder)

    def place(self, files: Mapping[str, Path]) -> None:
        for name, path in files.items():
            target = self.folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if path.is_dir():
                shutil.rmtree(target, ignore_errors=True)  # of the model that was loaded before
                for below, source in flatten({name: path}, self.limits.input):
                    (self.folder / below).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(str(source), self.folder / below)
            else:
                shutil.copyfile(path, target)
            self._placed.append(name)
        if self.session is not None:
            self._put(list(files))

    def remember(self, request: Mapping[str, Any]) -> None:
        self._setup = [dict(request)]

    def exchange(
        self, request: Mapping[str, Any], *, send: Sequence[str] = (), receive: Sequence[str] = (), deadline: float
    ) -> Any:
        ends = time.monotonic() + deadline
        if self.session is None:
            self._start()
            if request["op"] != "load":
                for earlier in self._setup:
                    self._ask(earlier, (), ends)
        self._put(send)
        value = self._ask(request, receive, ends)
        if request["op"] == "load":
            self._setup = [dict(request)]
        return value

    def _start(self) -> None:
        names = [WORKER, *[n for n in ("assay_inside",) if (self.folder / n).exists()], *self._placed]
        try:
            self.session = self.sandbox.open(
                [PYTHON, "-m", WORKER, self.engine, ".", "--send"],
                files={name: self.folder / name for name in names},
                limits=self.limits,
                environment=self.variables,
            )
            self.starts += 1
        except TargetProblem as problem:
            text = str(problem)
            if any(word in text.lower() for word in GPU_REFUSALS):
                raise EngineFailed(Kind.MISSING, f"this Docker engine offers no GPU: {text[:200]}") from None
            raise EngineFailed(Kind.MISSING, text[:300]) from None

    def _ask(self, request: Mapping[str, Any], receive: Sequence[str], ends: float) -> Any:
        assert self.session is not None
        self._asked += 1
        try:
            self.session.send(json.dumps({**request, "receive": list(receive), "id": self._asked}).encode())
            line = self.session.line(ends, MAX_REPLY)
            for name, size in _announced(line, receive, self.limits.output):
                (self.folder / name).write_bytes(self.session.take(size, ends))
        except TimeoutError:
            self._stop()
            raise EngineFailed(Kind.TIMEOUT, "gave no answer before the deadline and was ended") from None
        except SessionEnded as ended:
            self._stop()
            raise death(ended) from None
        except EngineFailed:
            self._stop()  # what else is in the stream is not known
            raise
        return read_reply(line, self._asked, self.meter)

    def _put(self, names: Sequence[str]) -> None:
        if not names or self.session is None:
            return
        try:
            self.session.put({name: self.folder / name for name in names})
        except (SessionEnded, TargetProblem) as ended:
            self._stop()
            raise death(ended) from None

    def _stop(self) -> None:
        if self.session is not None:
            with contextlib.suppress(OSError, SessionEnded):
                self.session.close()
            self.session = None

    def close(self) -> None:
        self._stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def death(ended: Exception) -> EngineFailed:
    """The verdict on a worker whose session has ended; 137 is the kernel's own signal, where memory runs out."""
    killed = str(ended).startswith(("ran out of memory", "ended with exit code 137"))
    return EngineFailed(Kind.MEMORY if killed else Kind.CRASH, f"the worker {ended}")


def _announced(line: bytes | bytearray, receive: Sequence[str], limit: int) -> list[tuple[str, int]]:
    """The files that follow a reply: what was asked for and no more, for the worker has run hostile code."""
    try:
        files = [(str(name), int(size)) for name, size in json.loads(line).get("files", ())]
    except (ValueError, TypeError, AttributeError):
        raise EngineFailed(Kind.CRASH, "the worker's reply is not understood") from None
    total = sum(size for _, size in files)
    if any(name not in receive or size < 0 for name, size in files) or total > limit or len(files) > len(receive):
        raise EngineFailed(Kind.CRASH, "the worker sends other files than it was asked for")
    return files
