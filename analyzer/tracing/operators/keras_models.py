"""Keras models: functional graphs instantiated for their inputs, sequences of layers, and what `fit` demands."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.repeated_calls import callbacks_in
from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import (
    DictV,
    Instance,
    Layer,
    ListV,
    Object,
    Unknown,
    Value,
)
from analyzer.tracing.operators.bystanders import turned_again
from analyzer.tracing.operators.element_types import asked_type
from analyzer.tracing.operators.hyperparameters import plain
from analyzer.tracing.operators.keras_batches import (
    Batching,
    batching,
)
from analyzer.tracing.operators.keras_configurations import model_configuration
from analyzer.tracing.operators.keras_fitting import fitted, predicted, remember_measures
from analyzer.tracing.operators.keras_graphs import (
    count_of_weights,
    find_layer,
    members_of,
    output_shape,
    trained_weights_of,
    weights_of,
)
from analyzer.tracing.operators.keras_own_weights import keep_weight
from analyzer.tracing.operators.keras_saved import save_model
from analyzer.tracing.operators.keras_steps import run_own_step
from analyzer.tracing.operators.layers import call_layer
from analyzer.tracing.operators.operands import tensor_of
from analyzer.tracing.operators.own_gradients import follow_back
from analyzer.tracing.operators.refusals import fail
from analyzer.tracing.operators.sessions import bind_shape, check_slice
from analyzer.tracing.operators.table import Op
from analyzer.tracing.paths.problems import ShapeFailure
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.terms import Poly, equal, substitute

TYPE = "its element type"  # the attribute under which a layer keeps what its base was told: no program has such a name


def add_weight(
    tr: Tracer, owner: Instance, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.Call | None
) -> Value:
    asked = owner.attrs.get(TYPE) if kwargs.get("dtype") is None else kwargs["dtype"]
    shape = kwargs.get("shape", next((a for a in args if isinstance(a, (tuple, ListV))), None))
    dims = plain(tr, shape) if shape is not None else None
    made = Tensor(
        dims if isinstance(dims, tuple) and all(isinstance(d, (int, Poly)) for d in dims) else None,
        asked_type(asked, None if tr.types_open else "float32"),
        "tf",
        site=tr.site(node),
        tags=frozenset(("variable",)),
    )
    keep_weight(tr, owner, made, kwargs.get("trainable", True) if len(args) < 3 else None)
    return made


def input_tensor(op: Op, shape: Value, batch_shape: Value = None) -> Value:
    stated = batch_shape if batch_shape is not None else shape
    given = None if isinstance(stated, Unknown) else plain(op.tr, stated)  # an unknown may have any rank
    if not isinstance(given, tuple):
        given = (given,) if isinstance(given, (int, Poly)) else None
    if given is None:
        return Tensor(None, None, "tf", site=op.where, graph=True)
    dims = given if batch_shape is not None else (None, *given)
    label = "batch"
    known = tuple(
        op.tr.symbols.fresh(label if i == 0 else f"input.{i}", "batch", 1, site=op.where, graph=True)
        if d is None
        else d
        for i, d in enumerate(dims)
    )
    return Tensor(known, None, "tf", site=op.where, name="input", graph=True, tags=frozenset(("batch",)))


def flat(value: Value) -> list[Value]:
    """What Keras's trees hold, in its order: a dictionary's by the order of its names."""
    if isinstance(value, DictV):
        return [v for name in _names(value) for v in flat(value.items[name])]
    if isinstance(value, ListV):
        return [v for item in value.items for v in flat(item)]
    if isinstance(value, tuple):
        return [v for item in value for v in flat(item)]
    return [value]


def _names(value: DictV) -> list[Any]:
    return sorted(value.items, key=str)


def _by_name(given: DictV, inputs: list[Value]) -> list[Value]:
    """The entries in the order of the model's inputs; none where a name is not known."""
    tags = [tag for i in inputs if isinstance(i, Tensor) for tag in i.tags if tag.startswith("input ")]
    names = [tag.removeprefix("input ") for tag in tags]
    known = set(names) <= set(given.items) and len(set(names)) == len(inputs)
    return [given.items[name] for name in names] if known else []


