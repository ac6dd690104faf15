"""TensorFlow operators without an ONNX twin: control flow left-overs and the gradient operators of training graphs."""

from __future__ import annotations

from typing import Any

import onnx_ir as ir

from analyzer.numerical.confirm.torch_registry import Mode, UnsupportedOperator, attribute, op


@op((), ("ReadVariableOp", "PlaceholderWithDefault", "RefIdentity"))
def pass_on(node: ir.Node, x: Any, mode: Mode) -> Any:
    return x[0]


@op((), "IdentityN")
def pass_on_all(node: ir.Node, x: Any, mode: Mode) -> Any:
    return tuple(x)


@op((), "BroadcastGradientArgs")
def broadcast_gradient_axes(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    shapes = [t.tolist() for t in x]
    rank = max(len(s) for s in shapes)
    padded = [[1] * (rank - len(s)) + s for s in shapes]
    axes = []
    for own, other in (padded, padded[::-1]):
        axes.append(torch.tensor([i for i in range(rank) if own[i] == 1 and other[i] != 1] or [], dtype=x[0].dtype))
    both = [i for i in range(rank) if padded[0][i] == 1 and padded[1][i] == 1]
    if both:
        axes = [torch.tensor(sorted([*a.tolist(), *both]), dtype=x[0].dtype) for a in axes]
    return tuple(axes)


@op((), "Relu")
def relu(node: ir.Node, x: Any, mode: Mode) -> Any:
    """TensorFlow multiplies the gradient by a mask, where PyTorch selects: infinity times 0 is NaN."""
    import torch

    if mode.surrogate or not x[0].is_floating_point():
        return torch.relu(x[0])
    return x[0].clamp_min(torch.finfo(x[0].dtype).min) * (x[0] > 0) + 0.0  # -infinity times 0 were NaN, -1 times 0 -0


@op((), "ReluGrad")
def relu_gradient(node: ir.Node, x: Any, mode: Mode) -> Any:
    return x[0] * (x[1] > 0).to(x[0].dtype)


@op((), "SigmoidGrad")
def sigmoid_gradient(node: ir.Node, x: Any, mode: Mode) -> Any:
    return x[1] * x[0] * (1 - x[0])


@op((), "TanhGrad")
def tanh_gradient(node: ir.Node, x: Any, mode: Mode) -> Any:
    return x[1] * (1 - x[0] * x[0])


@op((), "SqrtGrad")
def sqrt_gradient(node: ir.Node, x: Any, mode: Mode) -> Any:
    return x[1] * 0.5 / x[0]


@op((), "RsqrtGrad")
def rsqrt_gradient(node: ir.Node, x: Any, mode: Mode) -> Any:
    return -0.5 * x[1] * x[0] ** 3


@op((), ("ReciprocalGrad", "InvGrad"))
def reciprocal_gradient(node: ir.Node, x: Any, mode: Mode) -> Any:
    return -x[1] * x[0] * x[0]


@op((), "SoftplusGrad")
def softplus_gradient(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    return x[0] * torch.sigmoid(x[1])


@op((), "BiasAddGrad")
def bias_gradient(node: ir.Node, x: Any, mode: Mode) -> Any:
    if attribute(node, "data_format", "NHWC") != "NHWC":
        raise UnsupportedOperator("BiasAddGrad with channels first")
    return x[0].sum(list(range(x[0].dim() - 1)))


@op((), "DynamicStitch")
def dynamic_stitch(node: ir.Node, x: Any, mode: Mode) -> Any:
    count = len(x) // 2
    indices, data = x[:count], x[count:]
    size = 1 + max((int(i.max()) for i in indices if i.numel()), default=-1)
    rest = list(data[0].shape[indices[0].dim() :])
    result = data[0].new_zeros([size, *rest])
    for index, values in zip(indices, data, strict=True):
        result[index.reshape(-1).long()] = values.reshape([-1, *rest])
    return result
