"""Elementwise operators as torch calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import onnx_ir as ir

from analyzer.graph import torch_function
from analyzer.numerical.confirm.surrogate import functions
from analyzer.numerical.confirm.torch_dtypes import attribute_dtype
from analyzer.numerical.confirm.torch_registry import Handler, Mode, attribute, op


def _smooth(name: str) -> Handler:
    def handler(node: ir.Node, x: Any, mode: Mode) -> Any:
        import torch

        if mode.surrogate and x[0].is_floating_point():
            return functions()[name](x[0])
        return getattr(torch, name)(x[0])

    return handler


for _names, _function in {
    ("Relu", ""): "relu",
    ("Sigmoid", "Sigmoid"): "sigmoid",
    ("Tanh", "Tanh"): "tanh",
    ("Exp", "Exp"): "exp",
    ("", "Expm1"): "expm1",
    ("Log", "Log"): "log",
    ("", "Log1p"): "log1p",
    ("Sqrt", "Sqrt"): "sqrt",
    ("", "Rsqrt"): "rsqrt",
    ("", "Reciprocal"): "reciprocal",
    ("", "Inv"): "reciprocal",
    ("Abs", "Abs"): "abs",
    ("Sign", "Sign"): "sign",
    ("Floor", "Floor"): "floor",
    ("Ceil", "Ceil"): "ceil",
    ("Round", "Round"): "round",
    ("", "Rint"): "round",
    ("Erf", "Erf"): "erf",
}.items():
    op(*[n or () for n in _names])(_smooth(_function))


@op("Reciprocal")
def reciprocal(node: ir.Node, x: Any, mode: Mode) -> Any:
    """Of the root that stands for PyTorch's `rsqrt` as `rsqrt` itself: its gradient is the cube of the result."""
    import torch

    if not mode.surrogate and torch_function(node) == "rsqrt":
        return torch.rsqrt(x[0] * x[0])
    return _smooth("reciprocal")(node, x, mode)


def _torch(name: str) -> Handler:
    def handler(node: ir.Node, x: Any, mode: Mode) -> Any:
        import torch

        return getattr(torch, name)(*x)

    return handler


for _onnx, _tf, _function in [
    ("Add", ("Add", "AddV2", "BiasAddV1"), "add"),
    ("Sub", "Sub", "sub"),
    ("Mul", "Mul", "mul"),
    ("Neg", "Neg", "neg"),
    ("Sin", "Sin", "sin"),
    ("Cos", "Cos", "cos"),
    ("Tan", "Tan", "tan"),
    ("Asin", "Asin", "asin"),
    ("Acos", "Acos", "acos"),
    ("Atan", "Atan", "atan"),
    ("Sinh", "Sinh", "sinh"),
    ("Cosh", "Cosh", "cosh"),
    ("Asinh", "Asinh", "asinh"),
    ("Acosh", "Acosh", "acosh"),
    ("Atanh", "Atanh", "atanh"),
    ("", ("Lgamma",), "lgamma"),
    ("", ("Digamma",), "digamma"),
    ("", ("Erfc",), "erfc"),
    ("", ("BesselI0",), "i0"),
    ("", ("Erfinv",), "erfinv"),
    ("", ("Atan2",), "atan2"),
    ("Equal", "Equal", "eq"),
    ("", "NotEqual", "ne"),
    ("Less", "Less", "lt"),
    ("LessOrEqual", "LessEqual", "le"),
    ("Greater", "Greater", "gt"),
    ("GreaterOrEqual", "GreaterEqual", "ge"),
    ("And", "LogicalAnd", "logical_and"),
    ("Or", "LogicalOr", "logical_or"),
    ("Xor", "LogicalXor", "logical_xor"),
    ("Not", "LogicalNot", "logical_not"),
    ("IsNaN", "IsNan", "isnan"),
    ("", "IsFinite", "isfinite"),
    ("", "IsInf", "isinf"),
]:
    op(_onnx or (), _tf)(_torch(_function))


@op("IsInf")
def is_infinite(node: ir.Node, x: Any, mode: Mode) -> Any:
    above, below = (bool(attribute(node, f"detect_{sign}", 1)) for sign in ("positive", "negative"))
    return (x[0].isposinf() & above) | (x[0].isneginf() & below)


@op(
    ("Identity", "Dropout"), ("Identity", "StopGradient", "PreventGradient", "CheckNumerics", "Snapshot", "EnsureShape")
)
def identity(node: ir.Node, x: Any, mode: Mode) -> Any:
    return x[0]


