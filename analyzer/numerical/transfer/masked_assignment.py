"""``x[mask]`` and ``x[mask] = v``: what is gathered and scattered at the places where a condition holds.

Exporters write both by the indices of the condition's nonzero elements. An assignment is a selection between the new
values and the old ones, and is treated as one, so that each is known as the condition says.
"""

from __future__ import annotations

from typing import Any

from analyzer.numerical.context import Context
from analyzer.numerical.domain.tensor import AbstractTensor, count
from analyzer.numerical.refinement import implied_cases, reevaluate
from analyzer.numerical.transfer.peaks import peaks_of
from analyzer.operators.declaration import CONVERTS, IDENTITY, RESHAPES

OPPOSITES = {"Less": "GreaterOrEqual", "Greater": "LessOrEqual", "Equal": "NotEqual"}  # of numbers, not of NaN
DEPTH = 16  # operators between an index and its condition, or between what is gathered and what is assigned


def mask_of(indices: Any) -> AbstractTensor | None:
    """The condition at whose true elements `indices` point, one row an element, in order; None if there is none."""
    found = _condition(indices)
    if found is None or found.dtype.name != "bool" or indices.rank != 2:
        return None
    return found if indices.shape[-1] == found.rank else None


def _condition(indices: Any) -> AbstractTensor | None:
    current = indices
    for _ in range(DEPTH):
        origin = current.origin if isinstance(current, AbstractTensor) else None
        if origin is None or not origin.inputs or origin.context.is_tf:
            return None
        before = origin.inputs[0]
        if not isinstance(before, AbstractTensor):
            return None
        if origin.rule.name == "NonZero":
            return _narrow(before)
        if origin.rule.name == "Concat" and len(origin.inputs) > 1:
            current = _put_together(origin.inputs)
            continue
        # of a vector's indices every such operator keeps the order; of others only the transposition is known
        vector = current.shape is not None and before.shape is not None and _rank_of_places(before) == 1
        name, traits = origin.rule.name, origin.rule.operator.traits
        alone = name == "Concat" and len(origin.inputs) == 1
        if not (traits & (RESHAPES | IDENTITY | CONVERTS) or alone or name in ("Expand", "Transpose")):
            return None
        if not vector and not (name == "Transpose" and before.rank == 2):
            return None
        current = before
    return None


def at_own_places(x: AbstractTensor, indices: Any) -> bool:
    """Whether `indices` point at elements of `x` that are not 0: ``x[x.nonzero()]``."""
    found, rank = _condition(indices), indices.rank
    if found is None or found.key != x.key or rank is None or indices.shape[-1] != found.rank:
        return False
    return rank == 2 or found.rank == 1


def _put_together(parts: Any) -> AbstractTensor | None:
    """The rows whose columns the parts are, all of them and in order: ``x[mask.nonzero(as_tuple=True)]``."""
    found = [_column(part) for part in parts]
    whole = found[0][0] if found and found[0] is not None else None
    if whole is None or whole.shape is None or len(whole.shape) != 2 or whole.shape[1] != len(found):
        return None
    in_order = all(f is not None and f[0].key == whole.key and f[1] == i for i, f in enumerate(found))
    return whole if in_order else None


def _column(part: Any) -> tuple[AbstractTensor, int] | None:
    """The matrix of which a value is one column, and which one it is."""
    for _ in range(DEPTH):
        origin = part.origin if isinstance(part, AbstractTensor) else None
        before = origin.inputs[0] if origin is not None and origin.inputs else None
        if origin is None or not isinstance(before, AbstractTensor) or before.shape is None:
            return None
        source, offsets, _ = part.facts.get("window", (None, (), ()))
        if origin.rule.name == "Slice" and source is not None and len(before.shape) == 2 and part.shape is not None:
            whole = part.shape[0] == before.shape[0] and part.shape[1] == 1 and offsets[0] == 0
            return (source, offsets[1]) if whole and isinstance(offsets[1], int) else None
        keeps = origin.rule.operator.traits & (RESHAPES | IDENTITY) or origin.rule.name == "Expand"
        if not keeps or _rank_of_places(before) != 1 or _rank_of_places(part) != 1:
            return None
        part = before
    return None


def _rank_of_places(indices: AbstractTensor) -> int:
    """1 where at most one axis has another size than 1: the indices of a vector's elements."""
    return 1 if sum(d != 1 for d in indices.shape or ()) <= 1 else 2


def _narrow(condition: AbstractTensor) -> AbstractTensor:
    """The condition itself, behind an expansion to the shape that it has."""
    origin = condition.origin
    if origin is not None and origin.rule.name == "Expand" and origin.inputs[0].shape == condition.shape:
        return _narrow(origin.inputs[0])
    return condition


def assigned(ctx: Context, x: AbstractTensor, indices: Any, updates: AbstractTensor) -> AbstractTensor | None:
    """``x[mask] = updates`` as a selection; None where `indices` are not those of a mask over all of `x`."""
    mask = mask_of(indices)
    if mask is None or mask.shape is None or mask.shape != x.shape:
        return None
    with ctx.run.ledger.quietly():
        value = _spread(ctx, updates, mask, DEPTH)
    rule = ctx.run.rules["", "Where"]
    if value is None:
        return None
    context, inputs = Context(ctx.run, ctx.node, rule), (mask, value, x)
    result = rule.function(context, *inputs)
    if not isinstance(result, AbstractTensor):
        return None
    if nonzero_where(ctx, mask, value, True) and nonzero_where(ctx, mask, x, False):
        result.facts = {**result.facts, "nonzero": True}
    ctx.run.finish(context, inputs, 0, result)
    return result