def model_attribute(owner: Object, name: str) -> Value | None:
    """What a model that was built tells of its input and output; None for what is not known.

    A ``Sequential`` of Keras 3 has ``outputs`` once it is built, ``output`` only when it was called.
    """
    if name in ("inputs", "outputs"):
        found = owner.data.get(name.removesuffix("s"))
        return ListV((found,)) if isinstance(found, Tensor) else None
    if name == "layers":
        members = members_of(owner)
        return None if members is None else ListV(members)
    if name in ("weights", "variables"):
        return weights_of(owner)
    if name in ("trainable_weights", "trainable_variables"):
        return trained_weights_of(owner)
    if name in ("input_shape", "output_shape"):
        kind = name.removesuffix("_shape")
        tensor = owner.data.get(kind, owner.data.get(f"{kind}s"))
        return (None, *tensor.dims[1:]) if isinstance(tensor, Tensor) and tensor.dims else None
    return None


def call_model(
    tr: Tracer, owner: Object, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.Call | None
) -> Value:
    value = args[0] if args else kwargs.get("inputs")
    if owner.kind == "sequential":
        return call_sequential(tr, owner, value, node)
    inputs, outputs = flat(owner.data["inputs"]), owner.data["outputs"]
    named = owner.data["inputs"]
    if isinstance(value, DictV) and isinstance(named, DictV):
        given = [value.items.get(name) for name in _names(named)]
    else:
        given = _by_name(value, inputs) if isinstance(value, DictV) else flat(value)
    if len(inputs) != len(given) or not all(isinstance(i, Tensor) for i in inputs):
        return tr.unknown("result of a model")
    mapping: dict[str, Any] = {}
    op = Op(tr, "keras.Model", node, tr.site(node), layer="the model")
    graph = False
    for index, (declared, actual) in enumerate(zip(inputs, given, strict=True)):
        array = tensor_of(tr, actual, "tf")
        if array is None or array.dims is None:
            return tr.unknown("result of a model")
        graph = graph or array.graph
        array = _of_rank(array, declared.dims)
        bind_shape(tr, declared, array, mapping, op, f"input {index} of the model")
    targets = [o for o in flat(outputs) if isinstance(o, Tensor)]
    check_slice(tr, targets, mapping, node)
    results = [_instance(tr, o, mapping, graph, [g for g in given if isinstance(g, Tensor)], op) for o in flat(outputs)]
    if isinstance(outputs, DictV):
        if len(outputs.items) != len(results):
            return tr.unknown("outputs by name")
        return DictV(dict(zip(_names(outputs), results, strict=True)))
    return results[0] if not isinstance(outputs, (ListV, tuple)) else ListV(results)


def _instance(tr: Tracer, value: Value, mapping: dict[str, Any], graph: bool, sources: list[Tensor], op: Op) -> Value:
    if not isinstance(value, Tensor):
        return tr.unknown("an output")
    dims = None if value.dims is None else tuple(substitute(d, mapping) for d in value.dims)
    result = Tensor(dims, value.dtype, "tf", site=op.where, sources=tuple(sources), graph=graph, tags=value.tags)
    result.operation = op.number
    return result


def call_sequential(tr: Tracer, owner: Object, value: Value, node: ast.Call | None) -> Value:
    layers: ListV = owner.data["layers"]
    found = tensor_of(tr, value, "tf")
    if node is not None and not layers.open and [type(member) for member in layers.items] == [Tensor]:
        op = Op(tr, "keras.Sequential", node, tr.site(node), layer="the model")
        fail(op, "no-layer", "it consists of its Input alone, so Keras refuses to build it again for the call")
    if isinstance(value, Unknown) and value.tensor is None and value.value is None:
        return tr.unknown("result of a model")
    several = any(isinstance(part, Tensor) for part in flat(value)) and not isinstance(value, Tensor)
    current: Value = _of_rank(found, _declared_input(owner)) if found is not None and not several else value
    with _blamed_on_call(tr, owner, found, node), tr.compiling():
        for layer in list(layers.items):
            if isinstance(layer, Tensor):
                continue
            if isinstance(layer, Layer):
                current = call_layer(tr, layer, (current,), {}, None, layer.site)
            else:
                current = call(tr, layer, (current,), {})
    return tr.unknown("result of a model") if layers.open else current


