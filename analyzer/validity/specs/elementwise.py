"""Elementwise operators that keep the shape of their operand: activations, dropout, tests."""

from __future__ import annotations

from typing import Any

from analyzer.operators.declaration import SAME_SHAPE, SHAPE_ONLY
from analyzer.operators.registry import names
from analyzer.validity.spec import Case, Category, Rule, TensorType, define
from analyzer.validity.specs.broadcasting import one_way
from analyzer.validity.specs.common import (
    need_same_shape,
    same_dtype,
)
from analyzer.validity.terms import any_of, equal

PROBABILITY = Rule("probability", Category.ILLEGAL_VALUE, "`{name}` is {value}; it must lie between 0 and 1", ("rate",))
PARAMETERS = Rule(
    "parameters", Category.INCOMPATIBLE_SHAPE, "{count} slopes for {channels} channels; there must be 1 or {channels}"
)


@define("com.microsoft", "QuickGelu")
@define("onnx", *names("onnx", SAME_SHAPE))
def onnx_keeping(case: Case, x: TensorType, **_attributes: Any) -> TensorType:
    """ONNX operators whose output has the input's shape and type."""
    return TensorType(x.shape, x.dtype, x.format)


@define("onnx", "SwiGLU")
def onnx_swiglu(case: Case, gate: TensorType, value: TensorType, **_attributes: Any) -> TensorType:
    """ONNX SwiGLU: no broadcasting."""
    need_same_shape(case, gate, value, ("the gate", "the value"))
    return gate


@define("onnx", "IsNaN", "IsInf")
def onnx_tests(case: Case, x: TensorType, **_attributes: Any) -> TensorType:
    """ONNX IsNaN and IsInf: booleans of the input's shape."""
    return TensorType(x.shape, "bool")


@define("onnx", "Clip")
def onnx_clip(
    case: Case, x: TensorType, low: TensorType | None = None, high: TensorType | None = None, **_attributes: Any
) -> TensorType:
    """ONNX Clip: bounds are scalars."""
    for name, bound in (("min", low), ("max", high)):
        if bound is not None and bound.shape is not None:
            case.require(SCALAR_BOUND, bound.rank == 0 or bound.dims == (1,), name=name, shape=bound.dims)
            same_dtype(case, ("the input", x), (f"`{name}`", bound))
    return x


SCALAR_BOUND = Rule("scalar-bound", Category.INCOMPATIBLE_SHAPE, "`{name}` must be a scalar and is {shape}")


@define("onnx", "Dropout")
def onnx_dropout(
    case: Case, x: TensorType, ratio: TensorType | None = None, mode: TensorType | None = None, **_attributes: Any
) -> tuple[TensorType, ...]:
    """ONNX Dropout: the value and a mask."""
    for name, operand in (("ratio", ratio), ("training_mode", mode)):
        if isinstance(operand, TensorType) and operand.shape is not None:  # `ratio` was an attribute before opset 12
            case.require(SCALAR_BOUND, all(d == 1 for d in operand.shape), name=name, shape=operand.shape)
    return x, TensorType(x.shape, "bool" if case.at_least(10) else x.dtype)


@define("torch", *(name for name in names("torch", SAME_SHAPE) if name not in names("torch", SHAPE_ONLY)))
def torch_keeping(case: Case, x: TensorType, **_arguments: Any) -> TensorType:
    """Activations and elementwise functions that keep the shape."""
    return TensorType(x.shape, x.dtype, x.format)


@define("torch", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout", "dropout")
def torch_dropout(
    case: Case, x: TensorType, *, p: Any = 0.5, inplace: bool = False, training: bool = True
) -> TensorType:
    """``nn.Dropout``: a probability."""
    if isinstance(p, (int, float)):
        case.require(PROBABILITY, 0 <= p <= 1, name="p", value=p)
    return x


@define("torch", "PReLU")
def torch_prelu(case: Case, x: TensorType, *, num_parameters: Any = 1, init: float = 0.25) -> TensorType:
    """``nn.PReLU``: one slope or one for each channel (dimension 1)."""
    channels = x.dims[1] if x.rank >= 2 else 1
    ok = any_of(equal(num_parameters, 1), equal(num_parameters, channels))
    case.require(PARAMETERS, ok, count=num_parameters, channels=channels)
    return x


@define("keras", *names("keras", SAME_SHAPE))
def keras_keeping(case: Case, x: TensorType, **_arguments: Any) -> TensorType:
    """Keras layers that keep the shape."""
    return TensorType(x.shape, x.dtype, x.format)


@define(
    "keras", "Dropout", "SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D", "GaussianDropout", "AlphaDropout"
)
def keras_dropout(
    case: Case, x: TensorType, *, rate: Any, noise_shape: Any = None, seed: Any = None, data_format: Any = None
) -> TensorType:
    """Keras dropouts: a rate."""
    if isinstance(rate, (int, float)):
        case.require(PROBABILITY, 0 <= rate <= 1, name="rate", value=rate)
    return x


@define("tf", *names("tf", SAME_SHAPE))
def tf_keeping(case: Case, x: TensorType, *_others: TensorType, **_arguments: Any) -> TensorType:
    """GraphDef operators that keep shape and type."""
    return TensorType(x.shape, x.dtype, x.format)


@define("tf", "IdentityN")
def tf_keeping_each(case: Case, *tensors: TensorType, **_arguments: Any) -> tuple[TensorType, ...]:
    """GraphDef IdentityN: every operand as it is."""
    return tensors


@define("tf", "ClipByValue")
def tf_clip(case: Case, x: TensorType, low: TensorType, high: TensorType, **_arguments: Any) -> TensorType:
    """GraphDef ClipByValue."""
    one_way(case, x, low)
    one_way(case, x, high)
    return x
