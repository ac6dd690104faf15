"""Masks made by ranking, sorting and scattering select something; those that may select nothing are still found."""

from __future__ import annotations

import numpy as np
import pytest
from build import Builder, bounds, rules, run
from containment import outside
from test_relations import engine

from analyzer.graph import Graph

SCORES = {"x": (-100.0, 100.0)}
EMPTY = [("division-by-zero", "share")]
ROWS, COLUMNS = 4, 8


def places(b: Builder, x: str, k: int = COLUMNS, *, axis: int = 1, largest: int = 0) -> str:
    return str(b.op("TopK", x, b.const([k], np.int64), outputs=2, axis=axis, largest=largest)[1])


def shared(b: Builder, mask: str, axes: list[int] | None = None) -> Graph:
    """What is divided by how many places a mask selects."""
    counted = b.op("ReduceSum", b.op("Cast", mask, to=1), *([b.const(axes, np.int64)] if axes else []))
    return b.graph(b.op("Reciprocal", counted, name="share"))


def ranked(compare: str, bound: float, *, rounds: int = 2, keep: int = COLUMNS, axes: tuple[int, ...] = (1,)) -> Graph:
    """A mask of the places whose rank, a sorting of a sorting's places, compares with a bound."""
    b = Builder()
    x = b.input("x", (ROWS, COLUMNS))
    rank = places(b, x, keep)
    if rounds == 2:
        rank = places(b, rank, keep)
    return shared(b, b.op(compare, rank, b.const(bound, np.int64)), list(axes))


@pytest.mark.parametrize(
    ("compare", "bound", "safe"),
    [
        ("Less", 3, True),
        ("Less", 1, True),
        ("Less", 0, False),
        ("LessOrEqual", 0, True),
        ("LessOrEqual", -1, False),
        ("Greater", 6, True),
        ("Greater", 7, False),
        ("GreaterOrEqual", 7, True),
        ("GreaterOrEqual", 8, False),
    ],
)
def test_some_rank_is_below_a_positive_number_and_some_above_the_second_largest(
    compare: str, bound: int, safe: bool
) -> None:
    assert bool(rules(ranked(compare, bound), SCORES)) != safe


def test_a_single_sorting_gives_every_place_once() -> None:
    assert rules(ranked("Less", 3, rounds=1), SCORES) == []
    assert rules(ranked("Less", 3, axes=(0, 1)), SCORES) == []


def test_the_first_of_a_sorting_and_other_axes_prove_nothing() -> None:
    assert rules(ranked("Less", 3, keep=4, rounds=1), SCORES) == EMPTY  # the four least may stand at other places
    assert rules(ranked("Less", 3, axes=(0,)), SCORES) == EMPTY


def test_the_complement_of_a_ranking_is_known_as_well() -> None:
    def kept(bound: int, *, twice: bool = False) -> Graph:
        b = Builder()
        rank = places(b, b.input("x", (ROWS, COLUMNS)))
        mask = b.op("Cast", b.op("Less", rank, b.const(bound, np.int64)), to=1)
        left = b.op("Sub", b.const(1.0), mask)
        return shared(b, b.op("Mul", left, mask) if twice else left, [1])

    assert rules(kept(3), SCORES) == []
    assert rules(kept(COLUMNS), SCORES) == EMPTY
    assert rules(kept(3, twice=True), SCORES) == EMPTY


def scattered(k: int, *, zeros: int = COLUMNS, rows: int = ROWS, update: float = 1.0, left: bool = False) -> Graph:
    """A mask with `update` at the k largest of each of some rows."""
    b = Builder()
    x = b.input("x", (ROWS, COLUMNS))
    chosen = b.op("Slice", places(b, x, k, largest=1), b.const([0], np.int64), b.const([rows], np.int64))
    updates = b.const(np.full((rows, k), update))
    mask = b.op("ScatterElements", b.const(np.zeros((ROWS, zeros))), chosen, updates, axis=1)
    return shared(b, b.op("Sub", b.const(1.0), mask) if left else mask, [1])


