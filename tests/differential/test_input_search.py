"""Inputs that are moved: to where results are finite, and to where engines differ more."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import cast

import numpy as np

from analyzer.differential.input_search import amplified, finite
from analyzer.differential.inputs import Inputs, InputSet
from analyzer.differential.runner import Case, Runner
from analyzer.differential.verdict import Failure, Kind, Outcome


class Formula:
    """An engine that computes one NumPy formula."""

    def __init__(self, formula: Callable[[np.ndarray], np.ndarray]) -> None:
        self.formula, self.calls = formula, 0

    def replay(self, cases: Sequence[Case], *, state: bool = False) -> list[Outcome]:
        self.calls += 1
        with np.errstate(all="ignore"):
            return [Outcome({"y": self.formula(feeds["x"])}) for feeds, _ in cases]

    def run(self, feeds: Mapping[str, np.ndarray], fetches: object = None, *, state: bool = True) -> Outcome:
        return self.replay([(feeds, None)])[0]


def engine(formula: Callable[[np.ndarray], np.ndarray]) -> Runner:
    return cast(Runner, Formula(formula))


def inputs(values: np.ndarray, **more: np.ndarray) -> Inputs:
    return Inputs((InputSet("given", {"x": values.astype(np.float32), **more}),))


SMALL = np.linspace(-1, 1, 24).reshape(2, 12)


def test_a_search_finds_where_an_engine_goes_wrong() -> None:
    """The engine saturates at 3, where no given input reaches."""
    oracle, wrong = engine(lambda x: x * 2.0), engine(lambda x: np.clip(x, -3, 3) * 2.0)
    found = amplified(inputs(SMALL), [wrong], oracle, rounds=12)
    assert [s.name for s in found.sets] == ["given", "amplified"]
    assert np.abs(found.sets[1].feeds["x"]).max() > 3
    assert "grew to" in found.assumptions[-1]
    assert found.sets[1].feeds["x"].dtype == np.float32


def test_a_search_without_success_adds_nothing() -> None:
    same = engine(np.tanh)
    given = inputs(SMALL)
    assert amplified(given, [same], engine(np.tanh), rounds=4) is given
    integers = Inputs((InputSet("ids", {"x": np.arange(4)}),))
    assert amplified(integers, [same], engine(np.tanh), rounds=4) is integers


def test_a_search_does_not_count_overflow_or_failure() -> None:
    oracle = engine(lambda x: np.where(np.abs(x) > 1.5, np.inf, x))
    wrong = engine(lambda x: np.where(np.abs(x) > 1.5, 0.0, x))
    given = inputs(SMALL)
    assert amplified(given, [wrong], oracle, rounds=12) is given
    failing = Formula(np.tanh)
    failing.replay = lambda cases, state=False: [Outcome(failure=Failure(Kind.CRASH, "no"))] * len(cases)  # type: ignore[method-assign,assignment,misc]
    assert amplified(given, [cast(Runner, failing)], engine(np.tanh), rounds=2) is given


def test_inputs_move_to_where_results_are_finite() -> None:
    overflowing = engine(lambda x: np.exp(x * 30.0).astype(np.float32))
    (moved,) = finite(inputs(SMALL * 5.0), overflowing).sets
    with np.errstate(all="ignore"):
        before = np.isfinite(np.exp(np.float32(SMALL * 5.0) * np.float32(30.0))).mean()
        after = np.isfinite(np.exp(moved.feeds["x"] * np.float32(30.0))).mean()
    assert before < 1.0
    assert after == 1.0
    assert moved.feeds["x"].shape == SMALL.shape


def test_inputs_with_finite_results_stay() -> None:
    given = inputs(SMALL)
    assert finite(given, engine(np.tanh)).sets[0].feeds is given.sets[0].feeds
