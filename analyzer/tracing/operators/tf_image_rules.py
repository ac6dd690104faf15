"""TensorFlow: convolutions, pooling, moments and resizing."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Value
from analyzer.tracing.operators.apply import apply
from analyzer.tracing.operators.empty_pooling import empty_pool, useless_convolution
from analyzer.tracing.operators.hyperparameters import dropped, plain
from analyzer.tracing.operators.operands import unknown_tensor
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.tf_operands import like, shape_value, tensor
from analyzer.tracing.operators.torch_operands import reduced_dims
from analyzer.validity.terms import Poly, equal

# ----------------------------------------------------------------------------------------------- neural nets


@operator(
    "tf.nn.conv2d tf.nn.depthwise_conv2d tf.nn.conv3d tf.nn.depthwise_conv2d_native",
    "input filter=None strides=1 padding='VALID' *rest",
)
def conv(op: Op, input: Value, filter: Value, strides: Value, padding: Value, rest: tuple[Value, ...]) -> Value:
    source, weight = tensor(op, input), tensor(op, op.extra.get("filters", filter))
    if source is None or weight is None or source.dims is None or weight.dims is None:
        return unknown_tensor(op, "tf", tuple(t for t in (source, weight) if t is not None))
    spatial = 3 if op.short == "conv3d" else 2
    given = plain(op.tr, strides)
    if dropped(given) or not isinstance(padding, str):
        return unknown_tensor(
            op,
            "tf",
            (source, weight),
            (source.dims[0], *(op.tr.fresh("size", "unknown", 0) for _ in range(spatial)), weight.dims[-1])
            if op.short == "conv2d"
            else None,
        )
    if isinstance(given, int):
        given = (1, *(given,) * spatial, 1)
    elif len(given) == spatial:
        given = (1, *given, 1)
    form = op.extra.get("data_format", rest[0] if rest else "NDHWC" if spatial == 3 else "NHWC")
    spread = plain(op.tr, op.extra.get("dilations", op.extra.get("rate", rest[1] if len(rest) > 1 else None)))
    if not isinstance(form, str) or not (spread in (None, 1) or (isinstance(spread, tuple) and set(spread) == {1})):
        return unknown_tensor(op, "tf", (source, weight))
    if form.endswith("C") and "dilations" not in op.extra and useless_convolution(op, source, weight, given, padding):
        return unknown_tensor(op, "tf", (source, weight))
    name = {"conv2d": "Conv2D", "conv3d": "Conv3D"}.get(op.short, "DepthwiseConv2dNative")
    loose = [
        Tensor(t.shape, None, "tf", site=t.site, name=t.name, sources=(t,), graph=t.graph) for t in (source, weight)
    ]
    return apply(op, "tf", name, loose, {"strides": given, "padding": padding.upper(), "data_format": form})


@operator("tf.nn.conv1d", "value filters=None stride=1 padding='VALID' data_format='NWC' dilations=None *rest")
def conv1d(
    op: Op, value: Value, filters: Value, stride: Value, padding: Value, data_format: Value, dilations: Value,
    rest: tuple[Value, ...],
) -> Value:  # fmt: skip
    """Of a filter that takes fewer channels than there are, each of its outputs reads the channels of one group."""
    source, weight = tensor(op, op.extra.get("input", value)), tensor(op, filters)
    plainly = data_format in ("NWC", "NHWC", None) and dilations is None
    if source is None or weight is None or source.dims is None or weight.dims is None or not plainly:
        return unknown_tensor(op, "tf")
    if len(source.dims) != 3 or len(weight.dims) != 3:
        fail(
            op,
            "rank",
            f"the input {show_shape(source.dims)} and the filter {show_shape(weight.dims)} must have 3 dimensions",
            (source, weight),
        )
    step = plain(op.tr, stride)
    step = step[0] if isinstance(step, tuple) and len(step) == 1 else step
    if not isinstance(step, int) or not isinstance(padding, str):
        return unknown_tensor(op, "tf", (source, weight))
    shapes = (source.dims[0], 1, *source.dims[1:]), (1, *weight.dims)  # images of one row, as TensorFlow has them
    flat = [
        Tensor(dims, None, "tf", site=t.site, name=t.name, sources=(t,), graph=t.graph)
        for dims, t in zip(shapes, (source, weight), strict=True)
    ]
    made = apply(op, "tf", "Conv2D", flat, {"strides": (1, 1, step, 1), "padding": padding.upper()})
    dims = (made.dims[0], *made.dims[2:]) if isinstance(made, Tensor) and made.dims is not None else None
    return Tensor(dims, source.dtype, "tf", site=op.where, sources=(source, weight), graph=source.graph)


@operator("tf.nn.conv2d_transpose", "value filter=None output_shape=None strides=None padding='SAME' *rest")
def conv_transpose(
    op: Op, value: Value, filter: Value, output_shape: Value, strides: Value, padding: Value, rest: tuple[Value, ...]
) -> Value:
    source, weight = tensor(op, op.extra.get("input", value)), tensor(op, op.extra.get("filters", filter))
    dims = shape_value(op, output_shape) if output_shape is not None else None
    if (
        source is not None
        and weight is not None
        and source.dims is not None
        and weight.dims is not None
        and len(source.dims) == 4
        and len(weight.dims) == 4
    ):
        require(
            op,
            equal(source.dims[3], weight.dims[3]),
            "channels",
            f"the input has {source.dims[3]} channels but the filter {show_shape(weight.dims)} takes {weight.dims[3]}",
            (source, weight),
        )
        if dims is not None and len(dims) == 4:
            require(
                op,
                equal(dims[3], weight.dims[2]),
                "channels",
                f"output_shape has {dims[3]} channels but the filter {show_shape(weight.dims)} gives {weight.dims[2]}",
                (source, weight),
            )
    return Tensor(
        dims,
        None,
        "tf",
        site=op.where,
        sources=tuple(t for t in (source, weight) if t is not None),
        graph=bool(source and source.graph),
    )


@operator(
    "tf.nn.max_pool tf.nn.avg_pool tf.nn.max_pool2d tf.nn.avg_pool2d",
    "value=None ksize=None strides=None padding='VALID' *rest",
)
def pool(op: Op, value: Value, ksize: Value, strides: Value, padding: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, op.extra.get("input", value))
    window, step = plain(op.tr, ksize), plain(op.tr, strides)
    if source is None or source.dims is None or dropped(window) or dropped(step) or not isinstance(padding, str):
        return like(op, source, None) if source is not None else unknown_tensor(op, "tf")
    if len(source.dims) != 4:
        fail(op, "rank", f"the input must have 4 dimensions and has the shape {show_shape(source.dims)}", (source,))

    form = op.extra.get("data_format", rest[0] if rest else "NHWC")

    def full(v: Any) -> Any:
        pair = (v, v) if isinstance(v, int) else v
        return pair if len(pair) != 2 else (1, *pair, 1) if str(form).endswith("C") else (1, 1, *pair)

    if not isinstance(form, str) or window is None or step is None:
        return like(op, source, None)
    first = 1 if form.endswith("C") else 2
    axes = slice(first, first + 2)
    empty = empty_pool(op, source, full(window)[axes], full(step)[axes], padding, first)
    if empty is not None:
        return empty
    return apply(
        op,
        "tf",
        "MaxPool" if "max" in op.short else "AvgPool",
        (source,),
        {"ksize": full(window), "strides": full(step), "padding": padding.upper(), "data_format": form},
    )


@operator("tf.nn.moments", "x axes *rest")
def moments(op: Op, x: Value, axes: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, x)
    if source is None:
        return op.tr.unknown("moments()", "imprecise")
    keep = op.extra.get("keepdims", op.extra.get("keep_dims", False))
    dims = reduced_dims(op, source, axes, keep)
    return like(op, source, dims, source.dtype), like(op, source, dims, source.dtype)


@operator("tf.nn.batch_normalization tf.nn.fused_batch_norm", "x *rest")
def batch_normalization(op: Op, x: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, x)
    if source is None:
        return unknown_tensor(op, "tf")
    result = like(op, source, source.shape, source.dtype)
    return (
        result
        if op.short == "batch_normalization"
        else (result, op.tr.unknown("mean", "imprecise"), op.tr.unknown("variance", "imprecise"))
    )


@operator(
    (
        "tf.image.resize tf.image.resize_images tf.image.resize_bilinear "
        "tf.image.resize_nearest_neighbor tf.image.resize_image_with_crop_or_pad "
        "tf.image.resize_with_crop_or_pad"
    ),
    "images size *rest",
)
def resize(op: Op, images: Value, size: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, images)
    target = (size, rest[0]) if isinstance(size, (int, Poly)) and rest else shape_value(op, size)
    if source is None or source.dims is None or target is None or len(target) != 2 or len(source.dims) not in (3, 4):
        return unknown_tensor(op, "tf", (source,) if source else ())
    dims = (*source.dims[:-3], *target, source.dims[-1]) if all(isinstance(t, (int, Poly)) for t in target) else None
    if "pad" in op.short or "nearest" in op.short or op.extra.get("method", "bilinear") == "nearest":
        kind = source.dtype
    else:
        kind = "float32" if "method" not in op.extra and len(rest) == 0 else None
    return like(op, source, dims if op.extra.get("preserve_aspect_ratio", False) is False else None, kind)
