"""TensorFlow: functions that call another one for each row, or until a condition fails."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.nested import Leaves, Open, leaves_of, rebuilt
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import ListV, Value
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.tf_operands import like, tensor
from analyzer.tracing.paths.agreement import alike


@operator("tf.map_fn tf.vectorized_map", "fn elems *rest")
def map_rows(op: Op, fn: Value, elems: Value, rest: tuple[Value, ...]) -> Value:
    """The function is followed once, for one row; its results are stacked."""
    count, row = rows_of(op, elems)
    if row is None:
        return op.tr.unknown(f"{op.short}()")
    return stacked(op, call(op.tr, fn, (row,), {}), count)


@operator("tf.scan", "fn elems initializer=None *rest")
def scan(op: Op, fn: Value, elems: Value, initializer: Value, rest: tuple[Value, ...]) -> Value:
    """What has been made so far, after each row."""
    count, row = rows_of(op, elems)
    if row is None:
        return op.tr.unknown("scan()")
    state = row if initializer is None else initializer
    made = call(op.tr, fn, (state, row), {})
    return stacked(op, made, count) if same_shapes(op, made, state) else op.tr.unknown("scan()")


@operator("tf.foldl tf.foldr", "fn elems initializer=None *rest")
def fold(op: Op, fn: Value, elems: Value, initializer: Value, rest: tuple[Value, ...]) -> Value:
    _, row = rows_of(op, elems)
    if row is None:
        return op.tr.unknown(f"{op.short}()")
    state = row if initializer is None else initializer
    made = call(op.tr, fn, (state, row), {})
    return made if same_shapes(op, made, state) else op.tr.unknown(f"{op.short}()")


@operator("tf.while_loop", "cond body loop_vars *rest")
def while_loop(op: Op, cond: Value, body: Value, loop_vars: Value, rest: tuple[Value, ...]) -> Value:
    """One round is followed; where it keeps the shapes, they are those of the end."""
    if not isinstance(loop_vars, (tuple, ListV)) or (isinstance(loop_vars, ListV) and loop_vars.open):
        return op.tr.unknown("while_loop()")
    given = tuple(loop_vars.items if isinstance(loop_vars, ListV) else loop_vars)
    state = tuple(_forgotten(op, v) for v in given)
    with op.tr.doubtful(True):  # it may not be run at all
        made = call(op.tr, body, state, {})
    if isinstance(made, ListV) and not made.open:
        made = tuple(made.items)
    made = made if isinstance(made, tuple) else (made,)
    if len(made) != len(given) or not all(same_shapes(op, a, b) for a, b in zip(made, state, strict=True)):
        return op.tr.unknown("while_loop()")
    return ListV(list(state)) if isinstance(loop_vars, ListV) else state


def rows_of(op: Op, elems: Value) -> tuple[Any, Value]:
    """How many rows there are, and one of each tensor; None where they are not known."""
    try:
        found = (
            [tensor(op, leaf) for leaf in leaves_of(elems, Leaves(ordered=True))]
            if not isinstance(elems, Tensor)
            else [elems]
        )
    except Open:
        return None, None
    if not found or any(f is None or not f.dims for f in found):
        return None, None
    rows = iter([like(op, f, f.dims[1:], f.dtype) for f in found if f is not None and f.dims])
    first = found[0]
    assert first is not None
    assert first.dims
    return first.dims[0], rebuilt(elems, Leaves(ordered=True), lambda _: next(rows))


def stacked(op: Op, value: Value, count: Any) -> Value:
    """The results of all rows, whose first axis is that of the rows."""

    def whole(leaf: Value) -> Value:
        found = tensor(op, leaf)
        if found is None or found.dims is None:
            return op.tr.unknown(f"{op.short}()")
        return like(op, found, (count, *found.dims), found.dtype)

    try:
        return rebuilt(value, Leaves(ordered=True), whole)
    except Open:
        return op.tr.unknown(f"{op.short}()")


def _forgotten(op: Op, value: Value) -> Value:
    """A variable of a loop: its elements change."""
    found = tensor(op, value) if not isinstance(value, (tuple, ListV)) else None
    return value if found is None else like(op, found, found.shape, found.dtype)


def same_shapes(op: Op, made: Value, state: Value) -> bool:
    """Whether both are tensors of one shape, or nested alike."""
    a, b = (tensor(op, v) if not isinstance(v, (tuple, ListV)) else None for v in (made, state))
    if a is None or b is None:
        return alike(made, state)
    return a.dims is not None and a.dims == b.dims
