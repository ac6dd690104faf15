"""What the declarations say of memory layouts is what PyTorch does."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch.nn import functional

from analyzer.operators.declaration import DENSE, DENSE_OR_CHANNELS_LAST, ELEMENTWISE, OTHER_LAYOUT, SHAPE_ONLY, Trait
from analyzer.operators.registry import names, operator_named
from analyzer.tracing.operators.strides import SHARING

X = torch.rand(4, 3, 5).transpose(0, 2)  # 5 × 3 × 4, its last axis outermost in memory
INDEX = torch.ones(4, 3, 5, dtype=torch.int64).transpose(0, 2)
MATRIX = torch.rand(4, 4).t()
CALLS: tuple[tuple[Any, ...], ...] = (
    (X,), (INDEX,), (X, X), (X, 0.5), (X > 0.5, X, X), (X, X > 0.5, 1.0), (X, 1), (X, -1), (X, -1, False),
    (MATRIX, MATRIX), (MATRIX, MATRIX[0]), (MATRIX, MATRIX, MATRIX), (X, X.transpose(1, 2)), (INDEX, MATRIX),
    (X, 0, torch.tensor([2, 0])), (X, 1, INDEX), (X, INDEX, 1), (X, (4,)), (X, (2, 1, 1)), (INDEX, 3), ([X, X],),
    ((3, 4),), ((2, 3), 1.0), (5,), (0.0, 1.0, 5), (0, 10, (3, 4)),
)  # fmt: skip
LAYERS = {
    "Linear": (4, 6), "LazyLinear": (6,), "Embedding": (9, 6), "LayerNorm": (4,), "GroupNorm": (1, 3),
    "Threshold": (0, 0), "Softmax": (1,), "LogSoftmax": (1,), "PReLU": (),
}  # fmt: skip
# Names that only aten's operators or nodes have, methods that work in place, and a result of rank 0.
NOT_CALLED = "_to_copy alias dot lift_fresh_copy log_sigmoid normal_functional silu_ uniform"


def results(name: str, dense: bool = False) -> Iterator[tuple[torch.Tensor, torch.Tensor | None]]:
    """What the functions and layers called `name` give, with their first operand, for every call that they accept.

    `dense`: the operands are contiguous.
    """
    homes = (functional, torch, torch.Tensor, torch.nn)
    function = next(f for home in homes if callable(f := getattr(home, name, None)))
    layer = isinstance(function, type) and issubclass(function, torch.nn.Module)
    called = function(*LAYERS.get(name, ())) if layer else function
    for call in CALLS[:2] if layer else CALLS:
        # copies, for some work in place
        order = torch.contiguous_format if dense else torch.preserve_format
        arguments = tuple(
            a.clone(memory_format=order) if isinstance(a, torch.Tensor) else a for a in call
        )  # some write
        with contextlib.suppress(Exception):
            made = called(*arguments)
            if isinstance(made, torch.Tensor) and made.ndim:
                yield made, next((a for a in arguments if isinstance(a, torch.Tensor)), None)


def declared(traits: Trait) -> list[str]:
    return [n for n in names("torch", traits) if n not in SHARING and n not in NOT_CALLED.split()]


@pytest.mark.parametrize("name", declared(DENSE | DENSE_OR_CHANNELS_LAST))
def test_dense_results_are_contiguous_though_the_operands_are_not(name: str) -> None:
    made = [result for result, _ in results(name)]
    assert made
    assert all(result.is_contiguous() for result in made)


KEEPING = set(declared(ELEMENTWISE | SHAPE_ONLY)) - set(names("torch", DENSE)) - {"contiguous"} | set(
    operator_named("Dropout").torch
)


@pytest.mark.parametrize("name", sorted(KEEPING - {"dropout_", "feature_dropout"}))
def test_elementwise_results_keep_the_order_of_the_operands_axes(name: str) -> None:
    made = [(r, x) for r, x in results(name) if x is not None and r.shape == x.shape]
    assert made
    assert all(result.stride() == operand.stride() for result, operand in made)


FUNCTIONS = {n for n in declared(~OTHER_LAYOUT) if any(hasattr(home, n) for home in (functional, torch, torch.Tensor))}


@pytest.mark.parametrize("name", sorted(n for n in FUNCTIONS - set(names("torch", OTHER_LAYOUT)) if n.islower()))
def test_results_of_dense_operands_are_dense_unless_declared_otherwise(name: str) -> None:
    assert all(result.is_contiguous() for result, _ in results(name, dense=True))


def test_channels_last_operands_are_why_some_are_not_always_contiguous() -> None:
    image = torch.rand(2, 6, 5, 5).contiguous(memory_format=torch.channels_last)
    for made in (torch.cat([image, image]), torch.stack([image])[0], torch.nn.GroupNorm(2, 6)(image)):
        assert not made.is_contiguous()
