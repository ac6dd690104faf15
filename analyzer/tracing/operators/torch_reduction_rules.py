"""torch: reductions, extrema, softmax, sorting."""

from __future__ import annotations

import functools
import operator as operators
from collections.abc import Iterator
from typing import Any

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Fields, Value, is_term
from analyzer.tracing.operators.apply import apply
from analyzer.tracing.operators.element_types import dtype_name, floating_of, real_of
from analyzer.tracing.operators.elementwise import broadcast
from analyzer.tracing.operators.operands import tensor_of, unknown_tensor
from analyzer.tracing.operators.refusals import fail
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.torch_operands import axis_of, cast, reduced_dims
from analyzer.tracing.operators.torch_shape_rules import _has_batch
from analyzer.validity.terms import Term, maximum, minimum, product

# ------------------------------------------------------------------------------------------------ reductions

_REDUCTIONS = "sum mean prod std var amax amin logsumexp norm any all median nanmean nansum nanmedian count_nonzero"


@operator(
    " ".join(f"torch.{n} Tensor.{n}" for n in _REDUCTIONS.split()) + " torch.linalg.norm torch.linalg.vector_norm",
    "input *rest",
)
def reduce(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor_of(op.tr, input, "torch")
    if source is None:
        return unknown_tensor(op, "torch")
    extra = dict(op.extra)
    position = 1 if op.short in ("norm", "vector_norm") else 0
    axes = extra.get("dim", extra.get("axis", rest[position] if len(rest) > position else None))
    if isinstance(axes, bool) or (op.short in ("std", "var") and isinstance(axes, bool)):
        axes = None
    keep = extra.get(
        "keepdim",
        extra.get(
            "keepdims", rest[position + 1] if len(rest) > position + 1 and op.short not in ("std", "var") else False
        ),
    )
    dims = () if axes is None and not keep else reduced_dims(op, source, axes, keep)
    if op.short in ("amax", "amin", "median") and (axes is None or isinstance(axes, int)):
        _not_empty(op, source, axes)
    known = _of_zeros(op.short, source) if axes is None and not keep else None
    if known is None and axes is None and not keep:
        known = _of_elements(op.short, source)
    if op.short in ("median", "nanmedian", "mode") and axes is not None:
        return _valued(op, source, dims)
    return Tensor(
        dims,
        _element_type(op, source),
        source.framework if source.framework != "unknown" else "torch",
        site=op.where,
        value=known,
        sources=(source,),
        graph=source.graph,
    )


def _of_zeros(function: str, source: Tensor) -> int | None:
    """0 where every element is 0: made so, and nothing has been written into it since."""
    made = source.making
    keeps = function in ("norm", "vector_norm", "sum", "count_nonzero", "any")  # which are 0 of none, too
    if not keeps or made is None or made.name not in ("torch.zeros", "torch.zeros_like"):
        return None
    if source.memory.writes != 0:
        return None
    return False if function == "any" else 0


def _of_elements(function: str, source: Tensor) -> Term | None:
    """The largest, least, sum or product of a whole tensor whose elements are known, truths of one that has none."""
    if function in ("any", "all") and 0 in (source.dims or ()):
        return function == "all"
    items = list(_flat(source.value)) if isinstance(source.value, tuple) else []
    if function in ("any", "all"):
        return _of_truths(function, items)
    if not items or not all(is_term(i) for i in items):
        return None
    if function in ("max", "amax", "min", "amin"):
        return functools.reduce(maximum if function.endswith("max") else minimum, items)
    if function == "sum":
        return functools.reduce(operators.add, items)
    return product(items) if function == "prod" else None


def _of_truths(function: str, items: list[Value]) -> bool | None:
    """Whether any or all are other than 0, where that is known of enough of them."""
    known = [bool(i) for i in items if isinstance(i, int)]
    if function == "any":
        return True if any(known) else None if len(known) < len(items) or not items else False
    return False if not all(known) else None if len(known) < len(items) or not items else True


def _flat(value: Value) -> Iterator[Value]:
    for item in value:
        if isinstance(item, tuple):
            yield from _flat(item)
        else:
            yield item


_WHOLE = ("bool", "uint8", "int8", "int16", "int32")


def _element_type(op: Op, source: Tensor) -> str | None:
    """Sums and products of whole numbers and truths have 64 bits, if nothing else is asked for; NumPy keeps no sign."""
    asked = dtype_name(op.extra.get("dtype"))
    if op.short in ("any", "all"):
        return "bool"
    if source.framework == "numpy" and source.dtype == "uint8" and op.short in ("sum", "prod") and not asked:
        return "uint64"
    if op.short == "count_nonzero" or (op.short in ("sum", "prod", "nansum") and source.dtype in _WHOLE and not asked):
        return "int64"
    if op.short in ("norm", "vector_norm", "std", "var"):
        return real_of(asked or source.dtype)
    return asked or (floating_of(source.dtype) if op.short == "logsumexp" else source.dtype)


def _kept(op: Op, stated: Value) -> Value:
    """Whether a reduction keeps its axes, under either of its two names."""
    return op.extra.get("keepdim", op.extra.get("keepdims", stated))


@operator("torch.max torch.min Tensor.max Tensor.min", "input *rest")
def extremum(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor_of(op.tr, input, "torch")
    if source is None:
        return unknown_tensor(op, "torch")
    axis = op.extra.get("dim", rest[0] if rest else op.extra.get("axis"))
    if source.framework == "numpy":
        if axis is None:
            return Tensor((), source.dtype, "numpy", site=op.where, value=_of_elements(op.short, source))
        dims = reduced_dims(op, source, axis, op.extra.get("keepdims", False))
        return Tensor(dims, source.dtype, "numpy", site=op.where)
    if isinstance(axis, Tensor):
        return broadcast(op, "maximum", source, axis, "torch")
    if axis is None:
        _not_empty(op, source, None)
        known = _of_elements(op.short, source)
        return Tensor((), source.dtype, "torch", site=op.where, value=known, sources=(source,))
    dims = reduced_dims(op, source, axis, _kept(op, rest[1] if len(rest) > 1 else False))
    _not_empty(op, source, axis)
    _advise_axis(op, source, axis)
    return _valued(op, source, dims)


def _valued(op: Op, source: Tensor, dims: Any) -> Value:
    """What `max`, `sort` and `topk` give: values and where they stood."""
    values = Tensor(dims, source.dtype, "torch", site=op.where, name="values", sources=(source,))
    places = Tensor(
        dims, "int64", "torch", site=op.where, name="indices", sources=(source,), tags=frozenset(("classes",))
    )
    return Fields((values, places), ("values", "indices"))


def _not_empty(op: Op, source: Tensor, axis: Value) -> None:
    """The largest of nothing does not exist."""
    if not source.dims:
        return
    if axis is None:
        empty = any(d == 0 for d in source.dims)
    else:
        place = axis_of(op, source, axis)
        empty = place is not None and source.dims[place] == 0
    if empty:
        fail(op, "not-empty", f"the axis to reduce is empty (shape {show_shape(source.dims)})", (source,))


@operator("torch.argmax torch.argmin Tensor.argmax Tensor.argmin", "input dim=None keepdim=False")
def argmax(op: Op, input: Value, dim: Value, keepdim: Value) -> Value:
    source = tensor_of(op.tr, input, "torch")
    if source is None:
        return unknown_tensor(op, "torch")
    dim = op.extra.get("axis", dim)
    if dim is not None:
        _advise_axis(op, source, dim)
    dims = () if dim is None else reduced_dims(op, source, dim, keepdim)
    if source.framework == "torch":
        _not_empty(op, source, dim)
    return Tensor(
        dims,
        "int64",
        source.framework,
        site=op.where,
        sources=(source,),
        tags=frozenset(("classes",)),
        graph=source.graph,
    )


def _advise_axis(op: Op, source: Tensor, axis: Value) -> None:
    advise_argmax(op, source, axis)


def advise_argmax(op: Op, source: Tensor, axis: Value) -> None:
    """The position of the largest of one is always 0."""
    if (
        source.dims
        and isinstance(axis, int)
        and -len(source.dims) <= axis < len(source.dims)
        and source.dims[axis] == 1
        and len(source.dims) > 1
    ):
        op.tr.advise(
            "tracing/argmax-over-size-one",
            (
                f"{op.short} over axis {axis} of shape {show_shape(source.dims)}: that axis has size "
                "1, so the index is always 0"
            ),
            op.where,
            op.short,
        )


@operator(
    (
        "torch.softmax torch.nn.functional.softmax torch.nn.functional.log_softmax "
        "torch.log_softmax Tensor.softmax Tensor.log_softmax"
    ),
    "input dim=None *rest",
)
def softmax(op: Op, input: Value, dim: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor_of(op.tr, input, "torch")
    if source is not None:
        advise_softmax(op, source, dim)
    asked = op.extra.get("dtype", next((r for r in rest if not is_term(r)), None))  # `_stacklevel` is a number
    subject: Value = input if asked is None or source is None else cast(source, dtype_name(asked))
    result = apply(op, "torch", "softmax" if op.short == "softmax" else "log_softmax", (subject,), {"dim": dim})
    if isinstance(result, Tensor) and op.short == "softmax":
        result.tags |= {"probabilities"}
    return result


def _comes_from_batch(source: Tensor) -> bool:
    """Whether its rows are those of a batch, handed on by every operator in between."""
    waiting = [source]
    for _ in range(64):
        if not waiting:
            return False
        tensor = waiting.pop()
        if tensor.dims and source.dims and tensor.dims[0] == source.dims[0]:
            if "batch" in tensor.tags:
                return True
            waiting += [s for s in tensor.sources if isinstance(s, Tensor)]
    return False


def advise_softmax(op: Op, source: Tensor, axis: Value) -> None:
    """Softmax over the rows of a batch normalises over examples instead of classes."""
    if (
        source.dims
        and len(source.dims) == 2
        and axis in (0, -2)
        and not isinstance(axis, bool)
        and (_has_batch(op, source) or _comes_from_batch(source))
    ):
        op.tr.advise(
            "tracing/softmax-over-batch",
            (
                f"softmax over axis {axis} of shape {show_shape(source.dims)} normalises over the "
                "batch, so the classes of one example do not sum to 1"
            ),
            op.where,
            "softmax",
        )


@operator(
    ("torch.sort Tensor.sort torch.topk Tensor.topk torch.kthvalue Tensor.kthvalue torch.cummax torch.cummin"),
    "input k=None dim=-1 *rest",
)
def ordered(op: Op, input: Value, k: Value, dim: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor_of(op.tr, input, "torch")
    if source is None:
        return unknown_tensor(op, "torch")
    if op.short in ("sort", "cummax", "cummin"):
        axis_of(op, source, op.extra.get("dim", k if k is not None else -1))
        return _valued(op, source, source.shape)
    if op.short == "kthvalue":
        return _valued(op, source, reduced_dims(op, source, dim, _kept(op, rest[0] if rest else False)))
    result = apply(op, "torch", "topk", (source,), {"k": k, "dim": dim})
    if isinstance(result, tuple):
        return Fields(result, ("values", "indices"))
    return _valued(op, source, result.shape) if isinstance(result, Tensor) else result
