"""Losses of the ONNX standard."""

from __future__ import annotations

from analyzer.operators.conditions import EMPTY_MEAN
from analyzer.operators.declaration import operator

OPERATORS = (
    operator("NegativeLogLikelihoodLoss", (12, 13, 22), torch="NLLLoss nll_loss", unsafe=(EMPTY_MEAN,)),
    operator("SoftmaxCrossEntropyLoss", (12, 13), torch="CrossEntropyLoss cross_entropy", unsafe=(EMPTY_MEAN,)),
)