@op("Div", ("RealDiv", "Div"))
def divide(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    if not x[0].is_floating_point():
        return torch.div(x[0], x[1], rounding_mode="trunc")
    return x[0] / x[1]


@op((), "DivNoNan")
def divide_or_zero(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    zero = x[1] == 0
    return torch.where(zero, torch.zeros_like(x[0]), x[0] / torch.where(zero, torch.ones_like(x[1]), x[1]))


@op((), "FloorDiv")
def floor_divide(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    return torch.floor_divide(x[0], x[1])


@op("Mod", ("FloorMod", "Mod"))
def modulo(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    return (torch.fmod if attribute(node, "fmod", 0) else torch.remainder)(x[0], x[1])


@op("Pow", "Pow")
def power(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    return torch.pow(x[0], x[1].to(x[0].dtype) if x[0].is_floating_point() else x[1]).to(x[0].dtype)


@op((), "Square")
def square(node: ir.Node, x: Any, mode: Mode) -> Any:
    return x[0] * x[0]


@op((), "SquaredDifference")
def squared_difference(node: ir.Node, x: Any, mode: Mode) -> Any:
    return (x[0] - x[1]) ** 2


@op("Sum", "AddN")
def add_all(node: ir.Node, x: Any, mode: Mode) -> Any:
    total = x[0]
    for term in x[1:]:
        total = total + term
    return total


@op("Mean")
def mean_of_operands(node: ir.Node, x: Any, mode: Mode) -> Any:
    return add_all(node, x, mode) / len(x)


def _fold(name: str) -> Handler:
    def handler(node: ir.Node, x: Any, mode: Mode) -> Any:
        import torch

        result = x[0]
        for other in x[1:]:
            if mode.surrogate and result.is_floating_point() and not other.requires_grad and result.requires_grad:
                bounds = (other, None) if name == "maximum" else (None, other)
                result = functions()["clamp"](result, *bounds)
            else:
                result = getattr(torch, name)(result, other)
        return result

    return handler


op("Max", "Maximum")(_fold("maximum"))
op("Min", "Minimum")(_fold("minimum"))


@op("Clip", "ClipByValue")
def clip(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    low = x[1] if len(x) > 1 else None
    high = x[2] if len(x) > 2 else None
    if len(x) == 1:
        low = None if attribute(node, "min") is None else torch.tensor(attribute(node, "min"), dtype=x[0].dtype)
        high = None if attribute(node, "max") is None else torch.tensor(attribute(node, "max"), dtype=x[0].dtype)
    if mode.surrogate and x[0].is_floating_point():
        return functions()["clamp"](x[0], low, high)
    result = x[0]
    if low is not None:
        result = torch.maximum(result, low)
    return result if high is None else torch.minimum(result, high)


@op((), "Relu6")
def relu6(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    return torch.nn.functional.relu6(x[0])


@op("LeakyRelu", "LeakyRelu")
def leaky_relu(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    slope = attribute(node, "alpha", 0.2 if node.domain == "tf" else 0.01)
    return torch.nn.functional.leaky_relu(x[0], float(slope))


@op("PRelu")
def prelu(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    return torch.where(x[0] < 0, x[0] * x[1], x[0])


def _activation(name: str, **defaults: float) -> Handler:
    def handler(node: ir.Node, x: Any, mode: Mode) -> Any:
        import torch

        given = [float(attribute(node, k, v)) for k, v in defaults.items()]
        return getattr(torch.nn.functional, name)(x[0], *given)

    return handler


op("Elu", "Elu")(_activation("elu", alpha=1.0))
op("Celu")(_activation("celu", alpha=1.0))
op("Softsign", "Softsign")(_activation("softsign"))
op("HardSwish")(_activation("hardswish"))
op("Mish")(_activation("mish"))
op((), "Selu")(_activation("selu"))


@op("Selu")
def selu(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    alpha, gamma = attribute(node, "alpha", 1.6732632423543772), attribute(node, "gamma", 1.0507009873554805)
    return gamma * torch.where(x[0] > 0, x[0], alpha * torch.expm1(torch.clamp(x[0], max=0)))


@op("HardSigmoid")
def hard_sigmoid(node: ir.Node, x: Any, mode: Mode) -> Any:
    return (attribute(node, "alpha", 0.2) * x[0] + attribute(node, "beta", 0.5)).clamp(0, 1)


@op("Gelu")
def gelu(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    return torch.nn.functional.gelu(x[0], approximate=attribute(node, "approximate", "none"))


@op((), "Ndtri")
def quantile_of_normal(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    return torch.special.ndtri(x[0])


@op("Swish")
def swish(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    return x[0] * torch.sigmoid(float(attribute(node, "alpha", 1.0)) * x[0])


@op("SwiGLU")
def swiglu(node: ir.Node, x: Any, mode: Mode) -> Any:
    return swish(node, x, mode) * x[1]


@op("Softplus", "Softplus")
def softplus(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    return functions()["softplus"](x[0]) if mode.surrogate else torch.nn.functional.softplus(x[0])


@op("Where", ("Select", "SelectV2"))
def where(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    condition = x[0]
    if node.op_type == "Select" and condition.dim() == 1 and x[1].dim() > 1:
        condition = condition.reshape(-1, *[1] * (x[1].dim() - 1))
    return torch.where(condition, x[1], x[2])


def _cast(make: Callable[[Any], Any], name: str) -> Handler:
    def handler(node: ir.Node, x: Any, mode: Mode) -> Any:
        return x[0].to(make(attribute(node, name)))

    return handler


op("Cast")(_cast(attribute_dtype, "to"))
op((), "Cast")(_cast(attribute_dtype, "DstT"))


@op("CastLike")
def cast_like(node: ir.Node, x: Any, mode: Mode) -> Any:
    return x[0].to(x[1].dtype)
