"""Keras: layers that step other layers through time: `RNN` around a cell, `Bidirectional` around a recurrent layer."""

from __future__ import annotations

from analyzer.tracing.language.evaluation import call, get_attribute
from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Instance, Layer, ListV, Value
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


@operator("keras.layers.RNN.__call__", "layer inputs initial_state=None *rest")
def stepped(op: Op, layer: Layer, inputs: Value, initial_state: Value, rest: tuple[Value, ...]) -> Value:
    """One step of each cell tells the shape of every step; without a first state it is of zeros."""
    source = tensor(op, inputs)
    sequences, state = layer.args.get("return_sequences", False), layer.args.get("return_state", False)
    cell = layer.args.get("cell")
    cells = [cell] if isinstance(cell, (Layer, Instance)) else items_of(cell)
    if source is None or source.dims is None or not cells or not isinstance(sequences, bool):
        return op.tr.unknown("result of RNN")
    if len(source.dims) < 3:
        fail(op, "rank", f"the input must have at least 3 dimensions and has {show_shape(source.dims)}", (source,))
    value: Value = like(op, source, (source.dims[0], *source.dims[2:]), source.dtype)
    for one in cells:
        sizes = _state_sizes(op, one)
        if sizes is None or initial_state is not None:
            return op.tr.unknown("result of RNN")
        states = ListV([like(op, source, (source.dims[0], *size), "float32") for size in sizes])
        made = items_of(call(op.tr, one, (value, states), {}))
        if len(made) != 2:
            return op.tr.unknown("result of RNN")
        value = made[0]
    if not isinstance(value, Tensor) or not value.dims or state is not False:
        return op.tr.unknown("result of RNN")
    dims = (source.dims[0], source.dims[1], *value.dims[1:]) if sequences else value.dims
    return like(op, source, dims, value.dtype)


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
