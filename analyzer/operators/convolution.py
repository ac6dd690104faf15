"""Convolutions and transposed convolutions."""

from __future__ import annotations

from analyzer.operators.declaration import BUILT_FOR_LAST_AXIS, CONTRACTION, LINEAR, WEIGHTS, operator

OPERATORS = (
    operator(
        "Conv",
        (1, 11, 22),
        tf="Conv2D Conv3D DepthwiseConv2dNative",
        torch="Conv1d Conv2d Conv3d conv1d conv2d conv3d",
        keras="""
    Conv1D Convolution1D Conv2D Convolution2D Conv3D Convolution3D DepthwiseConv1D DepthwiseConv2D
""",
        traits=LINEAR | CONTRACTION | WEIGHTS | BUILT_FOR_LAST_AXIS,
    ),
    operator("FusedConv", microsoft="FusedConv", traits=CONTRACTION),
    operator(
        "ConvTranspose",
        (1, 11, 22),
        torch="""
    ConvTranspose1d ConvTranspose2d ConvTranspose3d conv_transpose1d conv_transpose2d conv_transpose3d
""",
        keras="""
    Conv1DTranspose Convolution1DTranspose Conv2DTranspose Convolution2DTranspose Conv3DTranspose
    Convolution3DTranspose
""",
        traits=LINEAR | CONTRACTION | WEIGHTS | BUILT_FOR_LAST_AXIS,
    ),
    operator(
        "SeparableConv",
        keras="SeparableConv1D SeparableConv2D",
        traits=LINEAR | CONTRACTION | WEIGHTS | BUILT_FOR_LAST_AXIS,
    ),
    operator(
        "ConvBackpropInput",
        tf="Conv2DBackpropInput Conv3DBackpropInputV2 DepthwiseConv2dNativeBackpropInput",
        traits=LINEAR | CONTRACTION,
    ),
    operator(
        "Conv2DBackpropFilter", tf="Conv2DBackpropFilter DepthwiseConv2dNativeBackpropFilter Conv3DBackpropFilterV2"
    ),
    operator("DeformConv", (19, 22), traits=CONTRACTION, lacks="references"),
    operator("CausalConvWithState", (27,), traits=CONTRACTION, lacks="references"),
)
