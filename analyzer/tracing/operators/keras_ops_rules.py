"""``keras.ops``: elementwise functions, reductions, losses; shapes as Keras 3 computes them (`compute_output_spec`)."""

from __future__ import annotations

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Fields, ListV, Value
from analyzer.tracing.operators.element_types import asked_type, dtype_name
from analyzer.tracing.operators.elementwise import broadcast
from analyzer.tracing.operators.keras_kinds import keras_kind
from analyzer.tracing.operators.linear import matmul as product_of
from analyzer.tracing.operators.numpy_math_rules import is_whole
from analyzer.tracing.operators.operands import unknown_tensor
from analyzer.tracing.operators.own_gradients import DETACHED
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.tf_math_rules import need_axis
from analyzer.tracing.operators.tf_operands import like, tensor
from analyzer.tracing.operators.torch_operands import reduced_dims
from analyzer.tracing.operators.torch_reduction_rules import advise_argmax, advise_softmax
from analyzer.validity.terms import equal, product


def keras_ops(words: str) -> str:
    """The names of these functions, as rules are declared for them."""
    return " ".join(f"keras.ops.{word}" for word in words.split())


# ---------------------------------------------------------------------------------------------- elementwise

_TRUTH = "isfinite isinf isnan isneginf isposinf isreal logical_not signbit"


@operator(
    keras_ops(
        "abs absolute negative sign round floor ceil trunc fabs conj conjugate real imag nan_to_num stop_gradient copy "
        "arccos arccosh arcsin arcsinh arctan arctanh cos cosh sin sinh tan tanh erf erfc erfinv exp exp2 expm1 log "
        "log10 log1p log2 sqrt rsqrt square reciprocal sigmoid sinc cbrt deg2rad rad2deg angle bitwise_not "
        "relu relu6 elu selu celu gelu silu swish softplus softsign hard_sigmoid hard_silu hard_swish hard_tanh "
        "bitwise_invert "
        "log_sigmoid leaky_relu hard_shrink soft_shrink tanh_shrink squareplus sparse_plus sparse_sigmoid threshold "
        "clip sparsemax tril triu flip fliplr flipud roll sort layer_normalization rms_normalization normalize "
        + _TRUTH
    ),
    "x *rest",
)
def same_shape(op: Op, x: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, x)
    if source is None:
        return unknown_tensor(op, "tf")
    kind = "bool" if op.short in _TRUTH.split() else keras_kind(op, source.dtype)
    cut = {DETACHED} if op.short == "stop_gradient" else frozenset[str]()
    return like(op, source, source.shape, kind, tags=source.tags | cut)


@operator(keras_ops("softmax log_softmax"), "x axis=-1")
def softmax(op: Op, x: Value, axis: Value) -> Value:
    source = tensor(op, x)
    if source is None:
        return unknown_tensor(op, "tf")
    for one in axis.items if isinstance(axis, ListV) else axis if isinstance(axis, tuple) else (axis,):
        need_axis(op, source, one)
    if op.short == "softmax":
        advise_softmax(op, source, axis)
    more = {"probabilities"} if op.short == "softmax" else frozenset[str]()
    return like(op, source, source.shape, keras_kind(op, source.dtype), tags=source.tags | more)


@operator(keras_ops("cast saturate_cast"), "x dtype")
def cast(op: Op, x: Value, dtype: Value) -> Value:
    source = tensor(op, x)
    return unknown_tensor(op, "tf") if source is None else like(op, source, source.shape, dtype_name(dtype))


@operator(keras_ops("convert_to_tensor array"), "x dtype=None *rest")
def convert(op: Op, x: Value, dtype: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, x)
    if source is None:
        return unknown_tensor(op, "tf")
    return like(op, source, source.shape, asked_type(dtype, source.dtype), value=source.value, tags=source.tags)


@operator(keras_ops("zeros_like ones_like empty_like full_like"), "x *rest")
def filled_like(op: Op, x: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, x)
    stated = dtype_name(op.extra.get("dtype"))
    return unknown_tensor(op, "tf") if source is None else like(op, source, source.shape, stated or source.dtype)


