"""Elementwise operators: those that keep a shape and those that broadcast."""

from __future__ import annotations

from typing import Any

from analyzer.validity.growth import RULE, grows_both
from analyzer.validity.spec import Case, Category, Rule, TensorType, define
from analyzer.validity.specs.common import (
    AXIS,
    BROADCAST,
    axis_index,
    broadcast,
    need_min_rank,
    need_same_shape,
    replaced,
    same_dtype,
)
from analyzer.validity.terms import any_of, equal, floor_div, mod

PROBABILITY = Rule("probability", Category.ILLEGAL_VALUE, "`{name}` is {value}; it must lie between 0 and 1", ("rate",))
HALVES = Rule("halves", Category.IMPROPER_VALUE, "axis {axis} of size {size} cannot be halved", ("axis", "dim"))
PARAMETERS = Rule(
    "parameters", Category.INCOMPATIBLE_SHAPE, "{count} slopes for {channels} channels; there must be 1 or {channels}"
)
BOTH_GROW = Rule(
    RULE,
    Category.ADVISORY,
    "shapes {left} and {right} broadcast to {result}, which is larger than either",
)
IDENTICAL = Rule("same-shape", Category.INCOMPATIBLE_SHAPE, "the inputs to merge are {left} and {right}")


def note_growth(case: Case, tensors: tuple[TensorType, ...], result: tuple[Any, ...]) -> None:
    """Advise where a broadcast makes something larger than either operand (a row against a column)."""
    if len(tensors) == 2:
        left, right = (t.dims for t in tensors)
        case.advise(BOTH_GROW, grows_both(left, right, result), left=left, right=right, result=result)


def merged(case: Case, *tensors: TensorType, dtype: str | None = None) -> TensorType:
    """NumPy broadcasting of all operands."""
    shape = broadcast(case, *(t.dims for t in tensors))
    note_growth(case, tensors, shape)
    return TensorType(shape, dtype or next((t.dtype for t in tensors if t.dtype), None))


ONNX_KEEPING = [
    "Abs",
    "Acos",
    "Acosh",
    "Asin",
    "Asinh",
    "Atan",
    "Atanh",
    "Ceil",
    "Celu",
    "Cos",
    "Cosh",
    "Elu",
    "Erf",
    "Exp",
    "Floor",
    "Gelu",
    "HardSigmoid",
    "HardSwish",
    "Identity",
    "LeakyRelu",
    "Log",
    "Mish",
    "Neg",
    "Reciprocal",
    "Relu",
    "Round",
    "Selu",
    "Sigmoid",
    "Sign",
    "Sin",
    "Sinh",
    "Softplus",
    "Softsign",
    "Sqrt",
    "Tan",
    "Tanh",
    "ThresholdedRelu",
    "Not",
    "BitwiseNot",
    "Shrink",
    "Swish",
]


@define("onnx", *ONNX_KEEPING)
def onnx_keeping(case: Case, x: TensorType, **_attributes: Any) -> TensorType:
    """ONNX operators whose output has the input's shape and type."""
    return TensorType(x.shape, x.dtype, x.format)


@define("onnx", "SwiGLU")
def onnx_swiglu(case: Case, gate: TensorType, value: TensorType, **_attributes: Any) -> TensorType:
    """ONNX SwiGLU: no broadcasting."""
    need_same_shape(case, gate, value, ("the gate", "the value"))
    return gate


@define("onnx", "Bernoulli")
def onnx_bernoulli(case: Case, x: TensorType, *, dtype: Any = None, **_attributes: Any) -> TensorType:
    """ONNX Bernoulli: draws of the probabilities' shape, of the type `dtype` if it is given."""
    return TensorType(x.shape, onnx_dtype(dtype) if dtype is not None else x.dtype, x.format)


@define("onnx", "IsNaN", "IsInf")
def onnx_tests(case: Case, x: TensorType, **_attributes: Any) -> TensorType:
    """ONNX IsNaN and IsInf: booleans of the input's shape."""
    return TensorType(x.shape, "bool")


