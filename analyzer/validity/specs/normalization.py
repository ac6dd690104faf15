"""Normalisation layers and operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analyzer.validity.spec import Case, Category, Rule, TensorType, define
from analyzer.validity.specs.broadcasting import one_way
from analyzer.validity.specs.common import (
    FLOATS,
    axis_index,
    axis_indices,
    channels_last,
    need_dtype,
    need_min_rank,
    need_positive,
    need_rank,
)
from analyzer.validity.terms import Term, equal, floor_div, mod, product

FEATURES = Rule(
    "num-features",
    Category.INCOMPATIBLE_SHAPE,
    "the input has {channels} channels but the layer normalises {features}",
    ("num_features",),
)
STATISTIC = Rule(
    "statistics",
    Category.INCOMPATIBLE_SHAPE,
    "`{name}` is {shape}; it must be one value for each of {channels} channels",
)
NORMALIZED_SHAPE = Rule(
    "normalized-shape",
    Category.INCOMPATIBLE_SHAPE,
    "the input ends in {actual} but the layer normalises over {expected}",
    ("normalized_shape",),
)
GROUPS = Rule(
    "groups-divide-channels",
    Category.IMPROPER_VALUE,
    "{groups} groups do not divide {channels} channels",
    ("num_groups", "num_channels"),
)
MORE_THAN_ONE = Rule(
    "one-value-per-channel",
    Category.ILLEGAL_SHAPE,
    "each channel has a single value ({shape}), so that training cannot normalise it",
)


def _torch_batch_norm(ranks: Sequence[int]) -> Any:
    def norm(
        case: Case,
        x: TensorType,
        *,
        num_features: Term,
        eps: float = 1e-5,
        momentum: Any = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        training: bool = False,
        dtype: str = "float32",
    ) -> TensorType:
        """``nn.BatchNorm{1,2,3}d``; with `training` a channel needs more than one value."""
        need_positive(case, num_features=num_features)
        need_rank(case, x, *ranks)
        need_dtype(case, x, FLOATS)
        case.require(FEATURES, equal(x.dims[1], num_features), channels=x.dims[1], features=num_features)
        if training:
            count: Term = x.dims[0]
            for size in x.dims[2:]:
                count = count * size
            case.require(MORE_THAN_ONE, count >= 2, shape=x.dims)
        return x

    return norm


def _torch_lazy_batch_norm(ranks: Sequence[int]) -> Any:
    known = _torch_batch_norm(ranks)

    def norm(
        case: Case,
        x: TensorType,
        *,
        eps: float = 1e-5,
        momentum: Any = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        training: bool = False,
        dtype: str = "float32",
    ) -> TensorType:
        """``nn.LazyBatchNorm{1,2,3}d``, which has as many features as the first input."""
        need_rank(case, x, *ranks)
        made: TensorType = known(case, x, num_features=x.dims[1], training=training)
        return made

    return norm


torch_batch_norm1d = define("torch", "BatchNorm1d")(_torch_batch_norm((2, 3)))
torch_batch_norm2d = define("torch", "BatchNorm2d")(_torch_batch_norm((4,)))
torch_batch_norm3d = define("torch", "BatchNorm3d")(_torch_batch_norm((5,)))
torch_lazy_batch_norm1d = define("torch", "LazyBatchNorm1d")(_torch_lazy_batch_norm((2, 3)))
torch_lazy_batch_norm2d = define("torch", "LazyBatchNorm2d")(_torch_lazy_batch_norm((4,)))
torch_lazy_batch_norm3d = define("torch", "LazyBatchNorm3d")(_torch_lazy_batch_norm((5,)))


@define("torch", "SyncBatchNorm")
def torch_sync_batch_norm(case: Case, x: TensorType, *, num_features: Term, **_others: Any) -> TensorType:
    """``nn.SyncBatchNorm``."""
    need_min_rank(case, x, 2)
    case.require(FEATURES, equal(x.dims[1], num_features), channels=x.dims[1], features=num_features)
    return x


def _torch_instance_norm(spatial: int) -> Any:
    def norm(
        case: Case,
        x: TensorType,
        *,
        num_features: Term,
        eps: float = 1e-5,
        momentum: Any = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
    ) -> TensorType:
        """``nn.InstanceNorm{1,2,3}d``: without affine parameters the number of features is not checked by PyTorch."""
        if affine or track_running_stats:
            need_positive(case, num_features=num_features)
        need_rank(case, x, spatial + 1, spatial + 2)
        channels = x.dims[x.rank - spatial - 1]
        if not track_running_stats:
            case.require(MORE_THAN_ONE, product(x.dims[x.rank - spatial :]) >= 2, shape=x.dims)
        if affine or track_running_stats:
            case.require(FEATURES, equal(channels, num_features), channels=channels, features=num_features)
        else:
            case.advise(
                UNCHECKED_FEATURES, equal(channels, num_features) is False, channels=channels, features=num_features
            )
        return x

    return norm


UNCHECKED_FEATURES = Rule(
    "unchecked-features",
    Category.ADVISORY,
    "the input has {channels} channels but `num_features` is {features}, which PyTorch ignores here",
)
torch_instance_norm1d = define("torch", "InstanceNorm1d")(_torch_instance_norm(1))
torch_instance_norm2d = define("torch", "InstanceNorm2d")(_torch_instance_norm(2))
torch_instance_norm3d = define("torch", "InstanceNorm3d")(_torch_instance_norm(3))


@define("torch", "LayerNorm", "RMSNorm")
def torch_layer_norm(
    case: Case,
    x: TensorType,
    *,
    normalized_shape: Any,
    eps: Any = 1e-5,
    elementwise_affine: bool = True,
    bias: bool = True,
    dtype: str = "float32",
) -> TensorType:
    """``nn.LayerNorm`` and ``nn.RMSNorm``: the last dimensions are given."""
    expected = tuple(normalized_shape) if isinstance(normalized_shape, (tuple, list)) else (normalized_shape,)
    for size in expected:
        need_positive(case, normalized_shape=size)
    actual = x.dims[x.rank - len(expected) :] if x.rank >= len(expected) else x.dims
    case.require(NORMALIZED_SHAPE, x.rank >= len(expected), actual=actual, expected=expected)
    for a, b in zip(actual, expected, strict=True):
        case.require(NORMALIZED_SHAPE, equal(a, b), actual=actual, expected=expected)
    need_dtype(case, x, (dtype,))
    return x


@define("torch", "GroupNorm")
def torch_group_norm(
    case: Case, x: TensorType, *, num_groups: Term, num_channels: Term, eps: float = 1e-5, affine: bool = True
) -> TensorType:
    """``nn.GroupNorm``."""
    need_positive(case, num_groups=num_groups, num_channels=num_channels)
    case.require(GROUPS, equal(mod(num_channels, num_groups), 0), groups=num_groups, channels=num_channels)
    need_min_rank(case, x, 2)
    if affine:
        case.require(FEATURES, equal(x.dims[1], num_channels), channels=x.dims[1], features=num_channels)
    else:
        case.require(GROUPS, equal(mod(x.dims[1], num_groups), 0), groups=num_groups, channels=x.dims[1])
    count = floor_div(x.dims[0] * x.dims[1], num_groups) * product(x.dims[2:])
    case.require(MORE_THAN_ONE, count >= 2, shape=x.dims)
    return x


@define("torch", "LocalResponseNorm")
def torch_lrn(
    case: Case, x: TensorType, *, size: Term, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> TensorType:
    """``nn.LocalResponseNorm``: at least three dimensions."""
    need_positive(case, size=size)
    need_min_rank(case, x, 3)
    return x


# --------------------------------------------------------------------------------------------------- ONNX


def need_statistic(case: Case, name: str, tensor: TensorType | None, channels: Term) -> None:
    if tensor is None:
        return
    case.require(STATISTIC, tensor.rank == 1, name=name, shape=tensor.dims, channels=channels)
    case.require(STATISTIC, equal(tensor.dims[0], channels), name=name, shape=tensor.dims, channels=channels)


@define("onnx", "BatchNormalization")
def onnx_batch_norm(
    case: Case,
    x: TensorType,
    scale: TensorType,
    bias: TensorType,
    mean: TensorType,
    variance: TensorType,
    **_attributes: Any,
) -> tuple[TensorType, ...]:
    """ONNX BatchNormalization: four vectors over the channels."""
    need_dtype(case, x, FLOATS)
    channels = x.dims[1] if x.rank > 1 else 1
    for name, tensor in (("scale", scale), ("B", bias), ("mean", mean), ("var", variance)):
        need_statistic(case, name, tensor, channels)
    vector = TensorType(mean.shape, mean.dtype)
    return x, vector, TensorType(variance.shape, variance.dtype), vector, vector


@define("onnx", "InstanceNormalization")
def onnx_instance_norm(
    case: Case, x: TensorType, scale: TensorType, bias: TensorType, **_attributes: Any
) -> TensorType:
    """ONNX InstanceNormalization."""
    need_dtype(case, x, FLOATS)
    need_min_rank(case, x, 2)
    need_statistic(case, "scale", scale, x.dims[1])
    need_statistic(case, "B", bias, x.dims[1])
    return x


@define("onnx", "GroupNormalization")
def onnx_group_norm(
    case: Case, x: TensorType, scale: TensorType, bias: TensorType, *, num_groups: Term, **_attributes: Any
) -> TensorType:
    """ONNX GroupNormalization: scale and bias over channels (over groups before opset 21)."""
    need_positive(case, num_groups=num_groups)
    need_min_rank(case, x, 2)
    case.require(GROUPS, equal(mod(x.dims[1], num_groups), 0), groups=num_groups, channels=x.dims[1])
    count = x.dims[1] if case.at_least(21) else num_groups
    need_statistic(case, "scale", scale, count)
    need_statistic(case, "bias", bias, count)
    return x


@define("onnx", "LayerNormalization")
def onnx_layer_norm(
    case: Case,
    x: TensorType,
    scale: TensorType,
    bias: TensorType | None = None,
    *,
    axis: int = -1,
    **_attributes: Any,
) -> tuple[TensorType, ...]:
    """ONNX LayerNormalization: scale and bias broadcast to the input's tail."""
    need_dtype(case, x, FLOATS)
    place = axis_index(case, axis, x.rank)
    one_way(case, x, scale)
    if bias is not None:
        one_way(case, x, bias)
    reduced = (*x.dims[:place], *((1,) * (x.rank - place)))
    return x, TensorType(reduced, "float32"), TensorType(reduced, "float32")


