"""Sequences, tensor lists, tensor arrays and optionals: one bound for all elements."""

from __future__ import annotations

from dataclasses import dataclass

from analyzer.numerical.domain.tensor import AbstractTensor, join


@dataclass(frozen=True, slots=True, eq=False)
class AbstractSequence:
    """`element` covers every element; `items` are the elements themselves where their number is known."""

    element: AbstractTensor | None
    items: tuple[AbstractTensor, ...] | None = None

    def with_item(self, item: AbstractTensor) -> AbstractSequence:
        """A sequence of unknown length that also holds `item`."""
        return AbstractSequence(item if self.element is None else join(self.element, item))


def sequence_of(items: tuple[AbstractTensor, ...]) -> AbstractSequence:
    element: AbstractTensor | None = None
    for item in items:
        element = item if element is None else join(element, item)
    return AbstractSequence(element, items)
