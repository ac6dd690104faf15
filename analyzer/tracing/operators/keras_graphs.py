"""The layers of a Keras model, found back from its outputs, with their inputs, outputs and weights."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from analyzer.operators.declaration import WEIGHTS
from analyzer.operators.registry import layer_or_function
from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.tensors import Size, Tensor
from analyzer.tracing.language.values import DictV, Layer, ListV, Object, Value
from analyzer.tracing.operators.keras_building import GATES, is_cell
from analyzer.tracing.paths.problems import ShapeFailure
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.terms import Poly, product

INPUT, OUTPUT = "symbolic input", "symbolic output"  # among what a layer's calls have fixed


def remember_call(tr: Tracer, layer: Layer, given: Value, result: Value) -> None:
    """What a layer of Keras makes of a symbolic input is its `output` from then on."""
    if layer.name.startswith("keras.layers.") and isinstance(result, Tensor) and result.graph:
        tr.touch(layer)
        layer.built[INPUT], layer.built[OUTPUT] = given, result


def chain_of(model: Object) -> list[Value] | None:
    """The layers of a model from its input to its output, where they stand in one row; else None."""
    if model.kind == "sequential":
        members: ListV = model.data["layers"]
        return None if members.open else [m for m in members.items if not isinstance(m, Tensor)]
    first, last = model.data["inputs"], model.data["outputs"]
    found: list[Value] = []
    while isinstance(first, Tensor) and isinstance(last, Tensor) and last is not first:
        making = last.making
        if making is None or not isinstance(making.owner, Layer) or len(making.args) != 1 or len(found) > 999:
            return None
        found.append(making.owner)
        last = making.args[0]
        if isinstance(last, Tensor) and last.making is None:  # the input, under whichever name
            return found[::-1] if last.dims == first.dims else None
    return None


def layers_between(model: Object) -> Iterator[Layer]:
    """The layers that the outputs of a model rest on."""
    outputs = model.data.get("outputs")
    waiting = list(
        outputs.items.values() if isinstance(outputs, DictV) else getattr(outputs, "items", None) or [outputs]
    )
    met: set[int] = set()
    while waiting:
        value = waiting.pop()
        if isinstance(value, (ListV, tuple)):
            waiting += value.items if isinstance(value, ListV) else value
        if not isinstance(value, Tensor) or value.making is None or id(value.making) in met:
            continue
        met.add(id(value.making))
        waiting += value.making.args
        if isinstance(value.making.owner, Layer):
            yield value.making.owner


def find_layer(model: Object, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
    """The layer of a name, or of a number where the layers stand in a row; None for what is not known."""
    name, index = (*args, None)[0] if args else kwargs.get("name"), kwargs.get("index", (*args, None, None)[1])
    chain = chain_of(model)
    if isinstance(name, str):
        named = chain if chain is not None else list(layers_between(model))
        return next((m for m in named if isinstance(m, Layer) and m.args.get("name") == name), None)
    if type(index) is not int or chain is None:
        return None
    row = members_of(model) or []
    return row[index] if -len(row) <= index < len(row) else None


def members_of(model: Object) -> list[Value] | None:
    """`layers` of a model whose layers stand in a row: a functional one begins with that of its input."""
    chain = chain_of(model)
    if chain is None or model.kind == "sequential":
        return chain
    first = model.data["inputs"]
    layer = Layer("keras.layers.InputLayer", {}, first.site)
    layer.built[INPUT] = layer.built[OUTPUT] = first
    return [layer, *chain]


def layer_weights(layer: Value, arrays: bool = False) -> list[Value] | None:
    """The weights of a layer that was built, in Keras's order; None where they are not known."""
    if not isinstance(layer, Layer) or not layer.name.startswith("keras.layers."):
        return None
    kind, args = layer.name.rpartition(".")[2], layer.args
    declared = layer_or_function("keras", kind)
    if declared is None and not is_cell(kind):
        return None
    if declared is not None and not declared.traits & WEIGHTS:
        return []
    shapes = _shapes(layer, kind, args)
    if shapes is None or not all(isinstance(n, (int, Poly)) for shape in shapes for n in shape):
        return None
    framework, tags = ("numpy", frozenset[str]()) if arrays else ("tf", frozenset({"variable"}))
    return [Tensor(shape, "float32", framework, site=layer.site, tags=tags) for shape in shapes]


def _shapes(layer: Layer, kind: str, args: dict[str, Value]) -> list[tuple[Any, ...]] | None:
    if kind == "Embedding":
        return [(args.get("input_dim"), args.get("output_dim"))]
    built = layer.built.get("last")
    if not isinstance(built, tuple):
        return None
    last: Any = built[0]
    if kind == "Dense":
        units = args.get("units")
        return [(last, units), *([] if args.get("use_bias", True) is False else [(units,)])]
    if (gates := GATES.get(kind.removesuffix("Cell"))) is not None and (units := args.get("units")) is not None:
        wide: Any = units * gates
        bias = (2, wide) if kind.startswith("GRU") and args.get("reset_after", True) is not False else (wide,)
        return [(last, wide), (units, wide), *([] if args.get("use_bias", True) is False else [bias])]
    if kind in ("Conv1D", "Conv2D", "Conv3D") and args.get("groups", 1) == 1:
        filters, rank = args.get("filters"), int(kind[4])
        asked = args.get("kernel_size")
        kernel = (
            asked if isinstance(asked, tuple) else tuple(asked.items) if isinstance(asked, ListV) else (asked,) * rank
        )
        return [(*kernel, last, filters), *([] if args.get("use_bias", True) is False else [(filters,)])]
    if kind == "BatchNormalization" and args.get("axis", -1) == -1:
        kept = [args.get(n, True) is not False for n in ("center", "scale")]
        return [(last,)] * (2 + sum(kept))
    return None


