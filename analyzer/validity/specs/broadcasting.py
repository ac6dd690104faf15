"""Operators that broadcast their operands: arithmetic, comparisons, choices."""

from __future__ import annotations

from typing import Any

from analyzer.validity.growth import RULE, grows_both
from analyzer.validity.spec import Case, Category, Rule, TensorType, define
from analyzer.validity.specs.common import (
    AXIS,
    BROADCAST,
    axis_index,
    broadcast,
    is_plain,
    need_min_rank,
    need_same_shape,
    replaced,
    same_dtype,
)
from analyzer.validity.terms import any_of, equal, floor_div, mod

HALVES = Rule("halves", Category.IMPROPER_VALUE, "axis {axis} of size {size} cannot be halved", ("axis", "dim"))
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


def merged(case: Case, *tensors: TensorType, dtype: str | None = "") -> TensorType:
    """NumPy broadcasting of all operands; without a `dtype` (None: not known) the elements are of the first's type."""
    shape = broadcast(case, *(t.dims for t in tensors))
    note_growth(case, tensors, shape)
    return TensorType(shape, next((t.dtype for t in tensors if t.dtype), None) if dtype == "" else dtype)


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
    return merged(case, a, b, dtype=_promoted_of(a, b))


@define("torch", "eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_xor", "isclose")
def torch_comparison(case: Case, a: TensorType, b: TensorType, **_arguments: Any) -> TensorType:
    """Comparisons with broadcasting."""
    return merged(case, a, b, dtype="bool")


@define("torch", "where")
def torch_where(case: Case, condition: TensorType, a: TensorType, b: TensorType) -> TensorType:
    """``torch.where``."""
    return TensorType(broadcast(case, condition.dims, a.dims, b.dims), _promoted_of(a, b))


_ORDER = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64")
_COMPLEX = ("complex64", "complex128")


def promoted(a: str | None, b: str | None) -> str | None:
    """PyTorch's type promotion of two tensors with dimensions; None where it is not known."""
    if a == b:
        return a
    if a is None or b is None:
        return None
    if a in _COMPLEX or b in _COMPLEX:
        wide = {"complex128", "float64"} & {a, b}
        return ("complex128" if wide else "complex64") if {a, b} <= {*_ORDER, *_COMPLEX} else None
    if a not in _ORDER or b not in _ORDER:
        return None
    if {a, b} == {"float16", "bfloat16"}:
        return "float32"
    if {a, b} == {"uint8", "int8"}:
        return "int16"
    return max(a, b, key=_ORDER.index)


def _promoted_of(a: TensorType, b: TensorType) -> str | None:
    """The same where one may be a scalar: it raises the other's category (whole, floating), never its width."""
    for scalar, tensor in ((a, b), (b, a)):
        known = scalar.dtype is not None and tensor.dtype is not None
        if known and scalar.shape == () and tensor.shape and _category(scalar.dtype) <= _category(tensor.dtype):
            return tensor.dtype
        number = scalar.shape == () and scalar.dtype is None and tensor.dtype is not None and tensor.shape
        if number and (_category(tensor.dtype) >= 2 or scalar.value is not None):
            return tensor.dtype  # beside a number, of which whole ones alone are known
    return promoted(a.dtype, b.dtype)


def _category(dtype: str | None) -> int:
    name = dtype or ""
    return 0 if name == "bool" else 1 if name.startswith(("int", "uint")) else 3 if name.startswith("complex") else 2


MERGE_COUNT = Rule("merge-count", Category.INCOMPATIBLE_SHAPE, "a merging layer needs at least 1 input and has {count}")
SUBTRACT_COUNT = Rule("merge-count", Category.INCOMPATIBLE_SHAPE, "Subtract needs 2 inputs and has {count}")


@define("keras", "Add", "Multiply", "Average", "Maximum", "Minimum")
def keras_merge(case: Case, *tensors: TensorType) -> TensorType:
    """Keras merging layers of one input or more: other dimensions than the batch broadcast, aligned from the right.

    Batches of known sizes must agree. One that `keras.Input` leaves open is not compared, and broadcasts when it runs.
    """
    case.require(MERGE_COUNT, len(tensors) >= 1, count=len(tensors))
    return _merged_by_keras(case, tensors)


def _merged_by_keras(case: Case, tensors: tuple[TensorType, ...]) -> TensorType:
    for tensor in tensors[1:]:
        left, right = tensors[0].dims, tensor.dims
        if left and right:
            told = is_plain(left[0]) and is_plain(right[0])
            either = equal(left[0], right[0])
            case.require(
                IDENTICAL, either if told else any_of(either, equal(left[0], 1), equal(right[0], 1)),
                left=left, right=right,
            )  # fmt: skip
    if len({t.rank for t in tensors}) == 1:
        return merged(case, *tensors, dtype=promoted(tensors[0].dtype, tensors[-1].dtype))
    batch = next(t.dims[0] for t in tensors if t.dims)  # a rank that is still open is tried as 0 too
    inner = broadcast(case, *(t.dims[1:] for t in tensors))
    return TensorType((batch, *inner), tensors[0].dtype)


@define("keras", "Subtract")
def keras_subtract(case: Case, *tensors: TensorType) -> TensorType:
    """``keras.layers.Subtract``: the one of two inputs from the other."""
    case.require(SUBTRACT_COUNT, len(tensors) == 2, count=len(tensors))
    return _merged_by_keras(case, tensors)


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
