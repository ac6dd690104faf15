"""Pooling, adaptive pooling and resampling windows of ONNX, PyTorch, Keras and TensorFlow."""

from __future__ import annotations

from typing import Any

from analyzer.validity.spec import Case, Category, Rule, TensorType, define, define_ranks
from analyzer.validity.specs.common import (
    AXIS_NAMES,
    FLOATS,
    NUMERIC,
    RANK,
    all_positive,
    each,
    layout_name,
    need_dtype,
    need_layout,
    need_positive,
    need_rank,
    need_size,
)
from analyzer.validity.specs.window_arguments import (
    exact,
    joined_layout,
    onnx_windows,
    padded_slide,
    slide_as,
    spatial_names,
    split_layout,
)
from analyzer.validity.specs.windows import (
    POSITIVE_KERNEL,
    POSITIVE_OUTPUT,
    POSITIVE_STRIDE,
    Window,
    need_legal,
    slide,
    slide_same,
)
from analyzer.validity.terms import Term, all_of, equal, floor_div

PADDING_AT_MOST_HALF = Rule(
    "padding-at-most-half",
    Category.IMPROPER_VALUE,
    "padding {padding} is more than half of the pooling window of {kernel}",
    ("padding", "kernel_size"),
)
NOT_EMPTY = Rule("input-not-empty", Category.ILLEGAL_SHAPE, "the {axis} of the input is {size}")
ONE_WINDOW_AXIS = Rule(
    "one-window-axis",
    Category.IMPROPER_VALUE,
    "pooling over batch or channels is not possible together with height and width",
    ("kernel_size", "stride"),
)
SMALLER_THAN_KERNEL = Rule(
    "smaller-than-kernel",
    Category.ILLEGAL_SHAPE,
    "the {axis} of {size} is smaller than the pooling window of {kernel}, which padding does not make up for here",
    ("kernel_size",),
)
KEPT_SIZE = Rule(
    "kept-size", Category.ILLEGAL_VALUE, "`output_size` must be a number here; None is not", ("output_size",)
)


def _torch_pool_types(spatial: int, average: bool) -> tuple[str, ...]:
    """Element types that PyTorch's kernels exist for."""
    if average:
        return (*FLOATS, "int64")
    return FLOATS if spatial == 1 else (*FLOATS, "int8", "uint8", "int16", "int32", "int64")


def _own_step(stride: Any) -> Any:
    """torch takes an empty stride for none, and steps by the window's size."""
    return None if isinstance(stride, tuple) and not stride else stride


