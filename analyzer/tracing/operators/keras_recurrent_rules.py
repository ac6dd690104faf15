"""Keras: layers that step other layers through time: `RNN` around a cell, `Bidirectional` around a recurrent layer."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.evaluation import call, get_attribute
from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Bound, Function, Instance, Layer, ListV, Value
from analyzer.tracing.operators.operands import items_of
from analyzer.tracing.operators.refusals import fail
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.tf_operands import like, tensor
from analyzer.validity.terms import Term


@operator("keras.layers.Bidirectional.__call__", "layer inputs *rest")
def bidirectional(op: Op, layer: Layer, inputs: Value, rest: tuple[Value, ...]) -> Value:
    """What both directions give, merged; then the states of the one and of the other (`keras.layers.Bidirectional`)."""
    merge_mode = layer.args.get("merge_mode", "concat")
    result = call(op.tr, layer.args.get("layer"), (inputs,), {})
    out, *states = result if type(result) is tuple else (result,)
    if not isinstance(out, Tensor) or not out.dims or not (merge_mode is None or isinstance(merge_mode, str)):
        return op.tr.unknown("result of Bidirectional")
    if merge_mode is None:
        return ListV([out, like(op, out, out.dims, out.dtype), *states, *states])
    factor = 2 if merge_mode == "concat" else 1
    merged = like(op, out, (*out.dims[:-1], out.dims[-1] * factor), "float32")
    return (merged, *states, *states) if states else merged


@operator("keras.layers.RNN.__init__", "cell return_sequences=False return_state=False *rest")
def stepped_arguments(op: Op, **arguments: Value) -> Value:
    return None


@operator("keras.layers.StackedRNNCells.__init__", "cells *rest")
def stacked_arguments(op: Op, **arguments: Value) -> Value:
    return None


@operator("keras.layers.RNN.__call__", "layer inputs initial_state=None *rest")
def stepped(op: Op, layer: Layer, inputs: Value, initial_state: Value, rest: tuple[Value, ...]) -> Value:
    """One step of each cell tells the shape of every step; without a first state the cells say theirs."""
    source = tensor(op, inputs)
    sequences, state = layer.args.get("return_sequences", False), layer.args.get("return_state", False)
    cell = layer.args.get("cell")
    if isinstance(cell, Layer) and cell.name == "keras.layers.StackedRNNCells":
        cell = cell.args.get("cells")
    single = isinstance(cell, (Layer, Instance))
    cells = [cell] if single else items_of(cell)
    if source is None or source.dims is None or not cells or not isinstance(sequences, bool):
        return op.tr.unknown("result of RNN")
    if len(source.dims) < 3:
        fail(op, "rank", f"the input must have at least 3 dimensions and has {show_shape(source.dims)}", (source,))
    if initial_state is None:
        states = [_first_states(op, one, source) for one in cells]
    else:
        given = [initial_state] if isinstance(initial_state, Tensor) else items_of(initial_state)
        states = [given] if single else [items_of(one) or [one] for one in given]
    value: Value = like(op, source, (source.dims[0], *source.dims[2:]), source.dtype)
    made = _step(op, cells, value, states)
    if made is not None and source.dims[1] != 1 and _shapes(made[1]) != _shapes(states):
        made = _step(op, cells, value, made[1])  # the next one takes what this one leaves
    if made is None or not isinstance(made[0], Tensor) or not made[0].dims or not isinstance(state, bool):
        return op.tr.unknown("result of RNN")
    dims = (source.dims[0], source.dims[1], *made[0].dims[1:]) if sequences else made[0].dims
    result = like(op, source, dims, made[0].dtype)
    if not state:
        return result
    left = made[1][0] if single else [one[0] if len(one) == 1 else ListV(one) for one in made[1]]
    return (result, *left)


def _step(
    op: Op, cells: list[Value], value: Value, states: list[list[Value]] | list[list[Value] | None]
) -> tuple[Value, list[list[Value]]] | None:
    """What the last cell gives for one step, and the states of all after it; None where it is not known."""
    after: list[list[Value]] = []
    if len(states) != len(cells):
        return None
    for cell, held in zip(cells, states, strict=True):
        if not held:
            return None
        made = items_of(call(op.tr, cell, (value, ListV(held)), {}))
        if len(made) != 2:
            return None
        value = made[0]
        after.append([made[1]] if isinstance(made[1], Tensor) else items_of(made[1]))
    return value, after


def _shapes(states: list[list[Value]] | list[list[Value] | None]) -> list[list[Any]]:
    return [[one.dims if isinstance(one, Tensor) else None for one in held or ()] for held in states]


def _first_states(op: Op, cell: Value, source: Tensor) -> list[Value] | None:
    """The states before the first step: what the cell says of them, or zeros of its `state_size`."""
    rows = (source.dims or (None,))[0]
    own = cell.cls.find("get_initial_state") if isinstance(cell, Instance) else None
    if own is not None and isinstance(own[0], Function) and isinstance(cell, Instance):
        made = call(op.tr, Bound(cell, own[0], own[1]), (), {"batch_size": rows})
        return [made] if isinstance(made, Tensor) else items_of(made) or None
    sizes = _state_sizes(op, cell)
    return None if sizes is None else [like(op, source, (rows, *size), "float32") for size in sizes]


def _state_sizes(op: Op, cell: Value) -> list[tuple[Term, ...]] | None:
    """The sizes of a cell's states beside the batch: its `state_size`, a number, a shape or a list of them."""
    if isinstance(cell, Layer):
        units = op.tr.term_of(cell.args.get("units"), "units")
        return None if units is None else [(units,)] * (2 if cell.name.endswith("LSTMCell") else 1)
    stated = get_attribute(op.tr, cell, "state_size", op.node)
    if isinstance(stated, (ListV, tuple)):
        found = [_size(op, size) for size in items_of(stated)]
        return None if not found or any(size is None for size in found) else [s for s in found if s is not None]
    single = _size(op, stated)
    return None if single is None else [single]


def _size(op: Op, stated: Value) -> tuple[Term, ...] | None:
    parts = items_of(stated) if isinstance(stated, (ListV, tuple)) else [stated]
    terms = [op.tr.term_of(part, "state_size") for part in parts]
    return None if not terms or any(t is None for t in terms) else tuple(t for t in terms if t is not None)
