"""keras.activations, and the settings that programs of Keras ask for: the number that is all but zero, the type."""

from __future__ import annotations

from analyzer.tracing.language.values import Api, Unknown, Value
from analyzer.tracing.operators.keras_custom_objects import registered
from analyzer.tracing.operators.keras_ops_rules import softmax as of_rows
from analyzer.tracing.operators.operands import unknown_tensor
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.tf_operands import like, tensor

_PREFIX = "keras.activations."
_KEPT = """relu sigmoid tanh elu selu gelu silu swish leaky_relu relu6 mish softplus softsign exponential linear celu
    hard_sigmoid hard_silu hard_swish hard_tanh hard_shrink soft_shrink tanh_shrink log_sigmoid threshold squareplus
    sparse_plus sparse_sigmoid sparsemax"""
_SAME = {"swish": "silu", "hard_swish": "hard_silu"}  # as Keras 3 writes them


@operator(f"{_PREFIX}softmax {_PREFIX}log_softmax", "x axis=-1")
def softmax(op: Op, x: Value, axis: Value) -> Value:
    return of_rows(op, x, axis)


@operator(" ".join(_PREFIX + name for name in _KEPT.split()), "x *rest")
def same_shape(op: Op, x: Value, rest: tuple[Value, ...]) -> Value:
    if op.short == "linear":
        return x
    source = tensor(op, x)
    if source is None:
        return unknown_tensor(op, "tf")
    return like(op, source, source.shape, source.dtype, tags=source.tags)


@operator(f"{_PREFIX}get {_PREFIX}deserialize", "identifier=None *rest")
def activation(op: Op, identifier: Value, rest: tuple[Value, ...]) -> Value:
    if identifier is None:
        return Api(f"{_PREFIX}linear")
    own = registered(op.tr, identifier)
    if own is not None:
        return own
    return Api(_PREFIX + identifier) if isinstance(identifier, str) else identifier


@operator(f"{_PREFIX}serialize", "activation")
def name_of(op: Op, activation: Value) -> Value:
    if isinstance(activation, Api) and activation.name.startswith(_PREFIX):
        name = activation.name.removeprefix(_PREFIX)
        return _SAME.get(name, name)
    return op.tr.unknown_call(op.name)


@operator("keras.backend.epsilon keras.config.epsilon", "")
def epsilon(op: Op) -> Value:
    """The default, where the program sets no other."""
    return op.tr.machine.get("epsilon", 1e-7)


@operator("keras.backend.set_epsilon keras.config.set_epsilon", "value")
def set_epsilon(op: Op, value: Value) -> Value:
    op.tr.machine["epsilon"] = Unknown("a setting", "foreign", "epsilon", "float")
    return None


@operator("keras.backend.floatx keras.config.floatx", "")
def floatx(op: Op) -> Value:
    """The default, where the program sets no other."""
    return op.tr.machine.get("floatx", "float32")


@operator("keras.backend.set_floatx keras.config.set_floatx", "value")
def set_floatx(op: Op, value: Value) -> Value:
    op.tr.machine["floatx"] = Unknown("a setting", "foreign", "floatx", "str")
    op.tr.types_open = True
    return None


@operator(
    "keras.config.set_dtype_policy keras.mixed_precision.set_global_policy keras.mixed_precision.set_dtype_policy "
    "keras.mixed_precision.experimental.set_policy",
    "policy",
)
def set_policy(op: Op, policy: Value) -> Value:
    """From here on layers convert what they are given, and make weights of another type."""
    op.tr.types_open = True
    return None
