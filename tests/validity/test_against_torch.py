"""Twelve thousand random applications, judged by the types and by PyTorch itself."""

from __future__ import annotations

import random

import pytest
from instances import TORCH
from torch_oracle import run

from analyzer.validity.registry import spec
from analyzer.validity.spec import Category, Status, TensorType, check

BLOCKS, SIZE = 12, 1000


@pytest.mark.parametrize("block", range(BLOCKS))
def test_the_types_agree_with_pytorch(block: int) -> None:
    """Same verdict, same shapes, same element types. An empty result that PyTorch accepts may be an illegal shape here
    (Refty demands positive dimensions), and never anything else."""
    disagreements = []
    valid = invalid = 0
    for seed in range(block * SIZE, (block + 1) * SIZE):
        rng = random.Random(seed)
        instance = rng.choice(TORCH)(rng)
        real = run(instance)
        found = spec(instance.operator, "torch")
        assert found is not None, instance.operator
        operands = [TensorType(s, d) for s, d in zip(instance.shapes, instance.dtypes, strict=True)]
        outcome = check(found, operands, instance.hyperparameters)
        ours = tuple((o.shape, o.dtype) for o in outcome.outputs)
        if isinstance(real, str):
            invalid += 1
            agrees = outcome.status is Status.INVALID
        elif outcome.status is Status.INVALID:
            assert outcome.failure is not None
            empty = any(0 in shape for shape, _ in real)
            category = outcome.failure.rule.category
            agrees = empty and category in (Category.ILLEGAL_SHAPE, Category.ILLEGAL_VALUE)
        else:
            valid += 1
            agrees = outcome.status is Status.VALID and ours == real
        if not agrees:
            disagreements.append((seed, instance, real, outcome.failure.sentence() if outcome.failure else ours))
    assert not disagreements
    assert valid > SIZE // 5
    assert invalid > SIZE // 5
