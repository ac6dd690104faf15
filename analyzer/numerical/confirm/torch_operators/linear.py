"""Matrix products, convolutions and pooling as torch calls."""

from __future__ import annotations

import math
from typing import Any

import onnx_ir as ir

from analyzer.numerical.confirm.torch_registry import Handler, Mode, UnsupportedOperator, attribute, op
from analyzer.operators.windows import Window


@op("MatMul")
def matrix_product(node: ir.Node, x: Any, mode: Mode) -> Any:
    return x[0] @ x[1]


@op((), "MatMul")
def matrix_product_with_flags(node: ir.Node, x: Any, mode: Mode) -> Any:
    a = x[0].transpose(-1, -2) if attribute(node, "transpose_a", False) else x[0]
    b = x[1].transpose(-1, -2) if attribute(node, "transpose_b", False) else x[1]
    return a @ b


@op((), ("BatchMatMul", "BatchMatMulV2", "BatchMatMulV3"))
def batched_matrix_product(node: ir.Node, x: Any, mode: Mode) -> Any:
    a = x[0].transpose(-1, -2) if attribute(node, "adj_x", False) else x[0]
    b = x[1].transpose(-1, -2) if attribute(node, "adj_y", False) else x[1]
    return a @ b


@op("Gemm")
def gemm(node: ir.Node, x: Any, mode: Mode) -> Any:
    a = x[0].t() if attribute(node, "transA", 0) else x[0]
    b = x[1].t() if attribute(node, "transB", 0) else x[1]
    alpha, beta = attribute(node, "alpha", 1.0), attribute(node, "beta", 1.0)
    product = a @ b
    if alpha != 1.0:
        product = product * alpha
    if len(x) > 2 and x[2] is not None:
        product = product + (x[2] if beta == 1.0 else x[2] * beta)
    return product


