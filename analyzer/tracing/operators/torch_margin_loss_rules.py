"""torch: losses of more than a prediction and its target: margins, triplets, sequences of labels."""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.tracing.operators.elementwise import broadcast
from analyzer.tracing.operators.operands import tensor_of, unknown_tensor
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.tensors import Tensor
from analyzer.tracing.values import Layer, Value

_BROADCAST = {"MarginRankingLoss": "margin_ranking_loss", "HingeEmbeddingLoss": "hinge_embedding_loss",
              "GaussianNLLLoss": "gaussian_nll_loss"}  # fmt: skip
_OTHERS = {"TripletMarginWithDistanceLoss": "triplet_margin_with_distance_loss", "MultiMarginLoss": "multi_margin_loss",
           "MultiLabelMarginLoss": "multilabel_margin_loss", "CTCLoss": "ctc_loss",
           "CosineEmbeddingLoss": "cosine_embedding_loss"}  # fmt: skip
_OF_ROWS = ("triplet_margin_loss", "multilabel_soft_margin_loss")
_OPERANDS = {"hinge_embedding_loss": 2}
_FUNCTIONS = " ".join(f"torch.nn.functional.{n}" for n in (*_BROADCAST.values(), *_OTHERS.values(), *_OF_ROWS))


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
    tensors = [t for t in (tensor_of(op.tr, o, "torch") for o in operands if isinstance(o, Tensor)) if t is not None]
    each: Value = unknown_tensor(op, "torch")
    if function in _BROADCAST.values() and len(tensors) > 1:
        each = tensors[0]
        for other in tensors[1 : _OPERANDS.get(function, 3)]:
            each = broadcast(op, function, each, other, "torch")
    if reduction in ("mean", "sum"):
        sources = tuple(tensors)
        return Tensor((), "float32", "torch", site=op.where, sources=sources, tags=frozenset(("loss",)))
    return each if reduction == "none" and isinstance(each, Tensor) else unknown_tensor(op, "torch")
