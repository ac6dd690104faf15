"""A batch of nothing but equal rows, and steps of nothing but 0, are unlike an example; one such row is data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from analyzer.exporting.inside.shown import examples_show
from analyzer.findings import Finding, Level
from analyzer.numerical.confirm.arrangement import alike_in_pairs, evenly, unlike_rows
from tests.numerical_detection.conftest import reviewed

MODELS = '''
import torch
from torch import nn


class Batch(nn.Module):
    """What is computed of the rows that a layer reads."""

    def __init__(self, loss):
        super().__init__()
        self.layer, self.loss = nn.Linear(3, 2), loss

    def forward(self, x):
        return self.loss(x, self.layer(x))


class Times(nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.loss, self.scale = loss, nn.Parameter(torch.ones(2))

    def forward(self, values, times):
        return self.loss(values * self.scale[0], times)


class Pairs(nn.Module):
    """Two batches that one layer reads: pairs of samples."""

    def __init__(self, loss):
        super().__init__()
        self.layer, self.loss = nn.Linear(3, 2), loss

    def forward(self, x, y):
        return self.loss((self.layer(x) - self.layer(y)).abs().sum(1), (x - y).abs().sum(1))


class Rectified(nn.Module):
    """Distances of what rectified units say of a batch; all of them may be off for every sample."""

    def __init__(self, loss):
        super().__init__()
        torch.manual_seed(1)
        self.layer, self.last, self.loss = nn.Linear(3, 24), nn.Linear(24, 2), loss

    def forward(self, x):
        return self.loss(self.layer(x).relu(), self.last)


def rows():
    torch.manual_seed(0)
    return (torch.randn(8, 3),)


def spread_of_the_batch():
    return Batch(lambda x, y: (y / (x - x.mean(0)).abs().sum()).sum()), rows()


def spread_of_each_row():
    return Batch(lambda x, y: (y.sum(1) / (x - x.mean(1, keepdim=True)).abs().sum(1)).sum()), rows()


def spread_of_each_feature():
    return Batch(lambda x, y: y.sum() / (x - x.mean(0)).abs().sum(0).prod()), rows()


def a_pair():
    return Batch(lambda x, y: (y[0] / (x[0] - x[1]).abs().sum()).sum()), rows()


def silence():
    return Batch(lambda x, y: (y.sum(1) / x.abs().sum(1)).sum()), rows()


def pairs():
    torch.manual_seed(0)
    return torch.randn(8, 3), torch.randn(8, 3)


def distances_of_all_pairs():
    return Pairs(lambda given, wanted: (given / wanted.sum()).sum()), pairs()


def distance_of_each_pair():
    return Pairs(lambda given, wanted: (given / wanted).sum()), pairs()


def spread_of_rectified():
    return Rectified(lambda r, last: ((y := last(r)) / (y - y.mean(0)).abs().sum()).sum()), rows()


def each_rectified_unit():
    return Rectified(lambda r, last: (last(r).sum() / r.sum(0)).sum()), rows()


def each_rectified_row():
    return Rectified(lambda r, last: (last(r).sum(1) / r.sum(1)).sum()), rows()


def what_no_layer_reads():
    class Loss(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = nn.Parameter(torch.ones(3))

        def forward(self, signal):
            return (self.scale * signal).sum() / signal.abs().sum()

    return Loss(), rows()


def grid():
    return torch.randn(2, 6), torch.linspace(0, 2, 6)


def first_step():
    return Times(lambda v, t: (v / (t[1] - t[0])).sum()), grid()


def first_step_of_uneven_times():
    torch.manual_seed(0)
    return Times(lambda v, t: (v / (t[1] - t[0])).sum()), (torch.randn(2, 6), torch.rand(6).cumsum(0))


def first_time():
    return Times(lambda v, t: (v / t[0]).sum()), grid()


def a_time_in_the_middle():
    return Times(lambda v, t: (v / (t - 1)).sum()), grid()
'''
LEVELS = {
    "spread_of_the_batch": Level.WARNING,
    "spread_of_each_row": Level.ERROR,
    "spread_of_each_feature": Level.ERROR,
    "a_pair": Level.ERROR,
    "silence": Level.ERROR,
    "spread_of_rectified": Level.WARNING,
    "each_rectified_unit": Level.ERROR,
    "each_rectified_row": Level.ERROR,
    "distances_of_all_pairs": Level.WARNING,
    "distance_of_each_pair": Level.ERROR,
    "what_no_layer_reads": Level.ERROR,
    "first_step": Level.WARNING,
    "first_step_of_uneven_times": Level.ERROR,
    "first_time": Level.ERROR,
    "a_time_in_the_middle": Level.ERROR,
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Finding, ...]]:
    return reviewed(MODELS, LEVELS, tmp_path_factory.mktemp("batches"))


@pytest.mark.parametrize("name", LEVELS)
def test_what_a_batch_of_equal_rows_brings_about_is_a_warning(name: str, found: dict[str, tuple[Finding, ...]]) -> None:
    levels = {f.level for f in found[name] if f.rule == "numerical/division-by-zero"}
    assert levels == {LEVELS[name]}


def test_batches_are_alike_in_pairs_where_most_pairs_are_as_far_apart() -> None:
    rng = np.random.default_rng(0)
    rows = rng.choice([0.0, 100.0], (8, 3))
    assert alike_in_pairs([rows, rows])
    assert alike_in_pairs([rows, 100 - rows])
    other = rng.normal(size=(8, 3))
    assert not alike_in_pairs([rows, other])
    other[:3] = rows[:3]  # equal pairs beside others
    assert not alike_in_pairs([rows, other])
    assert not alike_in_pairs([rows[:3], rows[:3]])


def ends(low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
    return np.asarray(low), np.asarray(high)


def test_most_rows_of_a_batch_are_made_to_differ_and_those_that_do_stay() -> None:
    made = unlike_rows(np.zeros((6, 3), np.float32), "x", ends(-1, 1))
    assert len(np.unique(made, axis=0)) == 5
    assert not made[:2].any()  # an equal pair, a blank row
    assert not made[:, 0].any()  # a constant feature
    assert (unlike_rows(made, "x", ends(-1, 1)) == made).all()
    assert (unlike_rows(np.zeros((3, 3), np.float32), "x", ends(-1, 1)) == 0).all()  # two alike are most of three
    assert (unlike_rows(np.zeros((6, 3), np.float32), "y", ends(-1, 1)) != made).any()


@pytest.mark.parametrize("given", [[0, 0, 0, 0], [0, 0, 1, 3], [5, 1, 1, 1], [0, 1, 2, 3], [1e3, 1e3, 1e3, 1e3]])
@pytest.mark.parametrize("least", [0.5, -0.5, 0.01])
def test_steps_are_made_equal_and_large_enough(given: list[float], least: float) -> None:
    made = evenly(np.array([given], np.float32), 1, least, (-1e3, 1e3))
    steps = np.diff(made.astype(float))
    assert steps == pytest.approx(np.full((1, 3), steps.mean()), rel=2e-3, abs=1e-3)
    assert (np.sign(least) * steps >= 0.98 * abs(least)).all()
    assert (abs(made) <= 1e3).all()
    assert (evenly(made, 1, least, (-1e3, 1e3)) == made).all()


def test_a_range_too_narrow_for_the_steps_of_the_example_keeps_its_numbers() -> None:
    made = evenly(np.zeros(5, np.float32), 0, 1.0, (0.0, 1.0))
    assert made.tolist() == [0, 0.25, 0.5, 0.75, 1]


@pytest.mark.parametrize(
    ("array", "even", "unlike"),
    [
        (np.linspace(0, 2, 24, dtype=np.float32), {"x": [0, pytest.approx(2 / 23)]}, []),
        (np.linspace(0, 2, 3), {}, []),
        (np.tile(np.linspace(1, 0, 5), (2, 1)), {"x": [1, pytest.approx(-0.25)]}, []),
        (np.random.default_rng(0).random((5, 2)), {}, ["x"]),
        (np.random.default_rng(0).random((3, 2)), {}, []),
        (np.arange(10.0).reshape(5, 2), {}, []),  # counts: made up, or classes
        (np.repeat([[0.5, 1.5]], 5, axis=0), {}, []),
        (np.full(6, 0.5), {}, []),
    ],
)
def test_what_an_example_shows_of_its_rows_and_steps(array: Any, even: dict[str, Any], unlike: list[str]) -> None:
    told = examples_show({"x": array})
    assert (told["even"], told["unlike"]) == (even, unlike)
