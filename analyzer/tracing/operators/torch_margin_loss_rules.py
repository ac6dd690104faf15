"""torch: losses of more than a prediction and its target: margins, triplets, sequences of labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Layer, ListV, Value
from analyzer.tracing.operators.elementwise import broadcast
from analyzer.tracing.operators.hyperparameters import FLOATS
from analyzer.tracing.operators.operands import tensor_of, unknown_tensor
from analyzer.tracing.operators.refusals import require
from analyzer.tracing.operators.table import Op, operator
from analyzer.validity.terms import Term, equal, product

_BROADCAST = {"MarginRankingLoss": "margin_ranking_loss", "HingeEmbeddingLoss": "hinge_embedding_loss",
              "GaussianNLLLoss": "gaussian_nll_loss"}  # fmt: skip
_OTHERS = {"TripletMarginWithDistanceLoss": "triplet_margin_with_distance_loss", "MultiMarginLoss": "multi_margin_loss",
           "MultiLabelMarginLoss": "multilabel_margin_loss", "CTCLoss": "ctc_loss",
           "CosineEmbeddingLoss": "cosine_embedding_loss",
           "LinearCrossEntropyLoss": "linear_cross_entropy",
           "MultiLabelSoftMarginLoss": "multilabel_soft_margin_loss"}  # fmt: skip
_OF_ROWS = {
    "triplet_margin_loss": 3,
    "multilabel_soft_margin_loss": 2,
    "multilabel_margin_loss": 1,
    "multi_margin_loss": 1,
}
_OPERANDS = {"hinge_embedding_loss": 2}
_FUNCTIONS = " ".join(
    f"torch.nn.functional.{n}" for n in dict.fromkeys((*_BROADCAST.values(), *_OTHERS.values(), *_OF_ROWS))
)


@operator(" ".join(f"torch.nn.{n}.__init__" for n in (*_BROADCAST, *_OTHERS)), "*args")
def loss_settings(op: Op, args: tuple[Value, ...]) -> Value:
    return None


@operator(" ".join(f"torch.nn.{n}.__call__" for n in (*_BROADCAST, *_OTHERS)), "layer *operands")
def loss_layer(op: Op, layer: Layer, operands: tuple[Value, ...]) -> Value:
    name = layer.name.rpartition(".")[2]
    return _loss(op, {**_BROADCAST, **_OTHERS}[name], operands, layer.args.get("reduction", "mean"))


@operator(_FUNCTIONS, "*operands")
def loss_function(op: Op, operands: tuple[Value, ...]) -> Value:
    plain = op.extra.get("reduce") is not False and op.extra.get("size_average") is None
    return _loss(op, op.short, operands, op.extra.get("reduction", "mean") if plain else None)


def _loss(op: Op, function: str, operands: Sequence[Value], reduction: Value) -> Value:
    """A scalar; without a reduction the operands' common shape, where each element has a loss of its own."""
    if function == "ctc_loss" and len(operands) == len(_SEQUENCES):
        _demand_sequences(op, operands)
    tensors = [t for t in (tensor_of(op.tr, o, "torch") for o in operands if isinstance(o, Tensor)) if t is not None]
    each: Value = _of_each(op, function, tensors)
    if reduction in ("mean", "sum"):
        sources = tuple(tensors)
        return Tensor((), _kind(tensors), "torch", site=op.where, sources=sources, tags=frozenset(("loss",)))
    return each if reduction == "none" and isinstance(each, Tensor) else unknown_tensor(op, "torch")


_SEQUENCES = ("log_probs", "targets", "input_lengths", "target_lengths")


