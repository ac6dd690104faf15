"""Which broadcasts that make something larger than either operand look accidental.

A mask or a table of positions is built by such a broadcast on purpose, in every attention model. What is seldom meant
is a column of N against a vector of N: sizes that should have met stand across each other, because one operand lacks a
dimension, and the N × N result is then averaged as if it were N values. So a growth is told only where

- the operands have different ranks and the same size meets itself across two dimensions, and
- the result goes, through layers that keep its shape, into a reduction that takes all that has grown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from analyzer.operators import norms, reductions
from analyzer.validity.spec import TensorType
from analyzer.validity.terms import Poly, Term, equal

if TYPE_CHECKING:
    from analyzer.validity.architecture import Demand, ModelLayer

RULE = "broadcast-grows-both"
EXACT = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128", None)  # masks and positions are not
REDUCTIONS = frozenset(name for o in (*reductions.OPERATORS, *norms.OPERATORS) for name in (o.name, *o.tf, *o.torch))


def grown_axes(shape: Sequence[Term], result: Sequence[Term]) -> frozenset[int]:
    """The dimensions of `result` along which `shape` is stretched; a size that nobody knows counts as more than 1."""
    padded = (1,) * (len(result) - len(shape)) + tuple(shape)
    return frozenset(i for i, (a, b) in enumerate(zip(padded, result, strict=True)) if _one(a) and _many(b))


def grows_both(left: Sequence[Term], right: Sequence[Term], result: Sequence[Term]) -> bool:
    """Whether the broadcast `result` is larger than either operand, each of which has more than one element."""
    sized = all(any(_many(size) for size in shape) for shape in (left, right))
    return sized and bool(grown_axes(left, result)) and bool(grown_axes(right, result))


def _one(size: Term) -> bool:
    return isinstance(size, int) and size == 1


def _many(size: Term) -> bool:
    return (isinstance(size, int) and size > 1) or isinstance(size, Poly)


def accidental(
    advisories: Sequence[Demand], layers: Sequence[ModelLayer], values: Mapping[str, TensorType]
) -> tuple[Demand, ...]:
    """The advisories without the growths that look meant. `values` are the types of all values of the model."""
    if not any(step.requirement.rule.id == RULE for step in advisories):
        return tuple(advisories)
    readers: dict[str, list[ModelLayer]] = {}
    for layer in layers:
        for name in layer.inputs:
            if name is not None:
                readers.setdefault(name, []).append(layer)
    return tuple(
        step for step in advisories if step.requirement.rule.id != RULE or _looks_accidental(step, readers, values)
    )


def _looks_accidental(
    step: Demand, readers: Mapping[str, Sequence[ModelLayer]], values: Mapping[str, TensorType]
) -> bool:
    left, right, result = (tuple(step.requirement.facts[n]) for n in ("left", "right", "result"))
    if len(left) == len(right) or not _across(left, right, result):
        return False
    if any(values[n].dtype not in EXACT for n in step.layer.inputs if n is not None and n in values):
        return False
    output = step.layer.outputs[0]
    if values[output].shape != result:
        return True  # a loss, which reduces what it has broadcast
    return _reduced(output, result, grown_axes(left, result) | grown_axes(right, result), readers, values)


def _across(left: Sequence[Term], right: Sequence[Term], result: Sequence[Term]) -> bool:
    """Whether a size of one operand equals a size of the other that stands at another dimension."""
    return any(equal(result[a], result[b]) is True for a in grown_axes(left, result) for b in grown_axes(right, result))


def _reduced(
    name: str,
    shape: tuple[Term, ...],
    grown: frozenset[int],
    readers: Mapping[str, Sequence[ModelLayer]],
    values: Mapping[str, TensorType],
) -> bool:
    pending, seen = [name], {name}
    while pending:
        for layer in readers.get(pending.pop(), ()):
            output = layer.outputs[0]
            own = values[output].shape
            if own is None or output in seen:
                continue
            if layer.operator in REDUCTIONS and _takes(own, shape, grown):
                return True
            if own == shape:
                seen.add(output)
                pending.append(output)
    return False


def _takes(own: Sequence[Any], shape: Sequence[Term], grown: frozenset[int]) -> bool:
    """Whether a reduction of `shape` to `own` leaves nothing of the grown dimensions."""
    if all(_one(size) for size in own):
        return True
    return len(own) == len(shape) and all(_one(own[i]) for i in grown)
