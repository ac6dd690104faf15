"""The loss that a Keras model was compiled with, as a graph beside the model's own: what `fit` would train.

It holds the nodes of the model under the same names, then the loss of what that predicts and of targets, which are
placeholders.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .graph_definition import MAX_GRAPH, definition_of

FILE = "training.pb"
KERAS = ("keras", "tf_keras", "tensorflow.python.keras")

OTHER_TARGETS = (
    "the loss that the model was compiled with takes other targets than numbers of the predictions' shape or of "
    "classes, so no short training run uses it"
)


def exported(
    model: Any,
    function: Callable[..., Any],
    signature: Sequence[Any],
    made: Mapping[str, Any],
    out: str,
    tf: Any,
) -> dict[str, Any]:
    """Writes the graph beside that of `function`, of which `made` tells; the additions to that, none without a loss.

    A model with a ``train_step`` of its own may train another loss than the compiled one.
    """
    if not _is_compiled(model) or "frozen" in made or not _of_keras(type(model).train_step):
        return {}
    for targets in _targets(model, tf):
        found = _traced(model, function, signature, targets, out, tf)
        if found is not None:
            loss, names = found
            axes = dict(made.get("axes", {}))
            batch = next((a["0"] for a in axes.values() if "0" in a), None)
            if batch is not None:
                axes.update({name: {"0": batch} for name in names})
            return {"loss": loss, "targets": names, "axes": axes}
    return {"notes": [*made.get("notes", ()), OTHER_TARGETS]}


def _is_compiled(model: Any) -> bool:
    compiled = getattr(model, "compiled", False) or getattr(model, "_is_compiled", False)
    return bool(compiled) and getattr(model, "loss", None) is not None


def _of_keras(function: Any) -> bool:
    return str(getattr(function, "__module__", "")).startswith(KERAS)


def _targets(model: Any, tf: Any) -> Iterator[Callable[[Any], Any]]:
    """What makes a target for a prediction: of its own shape, or the number of a class in place of its last axis."""

    def alike(predicted: Any) -> Any:
        dtype = predicted.dtype if predicted.dtype.is_floating else tf.float32
        return tf.compat.v1.placeholder(dtype, predicted.shape, name="target")

    def numbered(predicted: Any) -> Any:
        return tf.compat.v1.placeholder(tf.int64, predicted.shape[:-1], name="target")

    kinds = [alike, numbered]
    yield from reversed(kinds) if "sparse" in _text(model.loss).lower() else kinds


def _text(loss: Any) -> str:
    """The names of the losses of a model."""
    if isinstance(loss, dict):
        return " ".join(map(_text, loss.values()))
    if isinstance(loss, (list, tuple)):
        return " ".join(map(_text, loss))
    return loss if isinstance(loss, str) else str(getattr(loss, "__name__", type(loss).__name__))


def _traced(
    model: Any, function: Callable[..., Any], signature: Sequence[Any], target: Callable[[Any], Any], out: str, tf: Any
) -> tuple[str, list[str]] | None:
    """The names of the loss and of the targets, None where the loss does not take these targets."""
    names: list[str] = []

    def noted(predicted: Any) -> Any:
        made = target(predicted)
        names.append(made.op.name)
        return made

    def training(*flat: Any) -> Any:
        predicted = function(*flat)
        targets = tf.nest.map_structure(noted, predicted)
        return predicted, model.compute_loss(x=None, y=targets, y_pred=predicted)

    try:
        concrete = tf.function(training, autograph=False).get_concrete_function(*signature)
        loss = concrete.outputs[-1]
        if not loss.dtype.is_floating or loss.shape.rank != 0:
            return None
        definition, _ = definition_of(concrete, tf)
        if definition.ByteSize() > MAX_GRAPH:
            return None
        with open(os.path.join(out, FILE), "wb") as file:
            file.write(definition.SerializeToString())
    except Exception:  # a loss of other targets; the model is exported without it
        return None
    return loss.name, list(dict.fromkeys(names))
