"""Times of a process from 0 to 1, and covariances: what needs others than the example shows is a warning."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from analyzer.exporting.inside.shown import examples_show
from analyzer.findings import Finding, Level
from analyzer.numerical.confirm.arrangement import semidefinite
from tests.numerical_detection.conftest import blocking, reviewed

MODELS = """
import torch
from torch import nn


class Noised(nn.Module):
    def __init__(self, level):
        super().__init__()
        self.layer, self.level = nn.Linear(3, 3), level

    def forward(self, x, t):
        return self.layer(x) * self.level(t)[:, None]


class Amount(nn.Module):
    def forward(self, x, amount):
        return x * torch.exp(20 * amount)[:, None]


class Spread(nn.Module):
    def __init__(self, spread):
        super().__init__()
        self.layer, self.spread = nn.Linear(3, 3), spread

    def forward(self, x, given):
        return self.layer(x) / self.spread(given)


def moments():
    torch.manual_seed(0)
    return torch.randn(2, 3), torch.tensor([0.2, 0.9])


def covariances():
    torch.manual_seed(0)
    a = torch.randn(2, 3, 3)
    return torch.randn(2, 3), a @ a.mT


def exploding():
    return Noised(lambda t: torch.exp(20 * t)), moments()


def named_otherwise():
    return Amount(), moments()


def at_the_end():
    return Noised(lambda t: 1 / (1 - t)), moments()


def standard_deviation():
    return Spread(lambda c: (c.diagonal(0, -2, -1) + 1e-6).sqrt()), covariances()


def length():
    w = torch.tensor([1.0, -2.0, 1.5])
    return Spread(lambda c: (torch.einsum("i,bij,j->b", w, c, w)[:, None] + 1e-3).sqrt()), covariances()


def unguarded():
    return Spread(lambda c: c.diagonal(0, -2, -1).sqrt()), covariances()


def of_any_matrix():
    torch.manual_seed(0)
    return Spread(lambda c: (c.diagonal(0, -2, -1) + 1e-3).sqrt()), (torch.randn(2, 3), torch.randn(2, 3, 3))
"""
BLOCKS = {
    "exploding": set(),
    "named_otherwise": {"exp-overflow"},
    "at_the_end": {"division-by-zero"},
    "standard_deviation": set(),
    "length": set(),
    "unguarded": {"division-by-zero"},
    "of_any_matrix": {"sqrt-of-negative"},
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Finding, ...]]:
    return reviewed(MODELS, BLOCKS, tmp_path_factory.mktemp("purposes"))


@pytest.mark.parametrize("name", BLOCKS)
def test_what_blocks(found: dict[str, tuple[Finding, ...]], name: str) -> None:
    assert blocking(found[name]) == BLOCKS[name]


def test_what_needs_other_values_is_a_warning(found: dict[str, tuple[Finding, ...]]) -> None:
    for name, given in (("exploding", "t"), ("length", "given")):
        told = [line for f in found[name] if f.level is Level.WARNING for line in f.evidence.sentences]
        assert any(f"`{given}`" in line and "example" in line for line in told)


@pytest.mark.parametrize(
    ("array", "definite"),
    [
        (np.eye(3) * 0.01, True),
        (np.stack([np.cov(np.random.default_rng(s).standard_normal((4, 9))) for s in range(3)]), True),
        (np.ones((2, 2)), False),  # singular: equal numbers may be anything
        (np.array([[1.0, 2], [2, 1]]), False),
        (np.array([[0.0, 0], [0, 1]]), False),  # zeros may be anything
        (np.random.default_rng(0).random((3, 3)), False),
        (np.zeros((2, 2)), False),
        (np.eye(1), False),
        (np.ones((2, 3)), False),
    ],
)
def test_which_examples_are_covariances(array: Any, definite: bool) -> None:
    assert examples_show({"x": array.astype(np.float32)})["definite"] == (["x"] if definite else [])


@pytest.mark.parametrize("seed", range(8))
def test_matrices_become_covariances_inside_the_range(seed: int) -> None:
    rng = np.random.default_rng(seed)
    array = rng.uniform(-5, 5, (3, 4, 4)).astype((np.float32, np.float64)[seed % 2])
    made = semidefinite(array, (-2.0, 2.0))
    assert made.shape == array.shape
    assert made.dtype == array.dtype
    assert bool((made == np.swapaxes(made, -1, -2)).all())
    assert float(np.linalg.eigvalsh(made).min()) >= -1e-5 * float(np.abs(made).max())
    assert float(np.abs(made).max()) <= 2
    assert semidefinite(made, (-2.0, 2.0)) is made  # and stay so
