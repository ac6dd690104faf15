"""Reductions over segments given by an index, running sums and parts in sequences, with twins that prove nothing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from build import Builder, bounds, rules, run
from containment import analysed, outside
from test_relations import engine

from analyzer.graph import ValueRange

RANGES = {"x": (-1000, 1000), "i": (0, 2), "j": (0, 2)}


def segment_softmax(b: Builder, gathered: str = "i", start: float = -np.inf) -> str:
    """PyTorch Geometric's: scores of (6, 2) normalised over the three nodes that the index names."""
    x, i = b.input("x", (6, 2)), b.input("i", (6,), "int64")
    back = i if gathered == "i" else b.input(gathered, (6,), "int64")
    spread = b.op("Expand", b.op("Reshape", i, b.const([-1, 1], np.int64)), b.const([6, 2], np.int64))
    most = b.op("ScatterElements", b.const(np.full((3, 2), start)), spread, x, axis=0, reduction="max")
    e = b.op("Exp", b.op("Sub", x, b.op("Gather", most, back, axis=0)), name="exp")
    total = b.op("ScatterElements", b.const(np.zeros((3, 2))), spread, e, axis=0, reduction="add")
    total = b.op("Add", total, b.const(1e-16))
    return b.op("Div", e, b.op("Gather", total, back, axis=0), name="div")


@pytest.mark.parametrize("start", [-np.inf, 0.0])
def test_a_softmax_over_segments_is_proved(start: float) -> None:
    b = Builder()
    graph = b.graph(segment_softmax(b, start=start))
    assert rules(graph, RANGES) == []
    assert run(graph, RANGES).overflows == ()
    low, high = bounds(graph, RANGES)
    assert low == 0
    assert 1 <= high <= 1.5  # the denominator may be denormal as far as bounds go


def test_a_softmax_over_segments_as_torch_exports_it() -> None:
    """``scatter_reduce`` without itself starts at the least float; ``index_select`` reshapes and casts its index."""
    b = Builder()
    x, i = b.input("x", (6, 2)), b.input("i", (6,), "int64")
    spread = b.op("Expand", b.op("Reshape", i, b.const([-1, 1], np.int64)), b.const([6, 2], np.int64))
    least = b.const(np.full((6, 2), np.finfo(np.float32).min))
    start = b.op("ScatterElements", b.const(np.zeros((3, 2))), spread, least, axis=0, reduction="min")
    most = b.op("ScatterElements", start, spread, x, axis=0, reduction="max")

    def selected(of: str) -> str:
        return b.op("Gather", of, b.op("Cast", b.op("Reshape", i, b.const([-1], np.int64)), to=7), axis=0)

    e = b.op("Exp", b.op("Sub", x, selected(most)))
    total = b.op("ScatterElements", b.const(np.zeros((3, 2))), spread, e, axis=0, reduction="add")
    graph = b.graph(b.op("Div", e, selected(b.op("Add", total, b.const(1e-16)))))
    assert rules(graph, RANGES) == []
    assert run(graph, RANGES).overflows == ()
    assert bounds(graph, RANGES)[1] <= 1.5


def test_other_indices_gather_other_segments() -> None:
    b = Builder()
    graph = b.graph(segment_softmax(b, "j", start=0.0))
    assert ("exp-overflow", "exp") in rules(graph, RANGES)


def test_a_segment_is_no_whole() -> None:
    """A maximum over segments gathered in another shape is no maximum over all."""
    b = Builder()
    x, i = b.input("x", (6,)), b.input("i", (6,), "int64")
    most = b.op("ScatterElements", b.const(np.zeros(3)), i, x, axis=0, reduction="max")
    apart = b.op("Sub", x, b.op("Reshape", b.op("Gather", most, i, axis=0), b.const([6, 1], np.int64)))
    assert bounds(b.graph(apart), RANGES)[1] >= 1000


def test_a_sum_of_segments_that_starts_below_zero_bounds_nothing() -> None:
    b = Builder()
    e, i = b.input("e", (6,)), b.input("i", (6,), "int64")
    total = b.op("ScatterElements", b.const(np.full(3, -4.0)), i, e, axis=0, reduction="add")
    graph = b.graph(b.op("Div", e, b.op("Gather", total, i, axis=0), name="div"))
    assert rules(graph, {"e": (0, 5), "i": (0, 2)}) == [("division-by-zero", "div")]


@pytest.mark.parametrize("turned", [False, True])
def test_scaling_to_the_span_stays_between_0_and_1(turned: bool) -> None:
    b = Builder()
    x = b.input("x", (5, 4))
    most, least = b.op("ReduceMax", x, keepdims=0), b.op("ReduceMin", x, keepdims=0)
    above = b.op("Sub", most, x) if turned else b.op("Sub", x, least)
    scaled = b.op("Div", above, b.op("Add", b.op("Sub", most, least), b.const(1e-8)))
    low, high = bounds(b.graph(scaled), {"x": (-100, 100)})
    assert low == 0
    assert high <= 1.001


def test_the_span_of_something_else_bounds_nothing() -> None:
    b = Builder()
    x, y = b.input("x", (4,)), b.input("y", (4,))
    span = b.op("Sub", b.op("ReduceMax", y, keepdims=0), b.op("ReduceMin", y, keepdims=0))
    scaled = b.op("Div", b.op("Sub", x, b.op("ReduceMin", x, keepdims=0)), b.op("Add", span, b.const(1e-8)))
    assert bounds(b.graph(scaled), {"x": (-100, 100), "y": (-100, 100)})[1] > 1e6


