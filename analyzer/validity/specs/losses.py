"""Losses of PyTorch, Keras, TensorFlow and ONNX."""

from __future__ import annotations

from typing import Any

from analyzer.validity.spec import Case, Category, Rule, TensorType, define
from analyzer.validity.specs.broadcasting import note_growth
from analyzer.validity.specs.common import (
    FLOATS,
    INDEX,
    axis_index,
    broadcast,
    need_choice,
    need_dtype,
    need_min_rank,
    need_rank,
    need_same_shape,
    same_dtype,
)
from analyzer.validity.terms import any_of, equal, unequal

TARGET = Rule(
    "target-shape",
    Category.INCOMPATIBLE_SHAPE,
    "the target is {target}; for predictions of {prediction} it must be {expected}",
)
CLASS_WEIGHT = Rule(
    "class-weight", Category.INCOMPATIBLE_SHAPE, "the weight is {weight} for {classes} classes", ("weight",)
)
LOSS_BROADCAST = Rule(
    "loss-broadcast",
    Category.ADVISORY,
    "the target is {target} and the prediction {prediction}: the loss broadcasts them to {result}",
)
LABELS = Rule("labels", Category.INCOMPATIBLE_SHAPE, "the labels are {labels} for logits of {logits}")
REDUCTIONS = ("mean", "sum", "none")


def scalar_or(case: Case, reduction: str, shape: tuple[Any, ...], dtype: str | None) -> TensorType:
    need_choice(case, reduction, REDUCTIONS, "reduction")
    return TensorType(shape if reduction == "none" else (), dtype)


@define("torch", "CrossEntropyLoss", "cross_entropy")
def torch_cross_entropy(
    case: Case,
    prediction: TensorType,
    target: TensorType,
    weight: TensorType | None = None,
    *,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
    ignore_index: int = -100,
) -> TensorType:
    """``nn.CrossEntropyLoss``: class indices without the class axis, or probabilities of the same shape."""
    need_dtype(case, prediction, FLOATS, "the prediction")
    need_min_rank(case, prediction, 1, "the prediction")
    place = 1 if prediction.rank > 1 else 0
    classes = prediction.dims[place]
    if weight is not None:
        ok = weight.rank == 1
        case.require(CLASS_WEIGHT, ok, weight=weight.dims, classes=classes)
        case.require(CLASS_WEIGHT, equal(weight.dims[0], classes), weight=weight.dims, classes=classes)
    expected = (*prediction.dims[:place], *prediction.dims[place + 1 :])
    if target.dtype in FLOATS or (target.dtype is None and target.rank == prediction.rank):
        need_same_shape(case, prediction, target, ("the prediction", "the target"))
    else:
        need_dtype(case, target, ("int64", "uint8"), "the target")
        facts = {"target": target.dims, "prediction": prediction.dims, "expected": expected}
        lone = prediction.rank == 1 and target.rank == 1  # one prediction takes its class as a vector of one, too
        case.require(TARGET, lone or target.rank == len(expected), **facts)
        if lone:  # of equal shape it would be taken for probabilities, which are no integers
            case.require(TARGET, unequal(prediction.dims[0], 1), **facts)
        for a, b in zip(target.dims, (1,) if lone else expected, strict=True):
            case.require(TARGET, equal(a, b), **facts)
    return scalar_or(case, reduction, expected, prediction.dtype)


@define("torch", "NLLLoss", "nll_loss")
def torch_nll(
    case: Case, prediction: TensorType, target: TensorType, weight: TensorType | None = None, *, reduction: str = "mean"
) -> TensorType:
    """``nn.NLLLoss``: class indices."""
    need_dtype(case, prediction, FLOATS, "the prediction")
    need_min_rank(case, prediction, 1, "the prediction")
    need_dtype(case, target, ("int64", "uint8"), "the target")
    place = 1 if prediction.rank > 1 else 0
    expected = (*prediction.dims[:place], *prediction.dims[place + 1 :])
    facts = {"target": target.dims, "prediction": prediction.dims, "expected": expected}
    case.require(TARGET, target.rank == len(expected), **facts)
    for a, b in zip(target.dims, expected, strict=True):
        case.require(TARGET, equal(a, b), **facts)
    return scalar_or(case, reduction, expected, prediction.dtype)


