"""Operators of ONNX Runtime's own domain, ``com.microsoft``, of which optimised and quantised files are made."""

from __future__ import annotations

from typing import Any

from analyzer.validity.spec import Case, Category, Rule, TensorType, define
from analyzer.validity.specs.broadcasting import one_way
from analyzer.validity.specs.common import broadcast, need_dtype, need_rank, same_dtype
from analyzer.validity.specs.convolution import conv_shape
from analyzer.validity.specs.linear import matmul_shape
from analyzer.validity.specs.pooling import onnx_average_pool
from analyzer.validity.terms import Term, equal

BYTES = ("int8", "uint8")
WIDTHS = Rule("attention-width", Category.INCOMPATIBLE_SHAPE, "the input has {size} features; the weights take {taken}")


@define("com.microsoft", "Gelu")
def contributed_gelu(case: Case, x: TensorType) -> TensorType:
    """Keeps the shape."""
    return x


@define("com.microsoft", "BiasGelu", "FastGelu")
def contributed_biased(case: Case, x: TensorType, bias: TensorType | None = None) -> TensorType:
    """The bias is a vector for the last axis."""
    if bias is not None:
        one_way(case, x, bias)
    return x


@define("com.microsoft", "FusedMatMul", "TransposeMatMul")
def contributed_matmul(
    case: Case, a: TensorType, b: TensorType, *, transA: int = 0, transB: int = 0, transBatchA: int = 0,
    transBatchB: int = 0, **_others: Any,
) -> TensorType:  # fmt: skip
    """A product of matrices, either of them transposed; `transBatchA` brings the first axis behind the batch."""
    same_dtype(case, ("the first operand", a), ("the second operand", b))

    def laid(dims: tuple[Term, ...], batch: int, last: int) -> tuple[Term, ...]:
        if batch and len(dims) > 2:
            dims = (*dims[1:-1], dims[0], dims[-1])
        return (*dims[:-2], dims[-1], dims[-2]) if last and len(dims) > 1 else dims

    shape = matmul_shape(case, laid(a.dims, transBatchA, transA), laid(b.dims, transBatchB, transB))
    return TensorType(shape, a.dtype)


@define("com.microsoft", "MatMulNBits")
def contributed_few_bits(case: Case, a: TensorType, *_packed: Any, N: Term, K: Term, **_others: Any) -> TensorType:
    """Weights of K x N, packed."""
    case.require(WIDTHS, equal(a.dims[-1], K), size=a.dims[-1], taken=K)
    return TensorType((*a.dims[:-1], N), a.dtype)


@define("onnx", "SimplifiedLayerNormalization")
def simplified_layer_norm(case: Case, x: TensorType, scale: TensorType, **_attributes: Any) -> tuple[TensorType, ...]:
    """RMS normalisation over the last axis, as ONNX Runtime writes it."""
    one_way(case, x, scale)
    return x, TensorType((*x.dims[:-1], 1), "float32")


@define("com.microsoft", "SkipLayerNormalization", "SkipSimplifiedLayerNormalization")
def contributed_skip(
    case: Case, x: TensorType, skip: TensorType, *vectors: TensorType | None, **_attributes: Any
) -> tuple[TensorType, ...]:
    """A sum, normalised over the last axis; the fourth result is the sum."""
    one_way(case, x, skip)
    for vector in vectors:
        if vector is not None:
            one_way(case, x, vector)
    each = TensorType((*x.dims[:-1], 1), "float32")
    return x, each, each, x


@define("com.microsoft", "EmbedLayerNormalization")
def contributed_embedding(
    case: Case, ids: TensorType, segments: TensorType | None, words: TensorType, *_tables: Any, **_attributes: Any
) -> tuple[TensorType, ...]:
    """Rows of tables, added and normalised; how long each sequence is; the sum."""
    need_rank(case, ids, 2)
    need_rank(case, words, 2, operand="the table")
    result = TensorType((*ids.dims, words.dims[1]), words.dtype)
    return result, TensorType((ids.dims[0],), "int32"), result


@define("com.microsoft", "FusedConv")
def contributed_conv(
    case: Case, x: TensorType, weight: TensorType, bias: TensorType | None = None, _added: Any = None, *,
    kernel_shape: Any = None, strides: Any = None, pads: Any = None, dilations: Any = None, group: Term = 1,
    auto_pad: str = "NOTSET", **_activation: Any,
) -> TensorType:  # fmt: skip
    """A convolution with an activation."""
    return x.with_shape(conv_shape(case, x, weight, bias, kernel_shape, strides, pads, dilations, group, auto_pad))


