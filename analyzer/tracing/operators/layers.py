"""Layer objects of torch.nn and keras.layers, applied through their refinement types."""

from __future__ import annotations

import ast
import functools
from typing import Any

from analyzer.operators import registry
from analyzer.operators.declaration import Trait
from analyzer.tracing.imports.libraries import MARK
from analyzer.tracing.language.evaluation import call, seen
from analyzer.tracing.language.set_calls import set_call
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import (
    CHILDREN,
    Api,
    Bound,
    DictV,
    Function,
    Instance,
    Layer,
    ListV,
    Native,
    Partial,
    Unknown,
    Value,
)
from analyzer.tracing.operators.apply import apply
from analyzer.tracing.operators.element_types import default_float
from analyzer.tracing.operators.empty_pooling import empty_pool_layer
from analyzer.tracing.operators.hyperparameters import FLOATS
from analyzer.tracing.operators.index_values import check_indices
from analyzer.tracing.operators.keras_building import build, check_built
from analyzer.tracing.operators.keras_graphs import count_of_weights, output_shape, remember_call, weights_of
from analyzer.tracing.operators.keras_window_settings import configured
from analyzer.tracing.operators.layer_attributes import register_tensor
from analyzer.tracing.operators.layer_parameters import sizes_by_weight
from analyzer.tracing.operators.module_states import demand_fitting
from analyzer.tracing.operators.module_types import open_types
from analyzer.tracing.operators.operands import tensor_of, unknown_tensor
from analyzer.tracing.operators.spec_facts import operands
from analyzer.tracing.operators.table import Op, bind, rules, run_rule
from analyzer.tracing.operators.torch_modes import change_modes
from analyzer.tracing.operators.torch_modules import (
    add_module,
    call_with_hooks,
    children_of,
    find_submodule,
    find_tensor,
    is_hook,
    loaded_keys,
    named_modules,
    register_hook,
)
from analyzer.tracing.operators.written import is_plain, is_written, mark
from analyzer.tracing.paths.attained import record
from analyzer.tracing.paths.causes import of_layer
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.registry import spec as find_spec


def call_layer(
    tr: Tracer,
    layer: Layer,
    args: tuple[Value, ...],
    kwargs: dict[str, Value],
    node: ast.Call | None = None,
    site: Any = None,
) -> Value:
    """`layer(x)`."""
    if tr.shared.set_on_libraries.items and (replaced := set_call(tr, layer)) is not None:
        return call(tr, replaced, (layer, *args), kwargs, node)
    return forwarded(tr, layer, args, kwargs, node, site)


def forwarded(
    tr: Tracer, layer: Layer, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.Call | None, site: Any = None
) -> Value:
    """The same where the program has not replaced the library's `__call__`."""
    own = _own_forward(tr, layer)
    if own is not None:
        return call(tr, own, args, kwargs, node)
    return _call_original(tr, layer, args, kwargs, node, site)


def _own_forward(tr: Tracer, layer: Layer) -> Value:
    """What the program itself has put in the place of the layer's method: on the object, or on its class."""
    own = layer.attrs.get("forward")
    if isinstance(own, (Function, Bound, Partial, Native, Instance, Unknown)):
        return own
    of_class = tr.shared.set_on_libraries.items.get(f"{layer.name}.forward")
    if isinstance(of_class, tuple) and isinstance(of_class[0], Function):
        return Bound(layer, of_class[0])
    return None


def _call_original(
    tr: Tracer, layer: Layer, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.Call | None, site: Any
) -> Value:
    """As the library's own method does it."""
    told = is_plain(layer.name) and bool(args) and all(map(is_written, (*args, *kwargs.values())))
    result = record(layer.name, args, kwargs, _call_layer(tr, layer, args, kwargs, node, site), layer)
    if tr.sampler is not None:
        result = tr.sampler.layer(layer.name, layer.args, args, result)
    remember_call(tr, layer, args[0] if args else None, result)
    return mark(result) if told else result


