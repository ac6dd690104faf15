"""Losses of the ONNX standard."""

from __future__ import annotations

from analyzer.operators.conditions import EMPTY_MEAN
from analyzer.operators.declaration import CLASS_LOSS, operator

OPERATORS = (
    operator(
        "NegativeLogLikelihoodLoss", (12, 13, 22), torch="NLLLoss nll_loss", traits=CLASS_LOSS, unsafe=(EMPTY_MEAN,)
    ),
    operator(
        "SoftmaxCrossEntropyLoss",
        (12, 13),
        torch="CrossEntropyLoss cross_entropy",
        traits=CLASS_LOSS,
        unsafe=(EMPTY_MEAN,),
    ),
)
