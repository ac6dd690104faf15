"""Layers and containers of torch.nn and keras.layers, made from their arguments."""

from __future__ import annotations

import ast
import inspect

from analyzer.tracing.language.evaluation import iterate
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import (
    CHILDREN,
    Api,
    DictV,
    Iterator_,
    Layer,
    Lazy,
    ListV,
    Unknown,
    Value,
)
from analyzer.tracing.operators.construction import check_construction
from analyzer.tracing.operators.constructors import positional
from analyzer.tracing.operators.keras_construction import OF_KERAS_1, check_keras_construction
from analyzer.tracing.operators.spec_facts import defaults_of
from analyzer.tracing.operators.table import Op, rules
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.registry import spec as find_spec

_LAYER_HOMES = {"torch.nn.": "torch", "torch.nn.modules.": "torch", "keras.layers.": "keras", "tf.layers.": "keras"}
_CONTAINERS = {
    "torch.nn.Sequential",
    "torch.nn.ModuleList",
    "torch.nn.ModuleDict",
    "torch.nn.ParameterList",
    "torch.nn.ParameterDict",
}


def home_of(name: str) -> tuple[str, str] | None:
    """(framework, class name) of a layer class."""
    prefix, _, last = name.rpartition(".")
    if not last[:1].isupper():
        return None
    for home, framework in _LAYER_HOMES.items():
        if (prefix + ".").startswith(home):
            return framework, last
    return None


def make_layer(
    tr: Tracer, api: Api, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.Call | None = None
) -> Layer | None:
    """A layer object, or None if the name is no layer class."""
    home = home_of(api.name)
    if home is None:
        return None
    framework, last = home
    if framework == "keras" and not OF_KERAS_1.isdisjoint(kwargs):
        return None
    site = tr.site(node)
    name = f"torch.nn.{last}" if framework == "torch" else f"keras.layers.{last}"
    if name in _CONTAINERS:
        return _container(tr, name, (*args, *kwargs.values()), node)
    found = find_spec(last, framework)
    entry = rules().get(f"{name}.__call__")
    made = rules().get(f"{name}.__init__")
    names: list[str] = []
    if made is not None:
        names = [p.name for p in made.parameters]
    elif found is not None:
        names = list(positional(framework, last) or defaults_of(found))
    elif entry is None and framework == "keras" and last in ("Layer", "Wrapper"):
        return None
    arguments: dict[str, Value] = {}
    nodes: dict[str, ast.expr] = {}
    sources = list(node.args) if node is not None and not any(isinstance(a, ast.Starred) for a in node.args) else []
    for index, (parameter, value) in enumerate(zip(names, args, strict=False)):
        arguments[parameter] = value
        if index < len(sources):
            nodes[parameter] = sources[index]
    if len(args) > len(names):
        arguments["*"] = args[len(names) :]
    arguments.update(kwargs)
    if framework == "keras" and arguments.get("data_format") is None and "image_data_format" in tr.machine:
        arguments["data_format"] = tr.machine["image_data_format"]
    if node is not None:
        nodes.update({k.arg: k.value for k in node.keywords if k.arg})
    for key, value in list(arguments.items()):
        if isinstance(value, Unknown):
            if value.value is not None:
                arguments[key] = value.value[0]
            elif not value.label:
                value.label = key
    layer = Layer(name, arguments, site, nodes)
    if framework == "keras" and (last == "Masking" or arguments.get("mask_zero", False) is not False):
        tr.masking = True
    if framework == "torch":
        check_construction(Op(tr, name, node, site, nodes=nodes, layer=last), arguments)
    elif framework == "keras":
        check_keras_construction(Op(tr, name, node, site, nodes=nodes, layer=last), arguments)
    layer.attrs["name"] = kwargs.get("name", tr.unknown("a layer's name", pytype="str"))
    if found is not None:
        for parameter, default in defaults_of(found).items():
            if parameter not in arguments and default is not inspect.Parameter.empty:
                layer.attrs.setdefault(parameter, default)
    return layer


def knows_arguments(layer: Layer) -> bool:
    """Whether every hyperparameter without a default was given."""
    home = home_of(layer.name)
    found = find_spec(home[1], home[0]) if home is not None else None
    if found is None or CHILDREN in layer.attrs:
        return True
    return all(name in layer.args or d is not inspect.Parameter.empty for name, d in defaults_of(found).items())


def _container(tr: Tracer, name: str, args: tuple[Value, ...], node: ast.Call | None) -> Layer:
    layer = Layer(name, {}, tr.site(node))
    if name.endswith("Dict"):
        layer.attrs[CHILDREN] = _by_name(tr, args[0]) if args and args[0] is not None else DictV()
        return layer
    if name == "torch.nn.Sequential":
        if len(args) == 1 and isinstance(args[0], DictV):
            layer.attrs[CHILDREN] = ListV(args[0].items.values(), args[0].open)
            for key, value in args[0].items.items():
                layer.attrs[str(key)] = value
        else:
            layer.attrs[CHILDREN] = ListV(args)
        return layer
    if args:
        items, endless = iterate(tr, args[0], node)
        kept = [v for v, _ in zip(items, range(2 if endless else 4096), strict=False)]
        kept = [_as_parameter(v) for v in kept] if name == "torch.nn.ParameterList" else kept
        layer.attrs[CHILDREN] = ListV(kept, endless)
    else:
        layer.attrs[CHILDREN] = ListV()
    return layer


def _by_name(tr: Tracer, given: Value) -> DictV:
    """A copy of a dictionary of modules, of another `ModuleDict`, or of pairs."""
    given = given.attrs.get(CHILDREN, given) if isinstance(given, Layer) else given
    if isinstance(given, DictV):
        return DictV(given.items, given.open)
    if not isinstance(given, (ListV, tuple, Iterator_, Lazy)):
        return DictV({}, True)
    pairs, endless = iterate(tr, given, None)
    found, whole = DictV(), not endless and not (isinstance(given, ListV) and given.open)
    for pair in [] if endless else pairs:
        items = tuple(pair.items) if isinstance(pair, ListV) and not pair.open else pair
        if isinstance(items, tuple) and len(items) == 2 and isinstance(items[0], str):
            found.items[items[0]] = items[1]
        else:
            whole = False
    found.open = not whole
    return found


def _as_parameter(value: Value) -> Value:
    """What a list of parameters makes of a tensor."""
    if not isinstance(value, Tensor) or "variable" in value.tags:
        return value
    return Tensor(value.shape, value.dtype, "torch", site=value.site, name=value.name, tags=value.tags | {"variable"})


def open_sequence(tr: Tracer, api: Api, node: ast.Call | None) -> Layer | None:
    """`nn.Sequential(*layers)` of a list that is not known."""
    if api.name != "torch.nn.Sequential":
        return None
    layer = Layer(api.name, {}, tr.site(node))
    layer.attrs[CHILDREN] = ListV((), True)
    return layer


# ------------------------------------------------------------------------------------------------ application
