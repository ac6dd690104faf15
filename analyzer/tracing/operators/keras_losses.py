"""Keras's losses: what they demand of targets and predictions, and what they give."""

from __future__ import annotations

import ast
from typing import Any

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import (
    Api,
    Object,
    Value,
)
from analyzer.tracing.operators.element_types import default_float
from analyzer.tracing.operators.operands import tensor_of, unknown_tensor
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.terms import any_of, equal


def loss_name(value: Value) -> str:
    if isinstance(value, str):
        return value.replace("_", "").lower()
    if isinstance(value, Object) and value.kind == "loss":
        return str(value.data["name"]).lower()
    if isinstance(value, Api) and "losses" in value.name:
        return value.name.rpartition(".")[2].replace("_", "").lower()
    return ""


_ELEMENTWISE = frozenset(
    [
        "binarycrossentropy",
        "mse",
        "meansquarederror",
        "mae",
        "meanabsoluteerror",
        "huber",
        "poisson",
        "kldivergence",
        "hinge",
        "squaredhinge",
        "categoricalhinge",
        "logcosh",
        "meanabsolutepercentageerror",
        "meansquaredlogarithmicerror",
        "cosinesimilarity",
    ]
)


def check_loss(op: Op, kind: str, target: Any, output: Any, y: Tensor) -> None:
    """What a Keras loss demands of targets and predictions (`keras.losses`)."""
    if kind == "categoricalcrossentropy":
        sentence = (
            f"the model gives {show_shape(output)} but the targets are {show_shape(target)}; "
            "categorical_crossentropy needs equal shapes (one-hot targets)"
        )
        if len(target) != len(output) and not (
            len(target) == len(output) - 1 and target[1:] == output[1:-1] and output[-1] == 1
        ):
            fail(op, "loss-shape", sentence, (y,))
        for a, b in zip(target, output, strict=False):
            require(op, equal(a, b), "loss-shape", sentence, (y,))
    elif kind == "sparsecategoricalcrossentropy":
        squeezed = target[:-1] if len(target) == len(output) and target and target[-1] == 1 else target
        sentence = (
            f"the model gives {show_shape(output)}, so class indices of shape "
            f"{show_shape(output[:-1])} are needed; the targets are {show_shape(target)}"
        )
        if len(squeezed) != len(output) - 1:
            fail(op, "loss-shape", sentence, (y,))
        for a, b in zip(squeezed, output[:-1], strict=True):
            require(op, equal(a, b), "loss-shape", sentence, (y,))
    elif kind in _ELEMENTWISE:
        if len(target) == len(output) - 1 and output[-1] == 1:
            return
        if len(target) == len(output):
            sentence = f"the model gives {show_shape(output)} but the targets are {show_shape(target)}"
            for a, b in list(zip(target, output, strict=True))[1:]:
                require(op, any_of(equal(a, b), equal(a, 1), equal(b, 1)), "loss-shape", sentence, (y,))
        if (
            kind == "binarycrossentropy"
            and len(target) == len(output) == 2
            and isinstance(target[1], int)
            and isinstance(output[1], int)
            and target[1] != output[1]
        ):
            fail(
                op, "loss-shape", f"the model gives {show_shape(output)} but the targets are {show_shape(target)}", (y,)
            )


def call_loss(
    tr: Tracer, owner: Object, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.Call | None
) -> Value:
    """`loss_object(y_true, y_pred)`."""
    y_true = args[0] if args else kwargs.get("y_true")
    y_pred = args[1] if len(args) > 1 else kwargs.get("y_pred")
    return apply_loss(tr, str(owner.data["name"]), y_true, y_pred, node, owner.data.get("reduction") != "none")


def apply_loss(tr: Tracer, name: str, y_true: Value, y_pred: Value, node: ast.Call | None, reduced: bool) -> Value:
    op = Op(tr, f"keras.losses.{name}", node, tr.site(node))
    a, b = tensor_of(tr, y_true, "tf"), tensor_of(tr, y_pred, "tf")
    if a is None or b is None or a.dims is None or b.dims is None:
        return unknown_tensor(op, "tf", (), () if reduced else None)
    if not a.dims and not b.dims:
        fail(op, "loss-shape", "both operands are scalars; a loss is the mean over their last axis", (a, b))
    if not b.dims:
        return unknown_tensor(op, "tf", (), () if reduced else None)
    check_loss(op, name.replace("_", "").lower(), a.dims, b.dims, a)
    return op.finish(
        Tensor(
            () if reduced else b.dims[:-1],
            default_float(op.tr) if b.dtype == "float32" else None,
            "tf",
            site=op.where,
            sources=(a, b),
            graph=a.graph or b.graph,
            tags=frozenset(("loss",)),
        )
    )
