"""Tensors joined out of a list that a loop has filled, of which nobody knows how many it has: all have one shape."""

from __future__ import annotations

from analyzer.operators.registry import layer_or_function
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import ListV, Value
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.terms import Term


def joined_dims(tr: Tracer, name: str, held: ListV, axis: Value) -> tuple[Term, ...] | None:
    """The shape of what `name` makes of the list: that of the items that are seen, but for the axis.

    Others have the sizes of these beside the axis, since else nothing is joined. None where that is not known.
    """
    operator = layer_or_function("torch", name)
    stacked = operator is not None and operator.name == "Pack"
    if (
        operator is None
        or operator.name not in ("Concat", "Pack")
        or held.given
        or held.choices
        or isinstance(axis, bool)
        or not isinstance(axis, int)
    ):
        return None
    shapes = [item.dims if isinstance(item, Tensor) else None for item in held.items]
    first = shapes[0] if shapes else None
    if first is None or any(shape is None or len(shape) != len(first) for shape in shapes):
        return None
    rank = len(first) + stacked
    if not -rank <= axis < rank or (not stacked and 0 in (d for shape in shapes for d in shape or ())):
        return None  # of `cat`, which leaves out what is empty
    place = axis % rank
    rests = {_without(shape or (), place, stacked) for shape in shapes}
    if len(rests) > 1:
        return None
    rest = rests.pop()
    return (*rest[:place], tr.fresh("joined", "derived", 1), *rest[place:])


def _without(shape: tuple[Term, ...], place: int, stacked: bool) -> tuple[Term, ...]:
    return shape if stacked else (*shape[:place], *shape[place + 1 :])