def test_a_mask_scattered_to_the_largest_is_not_empty() -> None:
    assert rules(scattered(3), SCORES) == []
    assert rules(scattered(1), SCORES) == []
    assert rules(scattered(3, left=True), SCORES) == []
    assert rules(scattered(3, update=0.0), SCORES) == EMPTY
    assert rules(scattered(3, rows=2), SCORES) == EMPTY  # the other rows receive nothing
    assert rules(scattered(COLUMNS, left=True), SCORES) == EMPTY


def assigned(*, rows: bool = False, axes: tuple[int, ...] = (0, 1), left: bool = False, at: int = 4) -> Graph:
    """``mask[places] = 0`` by indices, of columns or of rows and columns."""
    b = Builder()
    x = b.input("x", (ROWS, COLUMNS))
    chosen = places(b, x, at)
    mask: str = b.const(np.zeros((ROWS, COLUMNS)) if not left else np.ones((ROWS, COLUMNS)))
    index = b.op("Unsqueeze", chosen, b.const([-1], np.int64))
    if rows:
        numbers = b.op(
            "Expand", b.const(np.arange(ROWS).reshape(ROWS, 1, 1), np.int64), b.const([ROWS, at, 1], np.int64)
        )
        index = b.op("Concat", numbers, index, axis=-1)
        updates = b.const(np.full((ROWS, at), 0.0 if left else 1.0))
        return shared(b, b.op("ScatterND", mask, index, updates), list(axes))
    first = b.op("Reshape", b.op("Gather", index, b.const(0, np.int64), axis=0), b.const([at, 1], np.int64))
    turned = b.op("Transpose", mask, perm=[1, 0])
    updates = b.const(np.full((at, ROWS), 0.0 if left else 1.0))
    return shared(b, b.op("Transpose", b.op("ScatterND", turned, first, updates), perm=[1, 0]), list(axes))


def test_a_mask_assigned_to_at_indices_is_not_empty() -> None:
    assert rules(assigned(rows=True), SCORES) == []
    assert rules(assigned(axes=(1,)), SCORES) == []
    assert rules(assigned(axes=(1,), left=True), SCORES) == []  # four of eight are left
    assert rules(assigned(axes=(0,)), SCORES) == EMPTY
    assert rules(assigned(axes=(1,), left=True, at=COLUMNS), SCORES) == EMPTY


def shuffled(*, axis: int = 1, whole: bool = True) -> Graph:
    """A mask whose first half is 0, put into a random order (as a masked autoencoder does)."""
    b = Builder()
    x = b.input("x", (ROWS, COLUMNS))
    order = places(b, places(b, x)) if whole else places(b, x, 4)
    none = b.const(np.zeros((4, ROWS)))
    mask: str = b.op("ScatterND", b.const(np.ones((COLUMNS, ROWS))), b.const([[0], [1], [2], [3]], np.int64), none)
    return shared(b, b.op("GatherElements", b.op("Transpose", mask, perm=[1, 0]), order, axis=axis), [1])


def test_another_order_of_a_mask_holds_the_same() -> None:
    assert rules(shuffled(), SCORES) == []
    assert rules(shuffled(whole=False), SCORES) == EMPTY


def above_the_kth(compare: str, *, index: int = 2, other: bool = False, gathered: bool = False) -> Graph:
    """A mask of what reaches the third largest of its row."""
    b = Builder()
    x = b.input("x", (ROWS, COLUMNS))
    ranked, _ = b.op("TopK", x, b.const([4], np.int64), outputs=2, axis=1)
    if gathered:
        threshold = b.op("Unsqueeze", b.op("Gather", ranked, b.const(index, np.int64), axis=1), b.const([1], np.int64))
    else:
        ends = ([index], [index + 1], [1])
        threshold = b.op("Slice", ranked, *(b.const(e, np.int64) for e in ends))
    return shared(b, b.op(compare, b.op("Neg", x) if other else x, threshold), [1])


