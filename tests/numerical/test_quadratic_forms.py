"""``x @ x`` and ``x @ (M @ x)`` of a definite M are not negative; roots over scaled squares; sums of probabilities."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from build import Builder, bounds, rules


def form(jitter: float, *, same: bool = True, flipped: bool = False, symmetric: bool = True) -> tuple[float, float]:
    b = Builder()
    w, x, y = b.input("w", (4, 4)), b.input("x", (4,)), b.input("y", (4,))
    gram = b.op("MatMul", w, b.op("Transpose", w, perm=[1, 0]) if symmetric else w)
    matrix = b.op("Add", gram, b.const(np.eye(4) * jitter)) if jitter else gram
    made = b.op("MatMul", x, matrix) if flipped else b.op("MatMul", matrix, x)
    left = x if same else y
    return bounds(b.graph(b.op("MatMul", *((made, left) if flipped else (left, made)))), dict.fromkeys("wxy", (-5, 5)))


@pytest.mark.parametrize("flipped", [False, True])
def test_a_form_of_a_definite_matrix_is_not_negative(flipped: bool) -> None:
    assert -1e-30 < form(1.0, flipped=flipped)[0] <= 0
    for seed in range(300):
        generator = torch.Generator().manual_seed(seed)
        size = 10.0 ** float(torch.randint(-20, 1, (), generator=generator))
        w = torch.randn(4, 4, generator=generator).clamp(-5, 5)
        w[1:] = w[0]
        x = torch.randn(4, generator=generator).clamp(-5, 5) * size
        matrix = w @ w.t() + torch.eye(4)
        assert float(x @ (matrix @ x)) >= -1e-30


@pytest.mark.parametrize(("jitter", "same", "symmetric"), [(0.0, True, True), (1.0, False, True), (1.0, True, False)])
def test_others_may_be(jitter: float, same: bool, symmetric: bool) -> None:
    assert form(jitter, same=same, symmetric=symmetric)[0] < -1e-6


@pytest.mark.parametrize("other", [False, True])
def test_a_vector_times_itself_is_not_negative(other: bool) -> None:
    b = Builder()
    x, y = b.input("x", (4,)), b.input("y", (4,))
    below = b.op("Add", b.op("MatMul", x, y if other else x), b.const(1e-6))
    found = rules(b.graph(b.op("Div", b.const(1.0), below)), {"x": (-9, 9), "y": (-9, 9)})
    assert [r for r, _ in found] == (["division-by-zero"] if other else [])


@pytest.mark.parametrize(
    ("inside", "outside", "safe"), [(4.0, 2.0, True), (16.0, 4.0, True), (4.0, 4.0, False), (9.0, 3.0, False)]
)
def test_a_root_over_a_scaled_square_is_no_less_than_the_number_scaled(
    inside: float, outside: float, safe: bool
) -> None:
    """Scaled by a power of two, which rounds nothing."""
    b = Builder()
    x = b.input("x", (4,))
    square = b.op("Mul", b.op("Pow", x, b.const(2.0)), b.const(inside))
    root = b.op("Sqrt", b.op("Add", square, b.const(4.0)))
    low, _ = bounds(b.graph(b.op("Sub", root, b.op("Mul", x, b.const(outside)))), {"x": (1, 1e4)})
    assert (low >= 0) == safe
    if safe:
        given = np.linspace(1, 1e4, 10_001, dtype=np.float32)
        made = np.sqrt(np.square(given) * np.float32(inside) + np.float32(4)) - given * np.float32(outside)
        assert made.min() >= low


@pytest.mark.parametrize(("size", "safe"), [(100.0, True), (1e12, False)])
def test_some_class_has_a_probability_that_counts(size: float, safe: bool) -> None:
    """What softmax makes of any scores adds up to 1, and each is weighed by 1 at least; enormous scores are rounded."""
    b = Builder()
    x, weight = b.input("x", (4, 3)), b.input("weight", (4, 3))
    share = b.op("Mul", b.op("Exp", b.op("LogSoftmax", x, axis=1)), weight)
    graph = b.graph(b.op("Log", b.op("ReduceSum", share, b.const([1], np.int64), keepdims=0)))
    assert (rules(graph, {"x": (-size, size), "weight": (1, 9)}) == []) == safe
    assert rules(graph, {"x": (-size, size), "weight": (0, 9)}) != []
