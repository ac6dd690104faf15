"""Gradients and optimizer steps of training graphs."""

from __future__ import annotations

from analyzer.operators.conditions import GRADIENT_OF_SQRT_AT_ZERO
from analyzer.operators.declaration import ELEMENTWISE, TRAINING, operator

OPERATORS = (
    operator("ReluGrad", tf="ReluGrad Relu6Grad SeluGrad EluGrad LeakyReluGrad SoftplusGrad SoftsignGrad"),
    operator("SigmoidGrad", tf="SigmoidGrad", traits=ELEMENTWISE),
    operator("TanhGrad", tf="TanhGrad", traits=ELEMENTWISE),
    operator("SqrtGrad", tf="SqrtGrad", traits=ELEMENTWISE, unsafe=(GRADIENT_OF_SQRT_AT_ZERO,)),
    operator("RsqrtGrad", tf="RsqrtGrad ReciprocalGrad InvGrad"),
    operator("BiasAddGrad", tf="BiasAddGrad"),
    operator("MaxPoolGrad", tf="MaxPoolGrad AvgPoolGrad MaxPool3DGrad MaxPoolGradV2 AvgPool3DGrad"),
    operator("StridedSliceGrad", tf="StridedSliceGrad"),
    operator(
        "ResizeBilinearGrad",
        tf="""
    ResizeBilinearGrad ResizeNearestNeighborGrad FusedBatchNormGrad FusedBatchNormGradV2 FusedBatchNormGradV3
    LRNGrad MirrorPadGrad BlockLSTMGrad ResizeBicubicGrad CropAndResizeGradImage IgammaGradA
""",
    ),
    operator(
        "ApplyGradientDescent",
        tf="""
    ApplyGradientDescent ApplyMomentum ApplyKerasMomentum ApplyAdam ApplyAdagrad ApplyAdagradV2 ApplyRMSProp
    ApplyCenteredRMSProp ApplyFtrl ApplyAdadelta ApplyAdaMax ApplyProximalGradientDescent ApplyProximalAdagrad
    ApplyAdamWithAmsgrad ResourceApplyGradientDescent ResourceApplyMomentum ResourceApplyKerasMomentum
    ResourceApplyAdam ResourceApplyAdagrad ResourceApplyAdagradV2 ResourceApplyRMSProp
    ResourceApplyCenteredRMSProp ResourceApplyFtrl ResourceApplyAdadelta ResourceApplyAdaMax
    ResourceApplyProximalGradientDescent ResourceApplyProximalAdagrad ResourceApplyAdamWithAmsgrad
    SparseApplyGradientDescent SparseApplyMomentum SparseApplyKerasMomentum SparseApplyAdam SparseApplyAdagrad
    SparseApplyAdagradV2 SparseApplyRMSProp SparseApplyCenteredRMSProp SparseApplyFtrl SparseApplyAdadelta
    SparseApplyAdaMax SparseApplyProximalGradientDescent SparseApplyProximalAdagrad SparseApplyAdamWithAmsgrad
    ResourceSparseApplyGradientDescent ResourceSparseApplyMomentum ResourceSparseApplyKerasMomentum
    ResourceSparseApplyAdam ResourceSparseApplyAdagrad ResourceSparseApplyAdagradV2 ResourceSparseApplyRMSProp
    ResourceSparseApplyCenteredRMSProp ResourceSparseApplyFtrl ResourceSparseApplyAdadelta
    ResourceSparseApplyAdaMax ResourceSparseApplyProximalGradientDescent ResourceSparseApplyProximalAdagrad
    ResourceSparseApplyAdamWithAmsgrad
""",
    ),
    operator("Gradient", (1,), domain=TRAINING),
    operator("Adam", (1,), domain=TRAINING),
    operator("Adagrad", (1,), domain=TRAINING),
    operator("Momentum", (1,), domain=TRAINING),
)
