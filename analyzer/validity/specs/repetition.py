"""Operators that repeat a tensor along its axes: expand, broadcast, tile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analyzer.validity.spec import Case, TensorType, define
from analyzer.validity.specs.common import (
    BROADCAST,
    LENGTH,
    RANK,
    broadcast,
    need_not_negative,
    need_positive,
    need_rank,
    need_vector,
    target_of,
)
from analyzer.validity.specs.shaping import of_unknown_target
from analyzer.validity.terms import Term, any_of, equal


@define("keras", "RepeatVector")
def keras_repeat_vector(case: Case, x: TensorType, *, n: Term) -> TensorType:
    """``keras.layers.RepeatVector``: (batch, features) to (batch, n, features)."""
    need_positive(case, n=n)
    need_rank(case, x, 2)
    return TensorType((x.dims[0], n, x.dims[1]), x.dtype)


@define("onnx", "Expand")
def onnx_expand(case: Case, x: TensorType, shape: TensorType) -> TensorType:
    """ONNX Expand: broadcasting with a shape, both ways."""
    need_vector(case, shape, "the target shape")
    target = target_of(shape)
    if target is None:
        count = shape.shape[0] if shape.shape else None
        if not isinstance(count, int):
            return x.with_shape(None)
        rank = max(x.rank, count)
        return TensorType(tuple(case.fresh("size") for _ in range(rank)), x.dtype)
    return TensorType(broadcast(case, x.dims, target), x.dtype)


@define("torch", "expand", "broadcast_to")
def torch_expand(case: Case, x: TensorType, *, size: Any) -> TensorType:
    """``Tensor.expand``: −1 keeps a size; only size 1 grows."""
    target = tuple(size)
    case.require(
        RANK, len(target) >= x.rank, operand="the input", expected=f"at most {len(target)}", rank=x.rank, shape=x.dims
    )
    lead = len(target) - x.rank
    dims: list[Term] = []
    for index, want in enumerate(target):
        if index < lead:
            need_not_negative(case, size=want)
            dims.append(want)
            continue
        have = x.dims[index - lead]
        if case.is_sentinel(want, -1):
            dims.append(have)
            continue
        ok = any_of(equal(have, want), equal(have, 1))
        case.require(BROADCAST, ok, left=x.dims, right=target, a=have, b=want)
        dims.append(want)
    return TensorType(tuple(dims), x.dtype)


@define("tf", "BroadcastTo")
def tf_broadcast_to(case: Case, x: TensorType, shape: TensorType, **_others: Any) -> TensorType:
    """GraphDef BroadcastTo."""
    target = target_of(shape)
    return of_unknown_target(case, x, shape) if target is None else torch_expand(case, x, size=target)


def tiled(case: Case, x: TensorType, repeats: Sequence[Term]) -> TensorType:
    ok = len(repeats) == x.rank
    case.require(LENGTH, ok, name="repeats", actual=len(repeats), expected=x.rank)
    for count in repeats:
        need_not_negative(case, repeats=count)
    return TensorType(tuple(d * r for d, r in zip(x.dims, repeats, strict=True)), x.dtype)


@define("onnx", "Tile")
@define("tf", "Tile")
def tile(case: Case, x: TensorType, repeats: TensorType, **_others: Any) -> TensorType:
    """Tile: one count for each dimension."""
    counts = target_of(repeats)
    if counts is None:
        return TensorType(tuple(case.fresh("size") for _ in x.dims), x.dtype)
    return tiled(case, x, counts)


@define("torch", "repeat")
def torch_repeat(case: Case, x: TensorType, *, repeats: Any) -> TensorType:
    """``Tensor.repeat``: at least as many counts as dimensions."""
    counts = tuple(repeats)
    case.require(LENGTH, len(counts) >= x.rank, name="repeats", actual=len(counts), expected=f"at least {x.rank}")
    return tiled(case, TensorType((*((1,) * (len(counts) - x.rank)), *x.dims), x.dtype), counts)
