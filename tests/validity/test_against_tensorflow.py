"""Eight thousand random applications, judged by the types and by TensorFlow and Keras themselves."""

from __future__ import annotations

import os
import random
import warnings
from collections.abc import Callable, Iterator, Sequence

import pytest
from instances import Instance
from tf_instances import KERAS, TF
from tf_oracle import Outputs, ours_keras, ours_tf, run_keras, run_tf

from analyzer.validity.spec import Category, Outcome, Status

SIZE = 1000


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(os.environ, "TF_CPP_MIN_LOG_LEVEL", "3")
    monkeypatch.setitem(os.environ, "KERAS_BACKEND", "tensorflow")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _disagreements(
    seeds: Sequence[int],
    makers: Sequence[Callable[[random.Random], Instance]],
    oracle: Callable[[Instance], Outputs | str],
    ours: Callable[[Instance], Outcome],
) -> tuple[list[object], int, int]:
    found: list[object] = []
    valid = invalid = 0
    for seed in seeds:
        rng = random.Random(seed)
        instance = rng.choice(makers)(rng)
        real, outcome = oracle(instance), ours(instance)
        if isinstance(real, str):
            invalid += 1
            agrees = outcome.status is Status.INVALID
        elif outcome.status is Status.INVALID and outcome.failure is not None:
            category = outcome.failure.rule.category
            agrees = any(0 in s for s, _ in real) and category in (Category.ILLEGAL_SHAPE, Category.ILLEGAL_VALUE)
        else:
            valid += 1
            agrees = outcome.status is Status.VALID and tuple((o.shape, o.dtype) for o in outcome.outputs) == real
        if not agrees:
            found.append((seed, instance, real, outcome.failure.sentence() if outcome.failure else outcome.outputs))
    return found, valid, invalid


@pytest.mark.parametrize("block", range(6))
def test_the_types_agree_with_tensorflow(block: int) -> None:
    """Raw operators: same verdict, shapes and element types; empty results may be illegal shapes (Refty's rule)."""
    found, valid, invalid = _disagreements(range(block * SIZE, (block + 1) * SIZE), TF, run_tf, ours_tf)
    assert not found
    assert min(valid, invalid) > SIZE // 5


@pytest.mark.parametrize("block", range(2))
def test_the_types_agree_with_keras(block: int) -> None:
    """Layers on real tensors."""
    found, valid, invalid = _disagreements(range(block * SIZE, (block + 1) * SIZE), KERAS, run_keras, ours_keras)
    assert not found
    assert min(valid, invalid) > SIZE // 6
