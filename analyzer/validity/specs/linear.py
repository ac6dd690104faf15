"""Matrix products, and linear layers of ONNX, PyTorch, Keras and TensorFlow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analyzer.validity.spec import Case, Category, Rule, TensorType, define
from analyzer.validity.specs.broadcasting import one_way
from analyzer.validity.specs.common import (
    FLOATS,
    axis_index,
    broadcast,
    channels_last,
    need_dtype,
    need_min_rank,
    need_not_negative,
    need_positive,
    need_rank,
    same_dtype,
)
from analyzer.validity.terms import Term, any_of, equal

INNER = Rule(
    "inner-size", Category.INCOMPATIBLE_SHAPE, "cannot multiply {left} by {right}: inner sizes {a} and {b} differ"
)
IN_FEATURES = Rule(
    "in-features",
    Category.INCOMPATIBLE_SHAPE,
    "the input has {size} features but the layer takes {in_features}",
    ("in_features",),
)
BIAS_SHAPE = Rule("bias", Category.INCOMPATIBLE_SHAPE, "the bias is {shape}; the result has {features} features")
NO_SCALARS = Rule(
    "rank", Category.INCOMPATIBLE_SHAPE, "a matrix product takes no scalars; the operands are {left} and {right}"
)


def matmul_shape(case: Case, a: Sequence[Term], b: Sequence[Term]) -> tuple[Term, ...]:
    """NumPy's ``matmul``: vectors are promoted, leading dimensions broadcast."""
    case.require(NO_SCALARS, len(a) > 0 and len(b) > 0, left=tuple(a), right=tuple(b))
    inner_a = a[-1]
    inner_b = b[-2] if len(b) > 1 else b[0]
    case.require(INNER, equal(inner_a, inner_b), left=tuple(a), right=tuple(b), a=inner_a, b=inner_b)
    batch = broadcast(case, tuple(a[:-2]), tuple(b[:-2]))
    return (*batch, *((a[-2],) if len(a) > 1 else ()), *((b[-1],) if len(b) > 1 else ()))


@define("onnx", "MatMul")
def onnx_matmul(case: Case, a: TensorType, b: TensorType) -> TensorType:
    """ONNX MatMul."""
    need_dtype(case, a, (*FLOATS, "int32", "int64", "uint32", "uint64"))
    same_dtype(case, ("the first operand", a), ("the second operand", b))
    return TensorType(matmul_shape(case, a.dims, b.dims), a.dtype)


@define("onnx", "MatMulInteger")
def onnx_matmul_integer(case: Case, a: TensorType, b: TensorType, *_zero_points: Any) -> TensorType:
    """ONNX MatMulInteger: 8-bit operands, int32 result."""
    need_dtype(case, a, ("int8", "uint8"), "the first operand")
    need_dtype(case, b, ("int8", "uint8"), "the second operand")
    return TensorType(matmul_shape(case, a.dims, b.dims), "int32")


@define("onnx", "QLinearMatMul")
def onnx_qlinear_matmul(
    case: Case,
    a: TensorType,
    a_scale: TensorType,
    a_zero: TensorType,
    b: TensorType,
    b_scale: TensorType,
    b_zero: TensorType,
    y_scale: TensorType,
    y_zero: TensorType,
) -> TensorType:
    """ONNX QLinearMatMul."""
    need_dtype(case, a, ("int8", "uint8"), "the first operand")
    need_dtype(case, b, ("int8", "uint8"), "the second operand")
    return TensorType(matmul_shape(case, a.dims, b.dims), y_zero.dtype)


@define("onnx", "Gemm")
def onnx_gemm(
    case: Case,
    a: TensorType,
    b: TensorType,
    c: TensorType | None = None,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    transA: int = 0,
    transB: int = 0,
    **_others: Any,
) -> TensorType:
    """ONNX Gemm: matrices only; C broadcasts to the result."""
    need_rank(case, a, 2, operand="A")
    need_rank(case, b, 2, operand="B")
    need_dtype(case, a, (*FLOATS, "int32", "int64", "uint32", "uint64"))
    same_dtype(case, ("A", a), ("B", b), *((("C", c),) if c is not None else ()))
    rows, inner = reversed(a.dims) if transA else a.dims
    inner_b, columns = reversed(b.dims) if transB else b.dims
    case.require(INNER, equal(inner, inner_b), left=a.dims, right=b.dims, a=inner, b=inner_b)
    result = TensorType((rows, columns), a.dtype)
    if c is not None:
        one_way(case, result, c)
    return result