def nonzero_where(ctx: Context, mask: AbstractTensor, x: AbstractTensor, truth: bool) -> bool:
    """Whether `x` is not 0 wherever the mask is `truth`, by the cases that make it so."""
    if _is_nonzero(x):
        return True
    with ctx.run.ledger.quietly():
        pieces = [reevaluate(ctx.run, x, case, {}, False) for case in implied_cases(mask, truth)]
    return bool(pieces) and all(map(_is_nonzero, pieces))


def _is_nonzero(x: AbstractTensor) -> bool:
    least = x.dtype.smallest if x.dtype.is_float else 1.0
    return (x.low >= least or x.high <= -least or "nonzero" in x.facts) and not x.nan


def _spread(ctx: Context, value: AbstractTensor, mask: AbstractTensor, depth: int) -> AbstractTensor | None:
    """A tensor of the mask's shape, or a single number, whose elements at the mask's places are those of `value`."""
    if value.shape is not None and all(d == 1 for d in value.shape):
        return value if len(value.shape) <= len(mask.shape or ()) else None
    origin = value.origin
    if origin is None or depth == 0 or any(not isinstance(i, AbstractTensor) for i in origin.inputs):
        return None
    name, inputs = origin.rule.name, origin.inputs
    if name == "GatherND" and not origin.context.attr("batch_dims", 0):
        found = mask_of(inputs[1])
        same = found is not None and found.key == mask.key and inputs[0].shape == mask.shape
        return inputs[0] if same else None
    if name in ("Expand", "Reshape", "Identity", "Transpose") and _rank_of_places(inputs[0]) == 1:
        return _spread(ctx, inputs[0], mask, depth - 1)  # as long as there are places: nothing moves
    if not (origin.rule.elementwise and origin.rule.pure) or name in ("Where", "BiasAdd"):
        return None
    whole = tuple(_spread(ctx, i, mask, depth - 1) for i in inputs)
    if any(i is None for i in whole):
        return None
    result = origin.rule.function(origin.context, *whole)
    if not isinstance(result, AbstractTensor):
        return None
    ctx.run.finish(origin.context, whole, origin.output, result)
    return result


def holds_everything(x: AbstractTensor) -> bool:
    """Whether what a mask selects and what it leaves are joined: as many elements as there were, which are some."""
    origin = x.origin
    for _ in range(DEPTH):
        if origin is None or not origin.inputs or not isinstance(origin.inputs[0], AbstractTensor):
            return False
        if origin.rule.name == "Concat":
            break
        if not (origin.rule.elementwise and origin.rule.pure) or len(origin.inputs) != 1:
            return False
        origin = origin.inputs[0].origin
    else:
        return False
    masks = [m for m in (_selected_by(part, DEPTH) for part in origin.inputs) if m is not None]
    return any(_complements(a, b) and count(a.shape)[0] >= 1 for a in masks for b in masks)


def selects_something(x: AbstractTensor) -> bool:
    """Whether a mask that is true somewhere has selected the elements of `x`, changed one by one since."""
    mask = _selected_by(x, DEPTH, rows=True)
    if mask is None or mask.rank is None or count(x.shape, range(1, x.rank or 0))[0] < 1:
        return False
    if mask.low > 0 and count(mask.shape)[0] >= 1:  # true everywhere
        return True
    rest = ([i for i in range(mask.rank) if i not in axes] for axes, least in peaks_of(mask).items() if least > 0)
    return any(count(mask.shape, axes)[0] >= 1 for axes in rest)


def _selected_by(part: Any, depth: int, *, rows: bool = False) -> AbstractTensor | None:
    """The mask that has selected the elements of `part` (or its rows), changed one by one since."""
    origin = part.origin if isinstance(part, AbstractTensor) else None
    if origin is None or depth == 0 or not all(isinstance(i, AbstractTensor) for i in origin.inputs):
        return None
    if origin.rule.name == "GatherND" and not origin.context.attr("batch_dims", 0):
        mask = mask_of(origin.inputs[1])
        return mask if mask is not None and (rows or mask.rank == origin.inputs[0].rank) else None
    if not (origin.rule.elementwise and origin.rule.pure):
        return None
    several = [i for i in origin.inputs if i.shape is None or any(d != 1 for d in i.shape)]
    found = [_selected_by(i, depth - 1, rows=rows) for i in several]
    return found[0] if len({None if m is None else m.key for m in found}) == 1 else None


def _complements(a: AbstractTensor, b: AbstractTensor) -> bool:
    """Whether `b` holds exactly where `a` does not."""
    first, second = a.origin, b.origin
    if second is not None and second.rule.name == "Not" and second.inputs[0].key == a.key:
        return True
    if first is None or second is None or len(first.inputs) != 2 or any(i.nan for i in first.inputs):
        return False
    same = [i.key for i in first.inputs] == [i.key for i in second.inputs]
    return same and OPPOSITES.get(first.rule.name) == second.rule.name
