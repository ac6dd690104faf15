"""Functions of what is infinite have no bound that is no number: exp(log_sigmoid(1 / x)) lies in [0, 1]."""

from __future__ import annotations

import numpy as np
import pytest
from build import Builder, bounds, rules, run

FUNCTIONS = ("Softplus", "Sigmoid", "Tanh", "Atan", "Erf", "Exp", "Elu", "Relu", "Selu", "Celu", "Asinh", "HardSigmoid")


def _behind_a_quotient(function: str) -> tuple[Builder, str]:
    b = Builder()
    x = b.input("x", (4,))
    return b, b.op(function, b.op("Neg", b.op("Div", b.const(1.0), x, name="div")))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_bounds_behind_an_infinity_are_numbers(function: str) -> None:
    b, made = _behind_a_quotient(function)
    found = run(b.graph(b.op("Tanh", made)), {"x": (-100, 100)})
    assert not [v for v in found.values.values() if np.isnan(v.low) or np.isnan(v.high)]


def test_the_exponential_of_a_log_sigmoid_never_overflows() -> None:
    b, made = _behind_a_quotient("Softplus")
    graph = b.graph(b.op("Exp", b.op("Neg", made), name="exp"))
    assert "exp" not in [node for _, node in rules(graph, {"x": (-100, 100)})]
    assert bounds(graph, {"x": (-100, 100)}) == (0, 1)


def test_the_exponential_of_a_softplus_overflows() -> None:
    b, made = _behind_a_quotient("Softplus")
    assert ("exp-overflow", "exp") in rules(b.graph(b.op("Exp", made, name="exp")), {"x": (-100, 100)})
