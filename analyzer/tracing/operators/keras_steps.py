"""What a Keras model that has a `train_step` of its own does with a batch of what `fit` is given."""

from __future__ import annotations

import ast
from typing import Any

from analyzer.tracing.language.evaluation import call, get_attribute, iterate
from analyzer.tracing.language.values import Bound, Function, Instance, Iterator_, Object, Value
from analyzer.tracing.operators.data import representative
from analyzer.tracing.operators.keras_batches import Batching, one_batch
from analyzer.tracing.paths.tracer import Tracer


def run_own_step(tr: Tracer, owner: Any, name: str, x: Value, y: Value, node: ast.Call | None, how: Batching) -> bool:
    """Whether the model has such a step for the method `name`; it is followed with one batch."""
    step = "train_step" if name in ("fit", "train_on_batch") else "test_step"
    found = owner.cls.find(step) if isinstance(owner, Instance) else None
    if found is None or not isinstance(found[0], Function):
        return False
    if found[0].node.args.args[1:] and found[0].node.args.args[1].arg == "state":  # as JAX's trainer calls it
        return True
    batch = _batch(tr, x, y, node, how)
    if batch is not None:
        with tr.compiling():
            call(tr, Bound(owner, found[0], found[1]), (batch,), {}, node)
    return True


def _batch(tr: Tracer, x: Value, y: Value, node: ast.Call | None, how: Batching) -> Value:
    """One batch, its examples in a number of their own; None where it is not known."""
    if isinstance(x, Object):
        return representative(tr, x)
    return one_batch(tr, x if y is None else (x, y), node, how)[0]


def gives_batches(x: Value) -> bool:
    """Whether a model is given a generator or a sequence of batches."""
    if isinstance(x, Instance):
        kinds = ("Sequence", "PyDataset")
        return bool(x.cls.find("__getitem__")) and any(n.rpartition(".")[2] in kinds for n in x.cls.library_bases)
    return isinstance(x, Iterator_)


def first_batch(tr: Tracer, x: Value, node: ast.Call | None) -> Value:
    """One of the batches that a model is given; None where none is known."""
    if isinstance(x, Object):
        return representative(tr, x)
    if isinstance(x, Instance):
        return call(tr, get_attribute(tr, x, "__getitem__"), (0,), {}, node)
    return next(iterate(tr, x, node)[0], None)
