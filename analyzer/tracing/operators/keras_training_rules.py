"""keras.backend: windows, losses and updates under the names of Keras 2."""

from __future__ import annotations

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Bound, Function, Native, Partial, Value
from analyzer.tracing.operators.elementwise import broadcast
from analyzer.tracing.operators.operands import unknown_tensor
from analyzer.tracing.operators.refusals import require
from analyzer.tracing.operators.table import Op, operator, rules, run_entry
from analyzer.tracing.operators.tf_operands import like, shape_value, tensor
from analyzer.validity.terms import equal

_WINDOWS = {"conv1d": "conv", "conv2d": "conv", "conv3d": "conv", "depthwise_conv2d": "depthwise_conv",
            "separable_conv2d": "separable_conv"}  # fmt: skip


@operator(" ".join(f"keras.backend.{name}" for name in _WINDOWS), "*args")
def window(op: Op, args: tuple[Value, ...]) -> Value:
    named = {"inputs" if k == "x" else k: v for k, v in op.extra.items()}
    if op.short == "depthwise_conv2d" and "depthwise_kernel" in named:
        named["kernel"] = named.pop("depthwise_kernel")
    target = f"keras.ops.{_WINDOWS[op.short]}"
    return run_entry(op.tr, rules()[target], target, args, named, op.node)


@operator(
    "keras.backend.pool2d keras.backend.pool3d",
    "x pool_size strides=1 padding='valid' data_format=None pool_mode='max'",
)
def pool(
    op: Op, x: Value, pool_size: Value, strides: Value, padding: Value, data_format: Value, pool_mode: Value
) -> Value:
    target = "keras.ops.max_pool"
    return run_entry(op.tr, rules()[target], target, (x, pool_size, strides, padding, data_format), {}, op.node)


# --------------------------------------------------------------------------------------------------- losses


@operator("keras.backend.binary_crossentropy keras.backend.binary_focal_crossentropy", "target output *rest")
def binary(op: Op, target: Value, output: Value, rest: tuple[Value, ...]) -> Value:
    """One number for each element."""
    return broadcast(op, "*", target, output, "tf")


@operator("keras.backend.categorical_crossentropy keras.backend.categorical_focal_crossentropy", "target output *rest")
def categorical(op: Op, target: Value, output: Value, rest: tuple[Value, ...]) -> Value:
    """One number for each place but the classes."""
    targets, predictions = tensor(op, target), tensor(op, output)
    if targets is None or predictions is None or not targets.dims or not predictions.dims or rest:
        return unknown_tensor(op, "tf")
    told = f"the targets {show_shape(targets.dims)} and the output {show_shape(predictions.dims)} differ"
    if len(targets.dims) == len(predictions.dims):
        require(op, equal(targets.dims[-1], predictions.dims[-1]), "loss-shape", told, (targets, predictions))
    axis = op.extra.get("axis", -1)
    if axis != -1:
        return unknown_tensor(op, "tf")
    return like(op, predictions, predictions.dims[:-1], predictions.dtype)


@operator("keras.backend.sparse_categorical_crossentropy", "target output *rest")
def sparse(op: Op, target: Value, output: Value, rest: tuple[Value, ...]) -> Value:
    predictions = tensor(op, output)
    if predictions is None or not predictions.dims or rest or op.extra.get("axis", -1) != -1:
        return unknown_tensor(op, "tf")
    return like(op, predictions, predictions.dims[:-1], predictions.dtype)


@operator("keras.backend.in_top_k", "predictions targets *rest")
def in_top_k(op: Op, predictions: Value, targets: Value, rest: tuple[Value, ...]) -> Value:
    source, other = tensor(op, targets), tensor(op, predictions)
    found = source if source is not None and source.dims is not None and len(source.dims) == 1 else other
    return unknown_tensor(op, "tf") if found is None or not found.dims else like(op, found, found.dims[:1], "bool")


# -------------------------------------------------------------------------------------------------- updates


@operator("keras.backend.update_add keras.backend.update_sub keras.backend.moving_average_update", "x increment *rest")
def updated(op: Op, x: Value, increment: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, x)
    return unknown_tensor(op, "tf") if source is None else like(op, source, source.shape, source.dtype)


@operator("keras.backend.batch_normalization keras.backend.print_tensor", "x *rest")
def kept(op: Op, x: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, x)
    return unknown_tensor(op, "tf") if source is None else like(op, source, source.shape, source.dtype)


@operator("keras.backend.learning_phase", "")
def learning_phase(op: Op) -> Value:
    """Whether it trains: a number of TensorFlow."""
    return Tensor((), None, "tf", site=op.where)


@operator("keras.backend.in_train_phase keras.backend.in_test_phase", "x alt training=None")
def phase(op: Op, x: Value, alt: Value, training: Value) -> Value:
    """The first while it trains (or is tested), else the other; each may be a function."""
    if isinstance(training, bool):
        chosen = x if training is op.short.startswith("in_train") else alt
        return _asked(op, chosen)
    first, other = tensor(op, _asked(op, x)), tensor(op, _asked(op, alt))
    if first is None or other is None or first.dims is None or first.dims != other.dims:
        return unknown_tensor(op, "tf")
    return like(op, first, first.dims, first.dtype)


def _asked(op: Op, value: Value) -> Value:
    return call(op.tr, value, (), {}) if isinstance(value, (Function, Bound, Partial, Native)) else value


# ---------------------------------------------------------------------------------------------- new tensors


@operator(
    "keras.backend.random_bernoulli keras.backend.random_binomial keras.backend.random_normal_variable "
    "keras.backend.random_uniform_variable",
    "shape *rest",
)
def drawn(op: Op, shape: Value, rest: tuple[Value, ...]) -> Value:
    return Tensor(shape_value(op, shape), None, "tf", site=op.where)


@operator("keras.backend.slice", "x start size")
def part(op: Op, x: Value, start: Value, size: Value) -> Value:
    return run_entry(op.tr, rules()["tf.slice"], "tf.slice", (x, start, size), {}, op.node)


@operator("keras.backend.placeholder", "shape=None ndim=None dtype=None *rest")
def placeholder(op: Op, shape: Value, ndim: Value, dtype: Value, rest: tuple[Value, ...]) -> Value:
    given = (None,) * ndim if shape is None and type(ndim) is int else shape
    return run_entry(op.tr, rules()["tf.placeholder"], "tf.placeholder", (dtype or "float32", given), {}, op.node)
