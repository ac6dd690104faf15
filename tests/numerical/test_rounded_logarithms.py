"""A rounded logarithm of 0 that a maximum bounds reaches nothing: so is the number of squarings counted."""

from __future__ import annotations

import pytest
import tensorflow as tf
import torch
from build import Builder, run


def told(domain: str, rounding: str, *, bounded: bool = True) -> list[str]:
    """The warnings for maximum(round(log(|x|)), 0) of a weightless model."""
    b = Builder()
    made = b.op(rounding, b.op("Log", b.op("Abs", b.input("x", (3,)), domain=domain), domain=domain), domain=domain)
    if bounded:
        made = b.op("Maximum" if domain == "tf" else "Max", made, b.const(0), domain=domain)
    return [w.rule.removeprefix("numerical/") for w in run(b.graph(made), {"x": (-10.0, 10.0)}).warnings]


@pytest.mark.parametrize("rounding", ["Floor", "Ceil", "Round"])
def test_a_bound_behind_a_rounding_excuses(rounding: str) -> None:
    assert not told("tf", rounding)
    assert told("tf", rounding, bounded=False) == ["log-of-nonpositive"]


def test_the_gradient_of_a_rounding_is_0_in_pytorch_and_none_in_tensorflow() -> None:
    assert told("", "Floor") == ["where-leaks-nan-gradient"]
    x = torch.zeros(1, requires_grad=True)
    torch.floor(torch.log(x)).clamp_min(0).sum().backward()
    assert x.grad is not None
    assert x.grad.isnan().all()
    variable = tf.Variable([0.0])
    with tf.GradientTape() as tape:
        made = tf.maximum(tf.floor(tf.math.log(variable)), 0.0)
    assert tape.gradient(made, variable) is None
