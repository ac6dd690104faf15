"""TensorFlow: losses of tf.nn and tf.losses."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Value
from analyzer.tracing.operators.hyperparameters import FLOATS
from analyzer.tracing.operators.operands import unknown_tensor
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.tf_operands import like, tensor
from analyzer.validity.terms import any_of, equal, product

# ---------------------------------------------------------------------------------------------------- losses


@operator(
    (
        "tf.nn.softmax_cross_entropy_with_logits tf.nn.softmax_cross_entropy_with_logits_v2 "
        "tf.losses.softmax_cross_entropy"
    ),
    "*args",
)
def softmax_cross_entropy(op: Op, args: tuple[Value, ...]) -> Value:
    first = op.short == "softmax_cross_entropy"
    labels = op.extra.get("labels", op.extra.get("onehot_labels", args[0] if args else None))
    logits = op.extra.get("logits", args[1] if len(args) > 1 else None)
    a, b = tensor(op, labels), tensor(op, logits)
    if a is None or b is None or labels is None or logits is None:
        return unknown_tensor(op, "tf", tuple(t for t in (a, b) if t is not None), () if first else None)
    sources = (a, b)
    if a.dims is None or b.dims is None:
        return unknown_tensor(op, "tf", sources, () if first else None)
    sentence = f"logits {show_shape(b.dims)} and labels {show_shape(a.dims)} must have the same shape"
    if not first and a.dims and b.dims:
        _need_rows(op, a.dims, b.dims, sentence, sources)
    else:
        if len(a.dims) != len(b.dims):
            fail(op, "same-shape", sentence, sources)
        for x, y in zip(a.dims, b.dims, strict=True):
            same = equal(x, y)
            require(op, same if first else any_of(same, equal(x, 1), equal(y, 1)), "same-shape", sentence, sources)
    graph = a.graph or b.graph
    return Tensor(
        () if first else b.dims[:-1],
        _of_logits(b),
        "tf",
        site=op.where,
        sources=sources,
        graph=graph,
        tags=frozenset(("loss",)),
    )


def _of_logits(tensor: Tensor) -> str | None:
    """The element type of a loss: that of what is held against the labels."""
    return tensor.dtype if tensor.dtype in FLOATS else None


def _need_rows(op: Op, labels: Any, logits: Any, sentence: str, sources: tuple[Tensor, ...]) -> None:
    """All axes but the last are flattened to rows; one row of labels serves every row of logits."""
    last = any_of(equal(labels[-1], logits[-1]), equal(labels[-1], 1), equal(logits[-1], 1))
    require(op, last, "same-shape", sentence, sources)
    rows = product(labels[:-1])
    require(op, any_of(equal(rows, product(logits[:-1])), equal(rows, 1)), "same-shape", sentence, sources)


@operator("tf.nn.sparse_softmax_cross_entropy_with_logits tf.losses.sparse_softmax_cross_entropy", "*args")
def sparse_cross_entropy(op: Op, args: tuple[Value, ...]) -> Value:
    scalar = op.name.startswith("tf.losses")
    labels = op.extra.get("labels", args[0] if args else None)
    logits = op.extra.get("logits", args[1] if len(args) > 1 else None)
    a, b = tensor(op, labels), tensor(op, logits)
    if a is None or b is None or labels is None or logits is None or a.dims is None or b.dims is None:
        return unknown_tensor(op, "tf", tuple(t for t in (a, b) if t is not None), () if scalar else None)
    if scalar and len(a.dims) == len(b.dims) and a.dims and a.dims[-1] == 1:
        a = Tensor(a.dims[:-1], a.dtype, "tf", site=a.site, name=a.name, sources=(a,), graph=a.graph)
    sources = (a, b)
    x, y = a.dims or (), b.dims
    sentence = f"labels {show_shape(x)} must have one dimension less than logits {show_shape(y)}"
    if len(x) != len(y) - 1:
        fail(op, "class-target", sentence, sources)
    for p, q in zip(x, y[:-1], strict=True):
        require(op, equal(p, q), "class-target", f"labels {show_shape(x)} do not match logits {show_shape(y)}", sources)
    return Tensor(
        () if scalar else x,
        _of_logits(b),
        "tf",
        site=op.where,
        sources=sources,
        graph=a.graph or b.graph,
        tags=frozenset(("loss",)),
    )


@operator("tf.nn.sigmoid_cross_entropy_with_logits tf.nn.weighted_cross_entropy_with_logits", "*args")
def sigmoid_cross_entropy(op: Op, args: tuple[Value, ...]) -> Value:
    labels = op.extra.get("labels", op.extra.get("targets", args[0] if args else None))
    logits = op.extra.get("logits", args[1] if len(args) > 1 else None)
    a, b = tensor(op, labels), tensor(op, logits)
    if a is None or b is None or a.dims is None or b.dims is None:
        return unknown_tensor(op, "tf", tuple(t for t in (a, b) if t is not None))
    sentence = f"logits {show_shape(b.dims)} and labels {show_shape(a.dims)} must have the same shape"
    if len(a.dims) != len(b.dims):
        fail(op, "same-shape", sentence, (a, b))
    for p, q in zip(a.dims, b.dims, strict=True):
        require(op, equal(p, q), "same-shape", sentence, (a, b))
    return Tensor(b.dims, _of_logits(b), "tf", site=op.where, sources=(a, b), graph=a.graph or b.graph)


@operator(
    (
        "tf.losses.absolute_difference tf.losses.mean_squared_error tf.losses.huber_loss "
        "tf.losses.log_loss tf.losses.sigmoid_cross_entropy tf.losses.hinge_loss"
    ),
    "labels=None predictions=None *rest",
)
def paired_loss(op: Op, labels: Value, predictions: Value, rest: tuple[Value, ...]) -> Value:
    labels = op.extra.get("multi_class_labels", labels)
    predictions = op.extra.get("logits", predictions)
    a, b = tensor(op, labels), tensor(op, predictions)
    if a is None or b is None or labels is None or predictions is None or a.dims is None or b.dims is None:
        return unknown_tensor(op, "tf", tuple(t for t in (a, b) if t is not None), ())
    sentence = f"labels {show_shape(a.dims)} and predictions {show_shape(b.dims)} must have the same shape"
    if len(a.dims) != len(b.dims):
        fail(op, "same-shape", sentence, (a, b))
    for p, q in zip(a.dims, b.dims, strict=True):
        require(op, equal(p, q), "same-shape", sentence, (a, b))
    dims: Any = _reduced(op.extra.get("reduction", rest[3] if len(rest) > 3 else None), b.dims)
    tags = frozenset(("loss",)) if dims == () else frozenset[str]()
    return Tensor(dims, _of_logits(b), "tf", site=op.where, sources=(a, b), graph=a.graph or b.graph, tags=tags)


def _reduced(reduction: Value, dims: Any) -> Any:
    """The shape of a loss of TensorFlow 1: of one that is not reduced that of its elements; None: not known."""
    name = str(getattr(reduction, "name", reduction)).rpartition(".")[2].lower()
    if reduction is None or name.startswith(("sum", "mean", "weighted")):
        return ()
    return dims if name == "none" else None


@operator("tf.nn.l2_loss", "t *rest")
def l2_loss(op: Op, t: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, t)
    return like(op, source, (), source.dtype) if source is not None else unknown_tensor(op, "tf", (), ())


@operator(
    "tf.nn.nce_loss tf.nn.sampled_softmax_loss",
    "weights biases labels inputs num_sampled=None num_classes=None num_true=1 *rest",
)
def sampled_loss(op: Op, weights: Value, biases: Value, labels: Value, inputs: Value, **others: Value) -> Value:
    """One loss for each example; the labels are a column for each true class."""
    w, classes, x = tensor(op, weights), tensor(op, labels), tensor(op, inputs)
    if x is None or x.dims is None:
        return unknown_tensor(op, "tf")
    if classes is not None and classes.dims is not None:
        sentence = f"the labels {show_shape(classes.dims)} must be two-dimensional: [batch, num_true]"
        if len(classes.dims) != 2:
            fail(op, "rank", sentence, (classes,))
        rows = f"the labels {show_shape(classes.dims)} and the inputs {show_shape(x.dims)} differ in their rows"
        require(op, equal(classes.dims[0], x.dims[0]), "rows", rows, (classes, x))
    if w is not None and w.dims is not None and len(w.dims) == 2 and len(x.dims) == 2:
        sentence = f"the inputs {show_shape(x.dims)} have {x.dims[1]} features but the weights are {show_shape(w.dims)}"
        require(op, equal(w.dims[1], x.dims[1]), "size", sentence, (w, x))
    sources = tuple(t for t in (w, classes, x) if t is not None)
    return Tensor(x.dims[:1], _of_logits(x), "tf", site=op.where, sources=sources, graph=any(t.graph for t in sources))