@define("onnx", "RMSNormalization")
def onnx_rms_norm(case: Case, x: TensorType, scale: TensorType, *, axis: int = -1, **_attributes: Any) -> TensorType:
    """ONNX RMSNormalization."""
    axis_index(case, axis, x.rank)
    one_way(case, x, scale)
    return x


@define("onnx", "LRN")
def onnx_lrn(case: Case, x: TensorType, *, size: Term, **_attributes: Any) -> TensorType:
    """ONNX LRN."""
    need_positive(case, size=size)
    need_min_rank(case, x, 2)
    return x


@define("onnx", "LpNormalization", "Softmax", "LogSoftmax", "Hardmax")
def onnx_axis_keeping(case: Case, x: TensorType, *, axis: int | None = None, **_attributes: Any) -> TensorType:
    """ONNX operators along one axis that keep the shape."""
    need_dtype(case, x, FLOATS)
    default = -1 if case.at_least(13) else 1
    if x.rank or axis not in (None, -1, 0):
        number = axis if axis is not None else default
        if case.at_least(13) or number != x.rank:  # before opset 13 the axis may be the rank
            axis_index(case, number if axis is not None or x.rank > 1 else -1, x.rank)
    return x


@define("onnx", "MeanVarianceNormalization")
def onnx_mvn(case: Case, x: TensorType, *, axes: Any = None, **_attributes: Any) -> TensorType:
    """ONNX MeanVarianceNormalization."""
    axis_indices(case, tuple(axes) if axes is not None else (0, 2, 3), x.rank)
    return x