def _torch_pool(spatial: int, *, average: bool) -> Any:
    def body(
        case: Case, x: TensorType, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool
    ) -> TensorType:
        kernel = each(case, kernel_size, spatial, "kernel_size")
        strides = kernel if stride is None else each(case, stride, spatial, "stride")
        pads = each(case, padding, spatial, "padding")
        dilations = each(case, dilation, spatial, "dilation")
        need_rank(case, x, spatial + 1, spatial + 2)
        if x.rank == spatial + 2:
            need_layout(case, x, layout_name(spatial, last=False))
        windows = [Window(k, s, d, p, p) for k, s, d, p in zip(kernel, strides, dilations, pads, strict=True)]
        need_legal(case, windows)
        for w in windows:
            half = w.before <= floor_div(w.kernel, 2)
            case.require(PADDING_AT_MOST_HALF, half, padding=w.before, kernel=w.kernel)
        need_dtype(case, x, _torch_pool_types(spatial, average))
        all_positive(case, x, batch=0 if x.rank == spatial + 2 else None)
        lead = x.rank - spatial
        if average and spatial == 3:
            for axis, size, w in zip(AXIS_NAMES[3], x.dims[lead:], windows, strict=True):
                case.require(SMALLER_THAN_KERNEL, size >= w.kernel, kernel=w.kernel, axis=axis, size=size)
        out = slide(case, x.dims[lead:], windows, AXIS_NAMES[spatial], ceil=bool(ceil_mode))
        return x.with_shape((*x.dims[:lead], *out))

    if average:

        def average_pool(
            case: Case,
            x: TensorType,
            *,
            kernel_size: Any,
            stride: Any = None,
            padding: Any = 0,
            ceil_mode: bool = False,
            count_include_pad: bool = True,
            divisor_override: Any = None,
        ) -> TensorType:
            """``nn.AvgPool{1,2,3}d``: channels first, batched or not."""
            return body(case, x, kernel_size, _own_step(stride), padding, 1, ceil_mode)

        return average_pool

    def max_pool(
        case: Case,
        x: TensorType,
        *,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> TensorType | tuple[TensorType, ...]:
        """``nn.MaxPool{1,2,3}d``: channels first, batched or not."""
        y = body(case, x, kernel_size, _own_step(stride), padding, dilation, ceil_mode)
        return (y, TensorType(y.shape, "int64")) if return_indices else y

    return max_pool


torch_max_pools = define_ranks("torch", "MaxPool{}d", "max_pool{}d")(lambda rank: _torch_pool(rank, average=False))
torch_avg_pools = define_ranks("torch", "AvgPool{}d", "avg_pool{}d")(lambda rank: _torch_pool(rank, average=True))


def _torch_adaptive(spatial: int, *, lenient: bool = False) -> Any:
    def pool(case: Case, x: TensorType, *, output_size: Any, return_indices: bool = False) -> TensorType:
        """``nn.Adaptive{Avg,Max}Pool{1,2,3}d``; an entry None keeps that size."""
        sizes = each(case, output_size, spatial, "output_size")
        case.require(KEPT_SIZE, spatial > 1 or sizes[0] is not None)
        plain_mean = all_of(*(s is not None and equal(s, 1) for s in sizes))  # over the last dimensions, at any rank
        usual = x.rank in (spatial + 1, spatial + 2)
        facts = {"expected": f"{spatial + 1} or {spatial + 2}", "rank": x.rank, "shape": x.dims}
        at_least = x.rank >= 2
        case.require(RANK, usual or (lenient and at_least and plain_mean), operand="the input", **facts)
        if x.rank == spatial + 2:
            need_layout(case, x, layout_name(spatial, last=False))
        lead = x.rank - spatial
        for axis, size in zip(AXIS_NAMES[spatial], x.dims[lead:], strict=True):
            case.require(NOT_EMPTY, size >= 1, axis=axis, size=size)
        out = tuple(n if s is None else s for n, s in zip(x.dims[lead:], sizes, strict=True))
        for axis, size in zip(AXIS_NAMES[spatial], out, strict=True):
            case.require(POSITIVE_OUTPUT, size >= 1, axis=axis, size=size)
        need_dtype(case, x, FLOATS)
        return x.with_shape((*x.dims[:lead], *out))

    return pool


torch_adaptive1d = define("torch", "AdaptiveAvgPool1d", "AdaptiveMaxPool1d", "adaptive_avg_pool1d")(_torch_adaptive(1))
torch_adaptive2d = define("torch", "AdaptiveMaxPool2d", "adaptive_max_pool2d")(_torch_adaptive(2))
torch_adaptive_avg2d = define("torch", "AdaptiveAvgPool2d", "adaptive_avg_pool2d")(_torch_adaptive(2, lenient=True))
torch_adaptive3d = define("torch", "AdaptiveAvgPool3d", "AdaptiveMaxPool3d", "adaptive_avg_pool3d")(_torch_adaptive(3))


def _onnx_pooled(
    case: Case, x: TensorType, kernel: Any, strides: Any, pads: Any, dilations: Any, auto_pad: str, ceil_mode: int
) -> tuple[Term, ...]:
    need_rank(case, x, len(kernel) + 2)
    windows = onnx_windows(case, kernel, strides, pads, dilations, auto_pad)
    need_legal(case, windows)
    axes = spatial_names(len(windows))
    if auto_pad.startswith("SAME"):
        return (*x.dims[:2], *slide_same(case, x.dims[2:], windows, axes))
    return (*x.dims[:2], *slide(case, x.dims[2:], windows, axes, ceil=bool(ceil_mode)))


@define("onnx", "MaxPool")
def onnx_max_pool(
    case: Case,
    x: TensorType,
    *,
    kernel_shape: Any,
    strides: Any = None,
    pads: Any = None,
    dilations: Any = None,
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    storage_order: int = 0,
) -> tuple[TensorType, ...]:
    """ONNX MaxPool: two outputs, values and int64 indices."""
    need_dtype(case, x, (*FLOATS, "int8", "uint8"))
    shape = _onnx_pooled(case, x, kernel_shape, strides, pads, dilations, auto_pad, ceil_mode)
    return x.with_shape(shape), TensorType(shape, "int64")


@define("onnx", "AveragePool", "LpPool")
def onnx_average_pool(
    case: Case,
    x: TensorType,
    *,
    kernel_shape: Any,
    strides: Any = None,
    pads: Any = None,
    dilations: Any = None,
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    count_include_pad: int = 0,
    p: Any = 2,
) -> TensorType:
    """ONNX AveragePool and LpPool."""
    need_dtype(case, x, FLOATS)
    return x.with_shape(_onnx_pooled(case, x, kernel_shape, strides, pads, dilations, auto_pad, ceil_mode))


@define("onnx", "GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")
def onnx_global_pool(case: Case, x: TensorType, *, p: Any = 2) -> TensorType:
    """ONNX global pools: every spatial axis becomes 1."""
    need_dtype(case, x, FLOATS)
    case.require(BATCH_AND_CHANNELS, x.rank >= 2, shape=x.dims)
    return x.with_shape((*x.dims[:2], *((1,) * (x.rank - 2))))


BATCH_AND_CHANNELS = Rule(
    "rank", Category.INCOMPATIBLE_SHAPE, "the input needs a batch and a channel axis; it is {shape}"
)
UNPOOL_INDICES = Rule(
    "unpool-indices", Category.INCOMPATIBLE_SHAPE, "the indices are {indices} but the values are {values}"
)


@define("onnx", "MaxUnpool")
def onnx_max_unpool(
    case: Case,
    x: TensorType,
    indices: TensorType,
    output_shape: TensorType | None = None,
    *,
    kernel_shape: Any,
    strides: Any = None,
    pads: Any = None,
) -> TensorType:
    """ONNX MaxUnpool."""
    spatial = len(kernel_shape)
    need_rank(case, x, spatial + 2)
    need_rank(case, indices, x.rank, operand="the indices")
    agree = all_of(*(equal(a, b) for a, b in zip(x.dims, indices.dims, strict=True)))
    case.require(UNPOOL_INDICES, agree, indices=indices.dims, values=x.dims)
    windows = onnx_windows(case, kernel_shape, strides, pads, None, "NOTSET")
    need_legal(case, windows)
    if output_shape is not None:
        if output_shape.shape is not None:
            need_rank(case, output_shape, 1, operand="the output shape")
            need_size(case, output_shape.dims[0], x.rank, "the length of the output shape")
        if isinstance(output_shape.value, tuple):
            return x.with_shape(output_shape.value)
        return x.with_shape(None)
    out = [(n - 1) * w.stride - w.before - w.after + w.kernel for n, w in zip(x.dims[2:], windows, strict=True)]
    return x.with_shape((*x.dims[:2], *out))


@define_ranks("keras", "MaxPooling{}D", "MaxPool{}D", "AveragePooling{}D", "AvgPool{}D")
def _keras_pool(spatial: int) -> Any:
    def pool(
        case: Case,
        x: TensorType,
        *,
        pool_size: Any = 2,
        strides: Any = None,
        padding: str = "valid",
        data_format: str | None = None,
    ) -> TensorType:
        """``keras.layers.{Max,Average}Pooling{1,2,3}D``."""
        kernel = each(case, pool_size, spatial, "pool_size")
        steps = kernel if strides is None else each(case, strides, spatial, "strides")
        windows = [Window(k, s) for k, s in zip(kernel, steps, strict=True)]
        need_legal(case, windows)
        channels, sizes, last = split_layout(case, x, spatial, data_format)
        all_positive(case, x)
        return joined_layout(x, channels, padded_slide(case, padding, sizes, windows), last)

    return pool


@define_ranks("keras", "GlobalMaxPooling{}D", "GlobalMaxPool{}D", "GlobalAveragePooling{}D", "GlobalAvgPool{}D")
def _keras_global(spatial: int) -> Any:
    def pool(case: Case, x: TensorType, *, data_format: str | None = None, keepdims: bool = False) -> TensorType:
        """``keras.layers.Global{Max,Average}Pooling{1,2,3}D``."""
        channels, _sizes, last = split_layout(case, x, spatial, data_format)
        if keepdims:
            return joined_layout(x, channels, (1,) * spatial, last)
        return x.with_shape((x.dims[0], channels))

    return pool


@define_ranks("keras", "AdaptiveMaxPooling{}D", "AdaptiveAveragePooling{}D")
def _keras_adaptive(spatial: int) -> Any:
    def pool(case: Case, x: TensorType, *, output_size: Any, data_format: str | None = None) -> TensorType:
        """``keras.layers.Adaptive{Max,Average}Pooling{1,2,3}D``."""
        out = each(case, output_size, spatial, "output_size")
        channels, _sizes, last = split_layout(case, x, spatial, data_format)
        all_positive(case, x)
        for size in out:
            need_positive(case, output_size=size)
        return joined_layout(x, channels, out, last)

    return pool


def _tf_pool(spatial: int) -> Any:
    def pool(
        case: Case,
        x: TensorType,
        *,
        ksize: Any,
        strides: Any,
        padding: str = "VALID",
        data_format: str = "NHWC",
        explicit_paddings: Any = (),
        **_others: Any,
    ) -> TensorType:
        """GraphDef {Max,Avg}Pool and {Max,Avg}Pool3D."""
        channels, sizes, last = split_layout(case, x, spatial, data_format)
        inner = slice(1, 1 + spatial) if last else slice(2, 2 + spatial)
        kernel_all = exact(case, ksize, spatial + 2, "ksize")
        stride_all = exact(case, strides, spatial + 2, "strides")
        for k, s in zip(kernel_all, stride_all, strict=True):
            case.require(POSITIVE_KERNEL, k >= 1, kernel=k)
            case.require(POSITIVE_STRIDE, s >= 1, stride=s)
        outer = [*range(inner.start), *range(inner.stop, spatial + 2)]
        lone = all_of(*(equal(kernel_all[i], 1) for i in outer), *(equal(stride_all[i], 1) for i in outer))
        case.require(ONE_WINDOW_AXIS, lone)
        need_dtype(case, x, NUMERIC)
        pads = [(0, 0)] * spatial
        if padding == "EXPLICIT":
            flat = exact(case, explicit_paddings, 2 * (spatial + 2), "explicit_paddings")
            pads = list(zip(flat[0::2], flat[1::2], strict=True))[inner]
        windows = [
            Window(k, s, 1, b, a) for k, s, (b, a) in zip(kernel_all[inner], stride_all[inner], pads, strict=True)
        ]
        need_legal(case, windows)
        out = slide_as(case, padding == "SAME", sizes, windows)
        return joined_layout(x, channels, out, last)

    return pool


tf_pool2d = define("tf", "MaxPool", "AvgPool")(_tf_pool(2))
tf_pool3d = define("tf", "MaxPool3D", "AvgPool3D")(_tf_pool(3))
