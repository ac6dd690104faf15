"""Overlaps over sums of squares, as Dice losses have them, with twins whose quotient is not bounded by 1."""

from __future__ import annotations

import numpy as np
import pytest
from build import Builder, bounds

from analyzer.graph import Graph

RANGES = {"p": (-3, 3), "q": (-3, 3), "shares": (0, 1), "labels": (0, 1)}


def dice(case: str = "", eps: float = 1e-5) -> Graph:
    """(2 Σ p q + eps) / (Σ p² + Σ q² + eps) over the last axis."""
    b = Builder()
    sides = ("shares", "labels") if case in ("sums", "one sum", "other places") else ("p", "q")
    if case == "wide sums":
        sides = ("p", "q")
    p, q = (
        b.op("Sigmoid", b.input(s, (2, 40))) if s in ("p", "q") and case != "signed" else b.input(s, (2, 40))
        for s in sides
    )
    axis = b.const([1], np.int64)

    def total(x: str) -> str:
        return str(b.op("ReduceSum", x, axis, keepdims=0))

    shared = total(b.op("Mul", p, q))
    if case == "signed":
        shared = b.op("Abs", shared)
    left = b.op("Mul", p, p)
    right = b.op("Pow", q, b.const(2.0)) if case != "other places" else b.op("Mul", p, p)
    if case == "sums":
        left, right = p, q
    if case == "one sum":
        right = q
    parts = b.op("Add", total(left), total(right))
    twice = b.op("Mul", shared, b.const(2.5 if case == "more" else 2.0))
    above = b.op("Add", twice, b.const(eps * (10 if case == "larger constant" else 1)))
    below = b.op("Clip", parts, b.const(1e-6)) if case == "clipped" else b.op("Add", parts, b.const(eps))
    return b.graph(b.op("Div", twice if case == "clipped" else above, below))


@pytest.mark.parametrize("case", ["", "sums", "one sum", "clipped"])
def test_an_overlap_is_at_most_1(case: str) -> None:
    low, high = bounds(dice(case), RANGES)
    assert low >= 0
    assert high == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("case", ["other places", "more", "larger constant"])
def test_what_is_no_such_overlap(case: str) -> None:
    assert bounds(dice(case), RANGES)[1] > 1.05


@pytest.mark.parametrize("seed", range(4))
def test_no_quotient_is_above_its_bound(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for case in ("", "one sum"):
        _, high = bounds(dice(case), RANGES)
        for scale in (1.0, 1e-3, 1e-15, 1e-19, 1e-22):
            p = (rng.random((50, 40)) * scale).astype(np.float32)
            q = np.where(rng.random((50, 40)) < 0.5, p, np.nextafter(p, np.float32(2)))
            square = q if case == "one sum" else q * q
            eps = np.float32(1e-5)
            above, below = 2 * (p * q).sum(1) + eps, (p * p).sum(1) + square.sum(1) + eps
            assert float((above / below).max()) <= high