@pytest.mark.parametrize("gathered", [False, True])
def test_what_is_sorted_out_of_a_row_is_one_of_it(gathered: bool) -> None:
    assert rules(above_the_kth("GreaterOrEqual", gathered=gathered), SCORES) == []
    assert rules(above_the_kth("LessOrEqual", gathered=gathered), SCORES) == []
    assert rules(above_the_kth("Equal", gathered=gathered), SCORES) == []
    assert rules(above_the_kth("Greater", gathered=gathered), SCORES) == EMPTY
    assert rules(above_the_kth("GreaterOrEqual", other=True, gathered=gathered), SCORES) == EMPTY


def test_a_value_of_another_row_is_no_threshold_of_this_one() -> None:
    b = Builder()
    x = b.input("x", (ROWS, COLUMNS))
    ranked, _ = b.op("TopK", x, b.const([4], np.int64), outputs=2, axis=1)
    threshold = b.op("Slice", ranked, b.const([0, 2], np.int64), b.const([1, 3], np.int64))
    assert rules(shared(b, b.op("GreaterOrEqual", x, threshold), [1]), SCORES) == EMPTY


def selected(bound: int, *last: int) -> Graph:
    """The mean of what a ranking selects, of elements or of vectors."""
    b = Builder()
    x = b.input("x", (ROWS, COLUMNS))
    mask = b.op("Less", places(b, x), b.const(bound, np.int64))
    index = b.op("Transpose", b.op("NonZero", mask), perm=[1, 0])
    found = b.op("GatherND", b.input("y", (ROWS, COLUMNS, *last)) if last else x, index)
    return b.graph(b.op("ReduceMean", b.op("Mul", found, b.const(2.0)), name="mean"))


def test_the_mean_of_what_a_ranking_selects_is_of_something() -> None:
    assert rules(selected(3), SCORES) == []
    assert rules(selected(0), SCORES) == [("empty-mean", "mean")]
    assert rules(selected(3, 3), {**SCORES, "y": (-1, 1)}) == []
    assert rules(selected(3, 0), {**SCORES, "y": (-1, 1)}) == [("empty-mean", "mean")]


def several_hot(*, axes: tuple[int, ...] = (1,)) -> Graph:
    """One-hot rows of the two largest, added up."""
    b = Builder()
    first = b.op("Unsqueeze", places(b, b.input("x", (ROWS, COLUMNS)), 2), b.const([-1], np.int64))
    rows = b.op("Cast", b.op("Equal", first, b.const(np.arange(COLUMNS), np.int64)), to=7)
    added = b.op("ReduceSum", rows, b.const([1], np.int64), keepdims=0)
    return shared(b, added, list(axes))


def test_added_one_hot_rows_keep_their_peaks() -> None:
    assert rules(several_hot(), SCORES) == []
    assert rules(several_hot(axes=(0,)), SCORES) == EMPTY


def test_a_peak_among_negative_numbers_says_nothing_of_their_sum() -> None:
    b = Builder()
    x = b.input("x", (ROWS, COLUMNS))
    written = b.op("ScatterElements", x, places(b, x, 1), b.const(np.full((ROWS, 1), 2.0)), axis=1)
    low, _ = bounds(b.graph(b.op("ReduceSum", written, b.const([1], np.int64))), {"x": (-3, 3)})
    assert low <= 2 - 3 * (COLUMNS - 1)


