"""Keras: what a model predicts, and what `fit` and `evaluate` hold against the targets: losses and metrics."""

from __future__ import annotations

import ast
from typing import Any

from analyzer.tracing.language.evaluation import call, get_attribute
from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Bound, DictV, Function, Instance, ListV, Object, Partial, Value
from analyzer.tracing.operators.data import representative
from analyzer.tracing.operators.element_types import default_float
from analyzer.tracing.operators.keras_batches import (
    Batching,
    equally_many,
    mapped_arrays,
    of_all_batches,
    one_batch,
)
from analyzer.tracing.operators.keras_losses import check_loss, loss_name
from analyzer.tracing.operators.keras_steps import first_batch, gives_batches
from analyzer.tracing.operators.operands import as_numpy, items_of
from analyzer.tracing.operators.refusals import require
from analyzer.tracing.operators.table import Op
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.terms import Term, equal

LOSS, METRICS = "__loss__", "__metrics__"  # the attributes that keep what `compile` is told


def remember_measures(owner: Any, args: tuple[Value, ...], kwargs: dict[str, Value]) -> None:
    """The loss and the metrics of `compile(optimizer, loss, metrics)`; Keras 3 takes weights of losses between them."""
    owner.attrs[LOSS] = kwargs.get("loss", args[1] if len(args) > 1 else None)
    owner.attrs[METRICS] = kwargs.get("metrics")


def _forward(tr: Tracer, owner: Any, x: Value, node: ast.Call | None, how: Batching) -> tuple[Value, Term | None]:
    """What the model gives for one batch, and of how many examples it is where that is a number of its own."""
    if isinstance(x, Object):
        element = representative(tr, x)
        element = tuple(element.items) if isinstance(element, ListV) else element
        x = element[0] if isinstance(element, tuple) and element else element
        if not isinstance(x, (Tensor, DictV)):
            return tr.unknown("predictions", "imprecise"), None
    part, rows = one_batch(tr, x, node, how)
    if part is None and isinstance(x, (ListV, DictV, tuple)) and isinstance(owner, Object) and owner.kind == "model":
        return call(tr, owner, (x,), {}, node), None
    if part is None:
        return tr.unknown("predictions", "imprecise"), None
    return call(tr, owner, (part,), {}, node), rows


def predicted(tr: Tracer, owner: Any, x: Value, node: ast.Call | None, how: Batching) -> Value:
    """What all batches give as arrays; None where it is not known."""
    count = None if isinstance(x, Object) else equally_many(Op(tr, "predict", node, tr.site(node)), x)
    result, rows = _forward(tr, owner, x, node, how)
    if isinstance(x, Object):
        count = tr.fresh("rows", "unknown", 0)
    return mapped_arrays(result, lambda one: as_numpy(one if rows is None else of_all_batches(one, rows, count)))


def fitted(tr: Tracer, owner: Any, x: Value, y: Value, node: ast.Call | None, how: Batching) -> Value:
    """What the model makes of a batch, held against its targets; None where nothing is known of it."""
    op = Op(tr, "fit", node, tr.site(node))
    if y is None and (isinstance(x, Object) or gives_batches(x)):
        element = first_batch(tr, x, node)
        element = tuple(element.items) if isinstance(element, ListV) else element
        if not isinstance(element, tuple) or len(element) < 2 or not isinstance(element[0], (Tensor, DictV, tuple)):
            return None
        result = call(tr, owner, (element[0],), {}, node)
        _measured(op, owner, result, element[1])
        return result
    if isinstance(x, Tensor) and isinstance(y, Tensor) and x.dims and y.dims:
        require(
            op,
            equal(x.dims[0], y.dims[0]),
            "rows",
            f"x has {x.dims[0]} rows (shape {show_shape(x.dims)}) but y has {y.dims[0]} (shape {show_shape(y.dims)})",
            (x, y),
        )
    else:
        equally_many(op, (x, y))
    if x is None:
        return None
    both, rows = one_batch(tr, (x, y), node, how)
    if rows is None or not isinstance(both, tuple):
        return _forward(tr, owner, x, node, how)[0]
    result = call(tr, owner, (both[0],), {}, node)
    _measured(op, owner, result, both[1])
    return result


def _measured(op: Op, owner: Any, result: Value, targets: Value) -> None:
    """A model's outputs against the targets of the same batch, by each loss; and by the metrics if there is one."""
    loss = owner.attrs.get(LOSS)
    outputs = [result] if isinstance(result, Tensor) else items_of(result)
    wanted = [targets] if isinstance(targets, Tensor) else items_of(targets)
    losses = items_of(loss) if isinstance(loss, (ListV, tuple)) else [loss] * len(outputs)
    if not len(outputs) == len(wanted) == len(losses):
        return
    for output, target, one in zip(outputs, wanted, losses, strict=True):
        if not isinstance(output, Tensor) or not output.dims or not isinstance(target, Tensor) or target.dims is None:
            continue
        if kind := loss_name(one):
            check_loss(op, kind, (output.dims[0], *target.dims[1:]), output.dims, target)
        elif isinstance(one, (Function, Bound, Partial)):
            call(op.tr, one, _of_same_rank(op, target, output), {})
        elif isinstance(one, Instance) and one.cls.find("call") is not None:
            call(op.tr, get_attribute(op.tr, one, "call"), (_floating(op, target), output), {})
        if len(outputs) == 1:
            _by_metrics(op, owner.attrs.get(METRICS), target, output)


def _by_metrics(op: Op, metrics: Value, target: Tensor, output: Tensor) -> None:
    """Functions of targets and outputs, and metrics that the program defines."""
    for metric in items_of(metrics):
        if isinstance(metric, (Function, Bound, Partial)):
            call(op.tr, metric, (target, output), {})
        elif isinstance(metric, Instance) and metric.cls.find("update_state") is not None:
            call(op.tr, get_attribute(op.tr, metric, "update_state"), (target, output), {})
            if metric.cls.find("result") is not None:
                call(op.tr, get_attribute(op.tr, metric, "result"), (), {})


def _of_same_rank(op: Op, target: Tensor, output: Tensor) -> tuple[Value, ...]:
    """As a loss that is a function gets them: a last dimension of one is added or left out."""
    first, other = target.dims or (), output.dims or ()
    if len(first) == len(other) + 1 and first[-1] == 1 and len(other) > 1:
        first = first[:-1]
    elif len(other) == len(first) + 1 and other[-1] == 1:
        first, other = ((*first, 1), other) if len(first) == 1 else (first, other[:-1])
    return _floating(op, _reshaped(target, first)), _reshaped(output, other)


def _floating(op: Op, target: Tensor) -> Tensor:
    made = _reshaped(target, target.dims or ())
    return Tensor(made.dims, default_float(op.tr), "tf", site=target.site, name=target.name, tags=target.tags)


def _reshaped(value: Tensor, dims: tuple[Term, ...]) -> Tensor:
    if value.dims == dims:
        return value
    return Tensor(dims, value.dtype, "tf", site=value.site, name=value.name, sources=(value,), tags=value.tags)