_SIGNS = {
    "add": "+", "multiply": "*", "subtract": "-", "divide": "/", "true_divide": "/", "divide_no_nan": "/",
    "floor_divide": "//",
    "mod": "%", "fmod": "%",
    "power": "**", "maximum": "maximum", "minimum": "minimum", "fmax": "maximum", "fmin": "minimum", "arctan2": "/",
    "hypot": "+", "logaddexp": "+", "logaddexp2": "+", "heaviside": "+", "nextafter": "+", "equal": "==",
    "not_equal": "!=", "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">=", "logical_and": "&",
    "logical_or": "|", "logical_xor": "|", "isclose": "==",
}  # fmt: skip
_OF_POINTS = ("arctan2", "hypot", "logaddexp", "logaddexp2", "heaviside", "nextafter")
_COMPARING = ("==", "!=", "<", "<=", ">", ">=", "&", "|")


@operator(keras_ops(" ".join(_SIGNS)), "x1 x2 *rest")
def arithmetic(op: Op, x1: Value, x2: Value, rest: tuple[Value, ...]) -> Value:
    sign, (x1, x2) = _SIGNS[op.short], promoted(op, x1, x2)
    result = broadcast(op, sign, x1, x2, "tf", "bool" if sign in _COMPARING else "")
    if isinstance(result, Tensor) and op.short in _OF_POINTS and is_whole(result.dtype):
        result.dtype = None
    return result


def promoted(op: Op, x1: Value, x2: Value) -> tuple[Value, Value]:
    """Both operands without their element types where these differ: Keras converts them (`backend.result_type`)."""
    a, b = tensor(op, x1), tensor(op, x2)
    if a is None or b is None or a.dtype == b.dtype:
        return x1, x2
    return _untyped(op, a), _untyped(op, b)


@operator("keras.ops.matmul", "x1 x2")
def matmul(op: Op, x1: Value, x2: Value) -> Value:
    """Vectors too, as NumPy multiplies them."""
    a, b = (tensor(op, x) for x in promoted(op, x1, x2))
    if a is None or b is None or a.dims is None or b.dims is None:
        return product_of(op, a, b, "tf")
    made = product_of(op, a, b, "numpy")
    if isinstance(made, Tensor):
        made.framework = "tf"
    return made


@operator(keras_ops("where select"), "condition x1=None x2=None")
def where(op: Op, condition: Value, x1: Value, x2: Value) -> Value:
    if x1 is None or x2 is None or op.short == "select":
        return unknown_tensor(op, "tf")
    chosen = broadcast(op, "+", x1, x2, "tf")
    return broadcast(op, "+", _untyped(op, condition), chosen, "tf")


def _untyped(op: Op, value: Value) -> Value:
    found = tensor(op, value)
    return value if found is None else like(op, found, found.shape)


# ------------------------------------------------------------------------------------------------ reductions

_REDUCING = (
    "all any amax amin min max sum mean prod std var logsumexp nansum nanmean nanmax nanmin nanprod nanstd nanvar "
    "count_nonzero median nanmedian ptp"
)


@operator(keras_ops(_REDUCING), "x axis=None keepdims=False *rest")
def reduce(op: Op, x: Value, axis: Value, keepdims: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, x)
    if source is None:
        return unknown_tensor(op, "tf")
    keepdims = op.extra.get("keepdims", keepdims)
    dims = () if axis is None and keepdims is False else reduced_dims(op, source, axis, keepdims)
    return like(op, source, dims, "bool" if op.short in ("all", "any") else keras_kind(op, source.dtype))


@operator(keras_ops("argmax argmin nanargmax nanargmin"), "x axis=None keepdims=False")
def arg_reduce(op: Op, x: Value, axis: Value, keepdims: Value) -> Value:
    source = tensor(op, x)
    if source is None:
        return unknown_tensor(op, "tf")
    if axis is not None:
        advise_argmax(op, source, axis)
    dims = () if axis is None and keepdims is False else reduced_dims(op, source, axis, keepdims)
    return like(op, source, dims, "int32", tags=frozenset(("classes",)))