@define("com.microsoft", "Attention")
def contributed_attention(
    case: Case, x: TensorType, weights: TensorType, *_rest: Any, qkv_hidden_sizes: Any = None, **_attributes: Any
) -> tuple[TensorType, ...]:
    """The input is projected to queries, keys and values first."""
    need_rank(case, x, 3)
    need_rank(case, weights, 2, operand="the weights")
    taken, width = weights.dims
    case.require(WIDTHS, equal(x.dims[2], taken), size=x.dims[2], taken=taken)
    sizes = list(qkv_hidden_sizes or ())
    values = sizes[2] if len(sizes) == 3 else width // 3 if isinstance(width, int) else None
    shape = None if values is None else (*x.dims[:2], values)
    return TensorType(shape, x.dtype), TensorType(None, x.dtype)


@define("com.microsoft", "MultiHeadAttention")
def contributed_heads(
    case: Case, query: TensorType, key: TensorType | None = None, value: TensorType | None = None, *_rest: Any,
    **_attributes: Any,
) -> tuple[TensorType, ...]:  # fmt: skip
    """Heads stand side by side in the last axis; what is kept of keys and values is not followed."""
    if query.rank != 3 or value is None or value.rank != 3:
        return (TensorType(None, query.dtype),) * 4
    unknown = TensorType(None, query.dtype)
    return TensorType((*query.dims[:2], value.dims[2]), query.dtype), unknown, unknown, unknown


@define("com.microsoft", "MatMulIntegerToFloat")
def contributed_scaled_product(
    case: Case, a: TensorType, b: TensorType, a_scale: TensorType, *_scales: Any
) -> TensorType:
    """Bytes multiplied, then scaled."""
    need_dtype(case, a, BYTES, "the first operand")
    need_dtype(case, b, BYTES, "the second operand")
    return TensorType(matmul_shape(case, a.dims, b.dims), a_scale.dtype)


@define("com.microsoft", "DynamicQuantizeMatMul")
def contributed_dynamic_product(case: Case, a: TensorType, b: TensorType, *_scales: Any) -> TensorType:
    """Real numbers times bytes."""
    need_dtype(case, b, BYTES, "the second operand")
    return TensorType(matmul_shape(case, a.dims, b.dims), a.dtype)


@define("com.microsoft", "QGemm")
def contributed_byte_gemm(
    case: Case, a: TensorType, a_scale: TensorType, _a_zero: Any, b: TensorType, _b_scale: Any, _b_zero: Any,
    _c: Any = None, y_scale: TensorType | None = None, _y_zero: Any = None, *, transA: int = 0, transB: int = 0,
    **_others: Any,
) -> TensorType:  # fmt: skip
    """Matrices of bytes; real numbers where no scale of the result is given."""
    need_rank(case, a, 2, operand="A")
    need_rank(case, b, 2, operand="B")
    left, right = (tuple(reversed(t.dims)) if flag else t.dims for t, flag in ((a, transA), (b, transB)))
    return TensorType(matmul_shape(case, left, right), a_scale.dtype if y_scale is None else a.dtype)


@define("com.microsoft", "QLinearGlobalAveragePool")
def contributed_byte_average(case: Case, x: TensorType, *_scales: Any, channels_last: int = 0) -> TensorType:
    """One number for each channel."""
    need_dtype(case, x, BYTES)
    ones = (1,) * (x.rank - 2)
    return x.with_shape((x.dims[0], *ones, x.dims[-1]) if channels_last else (*x.dims[:2], *ones))


@define("com.microsoft", "QLinearAveragePool")
def contributed_byte_windows(
    case: Case, x: TensorType, *_scales: Any, channels_last: int = 0, **attributes: Any
) -> TensorType:
    """As AveragePool, on bytes; the channels may come last."""
    need_dtype(case, x, BYTES)
    dims = (x.dims[0], x.dims[-1], *x.dims[1:-1]) if channels_last else x.dims
    pooled = onnx_average_pool(case, TensorType(dims, "float32"), **attributes).dims
    return x.with_shape((pooled[0], *pooled[2:], pooled[1]) if channels_last else pooled)


@define("com.microsoft", "QLinearAdd", "QLinearMul")
def contributed_bytewise(
    case: Case, a: TensorType, _a_scale: Any, _a_zero: Any, b: TensorType, *_scales: Any
) -> TensorType:
    """Bytes with scales of their own."""
    need_dtype(case, a, BYTES, "the first operand")
    same_dtype(case, ("the first operand", a), ("the second operand", b))
    return TensorType(broadcast(case, a.dims, b.dims), a.dtype)


@define("com.microsoft", "QLinearSigmoid", "QLinearLeakyRelu", "QLinearSoftmax")
def contributed_byte(case: Case, x: TensorType, *_scales: Any, **_attributes: Any) -> TensorType:
    """Keeps the shape."""
    need_dtype(case, x, BYTES)
    return x
