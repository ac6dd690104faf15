"""``keras.ops``: functions that call another one for each row, or until a condition fails."""

from __future__ import annotations

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Value
from analyzer.tracing.operators.keras_ops_rules import keras_ops
from analyzer.tracing.operators.operands import unknown_tensor
from analyzer.tracing.operators.refusals import fail
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.tf_loop_rules import map_rows, rows_of, same_shapes, stacked, while_loop
from analyzer.tracing.operators.tf_operands import like, tensor
from analyzer.validity.terms import equal


@operator(keras_ops("map"), "f xs")
def mapped(op: Op, f: Value, xs: Value) -> Value:
    return map_rows(op, f, xs, ())


@operator(keras_ops("scan"), "f init xs=None length=None *rest")
def scan(op: Op, f: Value, init: Value, xs: Value, length: Value, rest: tuple[Value, ...]) -> Value:
    """What is carried from row to row keeps its shape; what each row gives beside it is stacked."""
    count, row = (op.tr.term_of(length), None) if xs is None and length is not None else rows_of(op, xs)
    if count is None or (row is None and xs is not None):
        return op.tr.unknown("scan()", "imprecise")
    made = call(op.tr, f, (init, row), {})
    if not isinstance(made, tuple) or len(made) != 2:
        return op.tr.unknown("scan()", "imprecise")
    carried, given = made
    if isinstance(carried, Tensor) and isinstance(init, Tensor):
        _keeps_its_shape(op, init, carried)
    if not same_shapes(op, carried, init):
        return op.tr.unknown("scan()", "imprecise")
    return carried, None if given is None else stacked(op, given, count)


def _keeps_its_shape(op: Op, before: Tensor, after: Tensor) -> None:
    if before.dims is None or after.dims is None:
        return
    differ = any(equal(a, b) is False for a, b in zip(before.dims, after.dims, strict=False))
    if len(before.dims) != len(after.dims) or differ:
        shown = f"{show_shape(before.dims)} before a round and {show_shape(after.dims)} after"
        fail(op, "carried-shape", f"what is carried has the shape {shown}", (before, after))


@operator(keras_ops("associative_scan"), "f elems reverse=False axis=0")
def running(op: Op, f: Value, elems: Value, reverse: Value, axis: Value) -> Value:
    """What is made of all rows so far, at each row."""
    source = tensor(op, elems) if isinstance(elems, Tensor) else None
    if source is None:
        return op.tr.unknown("associative_scan()", "imprecise")
    return like(op, source, source.shape, source.dtype)


@operator(keras_ops("while_loop"), "cond body loop_vars maximum_iterations=None")
def until(op: Op, cond: Value, body: Value, loop_vars: Value, maximum_iterations: Value) -> Value:
    """As TensorFlow's; one variable alone comes back alone."""
    if isinstance(loop_vars, Tensor):
        made = while_loop(op, cond, body, (loop_vars,), ())
        return made[0] if isinstance(made, tuple) else unknown_tensor(op, "tf")
    return while_loop(op, cond, body, loop_vars, ())