# -------------------------------------------------------------------------------------- Keras and TensorFlow


@define("keras", "BatchNormalization")
def keras_batch_norm(case: Case, x: TensorType, *, axis: Any = -1, **_others: Any) -> TensorType:
    """``keras.layers.BatchNormalization``."""
    axis_index(case, axis, x.rank)
    return x


@define("keras", "LayerNormalization", "RMSNormalization", "UnitNormalization")
def keras_layer_norm(case: Case, x: TensorType, *, axis: Any = -1, **_others: Any) -> TensorType:
    """``keras.layers.LayerNormalization`` and relatives: existing, distinct axes."""
    axis_indices(case, axis, x.rank)
    return x


@define("keras", "GroupNormalization")
def keras_group_norm(case: Case, x: TensorType, *, groups: Term = 32, axis: Any = -1, **_others: Any) -> TensorType:
    """``keras.layers.GroupNormalization``: −1 groups means one for each channel."""
    place = axis_index(case, axis, x.rank)
    channels = x.dims[place]
    if not case.is_sentinel(groups, -1):
        need_positive(case, groups=groups)
        case.require(GROUPS, groups <= channels, groups=groups, channels=channels)
        case.require(GROUPS, equal(mod(channels, groups), 0), groups=groups, channels=channels)
    return x


