"""The weights of Keras's layers and models that a program writes itself, in the order in which Keras keeps them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import CHILDREN, DictV, Instance, Layer, ListV, Object, SetV, Unknown, Value
from analyzer.tracing.operators.keras_graphs import layer_weights, weights_of
from analyzer.tracing.paths.tracer import Tracer

OWN = "its own weights"  # the attribute under which an object keeps what it added: no program has such a name
LISTS = ("weights", "variables", "trainable_weights", "trainable_variables")
_BASES = ("keras.layers.Layer", "keras.Layer", "keras.Model", "object")


@dataclass(frozen=True, slots=True)
class AddedWeight:
    """`trainable`: None where it is not known."""

    tensor: Tensor
    trainable: bool | None


def keep_weight(tr: Tracer, owner: Instance, weight: Tensor, trainable: Value) -> None:
    """`add_weight` keeps what it gives in the layer."""
    tr.touch(owner)
    known = trainable if isinstance(trainable, bool) else None
    owner.attrs[OWN] = (*owner.attrs.get(OWN, ()), AddedWeight(weight, known))


def own_weights(tr: Tracer, owner: Instance, name: str) -> Value:
    """`trainable_variables` and the like, open from where there may be others; None where none is known.

    First a layer's own, then those of its layers in the order in which they were set. Where some are not trained, Keras
    2 and 3 order them differently.
    """
    if not tr.knows_objects or any(_of_tensorflow(owner, value) for value in owner.attrs.values()):
        return None
    found = list(_held(owner, set()))
    known = found[: next((i for i, w in enumerate(found) if w is None or w.trainable is None), len(found))]
    weights = [w for w in known if w is not None]
    if not weights or not (name.startswith("trainable") or all(w.trainable for w in weights)):
        return None
    listed = ListV([w.tensor for w in weights if w.trainable])
    if len(known) < len(found):
        listed.firm, listed.open = len(listed.items), True
        listed.items.append(tr.unknown("a weight"))
    return listed


def _of_tensorflow(owner: Instance, value: Value) -> bool:
    """Whether it is a variable that the layer did not add: Keras 2 counts it among its own, Keras 3 not."""
    own = (w.tensor for w in owner.attrs.get(OWN, ()))
    return isinstance(value, Tensor) and "variable" in value.tags and not any(value is tensor for tensor in own)


def _held(owner: Value, met: set[int]) -> Iterator[AddedWeight | None]:
    """The weights of a value that an object holds; None for what may have others."""
    if id(owner) in met:
        return
    if isinstance(owner, (Layer, Object, Instance)):
        met.add(id(owner))
    if isinstance(owner, Instance):
        yield from _of_object(owner, met)
    elif isinstance(owner, Layer):
        yield from _of_layer(owner)
    elif isinstance(owner, Object):
        chain = weights_of(owner) if owner.kind in ("model", "sequential") else None
        yield from [None] if chain is None or _settled(owner) else map(_trained, chain.items)
    elif isinstance(owner, DictV):
        yield from [None] if owner.open else (w for v in owner.items.values() for w in _held(v, met))
    elif isinstance(owner, ListV):
        yield from [None] if owner.open or isinstance(owner, SetV) else (w for v in owner.items for w in _held(v, met))
    elif type(owner) is tuple:
        for part in owner:
            yield from _held(part, met)
    elif isinstance(owner, Unknown) or (isinstance(owner, Tensor) and "variable" in owner.tags):
        yield None  # a variable of TensorFlow's own is kept by Keras 2 alone


def _of_object(owner: Instance, met: set[int]) -> Iterator[AddedWeight | None]:
    bases = owner.cls.library_bases
    if not any(base.startswith("keras.") for base in bases):
        return
    if owner.open or CHILDREN in owner.attrs or "__layer__" in owner.attrs or not set(bases) <= set(_BASES):
        yield None
        return
    if owner.attrs.get("trainable", True) is not True:
        yield None
    own = owner.attrs.get(OWN, ())
    yield from own
    kept = {id(w.tensor) for w in own}
    for name, value in owner.attrs.items():
        if not name.startswith("its ") and name not in LISTS and id(value) not in kept:
            yield from _held(value, met)


def _of_layer(layer: Layer) -> Iterator[AddedWeight | None]:
    if not layer.name.startswith("keras."):
        return
    found = layer_weights(layer)
    if found is None or _settled(layer):
        yield None
        return
    for place, tensor in enumerate(found):
        statistic = layer.name.endswith("BatchNormalization") and place >= len(found) - 2
        if isinstance(tensor, Tensor):
            yield AddedWeight(tensor, not statistic)


def _trained(tensor: Value) -> AddedWeight:
    return AddedWeight(tensor, None)  # some of a model may be statistics


def _settled(layer: Layer | Object) -> bool:
    """Whether the program says whether it is trained."""
    given = layer.args if isinstance(layer, Layer) else {}
    return layer.attrs.get("trainable", given.get("trainable", True)) is not True
