"""Normalization layers."""

from __future__ import annotations

from analyzer.operators.conditions import DIVISION_BY_ZERO, NORMALIZATION_BY_ZERO
from analyzer.operators.declaration import BUILT_FOR_LAST_AXIS, DENSE, DENSE_OR_CHANNELS_LAST, WEIGHTS, operator

OPERATORS = (
    operator(
        "BatchNormalization",
        (1, 6, 7, 9, 14, 15),
        tf="FusedBatchNorm FusedBatchNormV2 FusedBatchNormV3",
        torch="""
    BatchNorm1d LazyBatchNorm1d BatchNorm2d LazyBatchNorm2d BatchNorm3d LazyBatchNorm3d SyncBatchNorm batch_norm
""",
        keras="BatchNormalization",
        unsafe=(NORMALIZATION_BY_ZERO,),
        traits=WEIGHTS | BUILT_FOR_LAST_AXIS,
    ),
    operator(
        "LayerNormalization",
        (17,),
        torch="LayerNorm layer_norm",
        keras="LayerNormalization",
        unsafe=(NORMALIZATION_BY_ZERO,),
        traits=DENSE | WEIGHTS | BUILT_FOR_LAST_AXIS,
    ),
    operator("SimplifiedLayerNormalization", (1,), unsafe=(NORMALIZATION_BY_ZERO,), lacks="references"),
    operator("SkipLayerNormalization", microsoft="SkipLayerNormalization SkipSimplifiedLayerNormalization"),
    operator("EmbedLayerNormalization", microsoft="EmbedLayerNormalization"),
    operator(
        "RMSNormalization",
        (23,),
        torch="RMSNorm",
        keras="RMSNormalization",
        unsafe=(NORMALIZATION_BY_ZERO,),
        traits=WEIGHTS,
        lacks="references",
    ),
    operator(
        "InstanceNormalization",
        (1, 6, 22),
        torch="InstanceNorm1d InstanceNorm2d InstanceNorm3d",
        unsafe=(NORMALIZATION_BY_ZERO,),
        traits=WEIGHTS,
    ),
    operator(
        "GroupNormalization",
        (18, 21),
        torch="GroupNorm group_norm",
        keras="GroupNormalization",
        unsafe=(NORMALIZATION_BY_ZERO,),
        traits=DENSE_OR_CHANNELS_LAST | WEIGHTS,
    ),
    operator("MeanVarianceNormalization", (9, 13), unsafe=(NORMALIZATION_BY_ZERO,), lacks="references"),
    operator(
        "LpNormalization",
        (1, 22),
        torch="normalize",
        keras="UnitNormalization",
        unsafe=(NORMALIZATION_BY_ZERO,),
        lacks="references",
    ),
    operator("LRN", (1, 13), tf="LRN", torch="LocalResponseNorm", unsafe=(DIVISION_BY_ZERO,), lacks="references"),
    operator("SpectralNormalization", keras="SpectralNormalization", traits=WEIGHTS),
)
