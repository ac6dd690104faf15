"""Quantised operators, signals, sampling and what is left of the ONNX standard."""

from __future__ import annotations

from typing import Any

from analyzer.validity.spec import Case, Category, Rule, TensorType, define
from analyzer.validity.specs.common import axis_index, need_dtype, need_min_rank, need_rank, replaced, target_of
from analyzer.validity.specs.convolution import conv_shape
from analyzer.validity.specs.element_types import CAST_TARGET, onnx_dtype
from analyzer.validity.terms import Poly, any_of, equal

SCALE = Rule(
    "quantisation-scale",
    Category.INCOMPATIBLE_SHAPE,
    "the scale is {scale}; it must be a scalar or one value for each of the {size} elements of axis {axis}",
    ("axis",),
)
ZERO_POINT = Rule("zero-point", Category.INCOMPATIBLE_SHAPE, "the zero point is {zero} but the scale is {scale}")
COMPLEX_PAIR = Rule(
    "complex-pair", Category.INCOMPATIBLE_SHAPE, "the last dimension is {size}; it must be 1 (real) or 2 (complex)"
)
GRID = Rule(
    "grid", Category.INCOMPATIBLE_SHAPE, "the grid is {grid}; for an input of {shape} it must end in {expected}"
)
THETA = Rule("theta", Category.INCOMPATIBLE_SHAPE, "theta is {shape}; it must be N × {rows} × {columns}")


def need_scale(case: Case, x: TensorType, scale: TensorType, zero: TensorType | None, axis: int, block: int) -> None:
    """A scalar, one value an element of an axis, or one a block."""
    if scale.shape is None:
        return
    if scale.rank == 1 and not (isinstance(scale.dims[0], int) and scale.dims[0] == 1):
        place = axis_index(case, axis, x.rank)
        size = x.dims[place]
        case.require(
            SCALE, any_of(equal(scale.dims[0], size), equal(scale.dims[0], 1)), scale=scale.dims, size=size, axis=place
        )
    elif scale.rank > 1 and not block:
        case.require(SCALE, False, scale=scale.dims, size="?", axis=axis)
    if zero is not None and zero.shape is not None and not (_single(zero) and _single(scale)):
        case.require(ZERO_POINT, zero.rank == scale.rank, zero=zero.dims, scale=scale.dims)
        for a, b in zip(zero.dims, scale.dims, strict=True):
            case.require(ZERO_POINT, equal(a, b), zero=zero.dims, scale=scale.dims)


def _single(tensor: TensorType) -> bool:
    return all(isinstance(d, int) and d == 1 for d in tensor.dims)


@define("onnx", "QuantizeLinear")
def onnx_quantize(
    case: Case,
    x: TensorType,
    scale: TensorType,
    zero: TensorType | None = None,
    *,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: Any = 0,
    **_attributes: Any,
) -> TensorType:
    """ONNX QuantizeLinear."""
    need_scale(case, x, scale, zero, axis, block_size)
    case.require(CAST_TARGET, not output_dtype or onnx_dtype(output_dtype) is not None, to=output_dtype)
    dtype = zero.dtype if zero is not None else onnx_dtype(output_dtype or 2)
    return TensorType(x.shape, dtype)


@define("onnx", "DequantizeLinear")
def onnx_dequantize(
    case: Case,
    x: TensorType,
    scale: TensorType,
    zero: TensorType | None = None,
    *,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: Any = 0,
) -> TensorType:
    """ONNX DequantizeLinear."""
    need_scale(case, x, scale, zero, axis, block_size)
    return TensorType(x.shape, onnx_dtype(output_dtype) if output_dtype else scale.dtype)


@define("onnx", "DynamicQuantizeLinear")
def onnx_dynamic_quantize(case: Case, x: TensorType) -> tuple[TensorType, ...]:
    """ONNX DynamicQuantizeLinear."""
    need_dtype(case, x, ("float32",))
    return TensorType(x.shape, "uint8"), TensorType((), "float32"), TensorType((), "uint8")