@op("Einsum", "Einsum")
def einsum(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    return torch.einsum(attribute(node, "equation"), *x)


@op((), ("BiasAdd",))
def bias_add(node: ir.Node, x: Any, mode: Mode) -> Any:
    if attribute(node, "data_format", "NHWC") == "NCHW":
        return x[0] + x[1].reshape(1, -1, *[1] * (x[0].dim() - 2))
    return x[0] + x[1]


def _padded(x: Any, pairs: list[tuple[int, int]], value: float) -> Any:
    import torch

    if not any(a or b for a, b in pairs):
        return x
    return torch.nn.functional.pad(x, [p for pair in reversed(pairs) for p in pair], value=value)


def _onnx_pairs(node: ir.Node, sizes: list[int], kernel: list[int], stride: list[int], dilation: list[int]) -> Any:
    auto = attribute(node, "auto_pad", "NOTSET")
    n = len(kernel)
    if auto.startswith("SAME"):
        pairs = [Window(k, s, d).same_padding(n) for n, k, s, d in zip(sizes, kernel, stride, dilation, strict=True)]
        return [(b, a) for a, b in pairs] if auto == "SAME_LOWER" else pairs
    pads = attribute(node, "pads") or [0] * 2 * n
    return [(int(pads[i]), int(pads[i + n])) for i in range(n)]


@op("Conv")
def convolution(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    n = x[0].dim() - 2
    kernel, stride = list(x[1].shape[2:]), attribute(node, "strides") or [1] * n
    dilation = attribute(node, "dilations") or [1] * n
    data = _padded(x[0], _onnx_pairs(node, list(x[0].shape[2:]), kernel, stride, dilation), 0.0)
    function = getattr(torch.nn.functional, f"conv{n}d")
    bias = x[2] if len(x) > 2 else None
    return function(data, x[1], bias, stride, 0, dilation, int(attribute(node, "group", 1)))


@op("ConvTranspose")
def transposed_convolution(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    n = x[0].dim() - 2
    if attribute(node, "auto_pad", "NOTSET") != "NOTSET" or attribute(node, "output_shape"):
        raise UnsupportedOperator("ConvTranspose with automatic padding")
    pads = attribute(node, "pads") or [0] * 2 * n
    if pads[:n] != pads[n:]:
        raise UnsupportedOperator("ConvTranspose with uneven padding")
    function = getattr(torch.nn.functional, f"conv_transpose{n}d")
    return function(
        x[0],
        x[1],
        x[2] if len(x) > 2 else None,
        attribute(node, "strides") or [1] * n,
        pads[:n],
        attribute(node, "output_padding") or [0] * n,
        int(attribute(node, "group", 1)),
        attribute(node, "dilations") or [1] * n,
    )


def _spatial(node: ir.Node, name: str, rank: int) -> list[int]:
    """A TensorFlow window attribute without its batch and channel entries."""
    values = [int(v) for v in attribute(node, name) or [1] * rank]
    first = str(attribute(node, "data_format", "NHWC")).startswith("NC")
    return values[2:] if first else values[1:-1]


def _first(node: ir.Node, x: Any) -> Any:
    """The tensor with channels first."""
    if str(attribute(node, "data_format", "NHWC")).startswith("NC"):
        return x
    return x.movedim(-1, 1)


def _back(node: ir.Node, x: Any) -> Any:
    return x if str(attribute(node, "data_format", "NHWC")).startswith("NC") else x.movedim(1, -1)


def _tf_pairs(node: ir.Node, sizes: list[int], kernel: list[int], stride: list[int], dilation: list[int]) -> Any:
    padding = attribute(node, "padding")
    if padding == "SAME":
        return [Window(k, s, d).same_padding(n) for n, k, s, d in zip(sizes, kernel, stride, dilation, strict=True)]
    if padding == "VALID":
        return [(0, 0)] * len(kernel)
    raise UnsupportedOperator(f"padding {padding}")


@op((), ("Conv2D", "Conv3D", "DepthwiseConv2dNative"))
def tensorflow_convolution(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    data, n = _first(node, x[0]), x[0].dim() - 2
    stride, dilation = _spatial(node, "strides", n + 2), _spatial(node, "dilations", n + 2)
    groups = 1
    kernel = x[1].movedim(-1, 0).movedim(-1, 1)  # out, in, spatial
    if node.op_type.startswith("Depthwise"):
        groups = data.shape[1]
        kernel = x[1].movedim(2, 0).movedim(-1, 1).flatten(0, 1).unsqueeze(1)
    sizes, window = list(data.shape[2:]), list(kernel.shape[2:])
    data = _padded(data, _tf_pairs(node, sizes, window, stride, dilation), 0.0)
    function = getattr(torch.nn.functional, f"conv{n}d")
    return _back(node, function(data, kernel, None, stride, 0, dilation, groups))


@op((), "Conv2DBackpropInput")
def tensorflow_transposed_convolution(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    kernel = x[1].permute(3, 2, 0, 1)
    gradient = _first(node, x[2])
    size = torch.Size(int(v) for v in x[0].tolist())
    first = str(attribute(node, "data_format", "NHWC")).startswith("NC")
    shape = size if first else torch.Size([size[0], size[3], size[1], size[2]])
    stride, dilation = _spatial(node, "strides", 4), _spatial(node, "dilations", 4)
    pairs = _tf_pairs(node, list(shape[2:]), list(kernel.shape[2:]), stride, dilation)
    full = torch.Size([*shape[:2], *(s + a + b for s, (a, b) in zip(shape[2:], pairs, strict=True))])
    result = torch.nn.grad.conv2d_input(full, kernel, gradient, stride, 0, dilation)
    for axis, (before, _) in enumerate(pairs):
        result = result.narrow(axis + 2, before, shape[axis + 2])
    return _back(node, result)


def _pool(name: str) -> Handler:
    def handler(node: ir.Node, x: Any, mode: Mode) -> Any:
        import torch

        n = x[0].dim() - 2
        kernel = [int(k) for k in attribute(node, "kernel_shape")]
        stride, dilation = attribute(node, "strides") or [1] * n, attribute(node, "dilations") or [1] * n
        ceil = bool(attribute(node, "ceil_mode", 0))
        pairs = _onnx_pairs(node, list(x[0].shape[2:]), kernel, stride, dilation)
        function = getattr(torch.nn.functional, f"{name}_pool{n}d")
        if name == "max":
            return function(_padded(x[0], pairs, -math.inf), kernel, stride, 0, dilation, ceil)
        if any(a != b for a, b in pairs) or any(d != 1 for d in dilation):
            raise UnsupportedOperator("AveragePool with uneven padding")
        include = bool(attribute(node, "count_include_pad", 0))
        return function(x[0], kernel, stride, [a for a, _ in pairs], ceil, include)

    return handler


op("MaxPool")(_pool("max"))
op("AveragePool")(_pool("avg"))


@op((), ("MaxPool", "AvgPool"))
def tensorflow_pool(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    data = _first(node, x[0])
    kernel, stride = _spatial(node, "ksize", 4), _spatial(node, "strides", 4)
    pairs = _tf_pairs(node, list(data.shape[2:]), kernel, stride, [1, 1])
    if node.op_type == "MaxPool":
        pooled = torch.nn.functional.max_pool2d(_padded(data, pairs, -math.inf), kernel, stride)
    else:
        area = torch.nn.functional.avg_pool2d(_padded(torch.ones_like(data), pairs, 0.0), kernel, stride)
        pooled = torch.nn.functional.avg_pool2d(_padded(data, pairs, 0.0), kernel, stride) / area
    return _back(node, pooled)


@op("GlobalAveragePool")
def global_average(node: ir.Node, x: Any, mode: Mode) -> Any:
    return x[0].mean(list(range(2, x[0].dim())), True)


@op("GlobalMaxPool")
def global_maximum(node: ir.Node, x: Any, mode: Mode) -> Any:
    return x[0].amax(list(range(2, x[0].dim())), True)
