"""Eight thousand random applications, judged by the types and by TensorFlow and Keras themselves."""

from __future__ import annotations

import os
import random
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from instances import Instance
from tf_instances import KERAS, TF
from tf_oracle import Outputs, ours_keras, ours_tf, run_keras, run_tf

from analyzer.validity.spec import Category, CheckResult, TypeStatus

SIZE = 1000
MANY = settings(max_examples=SIZE, derandomize=True, database=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(os.environ, "TF_CPP_MIN_LOG_LEVEL", "3")
    monkeypatch.setitem(os.environ, "KERAS_BACKEND", "tensorflow")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _compare(
    block: int,
    makers: Sequence[Callable[[random.Random], Instance]],
    oracle: Callable[[Instance], Outputs | str],
    ours: Callable[[Instance], CheckResult],
) -> Counter[bool]:
    """How many instances the framework refuses (True) and takes (False); fails where the types see it otherwise."""
    seen: Counter[bool] = Counter()

    @MANY
    @given(st.integers(0, 2**32))
    def agrees(seed: int) -> None:
        rng = random.Random(f"{block} {seed}")
        instance = rng.choice(makers)(rng)
        real, outcome = oracle(instance), ours(instance)
        seen[isinstance(real, str)] += 1
        if isinstance(real, str):
            assert outcome.status is TypeStatus.INVALID, (instance, real)
        elif outcome.status is TypeStatus.INVALID:
            assert outcome.failure is not None
            assert any(0 in shape for shape, _ in real), (instance, real, outcome.failure.sentence())
            assert outcome.failure.rule.category in (Category.ILLEGAL_SHAPE, Category.ILLEGAL_VALUE), instance
        else:
            found = tuple((o.shape, o.dtype) for o in outcome.outputs)
            assert (outcome.status, found) == (TypeStatus.VALID, real), instance

    agrees()
    assert sum(seen.values()) >= SIZE
    return seen


@pytest.mark.parametrize("block", [0, 1, *(pytest.param(n, marks=pytest.mark.study) for n in range(2, 6))])
def test_the_types_agree_with_tensorflow(block: int) -> None:
    """Raw operators: same verdict, shapes and element types; empty results may be illegal shapes (Refty's rule)."""
    seen = _compare(block, TF, run_tf, ours_tf)
    assert min(seen.values()) > SIZE // 5


@pytest.mark.parametrize("block", [0, pytest.param(1, marks=pytest.mark.study)])
def test_the_types_agree_with_keras(block: int) -> None:
    """Layers on real tensors."""
    seen = _compare(block, KERAS, run_keras, ours_keras)
    assert min(seen.values()) > SIZE // 6