def _of_rank(given: Tensor, declared: tuple[Any, ...] | None) -> Tensor:
    """A tensor that lacks the last axis of a declared input, which is 1, gets it; one that has another 1 loses it."""
    if declared is None or given.dims is None:
        return given
    if declared and len(given.dims) == len(declared) - 1 and declared[-1] == 1:
        dims = (*given.dims, 1)
    elif given.dims and len(given.dims) == len(declared) + 1 and given.dims[-1] == 1:
        dims = given.dims[:-1]
    else:
        return given
    return Tensor(
        dims, given.dtype, given.framework, site=given.site, name=given.name, sources=(given,), tags=given.tags
    )


def _declared_input(owner: Object) -> tuple[Any, ...] | None:
    """The shape that a sequence takes, the batch first, where its first member says it."""
    items = owner.data["layers"].items
    first = items[0] if items else None
    if isinstance(first, Tensor):
        return first.dims
    if not isinstance(first, Layer):
        return None
    stated = first.args.get("input_shape", (first.args["input_dim"],) if _takes_rows(first) else None)
    sizes = tuple(stated.items) if isinstance(stated, ListV) and not stated.open else stated
    return (None, *sizes) if isinstance(sizes, tuple) else None


def _takes_rows(layer: Layer) -> bool:
    """Whether `input_dim` says how wide the rows are that the layer takes; of an embedding it is another number."""
    return layer.name == "keras.layers.Dense" and layer.args.get("input_dim") is not None


@contextmanager
def _blamed_on_call(tr: Tracer, owner: Object, given: Tensor | None, node: ast.Call | None) -> Iterator[None]:
    """A model that fits its declared input fails where it is called with another shape, not at the layer it meets."""
    declared = owner.data.get("input") if not tr.compiled else None  # `fit` says which layer it meets
    try:
        yield
    except ShapeFailure as failure:
        if given is None or node is None or not isinstance(declared, Tensor) or not _contradicts(given, declared):
            raise
        declaration = show_shape(("None", *declared.dims[1:])) if declared.dims else "a scalar"
        message = f"the model is built for {declaration} and is called with {show_shape(given.dims or ())}"
        sentences = (failure.problem.message, *failure.problem.sentences)
        raise ShapeFailure(
            replace(failure.problem, message=message, site=tr.site(node), sentences=sentences, fix=None)
        ) from failure


def _contradicts(given: Tensor, declared: Tensor) -> bool:
    if given.dims is None or declared.dims is None:
        return False
    return len(given.dims) != len(declared.dims) or any(
        equal(a, b) is False for a, b in zip(given.dims[1:], declared.dims[1:], strict=True)
    )


def build_sequential(tr: Tracer, owner: Object, site: Any) -> None:
    """Keras builds a sequence as soon as its input shape is known: mismatches show where the layer is added."""
    if owner.data.get("checked") == len(owner.data["layers"].items) or not owner.data["layers"].items:
        return
    first = owner.data["layers"].items[0]
    shape: Any = None
    if isinstance(first, Tensor):
        shape = first.dims[1:] if first.dims else None
    elif isinstance(first, Layer):
        given = first.args.get("input_shape")
        if given is None and first.args.get("input_dim") is not None and not first.name.endswith("Embedding"):
            given = (first.args["input_dim"],)
        if first.name.endswith("InputLayer"):
            given = first.args.get("shape", first.args.get("input_shape"))
        shape = plain(tr, given) if given is not None else None
        if first.args.get("batch_input_shape") is not None:
            full = plain(tr, first.args["batch_input_shape"])
            shape = full[1:] if isinstance(full, tuple) else None
    if not isinstance(shape, tuple):
        return
    op = Op(tr, "keras.Input", site=site)
    start = input_tensor(op, shape)
    owner.data["checked"] = len(owner.data["layers"].items)
    members = owner.data["layers"]
    if isinstance(first, Layer) and first.name.endswith("InputLayer"):
        kept = Object("sequential", data={"layers": ListV(members.items[1:], members.open)})
        owner.data["output"] = call_sequential(tr, kept, start, None)
    else:
        owner.data["output"] = call_sequential(tr, owner, start, None)
    owner.data["input"] = start


