"""Products of values that have one sign, whichever it is, are not below 0."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from build import Builder, bounds, rules

RANGES = {"x": (-3.0, 3.0), "w": (0.0, 2.0), "y": (-3.0, 3.0)}
Made = Callable[[Builder, str, str], str]


def quantised(b: Builder, x: str, scale: str) -> str:
    """``sign(x) * min(floor(|x| / scale + 0.5), 3)``, as quantisers write it."""
    steps = b.op("Floor", b.op("Add", b.op("Div", b.op("Abs", x), scale), b.const(0.5)))
    return str(b.op("Mul", b.op("Sign", x), b.op("Min", steps, b.const(3.0))))


def power_of_two(made: Made, scale: float = 0.5) -> Builder:
    """The scale of least squares as a power of two: the logarithm of ``mean(x q) / (mean(q²) + c) + c``."""
    b = Builder()
    x = b.input("x", (4, 3))
    q = made(b, x, b.const(scale))
    over = b.op("ReduceMean", b.op("Mul", x, q), keepdims=1)
    under = b.op("Add", b.op("ReduceMean", b.op("Mul", q, q), keepdims=1), b.const(1e-7))
    exact = b.op("Log", b.op("Add", b.op("Div", over, under), b.const(1e-7)), name="log")
    rounded = b.op("Round", b.op("Div", exact, b.const(0.6931472)))
    b.op("Div", x, b.op("Pow", b.const(2.0), rounded), name="div")
    return b


def test_the_scale_of_a_quantiser_is_above_0() -> None:
    assert rules(power_of_two(quantised).graph("v" + str(len(power_of_two(quantised).nodes) - 1) + "_0"), RANGES) == []


def test_of_another_value_it_may_be_anything() -> None:
    def shifted(b: Builder, x: str, scale: str) -> str:
        return quantised(b, b.op("Add", x, b.const(1.0)), scale)

    b = power_of_two(shifted)
    assert ("log-of-nonpositive", "log") in rules(b.graph(f"v{len(b.nodes) - 1}_0"), RANGES)


@pytest.mark.parametrize(
    ("first", "second", "least"),
    [
        (("Sign", "x"), ("x",), 0.0),
        (("Tanh", "x"), ("Sign", "x"), 0.0),
        (("Round", "x"), ("x",), 0.0),
        (("Neg", "x"), ("x",), -9.0),
        (("Sign", "x"), ("y",), -3.0),
        (("Ceil", "x"), ("x",), -9.0),  # of -0.5 it is -0; only bounds are known
        (("Cos", "x"), ("x",), -3.0),
    ],
)
def test_products_of_functions(first: tuple[str, ...], second: tuple[str, ...], least: float) -> None:
    b = Builder()
    names = {n: b.input(n, (2, 3)) for n in ("x", "y")}
    a, c = (names[p[-1]] if len(p) == 1 else b.op(p[0], names[p[-1]]) for p in (first, second))
    assert bounds(b.graph(b.op("Mul", a, c)), RANGES)[0] == pytest.approx(least)


@pytest.mark.parametrize(("operator", "lowest", "safe"), [("Mul", 0.0, True), ("Mul", -1.0, False), ("Div", 0.5, True)])
def test_factors_of_one_sign_keep_it(operator: str, lowest: float, safe: bool) -> None:
    b = Builder()
    x, w = b.input("x", (2, 3)), b.input("w", (3,))
    graph = b.graph(b.op("Mul", b.op(operator, x, w), x))
    assert (bounds(graph, {**RANGES, "w": (lowest, 2.0)})[0] >= 0) == safe
