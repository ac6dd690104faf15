"""The axes that reductions and softmax take together, from attributes or from an operand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from analyzer.numerical.context import Context
    from analyzer.numerical.domain.tensor import AbstractTensor

UNKNOWN = object()


def reduction_axes(ctx: Context, x: AbstractTensor, axes: AbstractTensor | None) -> tuple[Any, bool]:
    """The reduced axes (sorted, non-negative; None: all; `UNKNOWN`), and whether they remain with size 1."""
    if ctx.is_tf:
        kept = bool(ctx.attr("keep_dims", ctx.attr("keepdims", False)))
        values: Any = axes.integers() if axes is not None else []
        if values is None:
            return UNKNOWN, kept
    else:
        kept = bool(ctx.attr("keepdims", 1))
        values = ctx.attr("axes")
        if values is None and axes is not None:
            values = axes.integers()
            if values is None:
                return UNKNOWN, kept
        if values is None or len(values) == 0:
            return ((), kept) if ctx.attr("noop_with_empty_axes", 0) else (None, kept)
    if x.rank is None:
        return UNKNOWN, kept
    return tuple(sorted({int(v) % x.rank if x.rank else 0 for v in values})), kept


def softmax_axes(ctx: Context, x: AbstractTensor) -> Any:
    """The axes that are normalised together; None if the rank is unknown."""
    if x.rank is None:
        return None
    if ctx.is_tf:
        return (x.rank - 1,)
    if ctx.opset < 13:
        return tuple(range(int(ctx.attr("axis", 1)) % max(x.rank, 1), x.rank))
    return (int(ctx.attr("axis", -1)) % max(x.rank, 1),)
