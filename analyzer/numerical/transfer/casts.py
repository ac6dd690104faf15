"""Conversions between element types."""

from __future__ import annotations

from typing import Any

import numpy as np

from analyzer.numerical.context import Context
from analyzer.numerical.domain import affine, dtypes
from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.numerical.transfer.registry import transfer

LARGEST_KEPT = 4096  # known elements that are converted one by one


@transfer("Cast")
def cast(ctx: Context, x: Any) -> Any:
    dtype = ctx.type_attr("to", "DstT") or ctx.element_type()
    if not isinstance(x, AbstractTensor):
        return x
    return converted(ctx, x, dtype)


@transfer("CastLike")
def cast_like(ctx: Context, x: AbstractTensor, y: AbstractTensor) -> AbstractTensor:
    return converted(ctx, x, y.dtype)


def _sizes_fit(x: AbstractTensor, dtype: Any) -> bool:
    """Whether x holds sizes of axes, which fit in 32 bits as far as they are known: TensorFlow's shapes are such."""
    if x.dims is None or dtype.hi < 2.0**31 - 1 or x.low < dtype.lo:
        return False
    return all(d <= dtype.hi if isinstance(d, int) else d.hi is None or d.hi <= dtype.hi for d in x.dims)


def converted(ctx: Context, x: AbstractTensor, dtype: Any) -> AbstractTensor:
    """To another type: floats round to nearest, integers take floats rounded towards zero."""
    if dtype is x.dtype:
        return x
    lo, hi = x.lo, x.hi
    nan = x.nan and dtype.is_float
    result = AbstractTensor(dtype, x.shape, lo, hi, x.starts, nan, tight=x.tight, dims=x.dims)
    if x.dtype.kind == dtypes.OTHER or dtype.kind == dtypes.OTHER:
        limit = (-np.inf, np.inf) if dtype.kind in (dtypes.FLOAT, dtypes.OTHER) else (dtype.lo, dtype.hi)
        return AbstractTensor(dtype, x.shape, np.float64(limit[0]), np.float64(limit[1]), None, dtype.is_float)
    if dtype.kind == dtypes.BOOLEAN:
        result.lo = (
            np.where((lo > 0) | (hi < 0) | x.nan, 1.0, 0.0)[()]
            if not x.nan
            else np.where((lo > 0) | (hi < 0), 1.0, 0.0)[()]
        )
        result.hi = np.where((lo == 0) & (hi == 0) & (not x.nan), 0.0, 1.0)[()]
        result.dims = None
        if x.data is not None and np.asarray(x.data).dtype.kind in "iufb":
            result.data = np.asarray(x.data) != 0
        return result
    if x.dtype.kind != dtypes.FLOAT and x.low >= 0 and x.high <= 1:
        result.facts = {name: x.facts[name] for name in ("max", "peaks") if name in x.facts}
    if (
        x.dtype.kind == dtypes.INTEGER and dtype.is_float and "nonzero" in x.facts
    ):  # at least 1, which no type rounds to 0
        result.facts = {**result.facts, "nonzero": True}
    if x.dtype.kind == dtypes.BOOLEAN and x.data is not None:  # 0 and 1 are exact in every type
        result.data = np.asarray(x.data).astype(np.float32 if dtype.is_float else np.int64)
    if dtype.kind == dtypes.INTEGER:
        lo, hi = np.trunc(lo), np.trunc(hi)
        result.lo, result.hi = lo, hi
        if _sizes_fit(x, dtype):
            result.hi = np.minimum(hi, dtype.hi)
            return result
        if result.low < dtype.lo or result.high > dtype.hi or x.nan:
            if x.dtype.is_float:
                reached = x.tight is not None and not x.nan
                overflow_of_cast(ctx, x, dtype, reached)
            else:
                ctx.overflow(result.interval(), dtype, False)
            result.lo, result.hi = np.full_like(lo, dtype.lo)[()], np.full_like(hi, dtype.hi)[()]
            result.dims = None
        elif result.data is None and x.data is not None and np.size(x.data) <= LARGEST_KEPT:
            kept = np.asarray(x.data)
            result.data = np.trunc(kept).astype(np.int64) if kept.dtype.kind in "iuf" else None
        return result
    lo, hi = dtype.nearest(lo), dtype.nearest(hi)
    result.lo, result.hi = lo, hi
    if x.dtype.is_float and dtype.hi < x.dtype.hi:
        result.lo, result.hi = dtype.flush(lo, hi)
    if (result.low < dtype.lo or result.high > dtype.hi) and x.low > -np.inf and x.high < np.inf:
        overflow_of_cast(ctx, x, dtype, x.tight is not None)
        result.lo, result.hi = np.clip(lo, dtype.lo, dtype.hi), np.clip(hi, dtype.lo, dtype.hi)
    elif not dtype.has_inf:
        result.lo, result.hi = np.clip(result.lo, dtype.lo, dtype.hi), np.clip(result.hi, dtype.lo, dtype.hi)
    if x.dtype.is_float and dtype.is_float:
        result.facts = {**_exactly(x, dtype), **_reduced_in_wider(x, dtype)}
    saturates = x.low < dtype.lo or x.high > dtype.hi
    if ctx.options.affine and x.dtype.is_float and x.form is not None and x.starts is None and not saturates:
        largest = max(abs(result.low), abs(result.high))
        error = x.form.error + (largest * dtype.eps / 2 + dtype.tiny if dtype.eps > x.dtype.eps else 0.0)
        result.form = affine.Form(x.form.terms, x.form.constant, error)
    if x.data is not None and np.size(x.data) <= LARGEST_KEPT and x.dtype.kind != dtypes.FLOAT:
        rounded = np.asarray(dtype.nearest(np.asarray(x.data).astype(np.float64)))
        result.data = rounded if np.isfinite(rounded).all() else None
    return result


def _holds(wide: Any, narrow: Any) -> bool:
    """Whether every number of one floating type is one of the other."""
    return bool(wide.eps <= narrow.eps and wide.hi >= narrow.hi and wide.smallest <= narrow.smallest)


def _exactly(x: AbstractTensor, dtype: Any) -> dict[str, Any]:
    """What is known of rows stays so in a type that holds all of their numbers."""
    return {n: x.facts[n] for n in ("max", "peaks", "attained") if n in x.facts} if _holds(dtype, x.dtype) else {}


def _reduced_in_wider(x: AbstractTensor, dtype: Any) -> dict[str, Any]:
    """A reduction of numbers of this type that was made in a wider one, as exporters write those of half precision.

    Their maximum is one of them, and a sum of what is not negative is rounded to no less than the largest.
    """
    kind, wide, axes, kept = x.facts.get("reduced", ("", x, None, False))
    origin = wide.origin
    if kind not in ("max", "min", "sum") or origin is None or origin.rule.name not in ("Cast", "CastLike"):
        return {}
    source = origin.inputs[0]
    if not isinstance(source, AbstractTensor) or source.dtype is not dtype or not _holds(wide.dtype, dtype):
        return {}
    return {"reduced": (kind, source, axes, kept)} if wide.dtype is x.dtype else {}


def overflow_of_cast(ctx: Context, x: AbstractTensor, dtype: Any, reached: bool) -> None:
    """Values outside the new type: a warning where some run certainly has them."""
    if ctx.run.ledger.quiet:
        return
    if reached or ctx.options.strict:
        ctx.check("numerical/cast-overflow", f"|x| > {dtype.hi:.5g}, the largest {dtype.name}", {0: x}, lambda _: False)
    else:
        ctx.overflow(x.interval(), dtype, False)
