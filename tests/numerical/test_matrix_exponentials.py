"""The exponential of a matrix overflows where the sum of a row's sizes is above 88; what is small is bounded."""

from __future__ import annotations

import numpy as np
import torch
from build import Builder, bounds, run


def exponential(size: float) -> tuple[Builder, str, dict[str, tuple[float, float]]]:
    b = Builder()
    made = b.op("linalg_matrix_exp", b.input("x", (3, 3)), name="exp", domain="torch.aten")
    return b, made, {"x": (-size, size)}


def test_one_that_may_overflow_is_searched_for() -> None:
    b, made, ranges = exponential(40.0)
    assert [w.node.name for w in run(b.graph(made), ranges).overflows] == ["exp"]


def test_a_small_one_is_bounded_and_holds_what_torch_computes() -> None:
    for size in (0.1, 1.0, 20.0):
        b, made, ranges = exponential(size)
        graph = b.graph(made)
        assert not run(graph, ranges).overflows
        low, high = bounds(graph, ranges)
        assert high < np.exp(3 * size) * 1.01
        for seed in range(20):
            x = (2 * torch.rand(3, 3, generator=torch.Generator().manual_seed(seed)) - 1) * size
            for found in (x, torch.full((3, 3), size), torch.full((3, 3), -size)):
                values = torch.linalg.matrix_exp(found)
                assert low <= float(values.min())
                assert float(values.max()) <= high
