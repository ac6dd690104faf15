"""Turns a possible failure into a confirmed one: search, real run, reproducer. Only what did fail is confirmed."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any
from weakref import WeakKeyDictionary

import onnx_ir as ir

from analyzer.graph import Graph, ValueRange
from analyzer.numerical.confirm.batch_statistics import as_training, trained_by_batches
from analyzer.numerical.confirm.child import JSON, WorkerFailed
from analyzer.numerical.confirm.compiled_loss import with_compiled_loss
from analyzer.numerical.confirm.ends import ends_of
from analyzer.numerical.confirm.engines import Engines, described
from analyzer.numerical.confirm.extract import Slice, extract, whole
from analyzer.numerical.confirm.hidden_rows import with_hidden_rows
from analyzer.numerical.confirm.infinities import Infinities, meant_by
from analyzer.numerical.confirm.objective import target_of
from analyzer.numerical.confirm.outcome import PLAIN, Confirmation, Standing, Training
from analyzer.numerical.hidden_overflows import HALF, far_below
from analyzer.numerical.result import Alarm
from analyzer.operators.registry import operator_name

ROUNDING = 1e-5  # relative; where a repair moves results further, torch tells whether it is the formula that is inexact
SIZES = (2, 1, 16, 48, 96)  # tried for dimensions that may have any size
# Of the search's time that each size after the first has: what hangs on the size shows early.
LATER_SIZES = 0.25
NEARBY_SECONDS = 3.0  # of processor time for a search where training starts
MORE = 4  # failing runs that are followed where the first reaches nothing
LARGEST_SLICE = 1 << 29  # bytes
NO_MEANS: frozenset[str] = frozenset()
EMPTY, OVERFLOW = "numerical/empty-mean", "numerical/overflow"
SPENT = "the time for confirmation was spent before everything had been tried"


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
        self._engines = Engines(Path(self._folder.name), budget.run, budget.attempts)
        self._count = 0
        # The size of unknown dimensions of a graph's last confirmation; the graph whole, by its sizes and ranges.
        self._fitting: WeakKeyDictionary[Graph, int] = WeakKeyDictionary()
        self._whole: WeakKeyDictionary[Graph, dict[Hashable, JSON | None]] = WeakKeyDictionary()
        self._followed_in: dict[Path, JSON] = {}  # the whole model that a confirmation was followed through
        self.notes = self._engines.notes

    def __enter__(self) -> Confirmer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def clock(self) -> float:
        """Seconds of processor time of this process and its workers: a busy machine tries what an idle one does."""
        return self._engines.clock()

    def close(self) -> None:
        self._engines.close()
        self._folder.cleanup()

    def confirm(
        self,
        graph: Graph,
        warning: Alarm,
        ranges: Mapping[str, ValueRange],
        symbols: Mapping[str, tuple[int, int | None]],
        deadline: float,
        weighed_in: Sequence[Mapping[str, ValueRange]] = (),
    ) -> Confirmation | None:
        """A failing run of the warning's operator inside `ranges`, or None; `deadline` is a time of `clock`.

        One that rests on weights far from where training starts is weighed inside each of `weighed_in`: with the
        weights close to there in the first, closer in the others, and by training in the last.
        A model with a loss is run as training runs it, each batch normalised by its own statistics; what running
        statistics alone show is marked as such.
        """
        means = trained_by_batches(graph)
        found = self._confirmed(graph, warning, ranges, symbols, deadline, weighed_in, means)
        if found is not None or not means:
            return found
        found = self._confirmed(graph, warning, ranges, symbols, deadline, (), NO_MEANS)
        return found and replace(found, standing=replace(found.standing, running=True))

    def _confirmed(
        self,
        graph: Graph,
        warning: Alarm,
        ranges: Mapping[str, ValueRange],
        symbols: Mapping[str, tuple[int, int | None]],
        deadline: float,
        weighed_in: Sequence[Mapping[str, ValueRange]],
        means: frozenset[str],
    ) -> Confirmation | None:
        """The same with the statistics of each batch in place of the running `means`."""
        seconds = self.budget.search
        for number, size in enumerate(sorted(SIZES, key=lambda s: s != self._fitting.get(graph))):
            if self.clock() > deadline:
                self.note(SPENT)
                return None
            sizes = {"*": size, **{name: _size(bounds, size) for name, bounds in symbols.items()}}
            seconds = min(seconds, max(0.1, deadline - self.clock()))
            # an overflow that only rounding decides is none that anybody meets
            others = number == 0 and warning.rule != OVERFLOW
            searched = self._searched(graph, warning, ranges, sizes, means, seconds, others=others)
            if searched is None:
                return None
            piece, tries = searched
            seconds = self.budget.search * LATER_SIZES
            first = next(tries, None)
            if first is not None:
                self._fitting[graph] = size
                found = self._reaching(first, tries, graph, warning, ranges, sizes, means)
                return self._weighed(found, graph, warning, weighed_in, sizes, means)
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
        means: frozenset[str],
    ) -> Confirmation:
        """The first of a few failing runs that reaches a result of the whole model; the first of all if none does."""
        followed = self._followed(first, graph, warning, ranges, sizes, means)
        if followed.standing.reached != "":
            return followed
        point = (first.work / "found.npz").read_bytes()
        for other in itertools.islice(others, MORE):
            found = self._followed(other, graph, warning, ranges, sizes, means)
            if found.standing.reached:
                return found
        (first.work / "found.npz").write_bytes(point)
        return followed

    def _weighed(
        self,
        found: Confirmation,
        graph: Graph,
        warning: Alarm,
        within: Sequence[Mapping[str, ValueRange]],
        sizes: Mapping[str, int],
        means: frozenset[str],
    ) -> Confirmation:
        """A failing run where training starts or near by instead of one with weights far from there, or what training
        shows of it."""
        if not within or not found.standing.far or found.standing.reached == "":
            return found
        searches = [(ranges, "beside the start" if number else "near") for number, ranges in enumerate(within)]
        if not found.standing.unlikely:
            searches.append((within[-1], "plain"))
        for ranges, weights in searches:
            other = self._failing_with(weights, graph, warning, ranges, sizes, means)
            if other is not None:
                return other
        if not found.standing.unlikely:
            found = replace(found, standing=replace(found.standing, plain=PLAIN))
        return self._followed(found, graph, warning, within[-1], sizes, means, weigh=True)

    def _failing_with(
        self,
        weights: str,
        graph: Graph,
        warning: Alarm,
        ranges: Mapping[str, ValueRange],
        sizes: Mapping[str, int],
        means: frozenset[str],
    ) -> Confirmation | None:
        """A failing run that reaches something, with weights that stand where the search of this name has them."""
        searched = self._searched(graph, warning, ranges, sizes, means, NEARBY_SECONDS, weights=weights)
        if searched is None:
            return None
        _, tries = searched
        for nearer in itertools.islice(tries, MORE):
            followed = self._followed(nearer, graph, warning, ranges, sizes, means)
            if followed.standing.reached != "" and not followed.standing.elsewhere:
                return followed
        return None

    def _followed(
        self,
        found: Confirmation,
        graph: Graph,
        warning: Alarm,
        ranges: Mapping[str, ValueRange],
        sizes: Mapping[str, int],
        means: frozenset[str],
        *,
        weigh: bool = False,
    ) -> Confirmation:
        """The confirmation with what the failure does to the whole model, where that can be run; with `weigh`, and
        whether short training runs show it."""
        if found.standing.exact or found.standing.elsewhere:
            return found
        if weigh:
            graph, ranges = with_compiled_loss(graph, warning.node, ranges)
        known, key = self._whole.setdefault(graph, {}), (frozenset(sizes.items()), frozenset(ranges.items()), means)
        if key not in known:
            known[key] = self._described_whole(graph, ranges, sizes, means)
        described = known[key]
        if described is None:
            return found
        request = {
            **described,
            "do": "follow",
            "witness": str(found.work / "found.npz"),
            "seed": self.budget.seed,
            "infinite": Infinities.NONE,
            "forward": not warning.backward and not meant_by(warning.rule),
            "flush": found.kind == "tensorflow",
            "weigh": weigh,
            "watched": warning.node.outputs[0].name or "",
        }
        self._followed_in[found.work] = request
        try:
            answer = self._engines.asked(request, found.kind == "tensorflow", lambda a: a["status"] == "followed")
        except WorkerFailed:
            return found
        if answer["status"] == "elsewhere":
            return replace(found, standing=replace(found.standing, elsewhere=True))
        if answer["status"] != "followed":
            return found
        standing = replace(
            found.standing,
            reached=answer["reached"],
            training=Training(**answer["training"]) if "training" in answer else None,
        )
        return replace(found, standing=standing)

    def fails_with(self, found: Confirmation, mended: frozenset[str], warning: Alarm) -> bool:
        """Whether the warning's operator fails for the same values as the one that `found` shows, and by itself: the
        whole model at that witness, in which the values called `mended` are finite."""
        followed = self._followed_in.get(found.work)
        if followed is None:
            return False
        watched, infinite = warning.node.outputs[0].name or "", meant_by(warning.rule)
        request = {**followed, "do": "fails with", "mended": sorted(mended), "watched": watched, "infinite": infinite}
        try:
            return bool(self._engines.asked(request, False, lambda _: True).get("fails"))
        except WorkerFailed:
            return False

    def _described_whole(
        self, graph: Graph, ranges: Mapping[str, ValueRange], sizes: Mapping[str, int], means: frozenset[str]
    ) -> dict[str, Any] | None:
        piece = whole(graph, ranges, sizes, graph.losses)
        piece = piece and with_hidden_rows(as_training(piece, means))
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
        return {**described(work, piece), **target}

    def compare(self, before: Slice, after: Slice) -> float | None:
        """The largest difference of the two slices' first results over ordinary inputs, relative to 1 + |result|.

        None where torch is missing, an operator has no torch form, or the inputs give no finite result.
        """
        self._count += 1
        folder = Path(self._folder.name, f"compare-{self._count}")
        folder.mkdir()
        for name, piece in (("slice", before), ("changed", after)):
            (folder / f"{name}.onnx").write_bytes(ir.to_proto(piece.model).SerializeToString())
        request = described(folder, before)
        request |= {"do": "compare", "seed": self.budget.seed, "changed": after.results[0]}
        request |= {"target": (-1, "largest"), "backward": False, "losses": ()}
        try:
            answer = self._engines.asked(request, before.is_tensorflow, lambda a: a.get("moved", 1.0) <= ROUNDING)
        except WorkerFailed:
            return None
        return float(answer["moved"]) if answer["status"] == "compared" else None

    def note(self, text: str) -> None:
        self._engines.note(text)

    def _searched(
        self,
        graph: Graph,
        warning: Alarm,
        ranges: Mapping[str, ValueRange],
        sizes: Mapping[str, int],
        means: frozenset[str],
        seconds: float,
        *,
        others: bool = False,
        weights: str = "anywhere",
    ) -> tuple[Slice, Iterator[Confirmation]] | None:
        """The slice that computes the warning's operator, and its failing runs; None where it cannot be cut out."""
        piece = extract(graph, warning.node, ranges, sizes, ends_of(graph, warning))
        if piece is None:
            return None
        piece = with_hidden_rows(as_training(piece, means))
        return piece, self._tries(piece, graph, warning, seconds, others, weights)

    def _tries(
        self, piece: Slice, graph: Graph, warning: Alarm, seconds: float, others: bool, weights: str
    ) -> Iterator[Confirmation]:
        """Failing runs of a slice, with weights that stand where the search of this name has them; with `others` at
        points too where torch's kernels hold.

        A model of PyTorch's runs what ONNX Runtime has no kernel for (bfloat16).
        """
        losses, own = ends_of(graph, warning), graph.framework == "torch"
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
            **described(work, piece),
            "seed": self.budget.seed,
            "seconds": seconds,
            "target": target_of(operator_name(warning.node), warning.operand, warning.backward),
            "backward": warning.backward,
            "losses": losses,
            "flush": engine == "tensorflow",
            "infinite": meant_by(warning.rule),
            "engine": engine,
            "others": others,
            "far_below": far_below(graph, warning),
            "weights": weights,
        }
        run = {**request, "do": "run"}
        refused = 0
        for answer in self._engines.proposed(request, seconds):
            real = self._engines.run({**run, "engine": engine}, engine)
            # ONNX Runtime computes half precision in float32 on a CPU, where it has a kernel at all; what the mean of
            # nothing is ONNX leaves open.
            differs = warning.dtype in HALF or warning.rule == EMPTY
            otherwise = real is not None and ("reason" in real or (not real.get("failed") and differs))
            if otherwise and engine == "onnx" and own and not piece.inside:
                real = self._engines.run({**run, "engine": "torch"}, "torch")
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
                        crossed=tuple(answer.get("crossed", ())),
                        collapsed=bool(answer.get("collapsed")),
                        related=tuple(answer.get("related", ())),
                    ),
                    self._engines.threads({**run, "engine": engine, "event": event}, engine),
                )


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