def _call_layer(
    tr: Tracer, layer: Layer, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.Call | None, site: Any
) -> Value:
    args = tuple(seen(a) for a in args)
    if not args and kwargs:
        first = next((k for k in ("x", "input", "inputs", "hidden_states") if k in kwargs), None)
        if first is not None:
            args = (kwargs.pop(first),)
    if layer.name in ("torch.nn.Sequential", "keras.Sequential"):
        return _call_sequence(tr, layer, args)
    framework, _, last = (
        ("torch", "", layer.name.rpartition(".")[2])
        if layer.name.startswith("torch.")
        else ("keras", "", layer.name.rpartition(".")[2])
    )
    name = ast.unparse(node.func) if node is not None else last
    op = Op(
        tr,
        layer.name,
        node,
        site or tr.site(node),
        nodes=layer.nodes,
        layer=last if name == last else f"{last} `{name[:60]}`",
        made=of_layer(layer),
    )
    if site is not None:
        op.layer = last
    elif node is None and layer.site is not None and layer.site.path == op.where.path:
        op.layer = f"{last} made on line {layer.site.line}"
    entry = rules().get(f"{layer.name}.__call__")
    if entry is not None:
        tr.shared.known_calls[layer.name] += 1
        bound = bind(entry, (layer, *args), kwargs, None)
        if bound is None:
            return unknown_tensor(op, _framework(framework))
        arguments, _, op.extra = bound
        result = run_rule(op, entry, arguments)
        if framework == "keras" and args:
            check_built(op, layer, args[0])
        return op.finish(result)
    found = find_spec(last, framework)
    if found is None:
        tr.shared.unknown_calls[layer.name] += 1
        return tr.unknown(f"result of {layer.name}", "imprecise")
    tr.shared.known_calls[layer.name] += 1
    fixed, variadic = operands(found)
    inputs: list[Value]
    if variadic and not fixed:
        joined = args[0] if args else ()
        if isinstance(joined, ListV) and joined.open:
            return unknown_tensor(op, _framework(framework))
        inputs = (
            list(joined.items if isinstance(joined, ListV) else joined)
            if isinstance(joined, (ListV, tuple))
            else list(args)
        )
    elif len(fixed) > 1 and args and isinstance(args[0], (ListV, tuple)):
        inputs = list(args[0].items if isinstance(args[0], ListV) else args[0])
    else:
        inputs = list(args[: len(fixed)])
    if not inputs:
        return unknown_tensor(op, _framework(framework))
    hyper = {**layer.args, **sizes_by_weight(layer)}
    if layer.name == "torch.nn.Embedding":
        check_indices(op, inputs[0], hyper.get("num_embeddings"), "a table")
    if framework == "keras":
        for key in (
            "name",
            "input_shape",
            "trainable",
            "dtype",
            "input_dim" if last != "Embedding" else "",
            "batch_input_shape",
        ):
            hyper.pop(key, None)
        for key in ("padding", "data_format"):  # are written in capitals too
            if isinstance(written := hyper.get(key), str):
                hyper[key] = written.lower()
    if framework == "keras" and last.startswith(("AveragePooling", "MaxPooling")):
        empty = empty_pool_layer(op, tensor_of(tr, inputs[0], "tf"), hyper)
        if empty is not None:
            return op.finish(empty)
    result = apply(op, framework, last, inputs, hyper)
    if framework == "keras":
        check_built(op, layer, inputs[0])
        _as_tensorflow(result)
        if isinstance(result, Tensor) and not _keeps_type(tr, layer, last, result.dtype):
            result.dtype = None
    return _with_asked(tr, op.finish(result), kwargs)


def _keeps_type(tr: Tracer, layer: Layer, name: str, dtype: str | None) -> bool:
    """A Keras layer converts floating tensors as its policy says, and whole numbers that it multiplies with weights."""
    if dtype in FLOATS:
        return layer.args.get("dtype") is None and dtype == default_float(tr)
    return name in registry.names("keras", Trait.SELECTS)


def _with_asked(tr: Tracer, result: Value, kwargs: dict[str, Value]) -> Value:
    """What a call has asked for beside the result: the scores of an attention; of anything else nothing is known."""
    asked = [name for name, value in kwargs.items() if name.startswith("return_") and value is not False]
    if not asked:
        return result
    known = asked == ["return_attention_scores"] and kwargs[asked[0]] is True
    return (result, tr.unknown("scores", "imprecise")) if known else tr.unknown(asked[0], "imprecise")


def _framework(name: str) -> str:
    return "tf" if name == "keras" else name


def _as_tensorflow(value: Value) -> None:
    if isinstance(value, Tensor):
        value.framework = "tf"
    elif isinstance(value, tuple):
        for part in value:
            _as_tensorflow(part)


def _call_sequence(tr: Tracer, layer: Layer, args: tuple[Value, ...]) -> Value:
    value: Value = args[0] if args else tr.unknown("an input")
    items = layer.attrs.get(CHILDREN)
    if not isinstance(items, ListV):
        return tr.unknown("result of a sequence")
    for member in list(items.items):
        if isinstance(member, Layer) and member.name not in ("torch.nn.Sequential", "keras.Sequential"):
            made_by = functools.partial(_call_member, tr, member)
            value = call_with_hooks(tr, member, (value,), {}, made_by)
        else:
            value = call(tr, member, (value,), {})
    if items.open:
        return tr.unknown("result of an open sequence")
    return value