@define("onnx", "ConvInteger")
def onnx_conv_integer(
    case: Case,
    x: TensorType,
    w: TensorType,
    *_zero_points: TensorType | None,
    kernel_shape: Any = None,
    strides: Any = None,
    pads: Any = None,
    dilations: Any = None,
    group: Any = 1,
    auto_pad: str = "NOTSET",
) -> TensorType:
    """ONNX ConvInteger: 8-bit operands."""
    need_dtype(case, x, ("int8", "uint8"))
    need_dtype(case, w, ("int8", "uint8"), "the weight")
    return TensorType(conv_shape(case, x, w, None, kernel_shape, strides, pads, dilations, group, auto_pad), "int32")


@define("onnx", "QLinearConv")
def onnx_qlinear_conv(
    case: Case,
    x: TensorType,
    x_scale: TensorType,
    x_zero: TensorType,
    w: TensorType,
    w_scale: TensorType,
    w_zero: TensorType,
    y_scale: TensorType,
    y_zero: TensorType,
    bias: TensorType | None = None,
    *,
    kernel_shape: Any = None,
    strides: Any = None,
    pads: Any = None,
    dilations: Any = None,
    group: Any = 1,
    auto_pad: str = "NOTSET",
) -> TensorType:
    """ONNX QLinearConv."""
    need_dtype(case, x, ("int8", "uint8"))
    shape = conv_shape(case, x, w, bias, kernel_shape, strides, pads, dilations, group, auto_pad)
    return TensorType(shape, y_zero.dtype)


@define("onnx", "DeformConv")
def onnx_deform_conv(
    case: Case,
    x: TensorType,
    w: TensorType,
    offset: TensorType,
    bias: TensorType | None = None,
    mask: TensorType | None = None,
    *,
    kernel_shape: Any = None,
    strides: Any = None,
    pads: Any = None,
    dilations: Any = None,
    group: Any = 1,
    offset_group: int = 1,
) -> TensorType:
    """ONNX DeformConv: the shape of a convolution."""
    shape = conv_shape(case, x, w, bias, kernel_shape, strides, pads, dilations, group, "NOTSET")
    return x.with_shape(shape)


@define("onnx", "GridSample")
def onnx_grid_sample(case: Case, x: TensorType, grid: TensorType, **_attributes: Any) -> TensorType:
    """ONNX GridSample: grid (N, spatial…, number of spatial axes)."""
    need_min_rank(case, x, 3)
    need_rank(case, grid, x.rank, operand="the grid")
    expected = x.rank - 2
    case.require(GRID, equal(grid.dims[-1], expected), grid=grid.dims, shape=x.dims, expected=expected)
    case.require(GRID, equal(grid.dims[0], x.dims[0]), grid=grid.dims, shape=x.dims, expected=expected)
    return TensorType((*x.dims[:2], *grid.dims[1:-1]), x.dtype)


GRID_SIZE = Rule("grid-size", Category.ILLEGAL_VALUE, "`size` has {length} entries; it needs 4 or 5", ("size",))


@define("onnx", "AffineGrid")
def onnx_affine_grid(case: Case, theta: TensorType, size: TensorType, *, align_corners: int = 0) -> TensorType:
    """ONNX AffineGrid."""
    need_rank(case, theta, 3, operand="theta")
    if size.shape is not None:
        need_rank(case, size, 1, operand="the size")
        case.require(GRID_SIZE, any_of(*(equal(size.dims[0], n) for n in (4, 5))), length=size.dims[0])
    target = target_of(size)
    if target is None:
        rank = size.dims[0] if size.shape is not None and isinstance(size.dims[0], int) else None
        if rank is None:
            return TensorType(None, theta.dtype)
        target = tuple(case.fresh("size", 1) for _ in range(rank))
    spatial = len(target) - 2
    facts = {"shape": theta.dims, "rows": spatial, "columns": spatial + 1}
    case.require(THETA, equal(theta.dims[1], spatial), **facts)
    case.require(THETA, equal(theta.dims[2], spatial + 1), **facts)
    return TensorType((target[0], *target[2:], spatial), theta.dtype)


