"""TensorFlow: reductions, arg-max and top-k."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Api, Fields, Value
from analyzer.tracing.operators.element_types import asked_type
from analyzer.tracing.operators.hyperparameters import plain
from analyzer.tracing.operators.operands import unknown_tensor
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.sessions import AXIS_TWICE
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.tf_operands import like, tensor
from analyzer.tracing.operators.torch_operands import reduced_dims
from analyzer.tracing.operators.torch_reduction_rules import advise_argmax
from analyzer.validity.terms import Poly, equal, product

# ------------------------------------------------------------------------------------------------ reductions


@operator(
    " ".join(
        f"tf.{prefix}{n}"
        for n in (
            "reduce_sum",
            "reduce_mean",
            "reduce_max",
            "reduce_min",
            "reduce_prod",
            "reduce_all",
            "reduce_any",
            "reduce_logsumexp",
            "reduce_std",
            "reduce_variance",
        )
        for prefix in ("", "math.")
    )
    + " tf.norm tf.linalg.norm",
    "input_tensor=None *rest",
)
def reduce(op: Op, input_tensor: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, op.extra.get("tensor", input_tensor))
    if source is None:
        return unknown_tensor(op, "tf")
    position = 1 if op.short == "norm" else 0
    axes = next(
        (op.extra[k] for k in ("axis", "reduction_indices", "axes") if k in op.extra),
        rest[position] if len(rest) > position else None,
    )
    keep = next(
        (op.extra[k] for k in ("keepdims", "keep_dims") if k in op.extra),
        rest[position + 1] if len(rest) > position + 1 else False,
    )
    dims = () if axes is None and not keep else reduced_dims(op, source, axes, keep)
    row = source.value if op.short in _OF_ROW and dims == () and len(source.dims or ()) == 1 else None
    if isinstance(row, tuple) and row and all(isinstance(v, (int, Poly)) for v in row):
        return like(op, source, (), source.dtype, value=_OF_ROW[op.short](row))
    tags = frozenset((AXIS_TWICE,)) if source.graph and _repeats(op, source, axes) else frozenset[str]()
    return like(op, source, dims, "bool" if op.short in ("reduce_all", "reduce_any") else source.dtype, tags=tags)


_OF_ROW: dict[str, Callable[[tuple[Any, ...]], Any]] = {"reduce_prod": product, "reduce_sum": sum}  # of sizes


def _repeats(op: Op, source: Tensor, axes: Value) -> bool:
    """Whether an axis is named twice: a graph takes that, and refuses it when it runs."""
    numbers = plain(op.tr, axes) if axes is not None else None
    if not isinstance(numbers, tuple) or not source.dims or not all(isinstance(n, int) for n in numbers):
        return False
    return len({n % len(source.dims) for n in numbers}) < len(numbers)


@operator(
    "tf.argmax tf.argmin tf.math.argmax tf.math.argmin tf.arg_max", "input axis=None name=None dimension=None *rest"
)
def argmax(op: Op, input: Value, axis: Value, name: Value, dimension: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, input)
    axis = axis if axis is not None else dimension if dimension is not None else 0
    if source is None:
        return unknown_tensor(op, "tf")
    advise_argmax(op, source, axis)
    asked = op.extra.get("output_type", name if isinstance(name, Api) else None)  # third in TensorFlow 2
    kind = asked_type(asked, "int64")
    return like(op, source, reduced_dims(op, source, axis, False), kind, tags=frozenset(("classes",)))


@operator("tf.nn.top_k tf.math.top_k", "input k=1 *rest")
def top_k(op: Op, input: Value, k: Value, rest: tuple[Value, ...]) -> Value:
    source, count = tensor(op, input), op.tr.term_of(k)
    if source is None or not source.dims or count is None:
        return op.tr.unknown("top_k()", "imprecise")
    dims = (*source.dims[:-1], count)
    return Fields((like(op, source, dims, source.dtype), like(op, source, dims, "int32")), ("values", "indices"))


@operator("tf.nn.in_top_k tf.math.in_top_k", "predictions targets k *rest")
def in_top_k(op: Op, predictions: Value, targets: Value, k: Value, rest: tuple[Value, ...]) -> Value:
    a, b = tensor(op, predictions), tensor(op, targets)
    if a is None or b is None or a.dims is None or b.dims is None:
        return unknown_tensor(op, "tf", tuple(t for t in (a, b) if t is not None))
    scores, classes = a.dims, b.dims
    if len(scores) == 1 and len(classes) == 2:  # TensorFlow 2 takes the targets first, TensorFlow 1 the predictions
        scores, classes = classes, scores
    if len(scores) != 2 or len(classes) != 1:
        told = f"predictions {show_shape(scores)} must have 2 dimensions and targets {show_shape(classes)} 1"
        fail(op, "rank", told, (a, b))
    told = f"{show_shape(scores)} predictions for {show_shape(classes)} targets"
    require(op, equal(scores[0], classes[0]), "size", told, (a, b))
    return Tensor(classes, "bool", "tf", site=op.where, sources=(a, b), graph=a.graph or b.graph)
