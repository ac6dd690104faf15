"""TensorFlow 1: tf.layers, slim and recurrent cells."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import ListV, Object, Value
from analyzer.tracing.operators.apply import apply
from analyzer.tracing.operators.operands import unknown_tensor
from analyzer.tracing.operators.refusals import fail
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.tf_operands import like, tensor
from analyzer.validity.terms import floor_div

# ------------------------------------------------------------------------------------------- TF1 layer functions


@operator("tf.layers.dense tf.contrib.layers.fully_connected tf.contrib.slim.fully_connected", "inputs units *rest")
def dense(op: Op, inputs: Value, units: Value, rest: tuple[Value, ...]) -> Value:
    result = apply(op, "keras", "Dense", (tensor(op, inputs),), {"units": op.extra.get("num_outputs", units)})
    if isinstance(result, Tensor):
        result.framework = "tf"
    return result


@operator(
    "tf.layers.conv2d tf.layers.conv1d tf.layers.conv3d",
    "inputs filters kernel_size strides=1 padding='valid' data_format='channels_last' dilation_rate=1 *rest",
)
def layer_conv(
    op: Op,
    inputs: Value,
    filters: Value,
    kernel_size: Value,
    strides: Value,
    padding: Value,
    data_format: Value,
    dilation_rate: Value,
    rest: tuple[Value, ...],
) -> Value:
    source = tensor(op, inputs)
    return _layer(op, {"conv1d": "Conv1D", "conv2d": "Conv2D", "conv3d": "Conv3D"}[op.short], source, {
        "filters": filters, "kernel_size": kernel_size, "strides": strides,
        "padding": padding.lower() if isinstance(padding, str) else padding,
        "data_format": data_format, "dilation_rate": dilation_rate,
    })  # fmt: skip


@operator(
    "tf.layers.conv2d_transpose",
    "inputs filters kernel_size strides=1 padding='valid' data_format='channels_last' *rest",
)
def layer_conv_transpose(
    op: Op,
    inputs: Value,
    filters: Value,
    kernel_size: Value,
    strides: Value,
    padding: Value,
    data_format: Value,
    rest: tuple[Value, ...],
) -> Value:
    return _layer(op, "Conv2DTranspose", tensor(op, inputs), {
        "filters": filters, "kernel_size": kernel_size, "strides": strides,
        "padding": padding.lower() if isinstance(padding, str) else padding, "data_format": data_format,
    })  # fmt: skip


@operator(
    "tf.layers.max_pooling2d tf.layers.average_pooling2d tf.layers.max_pooling1d tf.layers.average_pooling1d",
    "inputs pool_size strides padding='valid' data_format='channels_last' *rest",
)
def layer_pool(
    op: Op, inputs: Value, pool_size: Value, strides: Value, padding: Value, data_format: Value, rest: tuple[Value, ...]
) -> Value:
    kind = ("MaxPooling" if "max" in op.short else "AveragePooling") + ("2D" if op.short.endswith("2d") else "1D")
    return _layer(
        op,
        kind,
        tensor(op, inputs),
        {
            "pool_size": pool_size,
            "strides": strides,
            "padding": padding.lower() if isinstance(padding, str) else padding,
            "data_format": data_format,
        },
    )


def _layer(op: Op, kind: str, source: Tensor | None, hyper: dict[str, Value]) -> Value:
    result = apply(op, "keras", kind, (source,), hyper)
    if isinstance(result, Tensor):
        result.framework = "tf"
    return result


@operator(
    "tf.contrib.layers.conv2d tf.contrib.slim.conv2d tf.contrib.slim.max_pool2d",
    "inputs num_outputs kernel_size=2 stride=1 padding='SAME' *rest",
)
def slim_conv(
    op: Op,
    inputs: Value,
    num_outputs: Value,
    kernel_size: Value,
    stride: Value,
    padding: Value,
    rest: tuple[Value, ...],
) -> Value:
    if "arg_scope" in op.extra or op.short == "max_pool2d":
        return unknown_tensor(op, "tf")
    return _layer(
        op,
        "Conv2D",
        tensor(op, inputs),
        {
            "filters": num_outputs,
            "kernel_size": kernel_size,
            "strides": stride,
            "padding": padding.lower() if isinstance(padding, str) else padding,
        },
    )


@operator(
    "tf.python.layers.utils.conv_output_length keras.utils.conv_utils.conv_output_length",
    "input_length filter_size padding stride dilation=1",
)
def length_of_convolution(
    op: Op, input_length: Value, filter_size: Value, padding: Value, stride: Value, dilation: Value
) -> Value:
    """How many positions a window has along an axis; None where the axis has no size yet."""
    if input_length is None:
        return None
    length = op.tr.term_of(input_length)
    numbers = (filter_size, stride, dilation)
    if length is None or not isinstance(padding, str) or not all(type(n) is int and n > 0 for n in numbers):
        return op.tr.unknown("a length", "imprecise", pytype="int")
    window = filter_size + (filter_size - 1) * (dilation - 1)
    more = {"same": 0, "causal": 0, "valid": 1 - window, "full": window - 1}.get(padding)
    if more is None:
        return op.tr.unknown("a length", "imprecise", pytype="int")
    return floor_div(length + more + stride - 1, stride)


# -------------------------------------------------------------------------------------------------- TF1 cells


@operator(
    " ".join(
        f"tf.{home}.{n}"
        for home in ("nn.rnn_cell", "contrib.rnn")
        for n in ("BasicLSTMCell", "LSTMCell", "GRUCell", "BasicRNNCell", "LayerNormBasicLSTMCell")
    ),
    "num_units *rest",
)
def rnn_cell(op: Op, num_units: Value, rest: tuple[Value, ...]) -> Value:
    return Object("cell", data={"units": num_units, "lstm": "LSTM" in op.short}, site=op.where)


@operator("tf.nn.rnn_cell.DropoutWrapper tf.contrib.rnn.DropoutWrapper", "cell *rest")
def wrapped_cell(op: Op, cell: Value, rest: tuple[Value, ...]) -> Value:
    return cell


@operator("tf.nn.rnn_cell.MultiRNNCell tf.contrib.rnn.MultiRNNCell", "cells *rest")
def stacked_cells(op: Op, cells: Value, rest: tuple[Value, ...]) -> Value:
    last = cells.items[-1] if isinstance(cells, ListV) and cells.items else None
    units = last.data.get("units") if isinstance(last, Object) and last.kind == "cell" else None
    return Object("cell", data={"units": units, "stack": True}, site=op.where)


@operator("tf.nn.dynamic_rnn", "cell inputs *rest")
def dynamic_rnn(op: Op, cell: Value, inputs: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, inputs)
    units = (
        op.tr.term_of(cell.data["units"])
        if isinstance(cell, Object) and cell.kind == "cell" and cell.data.get("units") is not None
        else None
    )
    if source is not None and source.dims is not None:
        if len(source.dims) < 3:
            fail(
                op,
                "rank",
                (
                    "the inputs must have 3 dimensions (batch, time, features) and have the shape "
                    f"{show_shape(source.dims)}"
                ),
                (source,),
            )
        if units is not None:
            out = like(op, source, (*source.dims[:2], units), source.dtype)
            batch = source.dims[1 if op.extra.get("time_major") is True else 0]
            return out, _state(op, cell, source, batch, units)
    return unknown_tensor(op, "tf", (source,) if source else ()), op.tr.unknown("a state", "imprecise", "state")


def _state(op: Op, cell: Any, source: Tensor, batch: Any, units: Any) -> Value:
    if cell.data.get("stack"):
        return op.tr.unknown("states", "imprecise", "state")
    if cell.data.get("lstm"):
        c, h = like(op, source, (batch, units)), like(op, source, (batch, units))
        return Object("state", {"c": c, "h": h}, {"parts": [c, h]})
    return like(op, source, (batch, units))