def model_method(
    tr: Tracer, owner: Any, name: str, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.Call | None
) -> Value:
    """Methods of functional and sequential models, and of subclasses of keras.Model."""
    if isinstance(owner, Object):
        if name == "add" and owner.kind == "sequential":
            tr.touch(owner.data["layers"])
            tr.touch(owner)
            owner.data["layers"].items.append(args[0] if args else tr.unknown("a layer"))
            build_sequential(tr, owner, tr.site(node))
            return None
        if name == "pop" and owner.kind == "sequential":
            tr.touch(owner.data["layers"])
            tr.touch(owner)
            if not owner.data["layers"].items or owner.data["layers"].open:
                owner.data["layers"].lose()
                return tr.unknown("a layer")
            owner.data.pop("output", None)
            found = owner.data["layers"].items.pop()
            build_sequential(tr, owner, tr.site(node))
            return found
        if name in ("layers",):
            return owner.data.get("layers", tr.unknown("layers", "imprecise"))
        if name in ("call", "__call__"):
            return call_model(tr, owner, args, kwargs, node)
        if name == "get_layer" and (layer := find_layer(owner, args, kwargs)) is not None:
            return layer
        if name == "get_weights" and (held := weights_of(owner, arrays=True)) is not None:
            return held
        if name == "save":
            save_model(tr, owner, args[0] if args else kwargs.get("filepath"))
            return None
        if name == "count_params" and (total := count_of_weights(weights_of(owner))) is not None:
            return total
        if name == "compute_output_shape":
            return output_shape(tr, owner, args[0] if args else kwargs.get("input_shape"))
        if name in ("get_config", "to_json", "to_yaml") and owner.kind in ("model", "sequential"):
            return model_configuration(owner)
    if name == "compile":
        tr.touch(owner)
        remember_measures(owner, args, kwargs)
        return None
    if name in ("fit", "train_on_batch", "evaluate", "test_on_batch"):
        x = args[0] if args else kwargs.get("x")
        y = args[1] if len(args) > 1 else kwargs.get("y")
        again = [owner, *callbacks_in(kwargs.get("callbacks"))]
        how = batching(name, args, kwargs)
        if run_own_step(tr, owner, name, x, y, node, how):
            turned_again(tr, again)
            return tr.unknown("a history", "imprecise")
        validation = kwargs.get("validation_data")
        with tr.compiling():
            made = fitted(tr, owner, x, y, node, how)
            if name in ("fit", "train_on_batch") and isinstance(made, Tensor):
                follow_back(tr, made)
            if isinstance(validation, tuple) and len(validation) >= 2:
                fitted(
                    tr,
                    owner,
                    validation[0],
                    validation[1],
                    node,
                    Batching(kwargs.get("validation_batch_size", how.size)),
                )
        turned_again(tr, again)
        return tr.unknown("a history", "imprecise")
    if name in ("predict", "predict_on_batch"):
        x = args[0] if args else kwargs.get("x")
        with tr.compiling():
            result = predicted(tr, owner, x, node, batching(name, args, kwargs))
        turned_again(tr, [owner, *callbacks_in(kwargs.get("callbacks"))])
        return tr.unknown("predictions", "imprecise") if result is None else result
    if name == "summary":
        tr.forget((*args, *kwargs.values()))  # it prints each line by the function that it is given
    if name in ("summary", "save", "save_weights", "load_weights", "build", "set_weights"):
        return None
    return tr.unknown(f"model.{name}()", "foreign")