# ------------------------------------------------------------------------------------------------- linear


@define("torch", "Linear", "LazyLinear")
def torch_linear(
    case: Case,
    x: TensorType,
    *,
    in_features: Term = None,
    out_features: Term,
    bias: bool = True,
    dtype: str = "float32",
) -> TensorType:
    """``nn.Linear`` on the last dimension; PyTorch builds and runs one without features, with a warning."""
    if in_features is not None:
        need_not_negative(case, in_features=in_features)
    need_not_negative(case, out_features=out_features)
    need_dtype(case, x, (dtype,))
    need_min_rank(case, x, 1)
    if in_features is not None:
        case.require(IN_FEATURES, equal(x.dims[-1], in_features), size=x.dims[-1], in_features=in_features)
    return x.with_shape((*x.dims[:-1], out_features))


@define("torch", "linear")
def torch_functional_linear(
    case: Case, x: TensorType, weight: TensorType, bias: TensorType | None = None
) -> TensorType:
    """``functional.linear``: weight (out, in) or (in)."""
    need_rank(case, weight, 1, 2, operand="the weight")
    need_min_rank(case, x, 1)
    same_dtype(case, ("the input", x), ("the weight", weight))
    case.require(IN_FEATURES, equal(x.dims[-1], weight.dims[-1]), size=x.dims[-1], in_features=weight.dims[-1])
    out = (*x.dims[:-1], *weight.dims[:-1])
    if bias is not None and weight.rank == 2:
        features = weight.dims[0]
        case.require(BIAS_SHAPE, bias.rank <= 1, shape=bias.dims, features=features)
        if bias.rank == 1:
            ok = any_of(equal(bias.dims[0], features), equal(bias.dims[0], 1))
            case.require(BIAS_SHAPE, ok, shape=bias.dims, features=features)
    return x.with_shape(out)


@define("torch", "Bilinear")
def torch_bilinear(
    case: Case,
    a: TensorType,
    b: TensorType,
    *,
    in1_features: Term,
    in2_features: Term,
    out_features: Term,
    bias: bool = True,
) -> TensorType:
    """``nn.Bilinear``."""
    need_positive(case, in1_features=in1_features, in2_features=in2_features, out_features=out_features)
    case.require(INNER, a.rank == b.rank, left=a.dims, right=b.dims, a=a.rank, b=b.rank)
    for m, n in zip(a.dims[:-1], b.dims[:-1], strict=True):
        case.require(INNER, equal(m, n), left=a.dims, right=b.dims, a=m, b=n)
    case.require(IN_FEATURES, equal(a.dims[-1], in1_features), size=a.dims[-1], in_features=in1_features)
    case.require(IN_FEATURES, equal(b.dims[-1], in2_features), size=b.dims[-1], in_features=in2_features)
    return a.with_shape((*a.dims[:-1], out_features))


@define("torch", "matmul")
def torch_matmul(case: Case, a: TensorType, b: TensorType) -> TensorType:
    """``torch.matmul``."""
    same_dtype(case, ("the first operand", a), ("the second operand", b))
    return TensorType(matmul_shape(case, a.dims, b.dims), a.dtype)


_RANKS = {"mm": (2, 2), "bmm": (3, 3), "mv": (2, 1), "dot": (1, 1)}


@define("torch", "mm", "bmm", "mv", "dot")
def torch_strict_matmul(case: Case, a: TensorType, b: TensorType, *, function: str = "") -> TensorType:
    """``torch.mm`` and its relatives: fixed ranks, no broadcasting of the batch."""
    same_dtype(case, ("the first operand", a), ("the second operand", b))
    for operand, tensor, rank in zip(
        ("the first operand", "the second operand"), (a, b), _RANKS.get(function, ()), strict=False
    ):
        need_rank(case, tensor, rank, operand=operand)
    if a.rank == 3 or b.rank == 3:
        need_rank(case, a, 3, operand="the first operand")
        need_rank(case, b, 3, operand="the second operand")
        case.require(INNER, equal(a.dims[0], b.dims[0]), left=a.dims, right=b.dims, a=a.dims[0], b=b.dims[0])
    need_rank(case, a, 1, 2, 3, operand="the first operand")
    need_rank(case, b, 1, 2, 3, operand="the second operand")
    inner_a, inner_b = a.dims[-1], b.dims[max(0, b.rank - 2)]
    case.require(INNER, equal(inner_a, inner_b), left=a.dims, right=b.dims, a=inner_a, b=inner_b)
    lead = a.dims[:-1]
    return TensorType((*lead, *(b.dims[-1:] if b.rank > 1 else ())), a.dtype)