@pytest.mark.parametrize(("reach", "fails"), [((-50.0, 0.0), False), ((-50.0, 50.0), True)])
def test_decay_between_falling_running_sums_is_at_most_one(reach: tuple[float, float], fails: bool) -> None:
    b = Builder()
    total = b.op("CumSum", b.input("x", (2, 8)), b.const(1, np.int64))
    last = b.op("Slice", total, *(b.const([v], np.int64) for v in (7, 8, 1)))
    graph = b.graph(b.op("Exp", b.op("Sub", last, total), name="exp"))
    assert bool(rules(graph, {"x": reach})) == fails


@pytest.mark.parametrize("sizes", [np.array([2, 4], np.int64), np.array(3, np.int64), None])
def test_parts_in_a_sequence_keep_shape_and_bounds(sizes: np.ndarray | None) -> None:
    """``split``, ``chunk`` and ``unbind``: of two blocks that were joined only the first is positive."""
    b = Builder()
    x, y = b.input("x", (2, 3)), b.input("y", (4, 3))
    joined = b.op("Concat", x, y, axis=0)
    if sizes is None:
        parts = b.op("SplitToSequence", joined, axis=0, keepdims=0)
    else:
        parts = b.op("SplitToSequence", joined, b.const(sizes, np.int64), axis=0)
    first = b.op("SequenceAt", parts, b.const(0, np.int64))
    graph = b.graph(b.op("Log", first, name="log"))
    found = rules(graph, {"x": (1, 2), "y": (-1, 1)})
    assert found == ([] if sizes is None or sizes.ndim else [("log-of-nonpositive", "log")])


def test_scaled_attention_of_one_projection_is_proved() -> None:
    """Queries, keys and values split out of one tensor: norms of parts bound their quotients."""
    b = Builder()
    parts = b.op("SplitToSequence", b.input("x", (4, 9)), b.const(3, np.int64), axis=1)
    q = b.op("SequenceAt", parts, b.const(1, np.int64))
    again = b.op("SequenceAt", parts, b.const(1, np.int64))
    norm = b.op("Add", b.op("ReduceL2", again, b.const([1], np.int64)), b.const(1e-12))
    low, high = bounds(b.graph(b.op("Div", q, norm)), {"x": (-100, 100)})
    assert low >= -1.01
    assert high <= 1.01


def random_segments(rng: np.random.Generator) -> tuple[Builder, list[str]]:
    """A reduction of rows by an index and what it is compared with; the index that gathers may be another one."""
    b = Builder()
    x, i = b.input("x", (6, 2)), b.input("i", (6,), "int64")
    back = i if rng.random() < 0.7 else b.input("j", (6,), "int64")
    spread = b.op("Expand", b.op("Reshape", i, b.const([-1, 1], np.int64)), b.const([6, 2], np.int64))
    how = str(rng.choice(["max", "min", "add"]))
    start = b.const(np.full((3, 2), rng.choice([0.0, -1.5, 2.0])))
    held = b.op("ScatterElements", start, spread, x, axis=0, reduction=how)
    if rng.random() < 0.5:
        held = b.op("Add", held, b.const(0.25))
    met = b.op("Gather", held, back, axis=0)
    wide = b.op("GatherElements", held, spread, axis=0)
    return b, [met, wide, b.op("Sub", x, met), b.op("Sub", met, x), b.op("Div", x, met), b.op("Div", x, wide)]


def random_running(rng: np.random.Generator) -> tuple[Builder, list[str]]:
    b = Builder()
    x = b.input("x", (6, 2))
    total = b.op("CumSum", x, b.const(0, np.int64), exclusive=int(rng.integers(2)), reverse=int(rng.integers(2)))
    at = int(rng.choice([0, 2, 5]))
    one = b.op("Slice", total, *(b.const([v], np.int64) for v in (at, at + 1, 0)))
    parts = b.op("SplitToSequence", total, b.const(rng.choice([[2, 4], [1, 5]]), np.int64), axis=0)
    part = b.op("SequenceAt", parts, b.const(int(rng.integers(2)), np.int64))
    least, most = b.op("ReduceMin", x, keepdims=0), b.op("ReduceMax", x, keepdims=0)
    span = b.op("Add", b.op("Sub", most, least), b.const(1e-3))
    scaled = [b.op("Div", b.op("Sub", x, least), span), b.op("Div", b.op("Sub", most, x), span)]
    return b, [b.op("Sub", one, total), b.op("Sub", total, one), part, *scaled]


@pytest.mark.parametrize("build", [random_segments, random_running])
def test_real_runs_stay_within_the_bounds(build: Callable[[np.random.Generator], tuple[Builder, list[str]]]) -> None:
    wrong = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        b, outputs = build(rng)
        graph = b.graph(*outputs)
        low = float(rng.choice([-3.0, 0.0, 0.5, -20.0]))
        high = low + float(rng.choice([0.0, 2.0, 3.0, 20.0]))
        ranges = {"x": ValueRange(low, high), "i": ValueRange(0, 2), "j": ValueRange(0, 2)}
        known = analysed(graph, ranges)
        session = engine(graph)
        names = [o.name for o in session.get_outputs()]
        for _ in range(8):
            feeds = {
                v.name: rng.uniform(low, high, (6, 2)).astype(np.float32) if v.name == "x" else rng.integers(0, 3, 6)
                for v in session.get_inputs()
            }
            for name, actual in zip(names, session.run(names, feeds), strict=True):
                value = next(v for v in graph.graph.outputs if v.name == name)
                reason = outside(known.values.get(value), actual)
                if reason and np.isfinite(actual).all():  # what divides by 0 is flagged
                    wrong.append(f"seed {seed}, {name}, x in [{low}, {high}]: {reason}")
    assert not wrong, "\n".join(wrong[:5])
