"""Activation functions and bounds."""

from __future__ import annotations

from analyzer.operators.declaration import (
    BOUNDED,
    DENSE,
    ELEMENTWISE,
    FLOATING,
    FLOORED,
    MONOTONE,
    PIECEWISE_LINEAR,
    SAME_SHAPE,
    UNARY,
    WEIGHTS,
    operator,
)

OPERATORS = (
    operator(
        "Sigmoid",
        (1, 6, 13),
        tf="Sigmoid",
        torch="sigmoid Sigmoid",
        traits=FLOATING | BOUNDED | UNARY | MONOTONE,
        keras="ops.sigmoid",
    ),
    operator(
        "Tanh", (1, 6, 13), tf="Tanh", torch="tanh Tanh", traits=FLOATING | BOUNDED | UNARY | MONOTONE, keras="ops.tanh"
    ),
    operator(
        "Softplus",
        (1, 22),
        tf="Softplus",
        torch="softplus Softplus",
        keras="Softplus ops.softplus",
        traits=FLOORED | UNARY | MONOTONE,
    ),
    operator(
        "Softsign", (1, 22), tf="Softsign", torch="softsign Softsign", traits=UNARY | MONOTONE, keras="ops.softsign"
    ),
    operator(
        "Relu",
        (1, 6, 13, 14),
        tf="Relu",
        torch="relu relu_ ReLU",
        keras="ReLU ops.relu",
        traits=FLOORED | UNARY | MONOTONE | PIECEWISE_LINEAR,
    ),
    operator("Relu6", tf="Relu6", traits=UNARY | MONOTONE | PIECEWISE_LINEAR),
    operator(
        "LeakyRelu",
        (1, 6, 16),
        tf="LeakyRelu",
        torch="leaky_relu LeakyReLU",
        keras="LeakyReLU ops.leaky_relu",
        traits=UNARY | MONOTONE | PIECEWISE_LINEAR,
    ),
    operator("PRelu", (1, 6, 7, 9, 16), torch="PReLU", keras="PReLU", traits=ELEMENTWISE | WEIGHTS),
    operator(
        "Elu",
        (1, 6, 22),
        tf="Elu",
        torch="elu ELU",
        keras="ELU ops.elu",
        traits=FLOORED | UNARY | MONOTONE | PIECEWISE_LINEAR,
    ),
    operator("Selu", (1, 6, 22), tf="Selu", torch="selu SELU", traits=FLOORED | UNARY | MONOTONE, keras="ops.selu"),
    operator("Celu", (12, 28), torch="celu CELU", traits=FLOORED | UNARY | MONOTONE),
    operator("ThresholdedRelu", (10, 22), traits=FLOORED | UNARY | MONOTONE, lacks="references"),
    operator(
        "HardSigmoid",
        (1, 6, 22),
        torch="hardsigmoid Hardsigmoid",
        traits=BOUNDED | UNARY | MONOTONE,
        keras="ops.hard_sigmoid",
    ),
    operator("HardSwish", (14, 22), torch="hardswish Hardswish", traits=UNARY, keras="ops.hard_silu"),
    operator("Gelu", (20,), torch="gelu GELU", traits=UNARY, keras="ops.gelu", microsoft="Gelu"),
    operator("BiasGelu", microsoft="BiasGelu FastGelu"),
    operator("Swish", (24,), tf="Swish SiLU", torch="silu silu_ SiLU", traits=UNARY, keras="ops.silu ops.swish"),
    operator("Mish", (18, 22), torch="mish Mish", traits=UNARY),
    operator("Shrink", (9,), torch="Hardshrink Softshrink", traits=UNARY, lacks="references"),
    operator("Clip", (1, 6, 11, 12, 13), traits=ELEMENTWISE | MONOTONE | PIECEWISE_LINEAR),
    operator("ClipByValue", tf="ClipByValue", traits=ELEMENTWISE | MONOTONE | PIECEWISE_LINEAR),
    operator(
        "Hardtanh",
        torch="Hardtanh hardtanh ReLU6 relu6 clamp clamp_min clamp_max clip",
        traits=UNARY,
        keras="ops.relu6 ops.clip",
    ),
    operator("Threshold", torch="Threshold", traits=UNARY),
    operator("Tanhshrink", torch="Tanhshrink", traits=UNARY),
    operator(
        "LogSigmoid",
        torch="LogSigmoid logsigmoid log_sigmoid",
        traits=UNARY | MONOTONE | DENSE,
        keras="ops.log_sigmoid",
    ),
    operator("RandomLeakyRelu", torch="RReLU", traits=SAME_SHAPE | MONOTONE),
    operator("Activation", keras="Activation", traits=SAME_SHAPE),
    operator("QuickGelu", (1,), domain="com.microsoft", traits=UNARY),
    operator("GLU", torch="GLU glu"),
    operator("SwiGLU", (28,), traits=ELEMENTWISE),
)
