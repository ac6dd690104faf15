"""Losses."""

from __future__ import annotations

from analyzer.operators.conditions import EMPTY_MEAN, INVALID_DOMAIN, SOFTMAX_OF_MINUS_INFINITY
from analyzer.operators.declaration import CLASS_LOSS, operator

OPERATORS = (
    operator(
        "NegativeLogLikelihoodLoss",
        (12, 13, 22),
        torch="NLLLoss nll_loss",
        traits=CLASS_LOSS,
        unsafe=(EMPTY_MEAN,),
    ),
    operator(
        "SoftmaxCrossEntropyLoss",
        (12, 13),
        torch="CrossEntropyLoss cross_entropy",
        traits=CLASS_LOSS,
        unsafe=(EMPTY_MEAN, SOFTMAX_OF_MINUS_INFINITY),
    ),
    operator("CtcLoss", aten="_ctc_loss", unsafe=(INVALID_DOMAIN,)),
    operator("MeanSquaredError", torch="MSELoss mse_loss", keras="MeanSquaredError"),
    operator("MeanAbsoluteError", torch="L1Loss l1_loss", keras="MeanAbsoluteError"),
    operator("HuberLoss", torch="HuberLoss huber_loss SmoothL1Loss smooth_l1_loss", keras="Huber"),
    operator("LogCosh", keras="LogCosh"),
    operator("Hinge", keras="Hinge"),
    operator("BinaryCrossEntropy", torch="BCELoss binary_cross_entropy", keras="BinaryCrossentropy"),
    operator("BinaryCrossEntropyWithLogits", torch="BCEWithLogitsLoss binary_cross_entropy_with_logits"),
    operator("CategoricalCrossEntropy", keras="CategoricalCrossentropy categorical_crossentropy"),
    operator("SparseCategoricalCrossEntropy", keras="SparseCategoricalCrossentropy sparse_categorical_crossentropy"),
    operator("KLDivergence", torch="KLDivLoss kl_div", keras="KLDivergence"),
    operator("PoissonLoss", torch="PoissonNLLLoss"),
    operator("TripletMarginLoss", torch="TripletMarginLoss"),
    operator("CosineSimilarity", torch="CosineSimilarity cosine_similarity"),
)
