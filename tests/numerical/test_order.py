"""Values in order by how they were computed: boxes and their overlaps, shares, with twins that prove nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir
import pytest
from build import Builder, bounds, rules, run
from containment import outside
from programs import session
from test_relations import engine

from analyzer.graph import Graph

SIZES = {"corner": (-100, 100), "size": (0, 50), "other": (-100, 100), "extent": (0, 50)}


def sliced(b: Builder, x: str, start: int) -> str:
    part = b.op("Slice", x, b.const([start], np.int64), b.const([start + 1], np.int64), b.const([1], np.int64))
    return str(b.op("Squeeze", part, b.const([1], np.int64)))


def overlap(*, outer: bool = False, eps: float = 1e-7) -> Graph:
    """The overlap of boxes over their union, as detection losses have it; or what both cover (`outer`)."""
    b = Builder()
    corners = []
    for low, extent in (("corner", "size"), ("other", "extent")):
        x, y = b.input(low, (6, 2)), b.input(extent, (6, 2))
        box = b.op("Concat", x, b.op("Add", x, y), axis=1)
        corners.append([sliced(b, box, i) for i in range(4)])
    first, second = corners
    areas = [b.op("Mul", b.op("Sub", c[2], c[0]), b.op("Sub", c[3], c[1])) for c in corners]
    starts = [b.op("Max", first[i], second[i]) for i in (0, 1)]
    ends = [b.op("Max" if outer else "Min", first[i], second[i]) for i in (2, 3)]
    zero = b.const(0.0)
    sides = [b.op("Max", b.op("Sub", e, s), zero) for e, s in zip(ends, starts, strict=True)]
    shared = b.op("Mul", *sides)
    union = b.op("Sub", b.op("Add", *areas), shared)
    return b.graph(b.op("Div", shared, b.op("Add", union, b.const(eps)), name="ratio"))


def cut(b: Builder, x: str, start: int, end: int) -> str:
    return str(b.op("Slice", x, b.const([start], np.int64), b.const([end], np.int64), b.const([1], np.int64)))


def overlap_by_corners(*, outer: bool = False, one_minus: bool = False) -> Graph:
    """The same with both sides of the overlap computed at once, of two corners, and then told apart."""
    b = Builder()
    boxes = []
    for low, extent in (("corner", "size"), ("other", "extent")):
        x, y = b.input(low, (6, 2)), b.input(extent, (6, 2))
        boxes.append(b.op("Concat", x, b.op("Add", x, y), axis=1))
    zero = b.const(0.0)
    areas = []
    for box in boxes:
        sides = [b.op("Max", b.op("Sub", sliced(b, box, i + 2), sliced(b, box, i)), zero) for i in (0, 1)]
        areas.append(b.op("Mul", *sides))
    low = b.op("Max", *(cut(b, box, 0, 2) for box in boxes))
    high = b.op("Max" if outer else "Min", *(cut(b, box, 2, 4) for box in boxes))
    sides = b.op("Max", b.op("Sub", high, low), zero)
    shared = b.op("Mul", sliced(b, sides, 0), sliced(b, sides, 1))
    union = b.op("Sub", b.op("Add", *areas), shared)
    share = b.op("Div", shared, b.op("Add", union, b.const(1e-7)), name="ratio")
    if not one_minus:
        return b.graph(share)
    return b.graph(b.op("Reciprocal", b.op("Sub", b.const(1.0000002), share), name="inverse"))


@pytest.mark.parametrize("sizes", [(0, 50), (-50, 50)])
def test_an_overlap_is_at_most_its_union_whatever_is_told_apart_first(sizes: tuple[float, float]) -> None:
    ranges = {**SIZES, "size": sizes, "extent": sizes}
    assert bounds(overlap_by_corners(), ranges) == (0, 1)
    assert rules(overlap_by_corners(one_minus=True), ranges) == []


def test_what_both_boxes_cover_may_be_more_than_their_union() -> None:
    assert ("division-by-zero", "inverse") in rules(overlap_by_corners(outer=True, one_minus=True), SIZES)


def test_an_overlap_is_no_larger_than_the_boxes() -> None:
    assert rules(overlap(), SIZES) == []


@pytest.mark.parametrize(("outer", "eps", "least"), [(False, 1e-7, -50), (True, 1e-7, 0), (False, 0.0, 0)])
def test_without_order_the_union_may_be_0(outer: bool, eps: float, least: float) -> None:
    found = rules(overlap(outer=outer, eps=eps), {**SIZES, "extent": (least, 50)})
    assert found == [("division-by-zero", "ratio")]


@pytest.mark.parametrize("seed", range(6))
def test_no_run_leaves_the_bounds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = overlap() if seed % 2 else overlap_by_corners()
    known = run(graph, SIZES, everything=True).values
    session = engine(graph)
    for scale in (1.0, 1e-3, 1e-12, 1e-22):
        feeds = {k: (rng.uniform(lo, hi, (6, 2)) * scale).astype(np.float32) for k, (lo, hi) in SIZES.items()}
        for k in ("corner", "size"):  # equal boxes, flat ones, nested ones
            other = {"corner": "other", "size": "extent"}[k]
            feeds[other][:2] = feeds[k][:2]
        feeds["size"][3] = 0
        (result,) = session.run(None, feeds)
        assert outside(known[graph.graph.outputs[0]], result) == ""


def test_a_share_taken_from_its_whole() -> None:
    b = Builder()
    x, y = b.input("x", (4, 3)), b.input("y", (4, 3))
    graph = b.graph(b.op("Sqrt", b.op("Sub", x, b.op("Mul", x, y)), name="root"))
    assert rules(graph, {"x": (0, 5), "y": (0, 1)}) == []
    assert rules(graph, {"x": (0, 5), "y": (0, 1.01)}) == [("sqrt-of-negative", "root")]
    assert rules(graph, {"x": (-1, 5), "y": (0, 1)}) == [("sqrt-of-negative", "root")]


def test_roundings_of_a_sum_of_positive_products_are_parts_of_it() -> None:
    b = Builder()
    q, k = b.input("q", (12, 16)), b.input("k", (16,))
    graph = b.graph(b.op("Reciprocal", b.op("Einsum", q, k, equation="nd,d->n"), name="scale"))
    assert rules(graph, {"q": (1e-3, 1e4), "k": (1e-2, 1e5)}) == []
    assert rules(graph, {"q": (-1e-3, 1e4), "k": (1e-2, 1e5)}) == [("division-by-zero", "scale")]


def test_what_is_less_than_an_element_is_less_than_the_maximum() -> None:
    """Random features: ``exp(x - g - max x)`` with g that is not negative."""
    b = Builder()
    x, g = b.input("x", (4, 3)), b.input("g", (4, 1))
    most = b.op("ReduceMax", x, b.const([1], np.int64))
    graph = b.graph(b.op("Exp", b.op("Sub", b.op("Sub", x, g), most), name="exp"))
    assert rules(graph, {"x": (-1000, 1000), "g": (0, 500)}) == []
    assert rules(graph, {"x": (-1000, 1000), "g": (-500, 500)}) == [("exp-overflow", "exp")]


def mixture(shares: str = "y") -> Graph:
    b = Builder()
    p, q, y = (b.input(n, (50,)) for n in ("p", "q", "y"))
    rest = b.op("Sub", b.const(1.0), y if shares == "y" else b.input(shares, (50,)))
    mixed = b.op("Add", b.op("Mul", p, y), b.op("Mul", q, rest))
    return b.graph(b.op("Pow", b.op("Sub", b.const(1.0), mixed), b.const(1.5), name="power"))


def test_a_mixture_lies_between_its_parts() -> None:
    shares = {"p": (0, 1), "q": (0, 1), "y": (0, 1)}
    assert rules(mixture(), shares) == []
    assert rules(mixture("z"), {**shares, "z": (0, 1)}) == [("pow-domain", "power")]
    assert rules(mixture(), {**shares, "p": (0, 1.1)}) == [("pow-domain", "power")]
    session = engine(mixture())
    rng = np.random.default_rng(0)
    for _ in range(200):
        feeds = {k: rng.choice([0.0, 1.0, rng.random(), 1 - 2**-24], 50).astype(np.float32) for k in "pq"}
        feeds["y"] = rng.random(50).astype(np.float32)
        assert np.isfinite(session.run(None, feeds)[0]).all()


def chosen(*, strict: bool = True, other: str = "ones") -> Graph:
    """``m x + (1 - m)`` with m = x > 0, as a mask: what is not positive becomes 1."""
    b = Builder()
    x = b.input("x", (50,))
    mask = b.op("Cast", b.op("Greater" if strict else "GreaterOrEqual", x, b.const(0.0)), to=1)
    rest = b.op("Mul", b.op("Sub", b.const(1.0), mask), b.const(1.0) if other == "ones" else b.input(other, (50,)))
    return b.graph(b.op("Log", b.op("Add", b.op("Mul", mask, x), rest), name="log"))


def test_a_mixture_by_a_mask_is_what_the_mask_says() -> None:
    assert rules(chosen(), {"x": (-5, 5)}) == []
    assert rules(chosen(strict=False), {"x": (-5, 5)}) == [("log-of-nonpositive", "log")]
    assert rules(chosen(other="z"), {"x": (-5, 5), "z": (0, 1)}) == [("log-of-nonpositive", "log")]
    assert rules(chosen(other="z"), {"x": (-5, 5), "z": (0.5, 1)}) == []
    x = np.float32([*np.linspace(-5, 5, 46), 0.0, -0.0, 1e-38, -1e-38])
    assert np.isfinite(engine(chosen()).run(None, {"x": x})[0]).all()


def dice(*, given_back: float = 0.5, overlapping: str = "Mul") -> Graph:
    """Sums of scores and labels, with what both have in common taken away and given back."""
    b = Builder()
    p, g = b.input("p", (2, 4096)), b.input("g", (2, 4096))
    axis = b.const([1], np.int64)
    total = {n: b.op("ReduceSum", v, axis, keepdims=0) for n, v in (("p", p), ("g", g))}
    common = b.op("ReduceSum", b.op(overlapping, p, g), axis, keepdims=0)
    half = b.const(given_back)
    parts = [b.op("Mul", b.op("Sub", total[n], common), half) for n in "pg"]
    whole = b.op("Add", b.op("Add", common, parts[0]), parts[1])
    return b.graph(b.op("Div", common, b.op("Add", whole, b.const(1e-7)), name="score"))


def covered(kind: str, *, common: str = "Mul", eps: float = 1e-7, batch: int | str = 2) -> Graph:
    """``sum p + sum q - sum p q``, without sums, or of areas with the smaller sides in common."""
    b = Builder()
    p, q = (b.input(name, (batch, 64 if kind == "sums" else 2)) for name in "pq")
    shared = b.op("Min" if kind == "areas" else common, p, q)
    axis = b.const([1], np.int64)
    if kind != "parts":
        reduce = "ReduceSum" if kind == "sums" else "ReduceProd"
        p, q, shared = (b.op(reduce, v, axis, keepdims=0) for v in (p, q, shared))
    whole = b.op("Sub", b.op("Add", p, q), shared)
    return b.graph(b.op("Div", shared, b.op("Add", whole, b.const(eps)), name="overlap"))


@pytest.mark.parametrize(("kind", "most"), [("sums", 1), ("parts", 1), ("areas", 1000)])
def test_a_union_is_at_least_half_of_both(kind: str, most: float) -> None:
    ranges: dict[str, tuple[float, float]] = {"p": (0, most), "q": (0, most)}
    assert rules(covered(kind), ranges) == []
    assert rules(covered(kind, batch="batch"), ranges) == []  # however many there are, each is a sum of its own
    assert rules(covered(kind, eps=0.0), ranges) == [("division-by-zero", "overlap")]
    assert rules(covered(kind), {**ranges, "q": (-0.1, most)}) == [("division-by-zero", "overlap")]
    if kind == "sums":
        assert rules(covered(kind), {"p": (0, 3), "q": (0, 3)}) == [("division-by-zero", "overlap")]
        assert rules(covered(kind, common="Max"), ranges) == [("division-by-zero", "overlap")]
    session, rng = engine(covered(kind)), np.random.default_rng(0)
    known = run(covered(kind), ranges, everything=True).values
    denominator = next(t for v, t in known.items() if v.producer() is not None and v.producer().op_type == "Sub")
    assert denominator.low > -1e-30
    for scale in (1.0, 1e-3, 1e-20, 1e-39):
        p = (rng.random((2, 64 if kind == "sums" else 2)) * scale * most).astype(np.float32)
        for q in (p, np.full_like(p, most), np.zeros_like(p)):
            assert np.isfinite(session.run(None, {"p": p, "q": q})[0]).all()


def test_what_is_taken_away_and_given_back() -> None:
    ranges = {"p": (0, 1), "g": (0, 1)}
    assert rules(dice(), ranges) == []
    assert rules(dice(given_back=1.0), ranges) == []  # the union of both
    assert rules(dice(given_back=-1.0), ranges) == [("division-by-zero", "score")]
    assert rules(dice(overlapping="Add"), ranges) == []  # half of both remains
    assert rules(dice(overlapping="Add", given_back=1.0), ranges) == [("division-by-zero", "score")]
    assert rules(dice(), {"p": (0, 1), "g": (-0.1, 1)}) == [("division-by-zero", "score")]
    session, rng = engine(dice()), np.random.default_rng(0)
    for scale in (1.0, 1e-3, 1e-8, 1e-20, 1e-39):
        p = (rng.random((2, 4096)) * scale).astype(np.float32)
        for g in (np.ones_like(p), (rng.random(p.shape) > 0.5).astype(np.float32), np.zeros_like(p)):
            (score,) = session.run(None, {"p": p, "g": g})
            assert np.isfinite(score).all()


def united(reduce: str = "ReduceSum", taken: float = 1.0, weights: tuple[float, float] = (1.0, 1.0)) -> Graph:
    """``sum(a p + b g) - c sum(p g)`` as denominators of the Jaccard and Tversky indices have it, p and g shares."""
    b = Builder()
    p, g = b.input("p", (2, 512)), b.input("g", (2, 512))
    axis = b.const([1], np.int64)
    parts = [b.op("Mul", v, b.const(w)) if w != 1 else v for v, w in zip((p, g), weights, strict=True)]
    common = b.op(reduce, b.op("Mul", p, g), axis, keepdims=0)
    both = b.op(reduce, b.op("Add", *parts), axis, keepdims=0)
    rest = b.op("Sub", both, b.op("Mul", common, b.const(taken)))
    return b.graph(b.op("Div", common, b.op("Add", rest, b.const(1e-7)), name="score"))


@pytest.mark.parametrize(
    ("form", "unsafe"),
    [
        ({}, False),
        ({"reduce": "ReduceMean"}, False),
        ({"weights": (0.3, 0.7), "taken": 0.9}, False),
        ({"taken": 1.9}, False),
        ({"taken": 2.0}, True),  # nothing remains where both are the same mask: but for roundings
        ({"taken": 2.5}, True),
        ({"weights": (0.3, 0.7)}, True),  # as above
        ({"weights": (0.3, 0.6)}, True),
        ({"weights": (1.0, -1.0)}, True),
    ],
)
def test_sums_over_axes_are_looked_into(form: dict[str, Any], unsafe: bool) -> None:
    graph, ranges = united(**form), {"p": (0, 1), "g": (0, 1)}
    assert rules(graph, ranges) == ([("division-by-zero", "score")] if unsafe else [])
    assert rules(graph, {"p": (0, 1), "g": (-1, 1)}) == [("division-by-zero", "score")]
    if unsafe:
        return
    session, rng = engine(graph), np.random.default_rng(0)
    for scale in (1.0, 1e-3, 1e-8, 1e-20, 1e-39):
        p = (rng.random((2, 512)) * scale).astype(np.float32)
        for g in (p, np.ones_like(p), (rng.random(p.shape) > 0.5).astype(np.float32), np.zeros_like(p)):
            assert np.isfinite(session.run(None, {"p": p, "g": g})[0]).all()


@pytest.mark.parametrize("least", [0, -0.1])
def test_what_was_found_on_the_way_is_known_later(least: float) -> None:
    """``(1 - (t + e) / (t + 0.3 p + 0.7 q + e)) ** 0.75``: the ratio is at most 1, exactly."""
    b = Builder()
    t, p, q = (b.input(n, (4,)) for n in "tpq")
    whole = b.op("Add", b.op("Add", t, b.op("Mul", p, b.const(0.3))), b.op("Mul", q, b.const(0.7)))
    ratio = b.op("Div", b.op("Add", t, b.const(1e-5)), b.op("Add", whole, b.const(1e-5)))
    graph = b.graph(b.op("Pow", b.op("Sub", b.const(1.0), ratio), b.const(0.75), name="power"))
    found = rules(graph, {"t": (1, 500), "p": (least, 500), "q": (0, 500)})
    assert found == ([("pow-domain", "power")] if least else [])


@pytest.mark.parametrize("sum_of_two", [False, True])
def test_a_part_of_a_whole_leaves_the_rest(sum_of_two: bool) -> None:
    """``s - s p`` of the parameters of a Beta distribution: above 0 where p keeps away from 1."""
    b = Builder()
    s, p = b.input("s", ()), b.input("p", (1000,))
    whole = b.op("Add", s, b.const(1e-3)) if sum_of_two else s
    graph = b.graph(b.op("Log", b.op("Sub", whole, b.op("Mul", p, whole)), name="log"))
    ranges: dict[str, tuple[float, float]] = {"s": (0 if sum_of_two else 1e-3, 100), "p": (0, 0.999)}
    assert rules(graph, ranges) == []
    assert rules(graph, {**ranges, "p": (0, 1)}) == [("log-of-nonpositive", "log")]
    assert rules(graph, {**ranges, "p": (0, 1 - 1e-7)}) == [("log-of-nonpositive", "log")]
    assert rules(graph, {**ranges, "s": (-1, 100)}) == [("log-of-nonpositive", "log")]
    known = run(graph, ranges, everything=True).values
    rest = next(t for v, t in known.items() if v.producer() is not None and v.producer().op_type == "Sub")
    session, rng = engine(graph), np.random.default_rng(0)
    for value in (ranges["s"][0], 1.0, 1 / 3, 100.0):
        shares = np.where(rng.random(1000) < 0.5, 0.999, rng.random(1000) * 0.999).astype(np.float32)
        (result,) = session.run(None, {"s": np.asarray(value, np.float32), "p": shares})
        assert rest.low > 0
        assert np.exp(result.astype(np.float64)).min() >= rest.low * (1 - 1e-6)


def union(*, labels: str = "whole", size: int = 5000, exclusive: int = 0, counted: str = "x") -> Graph:
    """The union in the losses that extend the Jaccard index: all labels and the running sum of what is none."""
    b = Builder()
    if labels == "cast":
        number = b.input("n", (size,), "int64")
        rest = b.op("Sub", b.const(1, np.int64), number if counted == "x" else b.input(counted, (size,), "int64"))
        missing = b.op("CumSum", b.op("Cast", rest, to=1), b.const(0, np.int64), exclusive=exclusive)
        total = b.op("Cast", b.op("ReduceSum", number, keepdims=0), to=1)
        return b.graph(b.op("Reciprocal", b.op("Add", total, missing), name="union"))
    if labels == "whole":
        x = b.op("Cast", b.op("Equal", b.input("c", (size,), "int64"), b.const(1, np.int64)), to=1)
    else:
        x = b.input("x", (size,))
    rest = b.op("Sub", b.const(1.0), x if counted == "x" else b.input(counted, (size,)))
    missing = b.op("CumSum", rest, b.const(0, np.int64), exclusive=exclusive)
    total = b.op("ReduceSum", x, keepdims=0)
    return b.graph(b.op("Reciprocal", b.op("Add", total, missing), name="union"))


def test_a_total_and_the_running_sum_of_what_is_missing() -> None:
    ranges = {"c": (0, 3), "x": (0, 1), "y": (0, 1), "n": (0, 100), "m": (0, 100)}
    unsafe = [("division-by-zero", "union")]
    assert rules(union(), ranges) == []
    assert rules(union(labels="shares", size=60), ranges) == []
    assert rules(union(labels="shares"), ranges) == unsafe  # the roundings of five thousand shares
    assert rules(union(exclusive=1), ranges) == unsafe
    assert rules(union(labels="shares", size=60, counted="y"), ranges) == unsafe
    assert rules(union(labels="shares", size=60), {"x": (-1, 1)}) == unsafe
    assert rules(union(labels="cast"), ranges) == []  # of whole numbers, which are cast where they are summed
    assert rules(union(labels="cast"), {"n": (0, 10_000)}) == unsafe  # sums past what float32 holds exactly
    assert rules(union(labels="cast"), {"n": (-1, 1)}) == unsafe
    assert rules(union(labels="cast", counted="m"), ranges) == unsafe
    rng = np.random.default_rng(0)
    for graph in (union(size=60), union(labels="shares", size=60)):
        (low, high), session = bounds(graph, ranges), engine(graph)
        for ones in (0.0, 0.01, 0.5, 1.0):
            x = (rng.random(60) < ones).astype(np.float32)
            feeds = {i.name: x.astype(np.int64) if i.name == "c" else x for i in session.get_inputs()}
            (result,) = session.run(None, feeds)
            assert low <= result.min() <= result.max() <= high


@pytest.mark.parametrize(("part", "least", "proved"), [(True, 1e-7, True), (False, 1e-7, False), (True, None, True)])
def test_a_share_of_a_whole_that_is_kept_from_0_is_at_most_1(part: bool, least: float | None, proved: bool) -> None:
    """1 - a / max(a + b, eps) to a power: with a clipping that has no greatest number."""
    b = Builder()
    x, y = b.input("corner", (4,)), b.input("size", (4,))
    shown = b.op("Abs", x)
    whole = b.op("Add", shown, y) if part else b.op("Add", y, b.op("Mul", shown, b.const(0.5)))
    kept = b.op("Clip", whole, "" if least is None else b.const(least))
    kept = kept if least is not None else b.op("Add", kept, b.const(1e-7))
    rest = b.op("Sub", b.const(1.0), b.op("Div", shown, kept))
    model = b.graph(b.op("Pow", rest, b.const(1.5)))
    assert rules(model, SIZES) == ([] if proved else [("pow-domain", "Pow_" + str(len(b.nodes) - 1))])


@pytest.mark.parametrize("least", [0, -50])
def test_columns_of_sides_are_sides_of_columns(least: float) -> None:
    """A union from areas of columns, less a product of columns of the sides that both share, all kept from below 0."""
    b = Builder()
    corner, size, other = b.input("corner", (6, 2)), b.input("size", (6, 2)), b.input("other", (6, 4))
    box, axis, zero = b.op("Concat", corner, b.op("Add", corner, size), axis=1), b.const([1], np.int64), b.const(0.0)

    def columns(x: str, first: int) -> str:
        return str(b.op("Slice", x, b.const([first], np.int64), b.const([first + 2], np.int64), axis))

    def column(x: str, place: int) -> str:
        return str(b.op("Gather", x, b.const(place, np.int64), axis=1))

    def area(x: str) -> str:
        sides = [b.op("Max", b.op("Sub", column(x, i + 2), column(x, i)), zero) for i in (0, 1)]
        return str(b.op("Mul", *sides) if least == 0 else sides[0])

    ends, starts = (b.op(how, columns(box, i), columns(other, i)) for how, i in (("Min", 2), ("Max", 0)))
    sides = b.op("Max", b.op("Sub", ends, starts), zero)
    shared = b.op("Mul", column(sides, 0), column(sides, 1))
    union = b.op("Add", b.op("Sub", b.op("Add", area(box), area(other)), shared), b.const(1e-7))
    model = b.graph(b.op("Div", shared, union, name="ratio"))
    assert rules(model, {**SIZES, "size": (0, 50)}) == ([] if least == 0 else [("division-by-zero", "ratio")])


def areas(sizes: int, ends: str = "min") -> Builder:
    """One less the share of two boxes' union, of `sizes` edges each, that they have in common: areas as products."""
    b = Builder()
    edges = {name: b.input(name, (3, sizes)) for name in ("p", "q", "pw", "qw")}
    axis = b.const([1], np.int64)
    last = {name: b.op("Add", edges[name], b.op("Relu", edges[f"{name}w"])) for name in "pq"}
    length = {n: b.op("Relu", b.op("Sub", last[n], edges[n])) for n in "pq"}
    far = b.op("Min", last["p"], last["q"]) if ends == "min" else last["q"]
    both = b.op("Relu", b.op("Sub", far, b.op("Max", edges["p"], edges["q"])))
    area = {n: b.op("ReduceProd", x, axis, keepdims=0) for n, x in (*length.items(), ("both", both))}
    union = b.op("Sub", b.op("Add", area["p"], area["q"]), area["both"])
    share = b.op("Div", area["both"], b.op("Add", union, b.const(1e-7)))
    b.op("Sub", b.const(1.0), share)
    return b


