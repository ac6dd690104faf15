"""Reductions, softmax family and normalisations as torch calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import onnx_ir as ir

from analyzer.numerical.confirm.surrogate import functions
from analyzer.numerical.confirm.torch_registry import Handler, Mode, UnsupportedOperator, attribute, op


def _axes(node: ir.Node, x: Any) -> tuple[list[int], bool]:
    """Reduced axes and whether they are kept, from attributes or from the second operand."""
    axes = attribute(node, "axes")
    if len(x) > 1 and x[1] is not None:
        axes = x[1].reshape(-1).tolist()
    if node.domain == "tf":
        keep = bool(attribute(node, "keep_dims", False))
        axes = [] if axes is None else axes
        return [int(a) % max(x[0].dim(), 1) for a in axes], keep
    keep = bool(attribute(node, "keepdims", 1))
    if not axes:
        axes = [] if attribute(node, "noop_with_empty_axes", 0) else list(range(x[0].dim()))
    return [int(a) % max(x[0].dim(), 1) for a in axes], keep


def _reduce(function: Callable[[Any, list[int], bool], Any]) -> Handler:
    def handler(node: ir.Node, x: Any, mode: Mode) -> Any:
        axes, keep = _axes(node, x)
        if x[0].dim() == 0 or not axes:
            return function(x[0].unsqueeze(0), [0], False) if node.domain != "tf" else x[0]
        return function(x[0], axes, keep)

    return handler


def _mean(x: Any, axes: list[int], keep: bool) -> Any:
    if x.is_floating_point():
        return x.mean(axes, keep)
    return x.sum(axes, keep) // max(1, x.numel() // max(1, x.sum(axes).numel()))


def _prod(x: Any, axes: list[int], keep: bool) -> Any:
    for axis in sorted(axes, reverse=True):
        x = x.prod(axis, keepdim=keep)
    return x


def _torch(name: str) -> Callable[[Any, list[int], bool], Any]:
    def function(x: Any, axes: list[int], keep: bool) -> Any:
        import torch

        return getattr(torch, name)(x, axes, keep)

    return function


op("ReduceSum", "Sum")(_reduce(lambda x, a, k: x.sum(a, k, dtype=x.dtype)))
op("ReduceMean", "Mean")(_reduce(_mean))
op("ReduceMax", "Max")(_reduce(_torch("amax")))
op("ReduceMin", "Min")(_reduce(_torch("amin")))
op("ReduceProd", "Prod")(_reduce(_prod))
op("ReduceL1")(_reduce(lambda x, a, k: x.abs().sum(a, k)))
op("ReduceL2")(_reduce(lambda x, a, k: _vector_norm(x, a, k)))
op((), "EuclideanNorm")(_reduce(lambda x, a, k: (x * x).sum(a, k).sqrt()))
op("ReduceSumSquare")(_reduce(lambda x, a, k: (x * x).sum(a, k)))
op("ReduceLogSum")(_reduce(lambda x, a, k: x.sum(a, k).log()))
op("ReduceLogSumExp")(_reduce(_torch("logsumexp")))
op((), "Any")(_reduce(lambda x, a, k: _fold_bool(x, a, k, "any")))
op((), "All")(_reduce(lambda x, a, k: _fold_bool(x, a, k, "all")))


def _vector_norm(x: Any, axes: list[int], keep: bool) -> Any:
    import torch

    return torch.linalg.vector_norm(x, 2, axes, keep) if x.is_floating_point() else (x * x).sum(axes, keep).sqrt()


def _fold_bool(x: Any, axes: list[int], keep: bool, name: str) -> Any:
    for axis in sorted(axes, reverse=True):
        x = getattr(x, name)(axis, keepdim=keep)
    return x


@op((), "L2Loss")
def l2_loss(node: ir.Node, x: Any, mode: Mode) -> Any:
    return (x[0] * x[0]).sum() / 2


def _softmax(log: bool) -> Handler:
    def handler(node: ir.Node, x: Any, mode: Mode) -> Any:
        import torch

        axis = int(attribute(node, "axis", -1))
        if mode.surrogate:
            return functions()["softmax"](axis, log)(x[0])
        return torch.log_softmax(x[0], axis) if log else torch.softmax(x[0], axis)

    return handler


op("Softmax", "Softmax")(_softmax(False))
op("LogSoftmax", "LogSoftmax")(_softmax(True))


@op((), "SoftmaxCrossEntropyWithLogits")
def softmax_cross_entropy(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    logs = torch.log_softmax(x[0], -1)
    return -(x[1] * logs).sum(-1), torch.softmax(x[0], -1) - x[1]


@op((), "SparseSoftmaxCrossEntropyWithLogits")
def sparse_softmax_cross_entropy(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    logs = torch.log_softmax(x[0], -1)
    picked = torch.nn.functional.one_hot(x[1].long(), x[0].shape[-1]).to(x[0].dtype)
    return -(picked * logs).sum(-1), torch.softmax(x[0], -1) - picked


def _arg(name: str) -> Handler:
    def handler(node: ir.Node, x: Any, mode: Mode) -> Any:
        import torch

        function = getattr(torch, name)
        if attribute(node, "select_last_index", 0):
            raise UnsupportedOperator(node.op_type)
        if node.domain == "tf":
            return function(x[0], dim=int(x[1]))
        return function(x[0], dim=int(attribute(node, "axis", 0)), keepdim=bool(attribute(node, "keepdims", 1)))

    return handler


op("ArgMax", "ArgMax")(_arg("argmax"))
op("ArgMin", "ArgMin")(_arg("argmin"))


@op("CumSum", "Cumsum")
def cumulative_sum(node: ir.Node, x: Any, mode: Mode) -> Any:
    if attribute(node, "exclusive", 0) or attribute(node, "reverse", 0):
        raise UnsupportedOperator(node.op_type)
    return x[0].cumsum(int(x[1]))


@op((), "CumulativeLogsumexp")
def log_cumulative_sum_exp(node: ir.Node, x: Any, mode: Mode) -> Any:
    if attribute(node, "exclusive", 0) or attribute(node, "reverse", 0):
        raise UnsupportedOperator(node.op_type)
    return x[0].logcumsumexp(int(x[1]) if len(x) > 1 else int(attribute(node, "dim", 0)))


@op("TopK", "TopKV2")
def top_k(node: ir.Node, x: Any, mode: Mode) -> Any:
    axis = int(attribute(node, "axis", -1))
    values, indices = x[0].topk(int(x[1].reshape(-1)[0]), dim=axis, largest=bool(attribute(node, "largest", 1)))
    return values, indices


def _channels(tensor: Any, rank: int, channels_last: bool) -> Any:
    return tensor if channels_last else tensor.reshape(1, -1, *[1] * (rank - 2))


@op("BatchNormalization")
def batch_normalization(node: ir.Node, x: Any, mode: Mode) -> Any:
    data, scale, bias, mean, variance = x[:5]
    rank, epsilon = data.dim(), attribute(node, "epsilon", 1e-5)
    if attribute(node, "training_mode", 0):
        axes = [0, *range(2, rank)]
        mean, variance = data.mean(axes), data.var(axes, unbiased=False)
    s, b, m, v = (_channels(t, rank, False) for t in (scale, bias, mean, variance))
    return (data - m) / (v + epsilon).sqrt() * s + b


@op((), ("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"))
def fused_batch_norm(node: ir.Node, x: Any, mode: Mode) -> Any:
    data, scale, bias, mean, variance = x[:5]
    last = attribute(node, "data_format", "NHWC") in ("NHWC", "NDHWC")
    rank, epsilon = data.dim(), attribute(node, "epsilon", 1e-4)
    if attribute(node, "is_training", True):
        axes = list(range(rank - 1)) if last else [0, *range(2, rank)]
        mean, variance = data.mean(axes), data.var(axes, unbiased=False)
    s, b, m, v = (_channels(t, rank, last) for t in (scale, bias, mean, variance))
    return (data - m) * (v + epsilon).rsqrt() * s + b, mean, variance, mean, variance, variance


@op("LayerNormalization")
def layer_normalization(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    axis = int(attribute(node, "axis", -1)) % x[0].dim()
    shape = x[0].shape[axis:]
    bias = x[2] if len(x) > 2 else None
    return torch.nn.functional.layer_norm(x[0], shape, x[1], bias, attribute(node, "epsilon", 1e-5))


@op("InstanceNormalization")
def instance_normalization(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    return torch.nn.functional.instance_norm(x[0], weight=x[1], bias=x[2], eps=attribute(node, "epsilon", 1e-5))


@op("GroupNormalization")
def group_normalization(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    groups = int(attribute(node, "num_groups", 1))
    return torch.nn.functional.group_norm(x[0], groups, x[1], x[2], attribute(node, "epsilon", 1e-5))
