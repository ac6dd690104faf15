"""Activation functions and bounds."""

from __future__ import annotations

from analyzer.operators.declaration import (
    BOUNDED,
    DENSE,
    ELEMENTWISE,
    MONOTONE,
    PIECEWISE_LINEAR,
    SAME_SHAPE,
    WEIGHTS,
    operator,
)

OPERATORS = (
    operator(
        "Sigmoid",
        (1, 6, 13),
        tf="Sigmoid",
        torch="sigmoid Sigmoid",
        traits=BOUNDED | ELEMENTWISE | SAME_SHAPE | MONOTONE,
        keras="ops.sigmoid",
    ),
    operator(
        "Tanh",
        (1, 6, 13),
        tf="Tanh",
        torch="tanh Tanh",
        traits=BOUNDED | ELEMENTWISE | SAME_SHAPE | MONOTONE,
        keras="ops.tanh",
    ),
    operator(
        "Softplus",
        (1, 22),
        tf="Softplus",
        torch="softplus Softplus",
        keras="Softplus ops.softplus",
        traits=ELEMENTWISE | SAME_SHAPE | MONOTONE,
    ),
    operator(
        "Softsign",
        (1, 22),
        tf="Softsign",
        torch="softsign Softsign",
        traits=ELEMENTWISE | SAME_SHAPE | MONOTONE,
        keras="ops.softsign",
    ),
    operator(
        "Relu",
        (1, 6, 13, 14),
        tf="Relu",
        torch="relu relu_ ReLU",
        keras="ReLU ops.relu",
        traits=ELEMENTWISE | SAME_SHAPE | MONOTONE | PIECEWISE_LINEAR,
    ),
    operator("Relu6", tf="Relu6", traits=ELEMENTWISE | SAME_SHAPE | MONOTONE | PIECEWISE_LINEAR),
    operator(
        "LeakyRelu",
        (1, 6, 16),
        tf="LeakyRelu",
        torch="leaky_relu LeakyReLU",
        keras="LeakyReLU ops.leaky_relu",
        traits=ELEMENTWISE | SAME_SHAPE | MONOTONE | PIECEWISE_LINEAR,
    ),
    operator("PRelu", (1, 6, 7, 9, 16), torch="PReLU", keras="PReLU", traits=ELEMENTWISE | WEIGHTS),
    operator(
        "Elu",
        (1, 6, 22),
        tf="Elu",
        torch="elu ELU",
        keras="ELU ops.elu",
        traits=ELEMENTWISE | SAME_SHAPE | MONOTONE | PIECEWISE_LINEAR,
    ),
    operator(
        "Selu", (1, 6, 22), tf="Selu", torch="selu SELU", traits=ELEMENTWISE | SAME_SHAPE | MONOTONE, keras="ops.selu"
    ),
    operator("Celu", (12, 28), torch="celu CELU", traits=ELEMENTWISE | SAME_SHAPE | MONOTONE),
    operator("ThresholdedRelu", (10, 22), traits=ELEMENTWISE | SAME_SHAPE | MONOTONE),
    operator(
        "HardSigmoid",
        (1, 6, 22),
        torch="hardsigmoid Hardsigmoid",
        traits=BOUNDED | ELEMENTWISE | SAME_SHAPE | MONOTONE,
        keras="ops.hard_sigmoid",
    ),
    operator(
        "HardSwish", (14, 22), torch="hardswish Hardswish", traits=ELEMENTWISE | SAME_SHAPE, keras="ops.hard_silu"
    ),
    operator("Gelu", (20,), torch="gelu GELU", traits=ELEMENTWISE | SAME_SHAPE, keras="ops.gelu"),
    operator(
        "Swish",
        (24,),
        tf="Swish SiLU",
        torch="silu silu_ SiLU",
        traits=ELEMENTWISE | SAME_SHAPE,
        keras="ops.silu ops.swish",
    ),
    operator("Mish", (18, 22), torch="mish Mish", traits=ELEMENTWISE | SAME_SHAPE),
    operator("Shrink", (9,), torch="Hardshrink Softshrink", traits=ELEMENTWISE | SAME_SHAPE),
    operator(
        "Clip",
        (1, 6, 11, 12, 13),
        traits=ELEMENTWISE | MONOTONE | PIECEWISE_LINEAR,
    ),
    operator("ClipByValue", tf="ClipByValue", traits=ELEMENTWISE | MONOTONE | PIECEWISE_LINEAR),
    operator(
        "Hardtanh",
        torch="Hardtanh hardtanh ReLU6 relu6 clamp clamp_min clamp_max clip",
        traits=ELEMENTWISE | SAME_SHAPE,
        keras="ops.relu6 ops.clip",
    ),
    operator("Threshold", torch="Threshold", traits=ELEMENTWISE | SAME_SHAPE),
    operator("Tanhshrink", torch="Tanhshrink", traits=ELEMENTWISE | SAME_SHAPE),
    operator(
        "LogSigmoid",
        torch="LogSigmoid logsigmoid log_sigmoid",
        traits=ELEMENTWISE | SAME_SHAPE | MONOTONE | DENSE,
        keras="ops.log_sigmoid",
    ),
    operator("RandomLeakyRelu", torch="RReLU", traits=SAME_SHAPE | MONOTONE),
    operator("Activation", keras="Activation", traits=SAME_SHAPE),
    operator("SwiGLU", (28,), traits=ELEMENTWISE),
)
