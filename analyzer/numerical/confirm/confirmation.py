"""Turns a possible failure into a confirmed one: search, real run, reproducer. Only what did fail is confirmed."""

from __future__ import annotations

import contextlib
import itertools
import signal
import tempfile
import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import onnx_ir as ir

from analyzer.graph import Graph, ValueRange
from analyzer.numerical.confirm.child import JSON, Worker, WorkerFailed
from analyzer.numerical.confirm.ends import ends_of
from analyzer.numerical.confirm.extract import Slice, extract, whole
from analyzer.numerical.confirm.infinities import Infinities, meant_by
from analyzer.numerical.confirm.objective import target_of
from analyzer.numerical.confirm.outcome import Confirmation, Standing
from analyzer.numerical.hidden_overflows import HALF, far_below
from analyzer.numerical.result import Alarm
from analyzer.operators.registry import operator_name
from analyzer.walls.imports import IN_TENSORFLOW

PROBES = 0.25  # of the search's time for the points that TensorFlow tries without gradients
ROUNDING = 1e-5  # relative; where a repair moves results further, torch tells whether it is the formula that is inexact
START_SECONDS = 60.0  # for importing a framework on a busy machine
# How much longer than its processor time an answer may take: the clock on the wall cuts off only what hangs.
BUSY = 10
SIZES = (2, 1, 16, 48, 96)  # tried for dimensions that may have any size
# Of the search's time that each size after the first has: what hangs on the size shows early.
LATER_SIZES = 0.25
FAR = 0.9  # of the way to the end of its range: there a weight stands because of the estimate
STILL = 0.02  # of that way: a weight that moved less did not have to
MANY = 4  # threads: what most runners have
MORE = 4  # failing runs that are followed where the first reaches nothing
LARGEST_SLICE = 1 << 29  # bytes
EMPTY, OVERFLOW = "numerical/empty-mean", "numerical/overflow"
SPENT = "the time for confirmation was spent before everything had been tried"
NO_TORCH = "warnings were not confirmed: the search needs torch (install the extra 'torch')"


@dataclass(frozen=True)
class ConfirmationBudget:
    """Bounds of one target's confirmation, in seconds of processor time; `attempts` real runs for one warning."""

    search: float = 6.0
    run: float = 30.0
    total: float = 60.0
    attempts: int = 6
    seed: int = 0


