"""Keras: layers that prepare data, whose rules are learned from it or told: numbers of words, classes and ranges."""

from __future__ import annotations

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.values import Layer, Value
from analyzer.tracing.operators.operands import unknown_tensor
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.tf_operands import like, tensor, text_tensor

_KEPT = "PReLU Normalization"


@operator("keras.layers.PReLU.__init__", "alpha_initializer=None *rest")
def prelu_arguments(op: Op, **arguments: Value) -> Value:
    return None


@operator("keras.layers.Normalization.__init__", "axis=-1 mean=None variance=None invert=False *rest")
def normalization_arguments(op: Op, **arguments: Value) -> Value:
    return None


@operator(" ".join(f"keras.layers.{name}.__call__" for name in _KEPT.split()), "layer inputs *rest")
def kept(op: Op, layer: Layer, inputs: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, inputs)
    return unknown_tensor(op, "tf") if source is None else like(op, source, source.shape, None)


@operator("keras.layers.SpectralNormalization.__init__", "layer power_iterations=1 *rest")
def wrapping_arguments(op: Op, **arguments: Value) -> Value:
    return None


@operator("keras.layers.SpectralNormalization.__call__", "layer inputs *rest")
def wrapped(op: Op, layer: Layer, inputs: Value, rest: tuple[Value, ...]) -> Value:
    """What the layer inside makes, whose kernel alone is changed."""
    return call(op.tr, layer.args.get("layer"), (inputs,), {})


# ------------------------------------------------------------------------------------------------- numbers of


@operator("keras.layers.StringLookup.__init__ keras.layers.IntegerLookup.__init__", "max_tokens=None *rest")
def lookup_arguments(op: Op, **arguments: Value) -> Value:
    return None


@operator("keras.layers.Hashing.__init__", "num_bins *rest")
def hashing_arguments(op: Op, **arguments: Value) -> Value:
    return None


@operator("keras.layers.Discretization.__init__", "bin_boundaries=None *rest")
def ranges_arguments(op: Op, **arguments: Value) -> Value:
    return None


_NUMBERED = "StringLookup IntegerLookup Hashing Discretization"


@operator(" ".join(f"keras.layers.{name}.__call__" for name in _NUMBERED.split()), "layer inputs *rest")
def numbered(op: Op, layer: Layer, inputs: Value, rest: tuple[Value, ...]) -> Value:
    """A number for each element; in another mode what is counted is not followed."""
    source = text_tensor(op, inputs) or tensor(op, inputs)
    if source is None or layer.args.get("output_mode", "int") != "int" or "*" in layer.args:
        return unknown_tensor(op, "tf")
    return like(op, source, source.shape, None)


@operator("keras.layers.CategoryEncoding.__init__", "num_tokens=None output_mode='multi_hot' *rest")
def encoding_arguments(op: Op, **arguments: Value) -> Value:
    return None


@operator("keras.layers.CategoryEncoding.__call__", "layer inputs *rest")
def encoded(op: Op, layer: Layer, inputs: Value, rest: tuple[Value, ...]) -> Value:
    """One of each class for each element, or for all elements of an example."""
    source, count = tensor(op, inputs), op.tr.term_of(layer.args.get("num_tokens"), "num_tokens")
    mode = layer.args.get("output_mode", "multi_hot")
    if source is None or source.dims is None or count is None or not source.dims:
        return unknown_tensor(op, "tf")
    if mode == "one_hot" and len(source.dims) == 1:
        return like(op, source, (*source.dims, count))
    if mode in ("multi_hot", "count") and len(source.dims) == 2:
        return like(op, source, (source.dims[0], count))
    return unknown_tensor(op, "tf")
