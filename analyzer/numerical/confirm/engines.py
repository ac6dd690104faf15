"""The engines' worker processes: what is asked of which, for how long, and what an answer means."""

from __future__ import annotations

import contextlib
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from analyzer.numerical.confirm.child import JSON, Worker, WorkerFailed
from analyzer.numerical.confirm.extract import Slice
from analyzer.walls.imports import IN_TENSORFLOW

PROBES = 0.25  # of the search's time for the points that TensorFlow tries without gradients
START_SECONDS = 60.0  # for importing a framework on a busy machine
# How much longer than its processor time an answer may take: the clock on the wall cuts off only what hangs.
BUSY = 10
MANY = 4  # threads: what most runners have
NO_TORCH = "warnings were not confirmed: the search needs torch (install the extra 'torch')"


def described(work: Path, piece: Slice) -> dict[str, Any]:
    """The leaves and names of a slice as a request has them; their initial values go into `work`."""
    np.savez(work / "initial.npz", **{x.name: x.initial for x in piece.leaves if x.initial is not None})  # type: ignore[arg-type]
    return {
        "folder": str(work),
        "leaves": [
            {
                "name": x.name,
                "shape": x.shape,
                "dtype": x.dtype,
                "role": x.role,
                "lo": str(x.lo),
                "hi": str(x.hi),
                "estimated": x.estimated,
                "held": x.held,
                "parts": x.parts,
                "order": x.order,
                "even": x.even,
                "unlike": x.unlike,
                "whole": x.whole,
                "definite": x.definite,
                "shown": x.shown,
                "trained": x.trained,
            }
            for x in piece.leaves
        ],
        "operands": piece.operands,
        "outputs": piece.outputs,
        "results": piece.results,
        "inside": piece.inside,
    }


class Engines:
    """Two worker processes, one for torch and ONNX Runtime, one for TensorFlow, each started when it is first asked.

    A run may take `seconds` of processor time; `attempts` of them are made for one warning.
    """

    def __init__(self, folder: Path, seconds: float, attempts: int) -> None:
        self.seconds, self.attempts = seconds, attempts
        self.searcher = Worker(folder)
        self.tensorflow = Worker(folder, IN_TENSORFLOW)
        self.notes: list[str] = []

    def close(self) -> None:
        self.searcher.close()
        self.tensorflow.close()

    def clock(self) -> float:
        """Seconds of processor time of this process and its workers: a busy machine tries what an idle one does."""
        return time.process_time() + self.searcher.spent + self.tensorflow.spent

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    def proposed(self, request: dict[str, Any], seconds: float) -> Iterator[JSON]:
        """The answers of searches that found a point, one engine after the other; torch, which has gradients, last."""
        searchers = [("torch", self.searcher, seconds)]
        if request["engine"] == "tensorflow":
            searchers.insert(0, ("tensorflow", self.tensorflow, seconds * PROBES))
        for place, worker, given in searchers:
            asked = {**request, "do": "search", "in": place, "seconds": given}
            for _ in range(self.attempts):
                try:
                    answer = worker.ask(asked, BUSY * given + START_SECONDS)
                except WorkerFailed as failure:
                    if place == "torch":
                        self.note(f"the search for a failing input ended early: {failure}")
                    break
                if answer["status"] != "found":
                    if "No module named 'torch'" in answer.get("reason", ""):
                        self.note(NO_TORCH)
                    break
                yield answer
                asked = {"do": "next"}

    def asked(self, request: dict[str, Any], own: bool, good: Callable[[JSON], bool]) -> JSON:
        """The answer of TensorFlow where the slice is its `own` and the answer `good`, else that of torch."""
        seconds = BUSY * self.seconds + START_SECONDS
        if own:
            with contextlib.suppress(WorkerFailed):
                answer = self.tensorflow.ask({**request, "in": "tensorflow"}, seconds)
                if good(answer):
                    return answer
        return self.searcher.ask({**request, "in": "torch"}, seconds)

    def threads(self, request: dict[str, Any], engine: str) -> str:
        """With how many threads a failure that a run with one has shown is seen: kernels add in other orders."""
        if engine == "tensorflow":  # its pool is made once a process
            return "TensorFlow's own number of threads"
        try:
            answer = self.searcher.ask({**request, "do": "again", "threads": MANY}, BUSY * self.seconds)
        except WorkerFailed:
            return "one thread"
        if answer["status"] != "ran":
            return "one thread"
        return f"1 and {MANY} threads alike" if answer["failed"] else f"one thread; with {MANY} it does not show"

    def run(self, request: dict[str, Any], engine: str) -> dict[str, Any] | None:
        """The real run's answer; None where there is no engine for it."""
        worker = self.tensorflow if engine == "tensorflow" else self.searcher
        try:
            answer = worker.ask(request, BUSY * self.seconds + START_SECONDS)
        except WorkerFailed as failure:
            if failure.signal == signal.SIGFPE:
                return {"failed": "the process is ended by the processor (SIGFPE)", "engine": engine}
            self.note(f"a run for confirmation did not end well: {failure}")
            return None
        if answer["status"] == "error":
            if "No module named" in answer["reason"]:
                self.note(f"warnings were not confirmed: {engine} is not installed here")
                return None
            return {"failed": None, "reason": answer["reason"]}
        return answer
