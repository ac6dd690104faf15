"""Keras's layers as ONNX nodes: one short function a layer, grouped by family. What is not in the table stays an
operator of the domain ``keras``; nothing is ever executed."""

from __future__ import annotations

from functools import partial

from analyzer.loading.keras_layers import (
    activations,
    attention,
    convolution,
    core,
    merging,
    normalization,
    operations,
    pooling,
    recurrent,
    reshaping,
)
from analyzer.loading.keras_layers.rules import Conversion, LayerCall

_NOT_RECURRENT: dict[str, Conversion] = {
    **core.LAYERS,
    **activations.LAYERS,
    **convolution.LAYERS,
    **pooling.LAYERS,
    **normalization.LAYERS,
    **reshaping.LAYERS,
    **merging.LAYERS,
    **attention.LAYERS,
}
LAYERS: dict[str, Conversion] = {
    **_NOT_RECURRENT,
    **recurrent.LAYERS,
    "TimeDistributed": partial(recurrent.time_distributed, _NOT_RECURRENT),
}
OPERATIONS: dict[str, Conversion] = operations.OPERATIONS

__all__ = ["LAYERS", "OPERATIONS", "Conversion", "LayerCall"]
