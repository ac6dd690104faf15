"""Quotients of polynomials that share their variables."""

from __future__ import annotations

import numpy as np
import pytest
from build import Builder, bounds
from hypothesis import given
from hypothesis import strategies as st
from test_relations import engine

from analyzer.graph import Graph

RANGES = {"h": (0.0, 7.0), "s": (1e-3, 1e4), "a": (1e-3, 1e5), "c": (1e-3, 1e5), "t": (0.0, 1.0)}


def quotient(*, twice: float = 2.0, square: bool = True, extra: float = 0.0) -> Graph:
    """``h (s t² + a t (1 - t)) / (s + (a + c - 2 s) t (1 - t))``."""
    b = Builder()
    h, s, a, c, t = (b.input(name, (6,)) for name in "hsact")
    both = b.op("Mul", t, b.op("Sub", b.const(1.0), t))
    above = b.op("Add", b.op("Mul", s, b.op("Mul", t, t) if square else t), b.op("Mul", a, both))
    if extra:
        above = b.op("Add", above, b.const(extra))
    below = b.op("Sub", b.op("Add", a, c), b.op("Mul", s, b.const(twice)))
    below = b.op("Add", s, b.op("Mul", below, both))
    return b.graph(b.op("Div", b.op("Mul", h, above), below, name="quotient"))


def test_the_quotient_of_a_part_is_at_most_its_factor() -> None:
    low, high = bounds(quotient(), RANGES)
    assert low == 0
    assert 7.0 <= high < 7.01


@pytest.mark.parametrize(
    ("graph", "changed"),
    [
        (quotient(square=False), {}),  # s t is more than s (1 - 2 t (1 - t)) in the middle
        (quotient(extra=1.0), {}),
        (quotient(twice=8.0), {}),  # the denominator may be 0
        (quotient(), {"t": (0.0, 1.5)}),
        (quotient(), {"a": (-1.0, 1.0)}),
        (quotient(), {"s": (0.0, 1.0), "a": (0.0, 1.0)}),  # 0 / 0
    ],
)
def test_what_is_no_part_has_no_such_bound(graph: Graph, changed: dict[str, tuple[float, float]]) -> None:
    assert bounds(graph, {**RANGES, **changed})[1] > 100.0


@given(seed=st.integers(0, 2**32 - 1))
def test_no_run_exceeds_it(seed: int) -> None:
    graph, rng = quotient(), np.random.default_rng(seed)
    low, high = bounds(graph, RANGES)
    feeds = {}
    for name, (least, most) in RANGES.items():
        drawn = np.exp(rng.uniform(np.log(max(least, 1e-7)), np.log(most), 6))
        drawn[rng.uniform(size=6) < 0.3] = rng.choice([least, most])
        feeds[name] = np.clip(1 - drawn if name == "t" and rng.uniform() < 0.5 else drawn, least, most).astype(
            np.float32
        )
    (result,) = engine(graph).run(None, feeds)
    assert low <= result.min() <= result.max() <= high
