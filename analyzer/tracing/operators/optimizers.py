"""Parameters of PyTorch's modules, and the groups and states of an optimizer that a program writes itself."""

from __future__ import annotations

import re
from collections.abc import Iterator

from analyzer.tracing.language.evaluation import iterate
from analyzer.tracing.language.tensor_objects import is_parameter_class
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import (
    DefaultDict,
    DictV,
    Instance,
    Iterator_,
    Layer,
    Lazy,
    ListV,
    Native,
    SetV,
    Value,
)
from analyzer.tracing.operators.layer_attributes import WEIGHTED, parameter
from analyzer.tracing.operators.layer_parameters import names_of_recurrent
from analyzer.tracing.operators.torch_modules import is_module, named_modules
from analyzer.tracing.paths.tracer import Tracer

BASES = ("torch.optim.Optimizer", "torch.optim.optimizer.Optimizer")
MOST_PARAMETERS = 24  # that are gone through one by one; then one stands for those behind
MOST_LISTED = 4_096  # that an optimizer is given
_MAY_HAVE = re.compile(
    r"torch\.nn\.\w*([Ll]inear|Conv|Norm|Embedding|RNN|LSTM|GRU|Attention|Transformer|PReLU|Lazy|Adaptive\w*Loss|Parameter)"
)  # the other layers of `torch.nn` itself have no parameters


def named_parameters(tr: Tracer, module: Layer | Instance) -> ListV:
    """(name, tensor) of each parameter in PyTorch's order; open where there may be others."""
    modules = named_modules(module)
    whole, found, seen = not modules.open, [], set()
    for prefix, part in modules.items:
        for name, value in own_parameters(tr, part):
            if value is None:
                continue
            if not isinstance(value, Tensor):
                whole = False
            elif id(value) not in seen:
                seen.add(id(value))
                found.append((f"{prefix}.{name}" if prefix else name, value))
    return ListV(found[:MOST_PARAMETERS], not whole or len(found) > MOST_PARAMETERS)


def own_parameters(tr: Tracer, module: Value) -> Iterator[tuple[str, Value]]:
    """The names and values of a module's own, not of its children's; one without a name may be any."""
    if isinstance(module, Layer):
        short = module.name.rpartition(".")[2]
        if WEIGHTED.match(module.name) and short != "Bilinear":
            names = ("weight",) if short.startswith("Embedding") else ("weight", "bias")
            kept = ((name, parameter(tr, module, name)) for name in names)
            yield from ((name, value) for name, value in kept if not isinstance(value, Tensor) or _registered(value))
            yield from ((k, v) for k, v in module.attrs.items() if _registered(v) and k not in names)
        elif names_of_recurrent(module):
            yield from ((name, parameter(tr, module, name)) for name in names_of_recurrent(module))
        elif _MAY_HAVE.match(module.name) or not module.name.startswith("torch.nn.") or module.name.count(".") > 2:
            yield "", tr.unknown("a parameter")
        return
    if module.open or "__layer__" in module.attrs:
        yield "", tr.unknown("a parameter")
    for name, value in module.attrs.items():
        if _registered(value):
            yield name, value
        elif not isinstance(value, (Tensor, int, float, str, bool, tuple, type(None))) and not is_module(value):
            held = isinstance(value, (ListV, DictV)) or (isinstance(value, Instance) and is_parameter_class(value.cls))
            yield from [("", tr.unknown("a parameter"))] if held else []


def _registered(value: Value) -> bool:
    """Whether it is a parameter: another tensor that is set in the place of one is not."""
    return isinstance(value, Tensor) and "variable" in value.tags


def initialise(tr: Tracer, optimizer: Instance, args: tuple[Value, ...], kwargs: dict[str, Value]) -> None:
    """`Optimizer.__init__(params, defaults)`: groups of parameters with their settings, and an empty state for each."""
    params = args[0] if args else kwargs.get("params")
    defaults = args[1] if len(args) > 1 else kwargs.get("defaults")
    settings = defaults if isinstance(defaults, DictV) else DictV({}, True)
    groups = groups_of(tr, params, settings)
    tr.touch(optimizer)
    optimizer.attrs.update(
        param_groups=groups,
        state=DefaultDict(Native("dict", lambda c: DictV())),
        defaults=settings,
    )
    optimizer.open = True


def groups_of(tr: Tracer, params: Value, settings: DictV) -> ListV:
    """A group for each dictionary of parameters that is given, or one for all of them."""
    items = params.items if isinstance(params, ListV) else list(params) if isinstance(params, tuple) else []
    if not items or not all(isinstance(i, DictV) for i in items):
        return ListV([group_of(tr, DictV({"params": params}), settings)])
    return ListV([group_of(tr, given, settings) for given in items], isinstance(params, ListV) and params.open)


def group_of(tr: Tracer, given: DictV, settings: DictV) -> DictV:
    """One group with the settings that it does not give itself; its parameters stand in a list of its own."""
    made = DictV({**settings.items, **given.items}, settings.open or given.open)
    made.items["params"] = _listed(tr, made.items.get("params"))
    return made


def _listed(tr: Tracer, params: Value) -> Value:
    if isinstance(params, Tensor):
        return ListV([params])
    if not isinstance(params, (ListV, tuple, Iterator_, Lazy)) or isinstance(params, SetV):
        return params
    items, endless = iterate(tr, params, None)
    found = [_parameter(v) for v, _ in zip(items, range(1 if endless else MOST_LISTED), strict=False)]
    return ListV(found, endless)


def _parameter(given: Value) -> Value:
    """A parameter may be given with its name."""
    return given[1] if type(given) is tuple and len(given) == 2 else given