@define("onnx", "ConstantOfShape")
def onnx_constant_of_shape(case: Case, shape: TensorType, *, value: Any = None, dtype: Any = None) -> TensorType:
    """ONNX ConstantOfShape."""
    if shape.shape is not None:
        need_rank(case, shape, 1, operand="the shape")
    target = target_of(shape)
    if target is not None:
        return TensorType(target, dtype or "float32")
    count = shape.shape[0] if shape.shape else None
    return TensorType(
        tuple(case.fresh("size") for _ in range(count)) if isinstance(count, int) else None, dtype or "float32"
    )


@define("onnx", "Range")
def onnx_range(case: Case, start: TensorType, limit: TensorType, delta: TensorType, **_attributes: Any) -> TensorType:
    """ONNX Range: known numbers give the length."""
    values = [t.value[0] if isinstance(t.value, tuple) and t.value else t.value for t in (start, limit, delta)]
    if all(type(v) is int for v in values) and values[2]:
        numbers = range(values[0], values[1], values[2])
        return TensorType((len(numbers),), start.dtype, value=tuple(numbers) if len(numbers) <= 64 else None)
    if values[0] == 0 and values[2] == 1 and isinstance(values[1], Poly) and values[1].interval.lo >= 0:
        return TensorType((values[1],), start.dtype)
    return TensorType((case.fresh("length"),), start.dtype)


@define("onnx", "RandomNormal", "RandomUniform")
def onnx_random(case: Case, *, shape: Any, dtype: Any = 1, **_attributes: Any) -> TensorType:
    """ONNX random tensors of a given shape."""
    return TensorType(tuple(shape), onnx_dtype(dtype))


@define("onnx", "RandomNormalLike", "RandomUniformLike")
def onnx_random_like(case: Case, x: TensorType, *, dtype: Any = None, **_attributes: Any) -> TensorType:
    """ONNX random tensors like another."""
    return TensorType(x.shape, onnx_dtype(dtype) or x.dtype)


@define("onnx", "Multinomial")
def onnx_multinomial(
    case: Case, x: TensorType, *, sample_size: Any = 1, dtype: Any = 6, seed: Any = None
) -> TensorType:
    """ONNX Multinomial."""
    need_rank(case, x, 2)
    return TensorType((x.dims[0], sample_size), onnx_dtype(dtype))


@define("onnx", "NonMaxSuppression")
def onnx_nms(
    case: Case, boxes: TensorType, scores: TensorType, *_limits: TensorType | None, center_point_box: int = 0
) -> TensorType:
    """ONNX NonMaxSuppression: boxes (batch, count, 4), scores (batch, classes, count)."""
    need_rank(case, boxes, 3, operand="the boxes")
    need_rank(case, scores, 3, operand="the scores")
    case.require(BOXES, equal(boxes.dims[2], 4), boxes=boxes.dims, scores=scores.dims)
    case.require(BOXES, equal(boxes.dims[0], scores.dims[0]), boxes=boxes.dims, scores=scores.dims)
    case.require(BOXES, equal(boxes.dims[1], scores.dims[2]), boxes=boxes.dims, scores=scores.dims)
    return TensorType((case.fresh("selected"), 3), "int64")


BOXES = Rule("boxes", Category.INCOMPATIBLE_SHAPE, "boxes of {boxes} do not fit scores of {scores}")