@pytest.mark.parametrize(("sizes", "ends", "known"), [(2, "min", True), (3, "min", False), (2, "last", False)])
def test_areas_as_products_of_two_edges(sizes: int, ends: str, known: bool) -> None:
    """Of three edges a kernel may multiply in another order; the far end of one box is no overlap."""
    b = areas(sizes, ends)
    graph = b.graph(f"v{len(b.nodes) - 1}_0")
    ranges = dict.fromkeys(("p", "q", "pw", "qw"), (-3.0, 3.0))
    assert (bounds(graph, ranges)[0] >= 0) == known
    if known:
        runs, rng = session(ir.to_proto(graph.model), False), np.random.default_rng(0)
        for _ in range(300):
            given = {n: rng.uniform(-3, 3, (3, sizes)).astype(np.float32) for n in ranges}
            given["q"] = np.where(rng.random((3, sizes)) < 0.5, given["p"], given["q"])
            given["qw"] = np.where(rng.random((3, sizes)) < 0.5, given["pw"], given["qw"])
            assert runs.run(None, given)[0].min() >= 0


def centred(way: str, *, kind: str = "ReduceMax", least: bool = False, dtype: str = "float32") -> Graph:
    """What the greatest (least) number of a row is above (below) the middle of its ends, and a guard, divided by."""
    b = Builder()
    x, one = b.input("x", (5, 4), dtype), b.const([1], np.int64)
    top, bottom = b.op("ReduceMax", x, one), b.op(kind if kind != "ReduceMax" else "ReduceMin", x, one)
    number = np.dtype(dtype)
    total = b.op("Add", top, bottom)
    if way == "half":
        middle = b.op("Mul", total, b.const(0.5, number))
    elif way == "first":
        middle = b.op("Mul", b.const(0.5, number), total)
    elif way == "divided":
        middle = b.op("Div", total, b.const(2.0, number))
    else:
        middle = b.op("Mul", total, b.const(0.75, number))
    size = b.op("Sub", middle, bottom) if least else b.op("Sub", top, middle)
    return b.graph(b.op("Div", b.op("Sub", x, middle), b.op("Add", size, b.const(1e-3, number)), name="share"))


@pytest.mark.parametrize("dtype", ["float32", "float16", "float64"])
@pytest.mark.parametrize("least", [False, True])
@pytest.mark.parametrize("way", ["half", "first", "divided"])
def test_the_middle_of_two_ends_lies_between_them(way: str, least: bool, dtype: str) -> None:
    graph = centred(way, least=least, dtype=dtype)
    assert rules(graph, {"x": (-1000, 1000)}) == []
    for scale in (1.0, 1e-4, 1000.0):
        x = np.random.default_rng(0).uniform(-scale, scale, (5, 4)).round(3)
        (result,) = engine(graph).run(None, {"x": np.where(x > 0.9 * scale, scale, x).astype(dtype)})
        assert np.abs(result).max() <= 1.001


@pytest.mark.parametrize("least", [False, True])
def test_what_is_no_middle_may_lie_beyond(least: bool) -> None:
    told = [("division-by-zero", "share")]
    assert rules(centred("three quarters", least=least), {"x": (-1000, 1000)}) == told
    assert rules(centred("half", kind="ReduceSum", least=least), {"x": (-1000, 1000)}) == told
