"""torch: losses, as layers and as functions."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Layer, Unknown, Value
from analyzer.tracing.operators.apply import apply
from analyzer.tracing.operators.elementwise import broadcast
from analyzer.tracing.operators.hyperparameters import FLOATS
from analyzer.tracing.operators.index_values import check_indices
from analyzer.tracing.operators.operands import tensor_of, unknown_tensor
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.torch_counting_rules import pairwise_distance
from analyzer.tracing.operators.torch_operands import reduced_dims
from analyzer.validity.terms import any_of, equal

_SAME = "MSELoss L1Loss SmoothL1Loss HuberLoss BCELoss BCEWithLogitsLoss KLDivLoss SoftMarginLoss PoissonNLLLoss"
_SAME_FUNCTIONS = (
    "mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy "
    "binary_cross_entropy_with_logits kl_div soft_margin_loss poisson_nll_loss"
)


@operator(
    " ".join(f"torch.nn.{n}.__init__" for n in (*_SAME.split(), "CrossEntropyLoss", "NLLLoss")),
    "weight=None size_average=None *rest",
)
def loss_arguments(op: Op, **arguments: Value) -> Value:
    return None


def _reduction(op: Op, layer: Layer | None) -> Any:
    given = layer.args if layer is not None else op.extra
    value = given.get("reduction", "mean")
    if given.get("reduce") is False:
        return "none"
    return value


@operator(" ".join(f"torch.nn.{n}.__call__" for n in _SAME.split()), "layer input target *rest")
def paired_loss(op: Op, layer: Layer, input: Value, target: Value, rest: tuple[Value, ...]) -> Value:
    return paired(op, layer, input, target, layer.name.rpartition(".")[2])


@operator(
    " ".join(f"torch.nn.functional.{n}" for n in _SAME_FUNCTIONS.split()) + " torch.binary_cross_entropy_with_logits",
    "input target *rest",
)
def paired_function(op: Op, input: Value, target: Value, rest: tuple[Value, ...]) -> Value:
    return paired(op, None, input, target, op.short)


def paired(op: Op, layer: Layer | None, input: Value, target: Value, kind: str) -> Value:
    a, b = tensor_of(op.tr, input, "torch"), tensor_of(op.tr, target, "torch")
    reduction = _reduction(op, layer)
    shape: Any = ()
    if a is not None and b is not None and a.dims is not None and b.dims is not None:
        strict = kind.lower().startswith(("bce", "binary_cross"))
        x, y = a.dims, b.dims
        if strict:
            if len(x) != len(y):
                fail(
                    op,
                    "same-shape",
                    f"the target {show_shape(y)} must have the shape of the input {show_shape(x)}",
                    (a, b),
                )
            for p, q in zip(x, y, strict=True):
                require(
                    op,
                    equal(p, q),
                    "same-shape",
                    f"the target {show_shape(y)} must have the shape of the input {show_shape(x)}",
                    (a, b),
                )
        else:
            for p, q in zip(reversed(x), reversed(y), strict=False):
                require(
                    op,
                    any_of(equal(p, q), equal(p, 1), equal(q, 1)),
                    "broadcast",
                    f"the input {show_shape(x)} and the target {show_shape(y)} cannot be broadcast",
                    (a, b),
                )
            _advise_broadcast(op, x, y, kind)
        joined = broadcast(op, "+", a, b, "torch") if len(x) != len(y) or x != y else a
        shape = joined.dims if isinstance(joined, Tensor) else None
    elif reduction == "none":
        shape = None
    if reduction in ("mean", "sum", "batchmean"):
        shape = ()
    elif isinstance(reduction, Unknown):
        shape = None
    return _loss(op, shape, a, b)


def _loss(op: Op, shape: Any, *operands: Tensor | None) -> Tensor:
    sources = tuple(t for t in operands if t is not None)
    kinds = {t.dtype for t in sources if t.dtype is None or t.dtype in FLOATS}
    kind = kinds.pop() if len(kinds) == 1 else None
    return Tensor(shape, kind, "torch", site=op.where, sources=sources, tags=frozenset(("loss",)))


def _advise_broadcast(op: Op, x: Any, y: Any, kind: str) -> None:
    """A column against a row, or against the square that both have become: every one meets every other."""
    if len(x) == len(y) and all(equal(p, q) is not False for p, q in zip(x, y, strict=True)):
        return
    rows = [(x, y), (y, x)]
    for long, short in rows:
        if not long or not short or long[-1] != 1 or short[0] == 1 or equal(long[0], short[0]) is not True:
            continue
        if len(long) == len(short) + 1 or (len(long) == len(short) == 2 and equal(short[0], short[1]) is True):
            op.tr.advise(
                "tracing/suspicious-broadcast",
                (
                    f"{kind} of {show_shape(x)} and {show_shape(y)} broadcasts to [{long[0]}, "
                    f"{short[-1]}]: every prediction is compared with every target"
                ),
                op.where,
                kind,
            )
            return


@operator("torch.nn.CrossEntropyLoss.__call__ torch.nn.NLLLoss.__call__", "layer input target")
def class_loss(op: Op, layer: Layer, input: Value, target: Value) -> Value:
    _class_weights(op, input, layer.args.get("weight"))
    return classes(op, layer, input, target, layer.name.endswith("CrossEntropyLoss"))


@operator(
    "torch.nn.functional.cross_entropy torch.nn.functional.nll_loss",
    "input target weight=None size_average=None ignore_index=-100 reduce=None reduction='mean' label_smoothing=0.0",
)
def class_function(op: Op, input: Value, target: Value, reduction: Value, **others: Value) -> Value:
    op.extra.update({"reduction": reduction, **{name: others[name] for name in ("ignore_index", "reduce")}})
    _class_weights(op, input, others.get("weight"))
    return classes(op, None, input, target, op.short == "cross_entropy")


def _class_weights(op: Op, input: Value, weight: Value) -> None:
    """One weight for each class."""
    scores = tensor_of(op.tr, input, "torch")
    if scores is None or not scores.dims or not isinstance(weight, Tensor) or weight.dims is None:
        return
    count = scores.dims[1] if len(scores.dims) > 1 else scores.dims[0]
    sentence = f"the input {show_shape(scores.dims)} has {count} classes but the weights are {show_shape(weight.dims)}"
    if len(weight.dims) != 1:
        fail(op, "class-weights", sentence, (scores, weight))
    require(op, equal(weight.dims[0], count), "class-weights", sentence, (scores, weight))


def classes(op: Op, layer: Layer | None, input: Value, target: Value, probabilities: bool) -> Value:
    a, b = tensor_of(op.tr, input, "torch"), tensor_of(op.tr, target, "torch")
    reduction = _reduction(op, layer)
    ignored = layer.args.get("ignore_index", -100) if layer is not None else op.extra.get("ignore_index", -100)
    shape: Any = () if reduction in ("mean", "sum") else None
    if a is not None and a.dims == ():
        fail(op, "class-target", "the input is a scalar and has no classes", (a,))
    if a is not None and b is not None and a.dims is not None and b.dims is not None and len(a.dims) >= 1:
        x, y = a.dims, b.dims
        wanted = (x[0], *x[2:]) if len(x) > 1 else ()
        soft = probabilities and len(y) == len(x) and all(equal(p, q) is not False for p, q in zip(x, y, strict=True))
        if soft and b.dtype in ("int64", "int32", "uint8"):
            soft = False
        message = f"the input {show_shape(x)} needs class indices of shape {show_shape(wanted)}"
        if probabilities and b.dtype not in ("int64",):
            message += f" or probabilities of shape {show_shape(x)}"
        message += f"; the target has {show_shape(y)}"
        if soft:
            for p, q in zip(x, y, strict=True):
                require(op, equal(p, q), "class-target", message, (a, b))
        else:
            if len(x) == 1 and y == (1,):
                wanted = (1,)  # one example without a batch
            if len(y) != len(wanted):
                fail(op, "class-target", message, (a, b))
            for p, q in zip(wanted, y, strict=True):
                require(op, equal(p, q), "class-target", message, (a, b))
            if b.dtype in (*FLOATS, "int8", "int16", "int32", "bool"):
                fail(op, "class-target", f"class indices must be of type int64 and are {b.dtype}", (a, b))
            check_indices(op, b, x[1] if len(x) > 1 else x[0], "the classes", ignored=ignored)
        if reduction == "none":
            shape = wanted
    elif reduction == "none":
        shape = None
    return _loss(op, shape, a, b)


@operator("torch.nn.CosineSimilarity.__init__", "dim=1 eps=1e-08")
def cosine_arguments(op: Op, **arguments: Value) -> Value:
    return None


@operator("torch.nn.CosineSimilarity.__call__", "layer x1 x2")
def cosine_layer(op: Op, layer: Layer, x1: Value, x2: Value) -> Value:
    return cosine(op, x1, x2, layer.args.get("dim", 1))


@operator("torch.nn.PairwiseDistance.__init__", "p=2.0 eps=1e-06 keepdim=False")
def distance_arguments(op: Op, **arguments: Value) -> Value:
    return None


@operator("torch.nn.PairwiseDistance.__call__", "layer x1 x2")
def distance_layer(op: Op, layer: Layer, x1: Value, x2: Value) -> Value:
    return pairwise_distance(op, x1, x2, 2.0, 1e-6, layer.args.get("keepdim", False))


@operator("torch.nn.functional.cosine_similarity torch.cosine_similarity", "x1 x2 dim=1 eps=1e-08")
def cosine_function(op: Op, x1: Value, x2: Value, dim: Value, eps: Value) -> Value:
    return cosine(op, x1, x2, dim)


def cosine(op: Op, x1: Value, x2: Value, dim: Value) -> Value:
    joint = apply(op, "torch", "mul", (x1, x2))
    if not isinstance(joint, Tensor) or joint.dims is None:
        return unknown_tensor(op, "torch")
    return Tensor(reduced_dims(op, joint, dim, False), joint.dtype, "torch", site=op.where)