@pytest.mark.parametrize(
    "graph",
    [
        ranked("Less", 3),
        ranked("Greater", 6),
        scattered(3),
        scattered(3, left=True),
        assigned(rows=True),
        assigned(axes=(1,), left=True),
        shuffled(),
        above_the_kth("GreaterOrEqual"),
        above_the_kth("LessOrEqual", gathered=True),
        several_hot(),
    ],
)
def test_no_run_leaves_the_bounds(graph: Graph) -> None:
    found, session, rng = run(graph, {"x": (-30, 30)}, everything=True).values, engine(graph), np.random.default_rng(5)
    for scale in (30.0, 1.0, 0.0):
        for _ in range(5):
            x = np.rint(rng.uniform(-scale, scale, (ROWS, COLUMNS))).astype(np.float32)  # with equal scores
            (result,) = session.run(None, {"x": x})
            assert outside(found[graph.graph.outputs[0]], result) == ""


def masked_labels(bound: float, *, ignored: int = -1, filler: int = -1) -> Graph:
    """The mean loss of the labels whose rank is below a bound; the others are ignored."""
    b = Builder()
    rank = places(b, b.input("x", (ROWS, COLUMNS)))
    chosen = b.op("Less", b.op("Cast", rank, to=1), b.const(np.full((ROWS, 1), bound)))
    labels = b.op("Where", chosen, b.input("labels", (ROWS, COLUMNS), "int64"), b.const(filler, np.int64))
    return b.graph(b.op("SoftmaxCrossEntropyLoss", b.input("scores", (ROWS, 3, COLUMNS)), labels, ignore_index=ignored))


@pytest.mark.parametrize(
    ("bound", "least", "safe"), [(1, 0, True), (3, 0, True), (0, 0, False), (0.5, 0, True), (1, -1, False)]
)
def test_a_mean_over_the_labels_of_some_rank_is_one_of_something(bound: float, least: int, safe: bool) -> None:
    """Unless no rank is below the bound, or a label may be the ignored number itself."""
    graph = masked_labels(bound)
    found = [rule for rule, _ in rules(graph, {**SCORES, "labels": (least, 2), "scores": (-5, 5)})]
    assert found == ([] if safe else ["empty-mean"])
    rng = np.random.default_rng(3)
    x, scores = (rng.normal(size=size).astype(np.float32) for size in ((ROWS, COLUMNS), (ROWS, 3, COLUMNS)))
    (mean,) = engine(graph).run(None, {"x": x, "labels": np.full((ROWS, COLUMNS), least), "scores": scores})
    assert bool(np.isfinite(mean)) or not safe
    assert safe or mean == 0 or np.isnan(mean)


@pytest.mark.parametrize(
    ("how", "safe"),
    [("logits", True), ("parts", True), ("int32", True), ("least", False), ("others", False), ("columns", False)],
)
def test_the_greatest_parts_of_a_softmax_do_not_add_up_to_0(how: str, safe: bool) -> None:
    """As a mixture of experts shares its weights; the least parts, those of other logits and of columns may be 0."""
    b = Builder()
    x = b.input("x", (ROWS, COLUMNS))
    parts = b.op("Softmax", x, axis=1)
    ranked = b.input("y", (ROWS, COLUMNS)) if how == "others" else parts if how == "parts" else x
    axis = 0 if how == "columns" else 1
    chosen = places(b, ranked, 2, axis=axis, largest=int(how != "least"))
    if how == "int32":
        chosen = b.op("Cast", chosen, to=6)
    total = b.op("ReduceSum", b.op("GatherElements", parts, chosen, axis=axis), b.const([axis], np.int64), keepdims=0)
    graph = b.graph(total, b.op("Reciprocal", total, name="share"))
    ranges = {**SCORES, **({"y": (-9.0, 9.0)} if how == "others" else {})}
    assert rules(graph, ranges) == ([] if safe else EMPTY)
    found = run(graph, {**ranges}, everything=True).values[graph.graph.outputs[0]]
    rng = np.random.default_rng(4)
    for scale in (0.0, 1.0, 100.0):
        given = {name: (scale * rng.uniform(-1, 1, (ROWS, COLUMNS))).astype(np.float32) for name in ranges}
        assert outside(found, engine(graph).run(None, given)[0]) == ""