@operator(keras_ops("norm"), "x ord=None axis=None keepdims=False")
def norm(op: Op, x: Value, ord: Value, axis: Value, keepdims: Value) -> Value:
    source = tensor(op, x)
    if source is None:
        return unknown_tensor(op, "tf")
    dims = () if axis is None and keepdims is False else reduced_dims(op, source, axis, keepdims)
    return like(op, source, dims, keras_kind(op, source.dtype))


@operator(keras_ops("moments"), "x axes keepdims=False *rest")
def moments(op: Op, x: Value, axes: Value, keepdims: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, x)
    if source is None:
        return unknown_tensor(op, "tf"), unknown_tensor(op, "tf")
    dims = reduced_dims(op, source, axes, keepdims)
    return like(op, source, dims, source.dtype), like(op, source, dims, source.dtype)


@operator(keras_ops("cumsum cumprod nancumsum nancumprod argsort"), "x axis=None *rest")
def along(op: Op, x: Value, axis: Value, rest: tuple[Value, ...]) -> Value:
    """Without an axis a sum runs over the flat tensor; a sort takes the last one where nothing is said."""
    source = tensor(op, x)
    if source is None or source.dims == ():
        return unknown_tensor(op, "tf")
    said = axis is not None or "axis" in op.extra or op.short == "argsort"
    dims = source.dims if said or source.dims is None else (product(source.dims),)
    need_axis(op, source, axis)
    return like(op, source, dims, "int32" if op.short == "argsort" else keras_kind(op, source.dtype))


@operator(keras_ops("top_k"), "x k sorted=True")
def top_k(op: Op, x: Value, k: Value, sorted: Value) -> Value:
    source, count = tensor(op, x), op.tr.term_of(k)
    if source is None or not source.dims or count is None:
        return op.tr.unknown("top_k()", "imprecise")
    dims = (*source.dims[:-1], count)
    return Fields((like(op, source, dims, source.dtype), like(op, source, dims, "int32")), ("values", "indices"))


# ----------------------------------------------------------------------------------------------------- losses


@operator(keras_ops("binary_crossentropy"), "target output from_logits=False")
def binary_crossentropy(op: Op, target: Value, output: Value, from_logits: Value) -> Value:
    a, b = tensor(op, target), tensor(op, output)
    if a is None or b is None or a.dims is None or b.dims is None:
        return unknown_tensor(op, "tf", tuple(t for t in (a, b) if t is not None))
    _same_shape(op, a, b)
    return like(op, b, b.shape, b.dtype)


@operator(keras_ops("categorical_crossentropy"), "target output from_logits=False axis=-1")
def categorical_crossentropy(op: Op, target: Value, output: Value, from_logits: Value, axis: Value) -> Value:
    a, b = tensor(op, target), tensor(op, output)
    if a is None or b is None or a.dims is None or b.dims is None or axis != -1:
        return unknown_tensor(op, "tf", tuple(t for t in (a, b) if t is not None))
    _same_shape(op, a, b)
    return like(op, b, b.dims[:-1], b.dtype)


def _same_shape(op: Op, target: Tensor, output: Tensor) -> None:
    a, b = target.dims or (), output.dims or ()
    shapes = f"target {show_shape(a)} and output {show_shape(b)} must have the same shape"
    if len(a) != len(b):
        fail(op, "rank", shapes, (target, output))
    for first, second in zip(a, b, strict=True):
        require(op, equal(first, second), "size", shapes, (target, output))


@operator(keras_ops("sparse_categorical_crossentropy"), "target output from_logits=False axis=-1")
def sparse_categorical_crossentropy(op: Op, target: Value, output: Value, from_logits: Value, axis: Value) -> Value:
    b = tensor(op, output)
    known = b is not None and b.dims and axis == -1
    return like(op, b, b.dims[:-1], b.dtype) if b is not None and b.dims and known else unknown_tensor(op, "tf")


@operator(keras_ops("batch_normalization"), "x *rest")
def batch_normalization(op: Op, x: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, x)
    return (
        unknown_tensor(op, "tf") if source is None else like(op, source, source.shape, source.dtype, tags=source.tags)
    )