def weights_of(model: Value, arrays: bool = False) -> ListV | None:
    """The weights of a layer, or of a model whose layers stand in a row, as variables or as arrays."""
    chain = chain_of(model) if isinstance(model, Object) else [model]
    found: list[Value] = []
    for layer in chain or ():
        part = layer_weights(layer, arrays)
        if part is None:
            return None
        found += part
    return ListV(found) if chain and found else None


def trained_weights_of(model: Value) -> ListV | None:
    """Those that training moves, where the program does not say which these are."""
    chain = chain_of(model) if isinstance(model, Object) else [model]
    found: list[Value] = []
    for layer in (model, *(chain or ())):
        given = layer.args if isinstance(layer, Layer) else {}
        if (
            not isinstance(layer, (Layer, Object))
            or layer.attrs.get("trainable", given.get("trainable", True)) is not True
        ):
            return None
    for layer in chain or ():
        part = layer_weights(layer)
        if part is None or not isinstance(layer, Layer):
            return None
        found += part[:-2] if layer.name.endswith("BatchNormalization") else part
    return ListV(found) if chain and found else None


def count_of_weights(weights: ListV | None) -> Value:
    """How many numbers they have, None where that is not known."""
    if weights is None or weights.open:
        return None
    sizes = [w.dims for w in weights.items if isinstance(w, Tensor)]
    known = all(dims is not None for dims in sizes) and len(sizes) == len(weights.items)
    return sum((product(dims) for dims in sizes if dims is not None), 0) if known else None


def output_shape(tr: Tracer, layer: Value, given: Value) -> Value:
    """What a layer or model makes of a tensor of the shape."""
    sizes = tuple(given.items) if isinstance(given, ListV) and not given.open else given
    if not isinstance(sizes, tuple) or not all(isinstance(n, (int, Poly, type(None))) for n in sizes):
        return tr.unknown("a shape", "imprecise")
    free = {i: tr.fresh("size", "batch", 1, graph=True) for i, n in enumerate(sizes) if n is None}
    dims = tuple(free.get(i, n) for i, n in enumerate(sizes))
    try:
        made = call(tr, _unbuilt(layer), (Tensor(dims, None, "tf", site=tr.site(), graph=True),), {})
    except ShapeFailure:
        return tr.unknown("a shape", "imprecise")  # what is only asked for is not refused by every layer
    if not isinstance(made, Tensor) or made.dims is None:
        return tr.unknown("a shape", "imprecise")
    whole = {str(symbol) for symbol in free.values()}
    return Size(tuple(None if str(n) in whole else n for n in made.dims))


def _unbuilt(value: Value) -> Value:
    """Another layer of the same arguments, so that what is only asked for builds nothing."""
    if isinstance(value, Layer):
        return Layer(value.name, {key: _unbuilt(part) for key, part in value.args.items()}, value.site)
    if isinstance(value, ListV):
        return ListV([_unbuilt(part) for part in value.items], value.open)
    if isinstance(value, Object) and value.kind == "sequential":
        return Object(value.kind, dict(value.attrs), {"layers": _unbuilt(value.data["layers"])}, value.site)
    return value


_OF_NORMALIZATION = ("gamma", "beta", "moving_mean", "moving_variance")
WEIGHTS_BY_NAME = ("kernel", "recurrent_kernel", "bias", "embeddings", *_OF_NORMALIZATION)
_OF_CELLS = ("kernel", "recurrent_kernel", "bias")


def weight_by_name(layer: Layer, name: str) -> Value:
    """The weight that a layer of Keras keeps under the name once it was built; None where it is not known."""
    kind, place = layer.name.rpartition(".")[2], 1 if name == "bias" else 0
    if name in _OF_NORMALIZATION:
        weights = layer_weights(layer) if kind == "BatchNormalization" else None
        return weights[_OF_NORMALIZATION.index(name)] if weights is not None and len(weights) == 4 else None
    if is_cell(kind):  # the layers keep theirs in a cell
        if name not in _OF_CELLS:
            return None
        place = _OF_CELLS.index(name)
    elif not kind.startswith(("Dense", "Conv", "Embedding")) or name == "recurrent_kernel":
        return None
    held = layer_weights(layer) if name in WEIGHTS_BY_NAME else None
    return held[place] if held is not None and place < len(held) else None


def base_config(tr: Tracer) -> DictV:
    """What `get_config` of Keras's own `Layer` tells: the arguments that its constructor takes."""
    kinds = {"name": "str", "activity_regularizer": "", "trainable": "bool", "dtype": "", "autocast": "bool"}
    return DictV({name: tr.unknown("a setting of a layer", "foreign", name, kind) for name, kind in kinds.items()})
