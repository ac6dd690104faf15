"""Masks of -inf that are added to some rows, one after another, leave the places that all of them leave."""

from __future__ import annotations

import numpy as np
import pytest
from build import Builder, rules
from test_relations import engine

from analyzer.graph import Graph

EMPTY = [("softmax-of-minus-infinity", "attention")]
SCORES = {"scores": (-50.0, 50.0), "more": (-50.0, 50.0)}
INFINITE = -np.inf


def window(size: int, rows: bool, columns: bool) -> np.ndarray:
    """The mask of a shifted window of `size` by `size` places: neither half sees the other, along one axis or both."""
    half = np.arange(size) < size - size // 2
    high, wide = np.repeat(half, size), np.tile(half, size)
    hidden = np.zeros((size**2, size**2), bool)
    if rows:
        hidden |= high[:, None] != high[None, :]
    if columns:
        hidden |= wide[:, None] != wide[None, :]
    return np.where(hidden, INFINITE, 0.0)


def added(b: Builder, scores: str, rows: list[int], mask: str, count: int) -> str:
    """``scores[:, rows] += mask``, as the exporter of PyTorch writes it."""
    part = b.op("Gather", scores, b.const(rows, np.int64), axis=1)
    masked = b.op("Add", part, mask)
    first = b.op("Transpose", scores, perm=[1, 0, 2, 3])
    written = b.op("Transpose", masked, perm=[1, 0, 2, 3])
    places = b.const(np.asarray(rows)[:, None], np.int64)
    return b.op("Transpose", b.op("ScatterND", first, places, written), perm=[1, 0, 2, 3])


def attention(masks: list[np.ndarray], rows: list[list[int]], axis: int = -1, way: str = "") -> Graph:
    """Softmax of scores [2, 4, n, n] of four windows, where each mask is added to some windows."""
    b = Builder()
    n = masks[0].shape[0]
    scores = b.input("scores", (2, 4, n, n))
    for mask, chosen in zip(masks, rows, strict=True):
        scores = added(b, scores, chosen, b.const(mask), 4)
    if way == "turned":
        scores = b.op("Transpose", scores, perm=[0, 1, 3, 2])
    if way == "merged":
        scores = b.op("Reshape", scores, b.const([2, 4, n * n], np.int64))
    if way == "windows":
        scores = b.op("Reshape", scores, b.const([8, n, n], np.int64))
    if way == "divided":
        scores = b.op("Div", scores, b.input("more", (2, 4, n, n)))
    if way == "joined":
        scores = b.op("Concat", scores, b.op("Add", scores, scores), axis=0)
    return b.graph(b.op("Softmax", scores, name="attention", axis=axis))


@pytest.mark.parametrize("way", ["", "windows", "joined"])
def test_two_masks_of_a_shifted_window_leave_something(way: str) -> None:
    masks = [window(4, True, False), window(4, False, True)]
    assert rules(attention(masks, [[2, 3], [1, 3]], way=way), SCORES) == []


@pytest.mark.parametrize("axis", [-1, -2])
def test_two_masks_that_hide_everything_together_are_told(axis: int) -> None:
    first = window(2, True, False)
    other = np.where(np.isfinite(first), INFINITE, 0.0)
    assert rules(attention([first], [[2, 3]], axis), SCORES) == []
    assert rules(attention([first, other], [[2, 3], [1, 3]], axis), SCORES) == EMPTY


@pytest.mark.parametrize("way", ["turned", "merged", "divided"])
def test_what_moves_or_computes_places_proves_nothing(way: str) -> None:
    masks = [window(4, True, False), window(4, False, True)]
    assert "softmax-of-minus-infinity" in [
        rule for rule, _ in rules(attention(masks, [[2, 3], [1, 3]], way=way), SCORES)
    ]


def test_a_mask_along_the_other_axis_hides_whole_rows() -> None:
    mask = np.zeros((4, 4))
    mask[1] = INFINITE
    assert rules(attention([mask], [[3]], -1), SCORES) == EMPTY
    assert rules(attention([mask], [[3]], -2), SCORES) == []


@pytest.mark.parametrize("seed", range(60))
def test_no_random_masks_are_proved_that_hide_a_row(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 5))
    count = int(rng.integers(1, 4))
    masks = [np.where(rng.random((n, n)) < rng.choice([0.2, 0.5, 0.8]), INFINITE, 0.0) for _ in range(count)]
    rows = [sorted(rng.choice(4, int(rng.integers(1, 5)), replace=False).tolist()) for _ in range(count)]
    way = str(rng.choice(["", "turned", "windows", "joined"]))
    graph = attention(masks, rows, int(rng.choice([-1, -2])), way)
    if rules(graph, SCORES):
        return
    run = engine(graph)
    for _ in range(3):
        scores = rng.uniform(-50, 50, (2, 4, n, n)).astype(np.float32)
        (shown,) = run.run(None, {"scores": scores})
        assert np.isfinite(shown).all()
