"""Recurrent layers: LSTM, GRU and RNN, stacked and bidirectional, and their cells."""

from __future__ import annotations

from typing import Any

from analyzer.validity.spec import Case, Category, Rule, TensorType, define
from analyzer.validity.specs.common import (
    FLOATS,
    NOT_NEGATIVE,
    all_positive,
    need_choice,
    need_dtype,
    need_positive,
    need_rank,
)
from analyzer.validity.specs.convolution import keras_conv
from analyzer.validity.specs.elementwise import PROBABILITY
from analyzer.validity.terms import Term, equal

INPUT_SIZE = Rule(
    "input-size",
    Category.INCOMPATIBLE_SHAPE,
    "the input has {size} features but the layer takes {input_size}",
    ("input_size",),
)
STATE = Rule(
    "state",
    Category.INCOMPATIBLE_SHAPE,
    "the {which} state is {shape}; it must be {expected}",
    ("hidden_size", "num_layers"),
)
STATES = Rule("states", Category.INCOMPATIBLE_SHAPE, "{kind} takes {expected} initial states and is given {given}")
PROJECTION = Rule(
    "projection",
    Category.IMPROPER_VALUE,
    "`proj_size` {projection} must be smaller than `hidden_size` {hidden}",
    ("proj_size", "hidden_size"),
)
WEIGHTS = Rule("weights", Category.INCOMPATIBLE_SHAPE, "{name} is {shape}; for {gates} gates it must be {expected}")


def need_state(case: Case, which: str, state: TensorType | None, expected: tuple[Term, ...]) -> None:
    if state is None or state.shape is None:
        return
    facts = {"which": which, "shape": state.dims, "expected": expected}
    case.require(STATE, state.rank == len(expected), **facts)
    for a, b in zip(state.dims, expected, strict=True):
        case.require(STATE, equal(a, b), **facts)


def _torch_recurrent(kind: str) -> Any:
    def body(
        case: Case,
        x: TensorType,
        states: tuple[TensorType | None, ...],
        input_size: Term,
        hidden_size: Term,
        num_layers: Term,
        batch_first: bool,
        dropout: Any,
        bidirectional: bool,
        proj_size: Any,
        dtype: str,
    ) -> tuple[TensorType, ...]:
        need_positive(case, input_size=input_size)
        need_positive(case, hidden_size=hidden_size, num_layers=num_layers)
        if isinstance(dropout, (int, float)):
            case.require(PROBABILITY, 0 <= dropout <= 1, name="dropout", value=dropout)
        projected = not case.is_sentinel(proj_size, 0)
        if projected:
            case.require(NOT_NEGATIVE, proj_size >= 0, name="proj_size", value=proj_size)
            case.require(PROJECTION, proj_size < hidden_size, projection=proj_size, hidden=hidden_size)
        need_rank(case, x, 2, 3)
        need_dtype(case, x, (dtype,))
        all_positive(case, x, batch=None if x.rank == 2 else 0 if batch_first else 1)
        case.require(INPUT_SIZE, equal(x.dims[-1], input_size), size=x.dims[-1], input_size=input_size)
        directions = 2 if bidirectional else 1
        size = proj_size if projected else hidden_size
        batch = () if x.rank == 2 else (x.dims[0] if batch_first else x.dims[1],)
        given = len([s for s in states if s is not None])
        allowed = (0, 2) if kind == "LSTM" else (0, 1)
        case.require(STATES, given in allowed, kind=kind, given=given, expected=" or ".join(map(str, allowed)))
        hidden = (num_layers * directions, *batch, size)
        need_state(case, "hidden", states[0] if states else None, hidden)
        outputs = [TensorType((*x.dims[:-1], size * directions), dtype), TensorType(hidden, dtype)]
        if kind == "LSTM":
            cell = (num_layers * directions, *batch, hidden_size)
            need_state(case, "cell", states[1] if len(states) > 1 else None, cell)
            outputs.append(TensorType(cell, dtype))
        return tuple(outputs)

    def recurrent(
        case: Case,
        x: TensorType,
        *states: TensorType | None,
        input_size: Term,
        hidden_size: Term,
        num_layers: Term = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: Any = 0.0,
        bidirectional: bool = False,
        proj_size: Any = 0,
        nonlinearity: str = "tanh",
        dtype: str = "float32",
    ) -> tuple[TensorType, ...]:
        """``nn.LSTM``, ``nn.GRU``, ``nn.RNN``: output and final states (LSTM: hidden and cell)."""
        need_choice(case, nonlinearity, ("tanh", "relu"), "nonlinearity")
        return body(
            case, x, states, input_size, hidden_size, num_layers, batch_first, dropout, bidirectional, proj_size, dtype
        )

    return recurrent


torch_lstm = define("torch", "LSTM")(_torch_recurrent("LSTM"))
torch_gru = define("torch", "GRU")(_torch_recurrent("GRU"))
torch_rnn = define("torch", "RNN")(_torch_recurrent("RNN"))


