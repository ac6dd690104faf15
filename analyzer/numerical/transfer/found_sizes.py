"""Sizes that depend on data inside a branch that is taken where they are above 0: ``if len(rows) > 0: rows.mean()``.

A size is the same wherever its name stands, so what a branch's condition says of it holds of every tensor that the
branch reads.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Set
from typing import Any

from analyzer.numerical.domain.dims import Dim, SymbolicDim, low
from analyzer.numerical.domain.tensor import AbstractTensor

Sizes = Set[str]  # the names of those that are above 0
MOST_CONDITIONS = 16  # looked at: conditions of conditions


def told_sizes(condition: AbstractTensor, known: Mapping[Any, AbstractTensor]) -> Sizes:
    """Sizes that a condition compares and that lie above 0 where `known` holds, which is what it implies."""
    found: set[str] = set()
    for compared in _compared(condition):
        narrower, sizes = known.get(compared.key), compared.dims
        if narrower is not None and narrower.low >= 1 and sizes is not None and len(sizes) == 1:
            found.update(_factors(sizes[0]) if low(sizes[0]) < 1 else ())
    return found


def with_sizes(tensor: AbstractTensor, sizes: Sizes) -> AbstractTensor:
    """The same tensor where these sizes are above 0."""
    return _with(tensor, sizes, 1)


def without_sizes(tensor: AbstractTensor, sizes: Sizes) -> AbstractTensor:
    """The same tensor where nothing is known of these sizes."""
    return _with(tensor, sizes, 0)


def _with(tensor: AbstractTensor, sizes: Sizes, least: int) -> AbstractTensor:
    def bounded(size: Dim) -> Dim:
        if isinstance(size, int) or size.name not in sizes or (least and size.lo >= least):
            return size
        return SymbolicDim(size.name, least, size.hi)

    shape = tensor.shape and tuple(bounded(d) for d in tensor.shape)
    held = tensor.dims and tuple(bounded(d) for d in tensor.dims)
    if shape == tensor.shape and held == tensor.dims:
        return tensor
    return dataclasses.replace(tensor, shape=shape, dims=held)


def _factors(size: Dim) -> list[str]:
    """The sizes of which one is the product, itself included: none of them is 0 unless it is."""
    if isinstance(size, int) or "(" in size.name:
        return [] if isinstance(size, int) else [size.name]
    return list(dict.fromkeys([size.name, *(part for part in size.name.split("*") if not part.isdigit())]))


def _compared(condition: AbstractTensor) -> Iterator[AbstractTensor]:
    """The operands of the comparisons that a condition consists of."""
    stack, seen = [condition], 0
    while stack and seen < MOST_CONDITIONS:
        seen += 1
        origin = stack.pop().origin
        for operand in origin.inputs if origin is not None else ():
            if isinstance(operand, AbstractTensor):
                yield operand
                stack.append(operand)
