"""Layers of torch.nn with state or several operands: recurrent layers and their cells."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Layer, Unknown, Value
from analyzer.tracing.operators.element_types import dtype_name
from analyzer.tracing.operators.operands import tensor_of
from analyzer.tracing.operators.refusals import fail, require, require_shape
from analyzer.tracing.operators.strides import contiguous
from analyzer.tracing.operators.table import Op, operator
from analyzer.validity.terms import equal


def _size(op: Op, layer: Layer, name: str, default: Any = None) -> Any:
    value = layer.args.get(name, default)
    return None if value is None else op.tr.term_of(value, name)


_RECURRENT = (
    "input_size hidden_size num_layers=1 bias=True batch_first=False dropout=0.0 bidirectional=False proj_size=0"
)


@operator("torch.nn.LSTM.__init__ torch.nn.GRU.__init__ torch.nn.RNN.__init__", _RECURRENT)
def recurrent_arguments(op: Op, **arguments: Value) -> Value:
    return None


@operator("torch.nn.LSTM.__call__ torch.nn.GRU.__call__ torch.nn.RNN.__call__", "layer input hx=None")
def recurrent(op: Op, layer: Layer, input: Value, hx: Value) -> Value:
    x = tensor_of(op.tr, input, "torch")
    features, hidden = _size(op, layer, "input_size"), _size(op, layer, "hidden_size")
    layers = _size(op, layer, "num_layers", 1)
    both, first = layer.args.get("bidirectional", False), layer.args.get("batch_first", False)
    projected = _size(op, layer, "proj_size", 0)
    if x is None or features is None or hidden is None or isinstance(both, Unknown) or isinstance(first, Unknown):
        return _result(op, layer, None, None)
    if x.dims is None:
        return _result(op, layer, None, None)
    dtype = _type_of(op, layer, x)
    if len(x.dims) not in (2, 3):
        fail(
            op,
            "rank",
            (
                f"the input must have 3 dimensions (or 2 without a batch) and has {len(x.dims)} (shape "
                f"{show_shape(x.dims)})"
            ),
            (x,),
        )
    require(
        op,
        equal(x.dims[-1], features),
        "size",
        f"the input has {x.dims[-1]} features but input_size is {features}",
        (x,),
    )
    steps = x.dims[0] if len(x.dims) == 2 or not first else x.dims[1]
    if steps == 0:
        fail(op, "not-empty", f"the sequence is empty (shape {show_shape(x.dims)})", (x,))
    width = hidden if projected in (0, None) else projected
    directions = 2 if both else 1
    batch = x.dims[0 if first else 1] if len(x.dims) == 3 else None
    _check_state(op, hx, layers, directions, batch, hidden, width)
    out = (*x.dims[:-1], width * directions)
    state = (
        layers * directions if layers is not None else op.tr.fresh("layers", "unknown"),
        *((batch,) if batch is not None else ()),
        width,
    )
    made = _result(op, layer, out, state, (*state[:-1], hidden), dtype)
    if batch is not None and isinstance(first, bool):
        made[0].strides = _layout(out, first)
    elif batch is None:
        made[0].strides = contiguous(out)  # one row of a batch of one, wherever the batch stands
    return made


def _type_of(op: Op, layer: Layer, x: Tensor | None) -> str | None:
    """The element type of the weights and of what comes out, which the input must have; None where it is not known."""
    if op.tr.autocasting:
        return None
    stated = layer.args.get("dtype")
    own = dtype_name(stated) if stated is not None else None if op.tr.types_open else "float32"
    given = x.dtype if x is not None else None
    whole = (given or "").startswith(("int", "uint", "bool"))
    if x is not None and given is not None and (whole or (own is not None and given != own)):
        wanted = own or "floating"
        fail(op, "dtype", f"the input has elements of type {given} but the weights are {wanted}", (x,))
    return given if own is None else own


def _layout(dims: tuple[Any, ...], batch_first: bool) -> tuple[Any, ...]:
    """Every engine computes time by time and hands out a transpose where the batch is to be first."""
    if not batch_first:
        return contiguous(dims)
    batch, steps, width = dims
    by_time = contiguous((steps, batch, width))
    return (by_time[1], by_time[0], by_time[2])


def _result(
    op: Op, layer: Layer, out: Any, state: Any, cell: Any = None, dtype: str | None = None
) -> tuple[Tensor, Value]:
    """The output and the last states: a projection is of the hidden state, never of the cell's."""
    output = Tensor(out, dtype, "torch", site=op.where, name="output")
    h = Tensor(state, dtype, "torch", site=op.where, name="h_n")
    if layer.name.endswith("LSTM"):
        return output, (h, Tensor(cell, dtype, "torch", site=op.where, name="c_n"))
    return output, h


def _check_state(op: Op, hx: Value, layers: Any, directions: int, batch: Any, hidden: Any, width: Any) -> None:
    states = hx if isinstance(hx, tuple) else (hx,)
    if layers is None:
        return
    for state, size in zip(states, (width, hidden), strict=False):
        if isinstance(state, Tensor):
            wanted = (layers * directions, *((batch,) if batch is not None else ()), size)
            told = f"the hidden state has the shape {show_shape(state.dims or ())} but must be {show_shape(wanted)}"
            require_shape(op, state, wanted, "hidden-state", told, "rank")


@operator(
    "torch.nn.LSTMCell.__init__ torch.nn.GRUCell.__init__ torch.nn.RNNCell.__init__", "input_size hidden_size bias=True"
)
def cell_arguments(op: Op, **arguments: Value) -> Value:
    return None


@operator("torch.nn.LSTMCell.__call__ torch.nn.GRUCell.__call__ torch.nn.RNNCell.__call__", "layer input hx=None")
def cell(op: Op, layer: Layer, input: Value, hx: Value) -> Value:
    x = tensor_of(op.tr, input, "torch")
    features, hidden = _size(op, layer, "input_size"), _size(op, layer, "hidden_size")
    dims = None
    if x is not None and x.dims and features is not None and hidden is not None:
        require(
            op,
            equal(x.dims[-1], features),
            "size",
            f"the input has {x.dims[-1]} features but input_size is {features}",
            (x,),
        )
        dims = (*x.dims[:-1], hidden)
        if len(dims) > 2:
            fail(op, "rank", f"the input must have 1 or 2 dimensions and has the shape {show_shape(x.dims)}", (x,))
        for state in hx if isinstance(hx, tuple) else (hx,):
            if isinstance(state, Tensor):
                told = f"the hidden state has the shape {show_shape(state.dims or ())} but must be {show_shape(dims)}"
                require_shape(op, state, dims, "hidden-state", told)
    dtype = _type_of(op, layer, x)
    h = Tensor(dims, dtype, "torch", site=op.where)
    return (h, Tensor(dims, dtype, "torch", site=op.where)) if layer.name.endswith("LSTMCell") else h