@define(
    "torch", "MSELoss", "L1Loss", "SmoothL1Loss", "HuberLoss", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"
)
def torch_regression_loss(
    case: Case, prediction: TensorType, target: TensorType, *, reduction: str = "mean", **_others: Any
) -> TensorType:
    """Losses that broadcast (PyTorch only warns)."""
    shape = broadcast(case, prediction.dims, target.dims)
    same = len(prediction.dims) == len(target.dims) and all(
        equal(a, b) is True for a, b in zip(prediction.dims, target.dims, strict=True)
    )
    differ = prediction.rank != target.rank or any(
        equal(a, b) is False for a, b in zip(prediction.dims, target.dims, strict=False)
    )
    if not same:
        case.advise(LOSS_BROADCAST, differ, target=target.dims, prediction=prediction.dims, result=shape)
        note_growth(case, (prediction, target), shape)
    return scalar_or(case, reduction, shape, prediction.dtype)


@define("torch", "BCELoss", "BCEWithLogitsLoss", "binary_cross_entropy", "binary_cross_entropy_with_logits")
def torch_bce(
    case: Case, prediction: TensorType, target: TensorType, *, reduction: str = "mean", **_others: Any
) -> TensorType:
    """``nn.BCELoss`` and with logits: equal shapes."""
    need_dtype(case, prediction, FLOATS, "the prediction")
    need_same_shape(case, prediction, target, ("the prediction", "the target"))
    return scalar_or(case, reduction, prediction.dims, prediction.dtype)


@define("torch", "KLDivLoss", "kl_div", "PoissonNLLLoss")
def torch_kl(
    case: Case,
    prediction: TensorType,
    target: TensorType,
    *,
    reduction: str = "mean",
    log_target: bool = False,
    **_others: Any,
) -> TensorType:
    """``nn.KLDivLoss``."""
    need_choice(case, reduction, (*REDUCTIONS, "batchmean"), "reduction")
    shape = broadcast(case, prediction.dims, target.dims)
    return TensorType(shape if reduction == "none" else (), prediction.dtype)


@define("torch", "TripletMarginLoss")
def torch_triplet(
    case: Case,
    anchor: TensorType,
    positive: TensorType,
    negative: TensorType,
    *,
    reduction: str = "mean",
    **_others: Any,
) -> TensorType:
    """``nn.TripletMarginLoss``."""
    shape = broadcast(case, anchor.dims, positive.dims, negative.dims)
    return scalar_or(case, reduction, shape[:-1], anchor.dtype)


@define("torch", "cosine_similarity", "CosineSimilarity")
def torch_cosine(case: Case, a: TensorType, b: TensorType, *, dim: Any = 1, eps: float = 1e-8) -> TensorType:
    """``functional.cosine_similarity``."""
    shape = broadcast(case, a.dims, b.dims)
    axis = axis_index(case, dim, max(1, len(shape)), "dim")
    return TensorType((*shape[:axis], *shape[axis + 1 :]), a.dtype)


# -------------------------------------------------------------------------------------- Keras and TensorFlow


@define("keras", "CategoricalCrossentropy", "categorical_crossentropy", "KLDivergence")
def keras_categorical(case: Case, target: TensorType, prediction: TensorType, **_others: Any) -> TensorType:
    """One-hot targets: the prediction's shape."""
    need_same_shape(case, target, prediction, ("the target", "the prediction"))
    return TensorType((), prediction.dtype)


