"""The parent's side of the worker process: one JSON line out, one back, with a deadline for each."""

from __future__ import annotations

import json
import os
import select
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from analyzer.walls import forked, launch
from analyzer.walls.imports import CONFIRMATION

JSON = dict[str, Any]
MODULE = "analyzer.numerical.confirm.worker"
VARIABLES = {
    "OMP_NUM_THREADS": "1",
    "CUDA_VISIBLE_DEVICES": "",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "TF_ENABLE_ONEDNN_OPTS": "0",
}
MEMORY = 6 << 30  # bytes of data that the process may allocate
FILE_SIZE = 1 << 30


class WorkerFailed(Exception):
    """The worker died or did not answer in time; `signal` is the signal that ended it, if one did."""

    def __init__(self, reason: str, signal: int | None = None) -> None:
        super().__init__(reason)
        self.signal = signal


class Worker:
    """A worker process, started at the first request and again after it died.

    It may write below `folder` only (None: an empty folder of its own), which requests name; `imports` are what the
    process imports that it is forked from.
    """

    def __init__(self, folder: Path | None = None, imports: Sequence[str] = CONFIRMATION) -> None:
        self._imports = imports
        self._process: subprocess.Popen[bytes] | forked.Forked | None = None
        self._own = tempfile.TemporaryDirectory(prefix="assay-worker-", ignore_cleanup_errors=True)
        self._home = folder or Path(self._own.name)
        self.spent = 0.0  # seconds of processor time that its answers have taken

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._stop()
        self._own.cleanup()

    def ask(self, request: JSON, seconds: float) -> JSON:
        """The answer to one request.

        Raises:
            WorkerFailed: no answer within `seconds`, or the process ended.
        """
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
        except OSError:
            raise self._failure("the worker ended") from None
        deadline = time.monotonic() + seconds
        received = b""
        while not received.endswith(b"\n"):
            left = deadline - time.monotonic()
            ready, _, _ = select.select([process.stdout], [], [], max(0.0, left))
            if not ready:
                self._stop()
                raise WorkerFailed(f"no answer within {seconds:.0f} s")
            chunk = os.read(process.stdout.fileno(), 1 << 16)
            if not chunk:
                raise self._failure("the worker ended")
            received += chunk
            if len(received) > 1 << 22:
                self._stop()
                raise WorkerFailed("the worker's answer is too long")
        try:
            answer = json.loads(received)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict) or "status" not in answer:
            self._stop()
            raise WorkerFailed("the worker's answer is not understood")
        spent = answer.pop("spent", 0.0)
        self.spent += max(0.0, spent) if isinstance(spent, float) else 0.0
        return answer

    def _running(self) -> subprocess.Popen[bytes] | forked.Forked:
        if self._process is None or self._process.poll() is not None:
            self._stop()
            rules = launch.worker_rules(self._home, memory=MEMORY, output=FILE_SIZE)
            environment = launch.environment(self._home, VARIABLES)
            self._process = forked.start(
                MODULE, imports=self._imports, rules=rules, path=[launch.ASSAY], folder=self._home,
                variables=environment, own=VARIABLES, session=True, errors="dropped",
            ) or subprocess.Popen(
                launch.command(MODULE, rules=rules, path=[launch.ASSAY]),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=self._home,
                env=environment,
                start_new_session=True,
            )  # fmt: skip
        return self._process

    def _failure(self, reason: str) -> WorkerFailed:
        process = self._process
        code = process.wait(timeout=5) if process is not None else None
        self._stop()
        return WorkerFailed(reason, -code if code is not None and code < 0 else None)

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if process.poll() is None:
            process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    continue