def _call_member(tr: Tracer, member: Layer, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
    """A member is called by the sequence, so its own line is where it fails."""
    own = member.site is not None and not (member.site.path.startswith(MARK) and not tr.frame.path.startswith(MARK))
    return call_layer(tr, member, args, kwargs, None, member.site if own else None)


# ---------------------------------------------------------------------------------------------------- methods

CONVERTING = frozenset(("to", "half", "double", "bfloat16", "type"))  # may change the type of the parameters
_SELF = {
    "to", "cuda", "cpu", "train", "eval", "float", "double", "half", "requires_grad_", "apply", "share_memory", "type",
    "bfloat16", "to_empty", "compile",
}  # fmt: skip


def _initial_state(tr: Tracer, layer: Layer, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
    """Zeros for each state of a cell of Keras 3."""
    batch = tr.term_of(args[0] if args else kwargs.get("batch_size"), "batch_size")
    units = tr.term_of(layer.args.get("units"), "units")
    if batch is None or units is None:
        return tr.unknown("states", "imprecise")
    count = 2 if layer.name.endswith("LSTMCell") else 1
    return ListV([Tensor((batch, units), None, "tf", site=tr.site()) for _ in range(count)])


def layer_method(
    tr: Tracer, layer: Layer, name: str, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.Call | None
) -> Value:
    if name in _SELF:
        tr.types_open = tr.types_open or name in CONVERTING
        change_modes(tr, layer, name, args, kwargs)
        open_types(layer, name, args, kwargs)
        return layer
    if name == "__call__":
        return call_layer(tr, layer, args, kwargs, node)
    if name in ("forward", "call"):  # kept before the program put another in its place
        return _call_original(tr, layer, args, kwargs, node, None)
    if is_hook(name) and args:
        return register_hook(tr, layer, name, args, kwargs)
    if name in ("children", "named_children") and layer.name.startswith("torch."):
        found = children_of(layer)
        return ListV(list(found.items.values()) if name == "children" else list(found.items.items()), found.open)
    if name == "get_submodule" and args and isinstance(args[0], str):
        child = find_submodule(layer, args[0])
        return child if child is not None else tr.unknown("a submodule")
    if name in ("add_module", "register_module") and layer.name.startswith("torch."):
        return add_module(tr, layer, args, kwargs)
    if name in ("register_buffer", "register_parameter") and layer.name.startswith("torch."):
        register_tensor(tr, layer, args, kwargs, name == "register_parameter")
        return None
    items = layer.attrs.get(CHILDREN)
    if isinstance(items, (ListV, DictV)):
        of_keys = isinstance(items, DictV) and name in ("clear", "popitem", "setdefault")
        if of_keys or name in ("append", "extend", "insert", "items", "keys", "values", "pop", "update", "get", "add"):
            result = call(tr, Bound(items, "append" if name == "add" else name), args, kwargs, node)
            return layer if name in ("append", "extend", "insert") else result
        if name in ("modules", "named_modules") and layer.name.startswith("torch.") and tr.knows_objects:
            named = named_modules(layer)
            return named if name == "named_modules" else ListV([module for _, module in named.items], named.open)
        if name == "modules" and isinstance(items, ListV):
            return ListV(items.items, True)
    if name == "build" and layer.name.startswith("keras.layers."):
        build(tr, layer, args[0] if args else kwargs.get("input_shape"), node.lineno if node is not None else 0)
        return None
    if name == "get_weights" and (held := weights_of(layer, arrays=True)) is not None:
        return held
    if name in (
        "parameters",
        "named_parameters",
        "state_dict",
        "buffers",
        "named_modules",
        "modules",
        "children",
        "get_weights",
    ):
        return tr.unknown(f"{name}()", "foreign")
    if name == "get_config":
        return DictV(configured(layer), True)
    if layer.name.startswith("keras.layers."):
        if name == "count_params" and (total := count_of_weights(weights_of(layer))) is not None:
            return total
        if name == "compute_output_shape":
            return output_shape(tr, layer, args[0] if args else kwargs.get("input_shape"))
        if name == "get_initial_state" and layer.name.endswith("Cell"):
            return _initial_state(tr, layer, args, kwargs)
        if name in ("set_weights", "adapt", "reset_states", "reset_state", "add_loss", "load_own_variables"):
            return None
    if layer.name.startswith("torch."):
        if name == "generate_square_subsequent_mask":  # of the class, and of its objects
            return call(tr, Api(f"torch.nn.Transformer.{name}"), args, kwargs, node)
        if name == "load_state_dict":
            demand_fitting(tr, layer, args, kwargs, node)
            return loaded_keys()
        if name in ("get_parameter", "get_buffer"):
            return find_tensor(tr, layer, args[0] if args else kwargs.get("target"))
    if name in (
        "load_state_dict",
        "build",
        "reset_parameters",
        "zero_grad",
    ):
        return tr.unknown(f"{name}()", "foreign")
    return tr.unknown(f"{layer.name}.{name}()")