@define("keras", "SparseCategoricalCrossentropy", "sparse_categorical_crossentropy")
def keras_sparse(case: Case, target: TensorType, prediction: TensorType, **_others: Any) -> TensorType:
    """Class indices: the prediction's shape without its last axis (or with an axis of 1)."""
    need_min_rank(case, prediction, 1, "the prediction")
    lead = prediction.dims[:-1]
    labels = target.dims
    if len(labels) == prediction.rank and labels:
        case.require(LABELS, equal(labels[-1], 1), labels=labels, logits=prediction.dims)
        labels = labels[:-1]
    case.require(LABELS, len(labels) == len(lead), labels=target.dims, logits=prediction.dims)
    for a, b in zip(labels, lead, strict=True):
        case.require(LABELS, equal(a, b), labels=target.dims, logits=prediction.dims)
    return TensorType((), prediction.dtype)


@define("keras", "BinaryCrossentropy", "MeanSquaredError", "MeanAbsoluteError", "Huber", "LogCosh", "Hinge")
def keras_regression(case: Case, target: TensorType, prediction: TensorType, **_others: Any) -> TensorType:
    """Elementwise losses: broadcasting, with an advisory."""
    shape = broadcast(case, target.dims, prediction.dims)
    note_growth(case, (target, prediction), shape)
    return TensorType((), prediction.dtype)


@define("tf", "SoftmaxCrossEntropyWithLogits")
def tf_softmax_cross_entropy(
    case: Case, logits: TensorType, labels: TensorType, **_others: Any
) -> tuple[TensorType, ...]:
    """GraphDef: two matrices that broadcast."""
    same_dtype(case, ("the logits", logits), ("the labels", labels))
    shape = broadcast(case, logits.dims, labels.dims)
    case.require(LABELS, len(shape) == 2, labels=labels.dims, logits=logits.dims)
    return TensorType(shape[:1], logits.dtype), TensorType(shape, logits.dtype)


@define("tf", "SparseSoftmaxCrossEntropyWithLogits")
def tf_sparse_softmax_cross_entropy(
    case: Case, logits: TensorType, labels: TensorType, **_others: Any
) -> tuple[TensorType, ...]:
    """GraphDef: a matrix and a vector of class indices."""
    need_rank(case, logits, 2, operand="the logits")
    need_rank(case, labels, 1, operand="the labels")
    need_dtype(case, labels, INDEX, "the labels")
    case.require(LABELS, equal(labels.dims[0], logits.dims[0]), labels=labels.dims, logits=logits.dims)
    return TensorType(labels.dims, logits.dtype), TensorType(logits.dims, logits.dtype)


# --------------------------------------------------------------------------------------------------- ONNX


@define("onnx", "NegativeLogLikelihoodLoss")
def onnx_nll(
    case: Case,
    x: TensorType,
    target: TensorType,
    weight: TensorType | None = None,
    *,
    reduction: str = "mean",
    ignore_index: Any = None,
) -> TensorType:
    """ONNX NegativeLogLikelihoodLoss."""
    return _onnx_loss(case, x, target, weight, reduction)


@define("onnx", "SoftmaxCrossEntropyLoss")
def onnx_softmax_cross_entropy(
    case: Case,
    x: TensorType,
    target: TensorType,
    weight: TensorType | None = None,
    *,
    reduction: str = "mean",
    ignore_index: Any = None,
) -> tuple[TensorType, ...]:
    """ONNX SoftmaxCrossEntropyLoss: loss and log-probabilities."""
    return _onnx_loss(case, x, target, weight, reduction), x


def _onnx_loss(case: Case, x: TensorType, target: TensorType, weight: TensorType | None, reduction: str) -> TensorType:
    need_dtype(case, x, FLOATS)
    need_dtype(case, target, INDEX, "the target")
    need_min_rank(case, x, 2)
    expected = (x.dims[0], *x.dims[2:])
    facts = {"target": target.dims, "prediction": x.dims, "expected": expected}
    case.require(TARGET, target.rank == len(expected), **facts)
    for a, b in zip(target.dims, expected, strict=True):
        case.require(TARGET, any_of(equal(a, b)), **facts)
    if weight is not None:
        case.require(CLASS_WEIGHT, weight.rank == 1, weight=weight.dims, classes=x.dims[1])
        case.require(CLASS_WEIGHT, equal(weight.dims[0], x.dims[1]), weight=weight.dims, classes=x.dims[1])
    return scalar_or(case, reduction, expected, x.dtype)
