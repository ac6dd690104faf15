"""Softmax, its logarithm, and losses made of it."""

from __future__ import annotations

from analyzer.operators.conditions import SOFTMAX_OF_MINUS_INFINITY
from analyzer.operators.declaration import CLASS_LOSS, DENSE, operator

OPERATORS = (
    operator(
        "Softmax",
        (1, 11, 13),
        tf="Softmax",
        torch="Softmax Softmax2d softmax _softmax",
        keras="Softmax ops.softmax",
        unsafe=(SOFTMAX_OF_MINUS_INFINITY,),
        traits=DENSE,
    ),
    operator(
        "LogSoftmax",
        (1, 11, 13),
        tf="LogSoftmax",
        torch="LogSoftmax log_softmax _log_softmax",
        keras="ops.log_softmax",
        unsafe=(SOFTMAX_OF_MINUS_INFINITY,),
        traits=DENSE,
    ),
    operator("Softmin", torch="Softmin"),
    operator("Hardmax", (1, 11, 13), lacks="references"),
    operator("SoftmaxCrossEntropyWithLogits", tf="SoftmaxCrossEntropyWithLogits", unsafe=(SOFTMAX_OF_MINUS_INFINITY,)),
    operator(
        "SparseSoftmaxCrossEntropyWithLogits",
        tf="SparseSoftmaxCrossEntropyWithLogits",
        traits=CLASS_LOSS,
        unsafe=(SOFTMAX_OF_MINUS_INFINITY,),
    ),
)