@define("onnx", "Add", "Sub", "Mul", "Div", "Mod", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitShift")
def onnx_arithmetic(case: Case, a: TensorType, b: TensorType, **attributes: Any) -> TensorType:
    """ONNX arithmetic on two operands of one type; broadcasting is NumPy's since opset 7."""
    same_dtype(case, ("the first operand", a), ("the second operand", b))
    if not case.at_least(7):
        return _legacy(case, a, b, attributes)
    return merged(case, a, b)


LEGACY = Rule(
    "legacy-broadcast",
    Category.INCOMPATIBLE_SHAPE,
    "shapes {left} and {right} differ; before opset 7 that needs `broadcast=1` and a matching `axis`",
)


def _legacy(case: Case, a: TensorType, b: TensorType, attributes: Any) -> TensorType:
    """Before opset 7: equal shapes, or with ``broadcast=1`` the second operand aligned at ``axis``."""
    if not attributes.get("broadcast"):
        case.require(LEGACY, a.rank == b.rank, left=a.dims, right=b.dims)
        for m, n in zip(a.dims, b.dims, strict=True):
            case.require(LEGACY, equal(m, n), left=a.dims, right=b.dims)
        return a
    axis = attributes.get("axis", a.rank - b.rank)
    case.require(AXIS, 0 <= axis <= a.rank - b.rank, axis=axis, rank=a.rank)
    for m, n in zip(a.dims[axis : axis + b.rank], b.dims, strict=True):
        case.require(BROADCAST, any_of(equal(m, n), equal(n, 1)), left=a.dims, right=b.dims, a=m, b=n)
    return a


@define("onnx", "Pow")
def onnx_pow(case: Case, a: TensorType, b: TensorType, **_attributes: Any) -> TensorType:
    """ONNX Pow: the exponent may have another type."""
    return merged(case, a, b, dtype=a.dtype)


@define("onnx", "PRelu")
def onnx_prelu(case: Case, x: TensorType, slope: TensorType, **_attributes: Any) -> TensorType:
    """ONNX PRelu: the slope broadcasts to the input, not the other way round."""
    same_dtype(case, ("the input", x), ("the slope", slope))
    return x.with_shape(one_way(case, x, slope))


def one_way(case: Case, x: TensorType, other: TensorType) -> tuple[Any, ...]:
    """`other` broadcasts to the shape of `x`."""
    case.require(BROADCAST, other.rank <= x.rank, left=x.dims, right=other.dims, a=x.rank, b=other.rank)
    for a, b in zip(reversed(x.dims), reversed(other.dims), strict=False):
        case.require(BROADCAST, any_of(equal(a, b), equal(b, 1)), left=x.dims, right=other.dims, a=a, b=b)
    return x.dims


@define("onnx", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "And", "Or", "Xor")
def onnx_comparison(case: Case, a: TensorType, b: TensorType, **_attributes: Any) -> TensorType:
    """ONNX comparisons and logic: booleans."""
    same_dtype(case, ("the first operand", a), ("the second operand", b))
    return merged(case, a, b, dtype="bool")


VARIADIC_COUNT = Rule("variadic-count", Category.ILLEGAL_VALUE, "the operator needs at least one operand and has none")


@define("onnx", "Max", "Min", "Mean", "Sum")
def onnx_variadic(case: Case, *tensors: TensorType, **_attributes: Any) -> TensorType:
    """ONNX variadic elementwise operators."""
    case.require(VARIADIC_COUNT, len(tensors) >= 1)
    if not tensors:
        return TensorType((), "float32")
    same_dtype(case, *((f"operand {i}", t) for i, t in enumerate(tensors)))
    return merged(case, *tensors)


@define("onnx", "Where")
def onnx_where(case: Case, condition: TensorType, a: TensorType, b: TensorType) -> TensorType:
    """ONNX Where."""
    same_dtype(case, ("the first choice", a), ("the second choice", b))
    return TensorType(broadcast(case, condition.dims, a.dims, b.dims), a.dtype or b.dtype)


@define("onnx", "Clip")
def onnx_clip(
    case: Case, x: TensorType, low: TensorType | None = None, high: TensorType | None = None, **_attributes: Any
) -> TensorType:
    """ONNX Clip: bounds are scalars."""
    for name, bound in (("min", low), ("max", high)):
        if bound is not None and bound.shape is not None:
            case.require(SCALAR_BOUND, bound.rank == 0 or bound.dims == (1,), name=name, shape=bound.dims)
            same_dtype(case, ("the input", x), (f"`{name}`", bound))
    return x


SCALAR_BOUND = Rule("scalar-bound", Category.INCOMPATIBLE_SHAPE, "`{name}` must be a scalar and is {shape}")


@define("onnx", "Dropout")
def onnx_dropout(
    case: Case, x: TensorType, ratio: TensorType | None = None, mode: TensorType | None = None, **_attributes: Any
) -> tuple[TensorType, ...]:
    """ONNX Dropout: the value and a mask."""
    for name, operand in (("ratio", ratio), ("training_mode", mode)):
        if isinstance(operand, TensorType) and operand.shape is not None:  # `ratio` was an attribute before opset 12
            case.require(SCALAR_BOUND, all(d == 1 for d in operand.shape), name=name, shape=operand.shape)
    return x, TensorType(x.shape, "bool" if case.at_least(10) else x.dtype)


CAST_TARGET = Rule("cast-target", Category.ILLEGAL_VALUE, "`to` is {to}, which is no element type", ("to",))
SAME_WIDTH = Rule(
    "bit-width",
    Category.INCOMPATIBLE_ELEMENT_TYPE,
    "elements of {dtype} cannot be read as {target}: their widths differ",
    ("to",),
)


@define("onnx", "Cast", "CastLike")
def onnx_cast(
    case: Case, x: TensorType, like: TensorType | None = None, *, to: Any = None, **_others: Any
) -> TensorType:
    """ONNX Cast: `to` is an element type's number."""
    target = like.dtype if like is not None else onnx_dtype(to)
    case.require(CAST_TARGET, like is not None or target is not None, to=to)
    return TensorType(x.shape, target, x.format, x.value)


@define("onnx", "BitCast")
def onnx_bit_cast(case: Case, x: TensorType, *, to: Any) -> TensorType:
    """ONNX BitCast: the same bits under another type."""
    target = onnx_dtype(to)
    case.require(CAST_TARGET, target is not None and target != "string", to=to)
    widths = [_bits(t) for t in (x.dtype, target)]
    case.require(SAME_WIDTH, None in widths or widths[0] == widths[1], dtype=x.dtype, target=target)
    return TensorType(x.shape, target)


def _bits(dtype: str | None) -> int | None:
    """How many bits an element has, where NumPy's name says it."""
    if dtype in ("bool", "bfloat16"):
        return {"bool": 8, "bfloat16": 16}[dtype]
    digits = (dtype or "").removeprefix("u").lstrip("abcdefghijklmnopqrstuvwxyz")
    return int(digits) if digits.isdigit() else int(digits[0]) if digits[:1].isdigit() else None


def onnx_dtype(number: Any) -> str | None:
    """NumPy's name of ONNX's element type number."""
    names = {
        1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64", 8: "string", 9: "bool",
        10: "float16", 11: "float64", 12: "uint32", 13: "uint64", 14: "complex64", 15: "complex128", 16: "bfloat16",
        17: "float8e4m3fn", 18: "float8e4m3fnuz", 19: "float8e5m2", 20: "float8e5m2fnuz", 21: "uint4", 22: "int4",
        23: "float4e2m1", 24: "float8e8m0", 25: "uint2", 26: "int2",
    }  # fmt: skip
    return names.get(number) if isinstance(number, int) else number


# --------------------------------------------------------------------------------- PyTorch, Keras, TensorFlow

TORCH_KEEPING = [
    "ReLU",
    "ReLU6",
    "LeakyReLU",
    "RReLU",
    "ELU",
    "SELU",
    "CELU",
    "GELU",
    "SiLU",
    "Mish",
    "Hardswish",
    "Hardsigmoid",
    "Hardtanh",
    "Hardshrink",
    "Softshrink",
    "Tanhshrink",
    "Threshold",
    "Sigmoid",
    "LogSigmoid",
    "Tanh",
    "Softplus",
    "Softsign",
    "Identity",
    "relu",
    "relu6",
    "leaky_relu",
    "elu",
    "selu",
    "celu",
    "gelu",
    "silu",
    "mish",
    "hardswish",
    "hardsigmoid",
    "hardtanh",
    "sigmoid",
    "logsigmoid",
    "tanh",
    "softplus",
    "softsign",
    "abs",
    "neg",
    "exp",
    "log",
    "log1p",
    "log2",
    "log10",
    "sqrt",
    "rsqrt",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "erf",
    "ceil",
    "floor",
    "round",
    "sign",
    "reciprocal",
    "square",
    "clamp",
    "clone",
    "detach",
    "contiguous",
    "nan_to_num",
    "logical_not",
    "bitwise_not",
]


@define("torch", *TORCH_KEEPING)
def torch_keeping(case: Case, x: TensorType, **_arguments: Any) -> TensorType:
    """Activations and elementwise functions that keep the shape."""
    return TensorType(x.shape, x.dtype, x.format)


@define("torch", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout", "dropout")
def torch_dropout(
    case: Case, x: TensorType, *, p: Any = 0.5, inplace: bool = False, training: bool = True
) -> TensorType:
    """``nn.Dropout``: a probability."""
    if isinstance(p, (int, float)):
        case.require(PROBABILITY, 0 <= p <= 1, name="p", value=p)
    return x


@define("torch", "PReLU")
def torch_prelu(case: Case, x: TensorType, *, num_parameters: Any = 1, init: float = 0.25) -> TensorType:
    """``nn.PReLU``: one slope or one for each channel (dimension 1)."""
    channels = x.dims[1] if x.rank >= 2 else 1
    ok = any_of(equal(num_parameters, 1), equal(num_parameters, channels))
    case.require(PARAMETERS, ok, count=num_parameters, channels=channels)
    return x


@define("torch", "GLU", "glu")
def torch_glu(case: Case, x: TensorType, *, dim: Any = -1) -> TensorType:
    """``nn.GLU``: halves an even dimension."""
    need_min_rank(case, x, 1)
    axis = axis_index(case, dim, x.rank, "dim")
    case.require(HALVES, equal(mod(x.dims[axis], 2), 0), axis=axis, size=x.dims[axis])
    return x.with_shape(replaced(x.dims, axis, floor_div(x.dims[axis], 2)))


@define("torch", "add", "sub", "mul", "div", "true_divide", "pow", "remainder", "fmod", "maximum", "minimum", "atan2")
def torch_arithmetic(case: Case, a: TensorType, b: TensorType, **_arguments: Any) -> TensorType:
    """Arithmetic with broadcasting; element types are promoted."""
    return merged(case, a, b, dtype=promoted(a.dtype, b.dtype))


@define("torch", "eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_xor", "isclose")
def torch_comparison(case: Case, a: TensorType, b: TensorType, **_arguments: Any) -> TensorType:
    """Comparisons with broadcasting."""
    return merged(case, a, b, dtype="bool")


@define("torch", "where")
def torch_where(case: Case, condition: TensorType, a: TensorType, b: TensorType) -> TensorType:
    """``torch.where``."""
    return TensorType(broadcast(case, condition.dims, a.dims, b.dims), promoted(a.dtype, b.dtype))


_ORDER = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64")


def promoted(a: str | None, b: str | None) -> str | None:
    """PyTorch's type promotion of two tensors with dimensions; None where it is not known."""
    if a == b:
        return a
    if a is None or b is None or a not in _ORDER or b not in _ORDER:
        return None
    if {a, b} == {"float16", "bfloat16"}:
        return "float32"
    if {a, b} == {"uint8", "int8"}:
        return "int16"
    return max(a, b, key=_ORDER.index)


KERAS_KEEPING = [
    "Activation",
    "ReLU",
    "LeakyReLU",
    "ELU",
    "Softplus",
    "GaussianNoise",
    "ActivityRegularization",
    "Identity",
    "Masking",
    "RandomContrast",
    "RandomBrightness",
    "Rescaling",
]


@define("keras", *KERAS_KEEPING)
def keras_keeping(case: Case, x: TensorType, **_arguments: Any) -> TensorType:
    """Keras layers that keep the shape."""
    return TensorType(x.shape, x.dtype, x.format)


@define(
    "keras", "Dropout", "SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D", "GaussianDropout", "AlphaDropout"
)
def keras_dropout(
    case: Case, x: TensorType, *, rate: Any, noise_shape: Any = None, seed: Any = None, data_format: Any = None
) -> TensorType:
    """Keras dropouts: a rate."""
    if isinstance(rate, (int, float)):
        case.require(PROBABILITY, 0 <= rate <= 1, name="rate", value=rate)
    return x


@define("keras", "Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum")
def keras_merge(case: Case, *tensors: TensorType) -> TensorType:
    """Keras merging layers: batches must agree, other dimensions broadcast (Keras aligns them from the right)."""
    case.require(MERGE_COUNT, len(tensors) >= 2, count=len(tensors))
    for tensor in tensors[1:]:
        left, right = tensors[0].dims, tensor.dims
        if left and right:
            case.require(
                IDENTICAL,
                equal(left[0], right[0]),
                left=left,
                right=right,
            )
    if len({t.rank for t in tensors}) == 1:
        return merged(case, *tensors, dtype=promoted(tensors[0].dtype, tensors[-1].dtype))
    batch = tensors[0].dims[0]
    inner = broadcast(case, *(t.dims[1:] for t in tensors))
    return TensorType((batch, *inner), tensors[0].dtype)


MERGE_COUNT = Rule(
    "merge-count", Category.INCOMPATIBLE_SHAPE, "a merging layer needs at least 2 inputs and has {count}"
)

TF_KEEPING = [
    "Identity",
    "Relu",
    "Relu6",
    "Elu",
    "Selu",
    "Sigmoid",
    "Tanh",
    "Softplus",
    "Softsign",
    "LeakyRelu",
    "Abs",
    "Neg",
    "Exp",
    "Expm1",
    "Log",
    "Log1p",
    "Sqrt",
    "Rsqrt",
    "Square",
    "Sin",
    "Cos",
    "Tan",
    "Asin",
    "Acos",
    "Atan",
    "Sinh",
    "Cosh",
    "Asinh",
    "Acosh",
    "Atanh",
    "Erf",
    "Ceil",
    "Floor",
    "Round",
    "Rint",
    "Sign",
    "Reciprocal",
    "Inv",
    "LogicalNot",
    "StopGradient",
    "PreventGradient",
    "CheckNumerics",
    "Snapshot",
    "ZerosLike",
    "OnesLike",
    "Lgamma",
    "Digamma",
    "Erfc",
    "Xlogy",
    "Invert",
    "Enter",
    "Exit",
    "NextIteration",
    "ReadVariableOp",  # variables enter as the values they hold
]


@define("tf", *TF_KEEPING)
def tf_keeping(case: Case, x: TensorType, *_others: TensorType, **_arguments: Any) -> TensorType:
    """GraphDef operators that keep shape and type."""
    return TensorType(x.shape, x.dtype, x.format)


@define("tf", "IdentityN")
def tf_keeping_each(case: Case, *tensors: TensorType, **_arguments: Any) -> tuple[TensorType, ...]:
    """GraphDef IdentityN: every operand as it is."""
    return tensors


@define(
    "tf", "Add", "AddV2", "Sub", "Mul", "Div", "RealDiv", "FloorDiv", "FloorMod", "Mod", "Pow", "Maximum", "Minimum",
    "SquaredDifference", "Atan2", "DivNoNan", "TruncateDiv", "MulNoNan",
)  # fmt: skip
def tf_arithmetic(case: Case, a: TensorType, b: TensorType, **_arguments: Any) -> TensorType:
    """GraphDef arithmetic: one element type, broadcasting."""
    same_dtype(case, ("the first operand", a), ("the second operand", b))
    return merged(case, a, b)


@define("tf", "Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual", "LogicalAnd", "LogicalOr")
def tf_comparison(case: Case, a: TensorType, b: TensorType, **_arguments: Any) -> TensorType:
    """GraphDef comparisons."""
    same_dtype(case, ("the first operand", a), ("the second operand", b))
    return merged(case, a, b, dtype="bool")


@define("tf", "AddN")
def tf_add_n(case: Case, *tensors: TensorType, **_arguments: Any) -> TensorType:
    """GraphDef AddN: equal shapes, no broadcasting."""
    same_dtype(case, *((f"operand {i}", t) for i, t in enumerate(tensors)))
    for index, tensor in enumerate(tensors[1:], 1):
        need_same_shape(case, tensors[0], tensor, ("operand 0", f"operand {index}"))
    return tensors[0]


@define("tf", "SelectV2")
def tf_select_v2(case: Case, condition: TensorType, a: TensorType, b: TensorType, **_arguments: Any) -> TensorType:
    """GraphDef SelectV2: broadcasting."""
    same_dtype(case, ("the first choice", a), ("the second choice", b))
    return TensorType(broadcast(case, condition.dims, a.dims, b.dims), a.dtype or b.dtype)


@define("tf", "Select")
def tf_select(case: Case, condition: TensorType, a: TensorType, b: TensorType, **_arguments: Any) -> TensorType:
    """GraphDef Select: equal shapes; the condition is equal, a scalar, or a vector over the first dimension."""
    same_dtype(case, ("the first choice", a), ("the second choice", b))
    need_same_shape(case, a, b, ("the first choice", "the second choice"))
    if condition.rank == 1 and a.rank > 1:
        case.require(
            BROADCAST,
            equal(condition.dims[0], a.dims[0]),
            left=condition.dims,
            right=a.dims,
            a=condition.dims[0],
            b=a.dims[0],
        )
    elif condition.rank:
        need_same_shape(case, condition, a, ("the condition", "the choices"))
    return a


@define("tf", "Cast")
def tf_cast(case: Case, x: TensorType, *, DstT: Any = None, **_others: Any) -> TensorType:
    """GraphDef Cast."""
    return TensorType(x.shape, DstT if isinstance(DstT, str) else None, x.format, x.value)


@define("tf", "ClipByValue")
def tf_clip(case: Case, x: TensorType, low: TensorType, high: TensorType, **_arguments: Any) -> TensorType:
    """GraphDef ClipByValue."""
    one_way(case, x, low)
    one_way(case, x, high)
    return x
