"""The bin in which a number lies: ``k = sum(x >= edges) - 1`` of edges in order, and ``(x - edge[k]) / width[k]``.

As many edges as are counted are not above x, so that the k-th is not above x, and the one after it is above it. Where
x lies between the first and the last edge, it is no further from the edge below than the bin is wide: rounding keeps
order, and the width is the difference of the same two edges, rounded as that of x is. The last edge may be moved
after the widths were taken from it, as far as x does not reach.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.numerical.transfer.neighbours import Rises, steps_along
from analyzer.operators.declaration import CONVERTS, IDENTITY, RESHAPES

DEPTH = 12  # operators that change no element, one after another
SLACK = 16.0  # units of rounding of a quotient whose bin was moved


@dataclass(frozen=True, slots=True)
class _Bin:
    """`value` lies at or above the edge that `index` gathers of `edges`, along the last axis, and below the next."""

    value: AbstractTensor
    edges: AbstractTensor
    index: AbstractTensor
    rises: Rises


def least_above_edge(a: AbstractTensor, b: AbstractTensor) -> float:
    """0 where `b` is the edge of the bin in which `a` lies, the least of a - b; -inf where nothing is known."""
    return -np.inf if _bin_of(a, b) is None else 0.0


def share_of_bin(a: AbstractTensor, b: AbstractTensor) -> float:
    """What a / b is at most where `a` is the distance from the edge below and `b` the width of the bin; inf if not."""
    origin = a.origin
    if origin is None or origin.rule.name != "Sub" or not b.low > 0 or b.nan or a.nan:
        return np.inf
    value, edge = origin.inputs[:2]
    found = _bin_of(value, edge)
    gathered = _gathered(b)
    if found is None or gathered is None or gathered[1].key != found.index.key:
        return np.inf
    source = _differences(gathered[0])
    if source is None or not _same_but_last(found.edges, source, found.rises.size):
        return np.inf
    before = steps_along(source, len(source.shape or ()) - 1)
    if before is None or before.size != found.rises.size:
        return np.inf
    moved = min(found.rises.last[1], value.high) - before.last[0]
    eps = float(a.dtype.eps)
    return 1.0 if moved <= 0 else (1 + moved / b.low) * (1 + SLACK * eps) + SLACK * float(a.dtype.tiny) / b.low


def _bin_of(value: AbstractTensor, edge: AbstractTensor) -> _Bin | None:
    """The bin of `value`, where `edge` is the edge below it, element by element."""
    if value.nan or edge.nan or not value.dtype.is_float or value.shape is None or value.shape != edge.shape:
        return None
    found = _gathered(edge)
    if found is None:
        return None
    edges, index = found
    asked = _counted(index)
    if asked is None:
        return None
    number, rows, strict = asked
    shape = edges.shape or ()
    if rows.key != edges.key or _plain(number).key != _plain(value).key or number.shape != (*shape[:-1], 1):
        return None
    if value.shape not in (shape[:-1], (*shape[:-1], 1)):
        return None
    rises = steps_along(edges, len(shape) - 1)
    if rises is None or rises.least < 0 or rises.size < 2 or rises.size != shape[-1]:
        return None
    first, last = rises.first[1], rises.last[0]
    inside = first < value.low and value.high <= last if strict else first <= value.low and value.high < last
    return _Bin(value, edges, index, rises) if inside else None


def _plain(x: AbstractTensor) -> AbstractTensor:
    """The tensor whose elements `x` holds, in the same order: axes of size 1 and types of integers come and go."""
    for _ in range(DEPTH):
        origin = x.origin
        before = origin.inputs[0] if origin is not None and origin.inputs else None
        if not isinstance(before, AbstractTensor) or before.shape is None:
            break
        traits, name = origin.rule.operator.traits, origin.rule.name
        converted = traits & CONVERTS and not (before.dtype.is_float or x.dtype.is_float or before.dtype.name == "bool")
        fits = converted and before.low >= x.dtype.lo and before.high <= x.dtype.hi
        if not (traits & (RESHAPES | IDENTITY) or fits or (name in ("Gather", "Slice") and _only_place(x, before))):
            break
        x = before
    return x


def _only_place(x: AbstractTensor, before: AbstractTensor) -> bool:
    """Whether the one place of axes of size 1 is shown, and all of the others."""
    source, offsets, kept = x.facts.get("window", (None, (), ()))
    if source is None or source.key != before.key or before.shape is None or x.shape is None:
        return False
    if not all(isinstance(o, int) and o == 0 for o in offsets):
        return False
    return [d for d in before.shape if d != 1] == [d for d in x.shape if d != 1] and sorted(
        k for k in kept if k is not None
    ) == [k for k in kept if k is not None]


def _gathered(x: AbstractTensor) -> tuple[AbstractTensor, AbstractTensor] | None:
    """Of what is one element of each row, along the last axis: the rows and the indices, one a row."""
    inner = _plain(x)
    origin = inner.origin
    if origin is None or origin.rule.name != "GatherElements" or origin.context.is_tf or len(origin.inputs) != 2:
        return None
    rows, index = origin.inputs
    if not all(isinstance(t, AbstractTensor) and t.shape for t in (rows, index)):
        return None
    rank = len(rows.shape)
    if int(origin.context.attr("axis", 0)) % rank != rank - 1 or index.shape != (*rows.shape[:-1], 1):
        return None
    return rows, _plain(index)


def _counted(index: AbstractTensor) -> tuple[AbstractTensor, AbstractTensor, bool] | None:
    """The numbers, the edges that are counted along the last axis, and whether an equal edge is left out."""
    origin = index.origin
    if origin is None or origin.rule.name not in ("Add", "Sub") or len(origin.inputs) != 2 or index.dtype.is_float:
        return None
    count, one = origin.inputs
    if not isinstance(one, AbstractTensor) or not one.low == one.high == (1 if origin.rule.name == "Sub" else -1):
        return None
    total = _plain(count)
    kind, summed, axes, _ = total.facts.get("reduced", ("", total, None, False))
    if kind != "sum" or summed.shape is None or axes not in ((len(summed.shape) - 1,), [len(summed.shape) - 1]):
        return None
    return _comparison(summed)


def _comparison(summed: AbstractTensor) -> tuple[AbstractTensor, AbstractTensor, bool] | None:
    """What is compared, behind the conversion of truth to numbers."""
    origin = summed.origin
    if origin is None or not origin.rule.operator.traits & CONVERTS or summed.dtype.is_float:
        return None
    made: Any = origin.inputs[0].origin if isinstance(origin.inputs[0], AbstractTensor) else None
    if made is None or len(made.inputs) != 2 or not all(isinstance(t, AbstractTensor) for t in made.inputs):
        return None
    name, (a, b) = made.rule.name, made.inputs
    if name in ("Less", "LessOrEqual"):
        a, b, name = b, a, {"Less": "Greater", "LessOrEqual": "GreaterOrEqual"}[name]
    if name not in ("Greater", "GreaterOrEqual") or b.shape != summed.shape or a.dtype.name != b.dtype.name:
        return None
    return a, b, name == "Greater"


def _differences(widths: AbstractTensor) -> AbstractTensor | None:
    """The tensor of which `widths` are the later less the earlier neighbours along the last axis."""
    origin = widths.origin
    if origin is None or origin.rule.name != "Sub" or widths.shape is None:
        return None
    later, sooner = origin.inputs[:2]
    (source, after, kept), (other, before, also) = (t.facts.get("window", (None, (), ())) for t in (later, sooner))
    if source is None or other is None or source.key != other.key or kept != also or later.shape != sooner.shape:
        return None
    rank = len(widths.shape)
    whole = kept == tuple(range(rank)) and source.shape is not None and source.shape[:-1] == widths.shape[:-1]
    steps = tuple(after) == (*(0,) * (rank - 1), 1) and tuple(before) == (0,) * rank
    size = source.shape[-1] if whole else None
    return source if steps and isinstance(size, int) and widths.shape[-1] == size - 1 else None


def _same_but_last(edges: AbstractTensor, source: AbstractTensor, size: int) -> bool:
    """Whether both hold the same edges, the last left out, which may have been written anew."""
    for _ in range(DEPTH):
        if edges.key == source.key:
            return True
        origin = edges.origin
        if origin is None or origin.rule.name != "ScatterElements" or len(origin.inputs) < 3:
            return False
        before, index = origin.inputs[:2]
        rank = len(before.shape or ())
        last = rank and int(origin.context.attr("axis", 0)) % rank == rank - 1
        if not last or index.low != index.high or index.low not in (size - 1, -1):
            return False
        if str(origin.context.attr("reduction", "none")) != "none":
            return False
        edges = before
    return False
