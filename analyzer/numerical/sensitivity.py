"""Which single assumption would make a warning vanish: the slice is analysed again with one range narrowed."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analyzer.graph import Graph, ValueRange
from analyzer.graph.ranges import Origin
from analyzer.numerical import interpret
from analyzer.numerical.assumptions import Assumption, interval_text
from analyzer.numerical.confirm.extract import Slice, extract
from analyzer.numerical.result import Alarm, Options

WEAKEST_FIRST = (Origin.DEFAULT, Origin.INFERRED, Origin.DECLARED, Origin.DATA)
LIMITS = (1e4, 1e3, 300.0, 100.0, 80.0, 50.0, 30.0, 10.0, 3.0, 1.0, 0.1)  # declared ranges that are tried, widest first
SMALL = (1e-7, 1e-3)  # lower ends that are tried: a float32 epsilon and a usual one
MOST = 6  # assumptions tried


@dataclass(frozen=True, slots=True)
class Precondition:
    """A range of one tensor that makes the operator provably safe."""

    assumption: Assumption
    lo: float
    hi: float

    def __str__(self) -> str:
        given = self.assumption
        now = interval_text(given.range.lo, given.range.hi)
        return f"It would vanish if {given.name} stayed within {interval_text(self.lo, self.hi)} (assumed: {now})."


def slice_of(graph: Graph, warning: Alarm, ranges: Mapping[str, ValueRange]) -> Slice | None:
    """The part of the model that computes the warning's operator, with its own inputs."""
    return extract(graph, warning.node, ranges, {"*": 2})


def slice_ranges(piece: Slice) -> dict[str, ValueRange]:
    """The ranges of a slice's leaves."""
    return {leaf.name: ValueRange(leaf.lo, leaf.hi) for leaf in piece.leaves}


def warned(piece: Slice, ranges: Mapping[str, ValueRange], warning: Alarm, options: Options) -> bool:
    """Whether the analysis still warns of the same operator of the slice."""
    found = interpret(Graph(piece.model), ranges, options=options).warnings
    return any(w.node.name == piece.node and w.rule == warning.rule for w in found)


def precondition(
    graph: Graph,
    warning: Alarm,
    assumptions: Sequence[Assumption],
    options: Options,
    deadline: float,
) -> Precondition | None:
    """The weakest assumption whose narrowing alone makes the warning vanish, narrowed as little as tried.

    `deadline` is in seconds of this process's own time, so that a busy machine says what an idle one does.
    """
    ranges = {a.name: a.range for a in assumptions}
    piece = slice_of(graph, warning, ranges)
    if piece is None:
        return None
    base = slice_ranges(piece)
    if not warned(piece, base, warning, options):
        return None
    present = {leaf.name for leaf in piece.leaves if leaf.dtype != "BOOL"}
    order = sorted(
        (a for a in assumptions if a.name in present and a.range.lo < a.range.hi),
        key=lambda a: (WEAKEST_FIRST.index(a.range.origin), str(a.role) == "parameter"),
    )
    for assumption in order[:MOST]:
        for tried in _narrowings(assumption.range):
            if time.process_time() > deadline:
                return None
            if warned(piece, {**base, assumption.name: ValueRange(*tried[-1])}, warning, options):
                continue  # not even the narrowest helps
            for lo, hi in tried:
                if time.process_time() > deadline:
                    break
                if not warned(piece, {**base, assumption.name: ValueRange(lo, hi)}, warning, options):
                    return Precondition(assumption, lo, hi)
    return None


def _narrowings(given: ValueRange) -> list[list[tuple[float, float]]]:
    """Chains of smaller and smaller ranges inside `given`."""
    lo, hi = given.lo, given.hi
    chains: list[list[tuple[float, float]]] = []
    if lo < 0 < hi:
        chains.append([(max(lo, -m), min(hi, m)) for m in LIMITS if m < max(-lo, hi)])
    if lo <= 0 < hi:
        chains.append([(low, hi) for low in SMALL if low < hi] + [(min(1e-3, m), m) for m in LIMITS if 1e-3 < m < hi])
    elif math.isfinite(lo) and math.isfinite(hi):
        middle, width = (lo + hi) / 2, hi - lo
        chains.append([(middle - p * width / 2, middle + p * width / 2) for p in (0.5, 0.25, 0.1, 0.01)])
    return [chain for chain in chains if chain]
