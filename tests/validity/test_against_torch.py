"""Twelve thousand random applications, judged by the types and by PyTorch itself."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from instances import TORCH
from torch_oracle import run

from analyzer.validity.registry import spec
from analyzer.validity.spec import Category, TensorType, TypeStatus, check

BLOCKS, SIZE = 12, 1000
MANY = settings(max_examples=SIZE, derandomize=True, database=None, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("block", range(BLOCKS))
def test_the_types_agree_with_pytorch(block: int) -> None:
    """Same verdict, same shapes, same element types. An empty result that PyTorch accepts may be an illegal shape here
    (Refty demands positive dimensions), and never anything else."""
    seen: Counter[bool] = Counter()

    @MANY
    @given(st.integers(0, 2**32))
    def agrees(seed: int) -> None:
        rng = random.Random(f"{block} {seed}")
        instance = rng.choice(TORCH)(rng)
        real = run(instance)
        found = spec(instance.operator, "torch")
        assert found is not None, instance.operator
        operands = [TensorType(s, d) for s, d in zip(instance.shapes, instance.dtypes, strict=True)]
        outcome = check(found, operands, instance.hyperparameters)
        seen[isinstance(real, str)] += 1
        if isinstance(real, str):
            assert outcome.status is TypeStatus.INVALID, (instance, real)
        elif outcome.status is TypeStatus.INVALID:
            assert outcome.failure is not None
            assert any(0 in shape for shape, _ in real), (instance, real, outcome.failure.sentence())
            assert outcome.failure.rule.category in (Category.ILLEGAL_SHAPE, Category.ILLEGAL_VALUE), instance
        else:
            ours = tuple((o.shape, o.dtype) for o in outcome.outputs)
            assert (outcome.status, ours) == (TypeStatus.VALID, real), instance

    agrees()
    assert min(seen[True], seen[False]) > SIZE // 5
    assert sum(seen.values()) >= SIZE