def _torch_cell(states: int) -> Any:
    def cell(
        case: Case,
        x: TensorType,
        *given: TensorType | None,
        input_size: Term,
        hidden_size: Term,
        bias: bool = True,
        nonlinearity: str = "tanh",
        dtype: str = "float32",
    ) -> TensorType | tuple[TensorType, ...]:
        """``nn.LSTMCell``, ``nn.GRUCell``, ``nn.RNNCell``."""
        need_positive(case, input_size=input_size, hidden_size=hidden_size)
        need_rank(case, x, 1, 2)
        need_dtype(case, x, (dtype,))
        case.require(INPUT_SIZE, equal(x.dims[-1], input_size), size=x.dims[-1], input_size=input_size)
        expected = (*x.dims[:-1], hidden_size)
        for name, state in zip(("hidden", "cell"), given, strict=False):
            need_state(case, name, state, expected)
        result = TensorType(expected, dtype)
        return (result, result) if states == 2 else result

    return cell


torch_lstm_cell = define("torch", "LSTMCell")(_torch_cell(2))
torch_gru_cell = define("torch", "GRUCell")(_torch_cell(1))
torch_rnn_cell = define("torch", "RNNCell")(_torch_cell(1))


def _keras_recurrent(states: int) -> Any:
    def recurrent(
        case: Case,
        x: TensorType,
        *initial: TensorType | None,
        units: Term,
        return_sequences: bool = False,
        return_state: bool = False,
        bidirectional: bool = False,
        merge_mode: str | None = "concat",
        dropout: Any = 0.0,
        recurrent_dropout: Any = 0.0,
        **_others: Any,
    ) -> TensorType | tuple[TensorType, ...]:
        """``keras.layers.LSTM``, ``GRU``, ``SimpleRNN``; `bidirectional` stands for a Bidirectional wrapper."""
        need_positive(case, units=units)
        need_rank(case, x, 3)
        for state in initial:
            need_state(case, "initial", state, (x.dims[0], units))
        width = units * 2 if bidirectional and merge_mode == "concat" else units
        shape = (*x.dims[:2], width) if return_sequences else (x.dims[0], width)
        result = TensorType(shape, x.dtype)
        state_type = TensorType((x.dims[0], units), x.dtype)
        count = states * (2 if bidirectional else 1)
        return (result, *((state_type,) * count)) if return_state else result

    return recurrent


keras_lstm = define("keras", "LSTM")(_keras_recurrent(2))
keras_gru = define("keras", "GRU", "SimpleRNN")(_keras_recurrent(1))


@define("keras", "ConvLSTM2D")
def keras_conv_lstm(
    case: Case,
    x: TensorType,
    *,
    filters: Term,
    kernel_size: Any,
    strides: Any = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = 1,
    return_sequences: bool = False,
    **_others: Any,
) -> TensorType:
    """``keras.layers.ConvLSTM2D``: (batch, time, height, width, channels)."""
    need_rank(case, x, 5)
    frame = keras_conv(2)(
        case,
        TensorType((x.dims[0], *x.dims[2:]), x.dtype),
        filters=filters,
        kernel_size=kernel_size,
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilation_rate=dilation_rate,
    )
    if return_sequences:
        return TensorType((x.dims[0], x.dims[1], *frame.dims[1:]), x.dtype)
    return TensorType(frame.dims, x.dtype)


def _onnx_recurrent(gates: int) -> Any:
    def recurrent(
        case: Case,
        x: TensorType,
        w: TensorType,
        r: TensorType,
        bias: TensorType | None = None,
        lengths: TensorType | None = None,
        initial_h: TensorType | None = None,
        initial_c: TensorType | None = None,
        peepholes: TensorType | None = None,
        *,
        hidden_size: Any = None,
        direction: str = "forward",
        layout: int = 0,
        **_attributes: Any,
    ) -> tuple[TensorType, ...]:
        """ONNX LSTM, GRU, RNN: W (directions, gates × hidden, input), R (directions, gates × hidden, hidden)."""
        need_choice(case, direction, ("forward", "reverse", "bidirectional"), "direction")
        need_dtype(case, x, FLOATS)
        need_rank(case, x, 3)
        need_rank(case, w, 3, operand="W")
        need_rank(case, r, 3, operand="R")
        directions = 2 if direction == "bidirectional" else 1
        batch, steps = (x.dims[0], x.dims[1]) if layout else (x.dims[1], x.dims[0])
        hidden = r.dims[2] if hidden_size is None else hidden_size
        wanted = (("W", w, (directions, hidden * gates, x.dims[2])), ("R", r, (directions, hidden * gates, hidden)))
        for name, tensor, expected in wanted:
            for a, b in zip(tensor.dims, expected, strict=True):
                case.require(WEIGHTS, equal(a, b), name=name, shape=tensor.dims, gates=gates, expected=expected)
        if bias is not None:
            expected_bias = (directions, hidden * (2 * gates))
            case.require(WEIGHTS, bias.rank == 2, name="B", shape=bias.dims, gates=gates, expected=expected_bias)
            for a, b in zip(bias.dims, expected_bias, strict=True):
                case.require(WEIGHTS, equal(a, b), name="B", shape=bias.dims, gates=gates, expected=expected_bias)
        need_state(case, "length", lengths, (batch,))
        state = (batch, directions, hidden) if layout else (directions, batch, hidden)
        need_state(case, "hidden", initial_h, state)
        need_state(case, "cell", initial_c, state)
        whole = (batch, steps, directions, hidden) if layout else (steps, directions, batch, hidden)
        last = TensorType(state, x.dtype)
        return TensorType(whole, x.dtype), last, last

    return recurrent


onnx_lstm = define("onnx", "LSTM")(_onnx_recurrent(4))
onnx_gru = define("onnx", "GRU")(_onnx_recurrent(3))
onnx_rnn = define("onnx", "RNN")(_onnx_recurrent(1))
