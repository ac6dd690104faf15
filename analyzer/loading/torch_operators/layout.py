"""Reductions, reshaping, slicing and joining; operators that leave the values as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir

from analyzer.loading.torch_emitter import Emitter, Unsupported, sizes
from analyzer.loading.torch_operators.rule import Conversion


def _reduce(op_type: str) -> Conversion:
    def convert(e: Emitter) -> ir.Value:
        x = e.cast(e.value("self"), e.result.dtype)
        axes = e.arg("dim")
        axes = [axes] if type(axes) is int else list(axes or [])
        keep = int(bool(e.arg("keepdim", False)))
        made: ir.Value = e.op(op_type, x, *([e.ints(axes)] if axes else []), keepdims=keep)
        return made

    return convert


def _reshape(e: Emitter) -> ir.Value:
    """To the result's shape, which may have one symbol."""
    target = e.shape
    if target.count(None) > 1:
        before = sizes(e.value("self"))
        # Leading symbols that stay where they are can be copied.
        copied = next(
            (i for i, (a, b) in enumerate(zip(before, target, strict=False)) if a is not None or b is not None), 0
        )
        names = [str(d) for d in (e.value("self").shape or ())][:copied]
        if target[copied:].count(None) > 1 or names != [str(d) for d in (e.result.shape or ())][:copied]:
            raise Unsupported
        numbers = [0] * copied + [-1 if d is None else d for d in target[copied:]]
    else:
        numbers = [-1 if d is None else d for d in target]
    if 0 in target:
        raise Unsupported
    made: ir.Value = e.op("Reshape", e.value("self"), e.ints(numbers))
    return made


def _same(e: Emitter) -> ir.Value:
    if e.arg("train") or e.arg("training"):
        raise Unsupported
    x = e.value("self" if e.has("self") else "input")
    made: ir.Value = e.op("Identity", x) if x.dtype == e.result.dtype else e.cast(x, e.result.dtype)
    return made


def _transpose(e: Emitter) -> ir.Value:
    x = e.value("self")
    rank = len(sizes(x))
    order = list(range(rank))
    if e.has("dims"):
        order = [d % rank for d in e.arg("dims")]
    else:
        a, b = e.arg("dim0", 0) % rank, e.arg("dim1", 1) % rank
        order[a], order[b] = order[b], order[a]
    made: ir.Value = e.op("Transpose", x, perm=order)
    return made


def _unsqueeze(e: Emitter) -> ir.Value:
    made: ir.Value = e.op("Unsqueeze", e.value("self"), e.ints([e.arg("dim")]))
    return made


def _squeeze(e: Emitter) -> ir.Value:
    x, axes = e.value("self"), e.arg("dim")
    rank = len(sizes(x))
    axes = [a % rank for a in ([axes] if type(axes) is int else axes)]
    gone = [a for a in axes if sizes(x)[a] == 1]
    made: ir.Value = e.op("Squeeze", x, e.ints(gone)) if gone else e.op("Identity", x)
    return made


def _expand(e: Emitter) -> ir.Value:
    x = e.value("self")
    before = [1] * (len(e.shape) - len(sizes(x))) + sizes(x)
    if any(b is None and a is not None for a, b in zip(before, e.shape, strict=True)):
        raise Unsupported
    made: ir.Value = e.op("Expand", x, e.ints([1 if d is None else d for d in e.shape]))
    return made


def _slice(e: Emitter) -> ir.Value:
    axis, step = e.arg("dim", 0), e.arg("step", 1)
    start, end = e.arg("start", 0), e.arg("end", np.iinfo(np.int64).max)
    start, end = 0 if start is None and "start" not in e.operation.arguments else start, end
    if end is None and sizes(e.value("self"))[axis] is None and sizes(e.result)[axis] is None and start == 0:
        end = np.iinfo(np.int64).max if str(e.value("self").shape) == str(e.result.shape) else None
    bounds = [int(start), int(np.clip(end, -(2**62), 2**62))]
    made: ir.Value = e.op("Slice", e.value("self"), *(e.ints([v]) for v in (*bounds, axis, step)))
    return made


def _select(e: Emitter) -> ir.Value:
    index = e.constant(int(e.arg("index")), ir.DataType.INT64)
    made: ir.Value = e.op("Gather", e.value("self"), index, axis=int(e.arg("dim")))
    return made


def _concatenate(e: Emitter) -> ir.Value:
    values = [e.cast(v, e.result.dtype) for v in e.arg("tensors")]
    made: ir.Value = e.op("Concat", *values, axis=int(e.arg("dim", 0)))
    return made


def _stack(e: Emitter) -> ir.Value:
    axis = e.ints([int(e.arg("dim", 0))])
    values = [e.op("Unsqueeze", v, axis) for v in e.arg("tensors")]
    made: ir.Value = e.op("Concat", *values, axis=int(e.arg("dim", 0)))
    return made


def _split(e: Emitter) -> Any:
    axis = int(e.arg("dim", 0))
    parts = [sizes(v)[axis] for v in e.operation.results]
    if None in parts:
        raise Unsupported
    made = e.op("Split", e.value("self"), e.ints([int(p or 0) for p in parts]), axis=axis, outputs=len(parts))
    return made if isinstance(made, list) else [made]


OPERATORS: dict[str, Conversion] = {
    "mean": _reduce("ReduceMean"), "sum": _reduce("ReduceSum"), "amax": _reduce("ReduceMax"),
    "amin": _reduce("ReduceMin"), "max.default": _reduce("ReduceMax"), "min.default": _reduce("ReduceMin"),
    "reshape": _reshape, "view": _reshape, "_unsafe_view": _reshape, "flatten": _reshape, "unflatten": _reshape,
    "unsqueeze": _unsqueeze, "squeeze.dim": _squeeze, "squeeze.dims": _squeeze, "transpose": _transpose,
    "permute": _transpose, "t": _transpose, "expand": _expand, "slice": _slice, "select": _select,
    "cat": _concatenate, "concat": _concatenate, "stack": _stack, "split": _split, "split_with_sizes": _split,
    "chunk": _split,
    **dict.fromkeys((
        "contiguous", "clone", "alias", "detach", "detach_", "lift_fresh_copy", "dropout", "dropout_", "to",
        "_to_copy", "type_as", "float", "feature_dropout",
    ), _same),
}  # fmt: skip