@define("keras", "SpectralNormalization")
def keras_spectral(case: Case, x: TensorType, *, power_iterations: Term = 1, **_others: Any) -> TensorType:
    """``keras.layers.SpectralNormalization``."""
    need_positive(case, power_iterations=power_iterations)
    return x


@define("tf", "FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
def tf_fused_batch_norm(
    case: Case,
    x: TensorType,
    scale: TensorType,
    offset: TensorType,
    mean: TensorType,
    variance: TensorType,
    *,
    data_format: str = "NHWC",
    is_training: bool = True,
    **_others: Any,
) -> tuple[TensorType, ...]:
    """GraphDef FusedBatchNorm: an image and vectors over its channels; moments are empty in training."""
    need_rank(case, x, 4, 5)
    last = channels_last(case, data_format, x.rank - 2)
    channels = x.dims[-1] if last else x.dims[1]
    need_statistic(case, "scale", scale, channels)
    need_statistic(case, "offset", offset, channels)
    if not is_training:
        need_statistic(case, "mean", mean, channels)
        need_statistic(case, "variance", variance, channels)
    vector = TensorType((channels,), scale.dtype)
    return x, vector, vector, vector, vector, TensorType(None, scale.dtype)


@define("tf", "LRN")
def tf_lrn(case: Case, x: TensorType, **_others: Any) -> TensorType:
    """GraphDef LRN."""
    need_rank(case, x, 4)
    return x


@define("tf", "L2Loss")
def tf_l2_loss(case: Case, x: TensorType, **_others: Any) -> TensorType:
    """GraphDef L2Loss: a scalar."""
    return TensorType((), x.dtype)


@define("tf", "Softmax", "LogSoftmax")
def tf_softmax(case: Case, x: TensorType, **_others: Any) -> TensorType:
    """GraphDef Softmax: along the last axis."""
    need_dtype(case, x, FLOATS)
    need_min_rank(case, x, 1)
    return x


SINGLE_CLASS = Rule(
    "single-class", Category.ADVISORY, "{function} over axis {axis} of size 1 always gives the same value", ("axis",)
)


@define("torch", "Softmax", "LogSoftmax", "Softmin", "softmax", "log_softmax")
def torch_softmax(case: Case, x: TensorType, *, dim: Any = None, dtype: Any = None, **_others: Any) -> TensorType:
    """``nn.Softmax`` along `dim` (without it, PyTorch guesses)."""
    need_dtype(case, x, FLOATS) if dtype is None else None
    if dim is not None:
        axis = axis_index(case, dim, max(1, x.rank), "dim")
        if x.rank:
            case.advise(SINGLE_CLASS, equal(x.dims[axis], 1) is True, function="softmax", axis=axis)
    return TensorType(x.shape, dtype or x.dtype, x.format)


@define("torch", "Softmax2d")
def torch_softmax2d(case: Case, x: TensorType) -> TensorType:
    """``nn.Softmax2d``."""
    need_rank(case, x, 3, 4)
    return x


@define("keras", "Softmax")
def keras_softmax(case: Case, x: TensorType, *, axis: Any = -1, **_others: Any) -> TensorType:
    """``keras.layers.Softmax``."""
    places = axis_indices(case, axis, x.rank)
    case.advise(SINGLE_CLASS, all(equal(x.dims[p], 1) is True for p in places), function="softmax", axis=axis)
    return x