class Confirmer:
    """Searches and runs in two worker processes, one for torch and ONNX Runtime, one for TensorFlow.

    A finding of a TensorFlow graph needs the first only where probes without gradients show nothing.

    Use it as a context manager; the confirmations' files live until it is closed.
    """

    def __init__(self, budget: ConfirmationBudget = ConfirmationBudget()) -> None:
        self.budget = budget
        self._folder = tempfile.TemporaryDirectory(prefix="assay-confirm-", ignore_cleanup_errors=True)
        self._searcher = Worker(Path(self._folder.name))
        self._tensorflow = Worker(Path(self._folder.name), IN_TENSORFLOW)
        self._count = 0
        # The size of unknown dimensions of a graph's last confirmation; the graph whole, by its sizes and ranges.
        self._fitting: WeakKeyDictionary[Graph, int] = WeakKeyDictionary()
        self._whole: WeakKeyDictionary[Graph, dict[Hashable, JSON | None]] = WeakKeyDictionary()
        self.notes: list[str] = []

    def __enter__(self) -> Confirmer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def clock(self) -> float:
        """Seconds of processor time of this process and its workers: a busy machine tries what an idle one does."""
        return time.process_time() + self._searcher.spent + self._tensorflow.spent

    def close(self) -> None:
        self._searcher.close()
        self._tensorflow.close()
        self._folder.cleanup()

    def confirm(
        self,
        graph: Graph,
        warning: Alarm,
        ranges: Mapping[str, ValueRange],
        symbols: Mapping[str, tuple[int, int | None]],
        deadline: float,
    ) -> Confirmation | None:
        """A failing run of the warning's operator inside `ranges`, or None; `deadline` is a time of `clock`."""
        seconds = self.budget.search
        for number, size in enumerate(sorted(SIZES, key=lambda s: s != self._fitting.get(graph))):
            if self.clock() > deadline:
                self.note(SPENT)
                return None
            sizes = {"*": size, **{name: _size(bounds, size) for name, bounds in symbols.items()}}
            losses = ends_of(graph, warning)
            piece = extract(graph, warning.node, ranges, sizes, losses)
            if piece is None:
                return None
            seconds = min(seconds, max(0.1, deadline - self.clock()))
            own = graph.framework == "torch"
            # an overflow that only rounding decides is none that anybody meets
            others = number == 0 and warning.rule != OVERFLOW
            tries = self._tries(piece, warning, losses, seconds, others=others, own=own, far=far_below(graph, warning))
            seconds = self.budget.search * LATER_SIZES
            first = next(tries, None)
            if first is not None:
                self._fitting[graph] = size
                return self._reaching(first, tries, graph, warning, ranges, sizes)
            if not _symbolic(graph, piece):
                return None
        return None

    def _reaching(
        self,
        first: Confirmation,
        others: Iterator[Confirmation],
        graph: Graph,
        warning: Alarm,
        ranges: Mapping[str, ValueRange],
        sizes: Mapping[str, int],
    ) -> Confirmation:
        """The first of a few failing runs that reaches a result of the whole model; the first of all if none does."""
        followed = self._followed(first, graph, warning, ranges, sizes)
        if followed.standing.reached != "":
            return followed
        point = (first.work / "found.npz").read_bytes()
        for other in itertools.islice(others, MORE):
            found = self._followed(other, graph, warning, ranges, sizes)
            if found.standing.reached:
                return found
        (first.work / "found.npz").write_bytes(point)
        return followed

    def _followed(
        self,
        found: Confirmation,
        graph: Graph,
        warning: Alarm,
        ranges: Mapping[str, ValueRange],
        sizes: Mapping[str, int],
    ) -> Confirmation:
        """The confirmation with what the failure does to the whole model, where that can be run."""
        if found.standing.exact or found.standing.elsewhere:
            return found
        known, key = self._whole.setdefault(graph, {}), (frozenset(sizes.items()), frozenset(ranges.items()))
        if key not in known:
            known[key] = self._described_whole(graph, ranges, sizes)
        described = known[key]
        if described is None:
            return found
        moved = [m for m in found.standing.moved if m[3] >= STILL]
        far = [m[0] for m in moved if m[3] >= FAR]
        request = {
            **described,
            "do": "follow",
            "witness": str(found.work / "found.npz"),
            "seed": self.budget.seed,
            "infinite": Infinities.NONE,
            "forward": not warning.backward and not meant_by(warning.rule),
            "flush": found.kind == "tensorflow",
            "moved": far if len(far) == len(moved) else [],
        }
        try:
            answer = self._asked(request, found.kind == "tensorflow", lambda a: a["status"] == "followed")
        except WorkerFailed:
            return found
        if answer["status"] == "elsewhere":
            return replace(found, standing=replace(found.standing, elsewhere=True))
        if answer["status"] != "followed":
            return found
        standing = replace(
            found.standing,
            reached=answer["reached"],
            towards=answer.get("towards"),
            trained=answer.get("trained", ""),
        )
        return replace(found, standing=standing)

    def _described_whole(
        self, graph: Graph, ranges: Mapping[str, ValueRange], sizes: Mapping[str, int]
    ) -> dict[str, Any] | None:
        piece = whole(graph, ranges, sizes, graph.losses)
        if piece is None or sum(x.initial.nbytes for x in piece.leaves if x.initial is not None) > LARGEST_SLICE:
            return None
        data = ir.to_proto(piece.model).SerializeToString()
        if len(data) > LARGEST_SLICE:
            return None
        self._count += 1
        work = Path(self._folder.name, f"whole-{self._count}")
        work.mkdir()
        (work / "slice.onnx").write_bytes(data)
        trained = bool(graph.losses) or graph.framework != "onnx"
        target = {"target": (-1, "largest"), "backward": trained, "losses": graph.losses}
        return {**self._described(work, piece), **target}

    def compare(self, before: Slice, after: Slice) -> float | None:
        """The largest difference of the two slices' first results over ordinary inputs, relative to 1 + |result|.

        None where torch is missing, an operator has no torch form, or the inputs give no finite result.
        """
        self._count += 1
        folder = Path(self._folder.name, f"compare-{self._count}")
        folder.mkdir()
        for name, piece in (("slice", before), ("changed", after)):
            (folder / f"{name}.onnx").write_bytes(ir.to_proto(piece.model).SerializeToString())
        request = self._described(folder, before)
        request |= {"do": "compare", "seed": self.budget.seed, "changed": after.results[0]}
        request |= {"target": (-1, "largest"), "backward": False, "losses": ()}
        try:
            answer = self._asked(request, before.is_tensorflow, lambda a: a.get("moved", 1.0) <= ROUNDING)
        except WorkerFailed:
            return None
        return float(answer["moved"]) if answer["status"] == "compared" else None

    def _described(self, work: Path, piece: Slice) -> dict[str, Any]:
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
                }
                for x in piece.leaves
            ],
            "operands": piece.operands,
            "outputs": piece.outputs,
            "results": piece.results,
            "inside": piece.inside,
        }

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    def _tries(
        self,
        piece: Slice,
        warning: Alarm,
        losses: tuple[str, ...],
        seconds: float,
        *,
        others: bool,
        own: bool,
        far: float,
    ) -> Iterator[Confirmation]:
        """Failing runs of a slice; with `others` at points too where torch's kernels hold.

        `own`: the model is PyTorch's, which runs what ONNX Runtime has no kernel for (bfloat16). `far`: what a sum or
        product that is too large reaches from any start, 0 where that is not known.
        """
        self._count += 1
        work = Path(self._folder.name, str(self._count))
        work.mkdir()
        data = ir.to_proto(piece.model).SerializeToString()
        if len(data) > LARGEST_SLICE:
            self.note("a slice was too large to be run for confirmation")
            return
        (work / "slice.onnx").write_bytes(data)
        engine = "tensorflow" if piece.is_tensorflow else "torch" if warning.backward else "onnx"
        request: dict[str, Any] = {
            **self._described(work, piece),
            "seed": self.budget.seed,
            "seconds": seconds,
            "target": target_of(operator_name(warning.node), warning.operand, warning.backward),
            "backward": warning.backward,
            "losses": losses,
            "flush": engine == "tensorflow",
            "infinite": meant_by(warning.rule),
            "engine": engine,
            "others": others,
            "far_below": far,
        }
        run = {**request, "do": "run"}
        refused = 0
        for answer in self._proposed(request, seconds):
            real = self._run({**run, "engine": engine}, engine)
            # ONNX Runtime computes half precision in float32 on a CPU, where it has a kernel at all; what the mean of
            # nothing is ONNX leaves open.
            differs = warning.dtype in HALF or warning.rule == EMPTY
            otherwise = real is not None and ("reason" in real or (not real.get("failed") and differs))
            if otherwise and engine == "onnx" and own and not piece.inside:
                real = self._run({**run, "engine": "torch"}, "torch")
                if real is not None and real.get("failed"):
                    engine = "torch"
            if real is None:
                return
            refused += "reason" in real
            if refused > 1:  # the engine does not run this slice at this size at all
                return
            if real.get("failed"):
                event = str(real.get("event", ""))
                yield Confirmation(
                    str(real["failed"]),
                    str(real["engine"]),
                    engine,
                    work,
                    piece.operands,
                    piece.results if warning.backward else piece.outputs,
                    losses,
                    real.get("names", {}),
                    meant_by(warning.rule),
                    event,
                    Standing(
                        _pairs(answer["exact"]),
                        tuple((m[0], m[1], m[2], m[3]) for m in answer["moved"]),
                        elsewhere=bool(answer.get("elsewhere")),
                    ),
                    self._threads({**run, "engine": engine, "event": event}, engine),
                )

    def _proposed(self, request: dict[str, Any], seconds: float) -> Iterator[JSON]:
        """The answers of searches that found a point, one engine after the other; torch, which has gradients, last."""
        searchers = [("torch", self._searcher, seconds)]
        if request["engine"] == "tensorflow":
            searchers.insert(0, ("tensorflow", self._tensorflow, seconds * PROBES))
        for place, worker, given in searchers:
            asked = {**request, "do": "search", "in": place, "seconds": given}
            for _ in range(self.budget.attempts):
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

    def _asked(self, request: dict[str, Any], own: bool, good: Callable[[JSON], bool]) -> JSON:
        """The answer of TensorFlow where the slice is its `own` and the answer `good`, else that of torch."""
        seconds = BUSY * self.budget.run + START_SECONDS
        if own:
            with contextlib.suppress(WorkerFailed):
                answer = self._tensorflow.ask({**request, "in": "tensorflow"}, seconds)
                if good(answer):
                    return answer
        return self._searcher.ask({**request, "in": "torch"}, seconds)

    def _threads(self, request: dict[str, Any], engine: str) -> str:
        """With how many threads a failure that a run with one has shown is seen: kernels add in other orders."""
        if engine == "tensorflow":  # its pool is made once a process
            return "TensorFlow's own number of threads"
        try:
            answer = self._searcher.ask({**request, "do": "again", "threads": MANY}, BUSY * self.budget.run)
        except WorkerFailed:
            return "one thread"
        if answer["status"] != "ran":
            return "one thread"
        return f"1 and {MANY} threads alike" if answer["failed"] else f"one thread; with {MANY} it does not show"

    def _run(self, request: dict[str, Any], engine: str) -> dict[str, Any] | None:
        """The real run's answer; None where there is no engine for it."""
        worker = self._tensorflow if engine == "tensorflow" else self._searcher
        try:
            answer = worker.ask(request, BUSY * self.budget.run + START_SECONDS)
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


def _pairs(items: Sequence[Sequence[str]]) -> tuple[tuple[str, str], ...]:
    return tuple((item[0], item[1]) for item in items)


def _size(bounds: tuple[int, int | None], wanted: int) -> int:
    low, high = bounds
    return max(low, wanted if high is None else min(wanted, high))


def _symbolic(graph: Graph, piece: Slice) -> bool:
    names = {leaf.name for leaf in piece.leaves}
    return any(
        value.name in names and value.shape is not None and not value.shape.is_static() for value in graph.graph.inputs
    )
