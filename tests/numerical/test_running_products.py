"""Running products of elements that are known one by one: what is left of a signal after each step of a diffusion."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
from build import Builder, rules, run

from analyzer.graph import Graph

BETAS = np.linspace(1e-3, 0.2, 10).astype(np.float32)


def products(factors: np.ndarray, axis: int = 0, **attributes: bool) -> tuple[Graph, str]:
    b = Builder()
    made = b.op("Cumprod", b.const(factors), b.const(axis, np.int32), domain="tf", name="kept", **attributes)
    return b.graph(b.op("Log", b.op("Sub", b.const(1.0), made), name="log")), made


@pytest.mark.parametrize(
    ("factors", "attributes", "safe"),
    [
        (1 - BETAS, {}, True),
        (1 - BETAS, {"exclusive": True}, False),  # the first product is that of nothing
        (np.concatenate([[1.0], 1 - BETAS]).astype(np.float32), {}, False),
        (-(1 - BETAS), {}, True),
    ],
)
def test_what_is_taken_away_from_the_first_step_on_is_not_0(
    factors: np.ndarray, attributes: dict[str, bool], safe: bool
) -> None:
    graph, _ = products(factors, **attributes)
    told = rules(graph, {})
    made = np.log(1 - tf.math.cumprod(factors, **attributes).numpy())
    assert bool(np.isfinite(made).all()) == safe
    assert safe or told == [("log-of-nonpositive", "log")]
    assert (told == []) == (safe and factors[0] > 0)


@pytest.mark.parametrize("seed", range(6))
def test_no_run_leaves_the_bounds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    factors = (rng.uniform(0, 2, (6, 3)) * 10.0 ** rng.integers(-9, 2, (6, 3))).astype(np.float32)
    axis = seed % 2
    graph, _ = products(factors, axis)
    found = next(
        t for v, t in run(graph, {}).values.items() if v.producer() is not None and v.producer().name == "kept"
    )
    made = tf.math.cumprod(factors, axis).numpy()
    assert (made >= np.broadcast_to(found.lo, made.shape)).all()
    assert (made <= np.broadcast_to(found.hi, made.shape)).all()
