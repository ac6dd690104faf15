"""Layers of one class that contradict each other whatever it is called with: then no caller is needed to prove it.

`Linear(dim, 4 * dim)` into `Linear(dim, dim)` fails for every width. Everything else that only symbols of this analysis
lead to stays possible: in published code such errors were this analysis' own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.specs.convolution import CHANNELS
from analyzer.validity.specs.linear import IN_FEATURES
from analyzer.validity.specs.normalization import FEATURES, NORMALIZED_SHAPE
from analyzer.validity.terms import Poly

_OF_LAYERS = frozenset(rule.id for rule in (IN_FEATURES, CHANNELS, FEATURES, NORMALIZED_SHAPE))


def contradicts_itself(tr: Tracer, rule: str, operands: Iterable[Tensor], sizes: Sequence[Any] = ()) -> bool:
    """Whether a layer refuses the size that a layer before it gives, and no branch was met on the way.

    `sizes` are the two that differ (by default those of the operands): numbers, or made of constructor's arguments.
    """
    if rule not in _OF_LAYERS or tr.path.decisions or not all(_chosen_once(tr, size) for size in sizes):
        return False
    return any(_given_by_layer(tr, t, sizes) for t in operands)


def _chosen_once(tr: Tracer, size: Any) -> bool:
    """Whether it is a number, or made of arguments of the constructor."""
    if isinstance(size, (tuple, list)):
        return all(_chosen_once(tr, part) for part in size)
    return isinstance(size, int) or (
        isinstance(size, Poly) and all(tr.symbols.kind(s.name) == "param" for s in size.symbols)
    )


def _given_by_layer(tr: Tracer, tensor: Tensor, sizes: Sequence[Any]) -> bool:
    """Whether a layer has given the tensor such a size, which the operators since have kept."""
    wanted = {d for size in sizes for d in (size if isinstance(size, (tuple, list)) else (size,))}
    wanted = wanted or {d for d in _dims(tensor) if isinstance(d, Poly) and _chosen_once(tr, d)}
    seen: set[int] = set()
    pending = [tensor]
    while pending:
        current = pending.pop()
        if id(current) not in seen and wanted & set(_dims(current)):
            seen.add(id(current))
            if current.places:
                return True
            pending.extend(current.sources)
    return False


def _dims(tensor: Tensor) -> tuple[Any, ...]:
    return (*(tensor.dims or ()), *tensor.shape.back.values())