@define("onnx", "CenterCropPad")
def onnx_center_crop_pad(case: Case, x: TensorType, shape: TensorType, *, axes: Any = None) -> TensorType:
    """ONNX CenterCropPad."""
    target = target_of(shape)
    places = tuple(range(x.rank)) if axes is None else tuple(axis_index(case, a, x.rank) for a in axes)
    if target is None:
        return TensorType(tuple(case.fresh("size") if i in places else d for i, d in enumerate(x.dims)), x.dtype)
    case.require(TARGET_AXES, len(target) == len(places), sizes=len(target), axes=len(places))
    dims = x.dims
    for place, size in zip(places, target, strict=True):
        dims = replaced(dims, place, size)
    return TensorType(dims, x.dtype)


TARGET_AXES = Rule("target-axes", Category.IMPROPER_VALUE, "{sizes} sizes for {axes} axes", ("axes",))
DFT_AXIS = Rule("dft-axis", Category.IMPROPER_VALUE, "axis {axis} holds the real and imaginary parts", ("axis",))


@define("onnx", "DFT")
def onnx_dft(
    case: Case,
    x: TensorType,
    length: TensorType | None = None,
    axis: TensorType | None = None,
    /,
    *,
    inverse: int = 0,
    onesided: int = 0,
    **old: Any,
) -> TensorType:
    """ONNX DFT: the last dimension is real (1) or complex (2)."""
    need_min_rank(case, x, 2)
    size = x.dims[-1]
    case.require(COMPLEX_PAIR, any_of(equal(size, 1), equal(size, 2)), size=size)
    if "axis" in old:  # an attribute before opset 20; never the last dimension
        place = axis_index(case, old["axis"], x.rank)
        case.require(DFT_AXIS, place != x.rank - 1, axis=old["axis"])
    return TensorType((*(case.fresh("size") for _ in x.dims[:-1]), 2 if not (inverse and onesided) else 1), x.dtype)


@define("onnx", "STFT")
def onnx_stft(case: Case, signal: TensorType, *_others: TensorType | None, onesided: int = 1) -> TensorType:
    """ONNX STFT: (batch, length[, 1 or 2])."""
    need_rank(case, signal, 2, 3, operand="the signal")
    return TensorType((signal.dims[0], case.fresh("frames"), case.fresh("frequencies"), 2), signal.dtype)


@define("onnx", "BlackmanWindow", "HammingWindow", "HannWindow")
def onnx_window(case: Case, size: TensorType, *, output_datatype: Any = 1, periodic: int = 1) -> TensorType:
    """ONNX window functions: a vector."""
    count = size.value[0] if isinstance(size.value, tuple) else size.value
    return TensorType((case.fresh("length") if count is None else count,), onnx_dtype(output_datatype))


@define("onnx", "MelWeightMatrix")
def onnx_mel(case: Case, *_operands: TensorType, output_datatype: Any = 1) -> TensorType:
    """ONNX MelWeightMatrix: a matrix."""
    return TensorType((case.fresh("bins"), case.fresh("mels")), onnx_dtype(output_datatype))


@define("tf", "Fill")
def tf_fill(case: Case, dims: TensorType, value: TensorType, **_others: Any) -> TensorType:
    """GraphDef Fill."""
    target = target_of(dims)
    if target is None:
        count = dims.shape[0] if dims.shape else None
        return TensorType(
            tuple(case.fresh("size") for _ in range(count)) if isinstance(count, int) else None, value.dtype
        )
    return TensorType(target, value.dtype)


@define("tf", "RandomUniformInt")
def tf_random_integers(
    case: Case, shape: TensorType, minval: TensorType, *_others: TensorType, **_more: Any
) -> TensorType:
    """GraphDef random integers, of the type of the least one."""
    return TensorType(target_of(shape), minval.dtype)


@define("tf", "RandomStandardNormal", "RandomUniform", "TruncatedNormal")
def tf_random(case: Case, shape: TensorType, *_others: TensorType, dtype: Any = "float32", **_more: Any) -> TensorType:
    """GraphDef random tensors."""
    target = target_of(shape)
    name = dtype if isinstance(dtype, str) else None
    return TensorType(target, name)