def _demand_sequences(op: Op, operands: Sequence[Value]) -> None:
    """Each example of [T, N, C] has two lengths, and a row of labels where those are in rows."""
    scores, targets = (tensor_of(op.tr, o, "torch") for o in operands[:2])
    if scores is None or scores.dims is None or len(scores.dims) not in (2, 3):
        return
    examples = scores.dims[1] if len(scores.dims) == 3 else 1
    for name, given in zip(_SEQUENCES[2:], operands[2:], strict=True):
        count = _count(given)
        if count is not None:
            sentence = f"{name} has {count} elements for a batch of {examples}"
            require(op, equal(count, examples), "class-target", sentence, (scores,))
    if targets is not None and targets.dims is not None and len(scores.dims) == 3 and len(targets.dims) == 2:
        sentence = f"targets {show_shape(targets.dims)} have {targets.dims[0]} rows for a batch of {examples}"
        require(op, equal(targets.dims[0], examples), "class-target", sentence, (scores, targets))


def _count(given: Value) -> Term | None:
    if isinstance(given, Tensor):
        return None if given.dims is None else product(given.dims)
    if isinstance(given, ListV) and not given.open:
        return len(given.items)
    return len(given) if isinstance(given, tuple) else None


def _kind(tensors: Sequence[Tensor]) -> str | None:
    """The floating type of the operands; None where it is not known, or there are several."""
    kinds = {t.dtype for t in tensors}
    floats = kinds & set(FLOATS)
    return floats.pop() if len(floats) == 1 and None not in kinds else None


def _of_each(op: Op, function: str, tensors: Sequence[Tensor]) -> Value:
    """Without a reduction."""
    if not tensors:
        return unknown_tensor(op, "torch")
    if function == "gaussian_nll_loss" and len(tensors) > 2 and _lacks_last(tensors[0], tensors[2]):
        return _joint(op, function, tensors[:2])
    if function in _BROADCAST.values() and len(tensors) > 1:
        return _joint(op, function, tensors[: _OPERANDS.get(function, 3)])
    if function in _OF_ROWS:
        rows = _joint(op, function, tensors[: _OF_ROWS[function]])
        return _sized(op, tensors[: _OF_ROWS[function]], None if rows is None or not rows.dims else rows.dims[:-1])
    first = tensors[0].dims
    if function == "ctc_loss" and first is not None and len(first) in (2, 3):
        return _sized(op, tensors[:1], first[1:-1])
    target = tensors[-1]
    if function == "linear_cross_entropy" and len(tensors) > 1 and target.dims is not None and target.dtype is not None:
        classes = target.dtype.startswith(("int", "uint"))  # else probabilities, whose classes stand second
        return _sized(
            op, tensors[:1], target.dims if classes else (*target.dims[:1], *target.dims[2:])[: _rank(target)]
        )
    if function == "cosine_embedding_loss" and len(tensors) > 2:
        pair = _joint(op, function, tensors[:2])
        if pair is not None and pair.dims and len(pair.dims) < 3:
            of_pairs = Tensor(pair.dims[:-1], pair.dtype, "torch", site=op.where)
            joint = _joint(op, function, (of_pairs, tensors[2]))
            return _sized(op, tensors, None if joint is None else joint.dims)
    return unknown_tensor(op, "torch")


def _lacks_last(first: Tensor, variance: Tensor) -> bool:
    """Whether one variance is given for all elements of the last axis."""
    return first.dims is None or variance.dims is None or len(variance.dims) == len(first.dims) - 1


def _rank(probabilities: Tensor) -> int:
    """Of the losses of probabilities of classes."""
    return max(len(probabilities.dims or ()) - 1, 0)


def _joint(op: Op, function: str, tensors: Sequence[Tensor]) -> Tensor | None:
    found: Value = tensors[0]
    for other in tensors[1:]:
        found = broadcast(op, function, found, other, "torch")
    return found if isinstance(found, Tensor) else None


def _sized(op: Op, tensors: Sequence[Tensor], dims: Any) -> Tensor:
    if dims is None:
        return unknown_tensor(op, "torch")
    return Tensor(dims, _kind(tensors), "torch", site=op.where, sources=tuple(tensors))