@define("torch", "addmm")
def torch_addmm(
    case: Case, c: TensorType, a: TensorType, b: TensorType, *, beta: Any = 1, alpha: Any = 1
) -> TensorType:
    """``torch.addmm``."""
    need_rank(case, a, 2, operand="mat1")
    need_rank(case, b, 2, operand="mat2")
    result = TensorType(matmul_shape(case, a.dims, b.dims), a.dtype)
    one_way(case, result, c)
    return result


@define("keras", "Dense")
def keras_dense(
    case: Case, x: TensorType, *, units: Term, activation: Any = None, use_bias: bool = True, weight: Any = None
) -> TensorType:
    """``keras.layers.Dense`` on the last dimension; `weight` is the input size it was built with, if it was."""
    need_positive(case, units=units)
    need_min_rank(case, x, 2)
    if weight is not None:
        case.require(IN_FEATURES, equal(x.dims[-1], weight), size=x.dims[-1], in_features=weight)
    return x.with_shape((*x.dims[:-1], units))


DOT_AXIS = Rule("dot-axis", Category.IMPROPER_VALUE, "axes {axes} contract the batch, which is axis 0", ("axes",))


@define("keras", "Dot")
def keras_dot(case: Case, a: TensorType, b: TensorType, *, axes: Any, normalize: bool = False) -> TensorType:
    """``keras.layers.Dot``: contracts one axis of each operand within each sample."""
    need_min_rank(case, a, 2)
    need_min_rank(case, b, 2)
    first, second = (axes, axes) if not isinstance(axes, (tuple, list)) else axes
    i, j = axis_index(case, first, a.rank, "axes"), axis_index(case, second, b.rank, "axes")
    case.require(DOT_AXIS, i != 0 and j != 0, axes=(i, j))
    case.require(INNER, equal(a.dims[0], b.dims[0]), left=a.dims, right=b.dims, a=a.dims[0], b=b.dims[0])
    case.require(INNER, equal(a.dims[i], b.dims[j]), left=a.dims, right=b.dims, a=a.dims[i], b=b.dims[j])
    left = tuple(d for n, d in enumerate(a.dims) if n != i)
    right = tuple(d for n, d in enumerate(b.dims) if n not in (0, j))
    result = (*left, *right)
    return TensorType(result if len(result) > 1 else (*result, 1), a.dtype)


@define("tf", "MatMul")
def tf_matmul(
    case: Case, a: TensorType, b: TensorType, *, transpose_a: bool = False, transpose_b: bool = False, **_others: Any
) -> TensorType:
    """GraphDef MatMul: matrices only."""
    same_dtype(case, ("the first operand", a), ("the second operand", b))
    need_rank(case, a, 2, operand="the first operand")
    need_rank(case, b, 2, operand="the second operand")
    left = tuple(reversed(a.dims)) if transpose_a else a.dims
    right = tuple(reversed(b.dims)) if transpose_b else b.dims
    return TensorType(matmul_shape(case, left, right), a.dtype)


@define("tf", "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3")
def tf_batch_matmul(
    case: Case, a: TensorType, b: TensorType, *, adj_x: bool = False, adj_y: bool = False, **_others: Any
) -> TensorType:
    """GraphDef BatchMatMul: at least matrices, leading dimensions broadcast (V2)."""
    same_dtype(case, ("the first operand", a), ("the second operand", b))
    need_min_rank(case, a, 2, "the first operand")
    need_min_rank(case, b, 2, "the second operand")
    left = (*a.dims[:-2], a.dims[-1], a.dims[-2]) if adj_x else a.dims
    right = (*b.dims[:-2], b.dims[-1], b.dims[-2]) if adj_y else b.dims
    return TensorType(matmul_shape(case, left, right), a.dtype)


@define("tf", "BiasAdd")
def tf_bias_add(
    case: Case, x: TensorType, bias: TensorType, *, data_format: str = "NHWC", **_others: Any
) -> TensorType:
    """GraphDef BiasAdd: one bias for each channel."""
    same_dtype(case, ("the input", x), ("the bias", bias))
    need_min_rank(case, x, 2)
    last = channels_last(case, data_format, max(1, x.rank - 2))
    features = x.dims[-1] if last else x.dims[1]
    case.require(BIAS_SHAPE, bias.rank == 1, shape=bias.dims, features=features)
    case.require(BIAS_SHAPE, equal(bias.dims[0], features), shape=bias.dims, features=features)
    return x
