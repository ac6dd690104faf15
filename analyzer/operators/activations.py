"""Activation functions and bounds."""

from __future__ import annotations

from analyzer.operators.declaration import (
    BOUNDED,
    ELEMENTWISE,
    FLOORED,
    MONOTONE,
    PIECEWISE_LINEAR,
    SAME_SHAPE,
    operator,
)

OPERATORS = (
    operator(
        "Sigmoid",
        (1, 6, 13),
        tf="Sigmoid",
        torch="sigmoid Sigmoid",
        traits=BOUNDED | ELEMENTWISE | SAME_SHAPE | MONOTONE,
    ),
    operator("Tanh", (1, 6, 13), tf="Tanh", torch="tanh Tanh", traits=BOUNDED | ELEMENTWISE | SAME_SHAPE | MONOTONE),
    operator(
        "Softplus",
        (1, 22),
        tf="Softplus",
        torch="softplus Softplus",
        keras="Softplus",
        traits=FLOORED | ELEMENTWISE | SAME_SHAPE | MONOTONE,
    ),
    operator(
        "Softsign",
        (1, 22),
        tf="Softsign",
        torch="softsign Softsign",
        traits=ELEMENTWISE | SAME_SHAPE | MONOTONE,
    ),
    operator(
        "Relu",
        (1, 6, 13, 14),
        tf="Relu",
        torch="relu relu_ ReLU",
        keras="ReLU",
        traits=FLOORED | ELEMENTWISE | SAME_SHAPE | MONOTONE | PIECEWISE_LINEAR,
    ),
    operator("Relu6", tf="Relu6", traits=ELEMENTWISE | SAME_SHAPE | MONOTONE | PIECEWISE_LINEAR),
    operator(
        "LeakyRelu",
        (1, 6, 16),
        tf="LeakyRelu",
        torch="leaky_relu LeakyReLU RReLU",
        keras="LeakyReLU",
        traits=ELEMENTWISE | SAME_SHAPE | MONOTONE | PIECEWISE_LINEAR,
    ),
    operator("PRelu", (1, 6, 7, 9, 16), torch="PReLU", keras="PReLU", traits=ELEMENTWISE),
    operator(
        "Elu",
        (1, 6, 22),
        tf="Elu",
        torch="elu ELU",
        keras="ELU",
        traits=FLOORED | ELEMENTWISE | SAME_SHAPE | MONOTONE | PIECEWISE_LINEAR,
    ),
    operator("Selu", (1, 6, 22), tf="Selu", torch="selu SELU", traits=FLOORED | ELEMENTWISE | SAME_SHAPE | MONOTONE),
    operator("Celu", (12, 28), torch="celu CELU", traits=FLOORED | ELEMENTWISE | SAME_SHAPE | MONOTONE),
    operator("ThresholdedRelu", (10, 22), traits=FLOORED | ELEMENTWISE | SAME_SHAPE | MONOTONE),
    operator(
        "HardSigmoid", (1, 6, 22), torch="hardsigmoid Hardsigmoid", traits=BOUNDED | ELEMENTWISE | SAME_SHAPE | MONOTONE
    ),
    operator("HardSwish", (14, 22), torch="hardswish Hardswish", traits=ELEMENTWISE | SAME_SHAPE),
    operator("Gelu", (20,), torch="gelu GELU", traits=ELEMENTWISE | SAME_SHAPE),
    operator("Swish", (24,), tf="Swish SiLU", torch="silu silu_ SiLU", traits=ELEMENTWISE | SAME_SHAPE),
    operator("Mish", (18, 22), torch="mish Mish", traits=ELEMENTWISE | SAME_SHAPE),
    operator("Shrink", (9,), torch="Hardshrink Softshrink", traits=ELEMENTWISE | SAME_SHAPE),
    operator(
        "Clip",
        (1, 6, 11, 12, 13),
        traits=ELEMENTWISE | MONOTONE | PIECEWISE_LINEAR,
    ),
    operator("ClipByValue", tf="ClipByValue", traits=ELEMENTWISE | MONOTONE | PIECEWISE_LINEAR),
    operator(
        "Hardtanh", torch="Hardtanh hardtanh ReLU6 relu6 clamp clamp_min clamp_max", traits=ELEMENTWISE | SAME_SHAPE
    ),
    operator("Threshold", torch="Threshold", traits=ELEMENTWISE | SAME_SHAPE),
    operator("Tanhshrink", torch="Tanhshrink", traits=ELEMENTWISE | SAME_SHAPE),
    operator("LogSigmoid", torch="LogSigmoid logsigmoid log_sigmoid", traits=ELEMENTWISE | SAME_SHAPE | MONOTONE),
    operator("Activation", keras="Activation", traits=SAME_SHAPE),
    operator("SwiGLU", (28,), traits=ELEMENTWISE),
)
