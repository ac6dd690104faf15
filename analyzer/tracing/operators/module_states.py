"""PyTorch's modules: their buffers, and the tensors that `state_dict` gives and `load_state_dict` takes, by name."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from analyzer.tracing.language.memory import write
from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import DictV, Function, Instance, Layer, ListV, Value
from analyzer.tracing.operators.layer_attributes import parameter
from analyzer.tracing.operators.optimizers import own_parameters
from analyzer.tracing.operators.refusals import fail
from analyzer.tracing.operators.table import Op
from analyzer.tracing.operators.torch_modules import BUFFERS, MOST_MODULES, named_children, named_modules
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.terms import equal

_COUNTED = "num_batches_tracked"


def own_buffers(tr: Tracer, module: Value) -> Iterator[tuple[str, Value, bool]]:
    """The names and values of a module's own buffers, and whether a state holds them; one without a name may be any."""
    if isinstance(module, Layer) and module.name.startswith(("torch.nn.BatchNorm", "torch.nn.InstanceNorm")):
        tracked = module.args.get("track_running_stats", module.name.startswith("torch.nn.BatchNorm"))
        if not isinstance(tracked, bool):
            yield "", None, True
        elif tracked:
            yield "running_mean", parameter(tr, module, "running_mean"), True
            yield "running_var", parameter(tr, module, "running_var"), True
            yield _COUNTED, Tensor((), "int64", "torch", site=module.site), True
    if isinstance(module, (Layer, Instance)):
        for name, persistent in module.attrs.get(BUFFERS, ()):
            if name in module.attrs:
                yield name, module.attrs[name], persistent
    if isinstance(module, Instance) and (module.open or "__layer__" in module.attrs):
        yield "", None, True


def named_buffers(tr: Tracer, module: Layer | Instance) -> ListV:
    """(name, tensor) of each buffer in PyTorch's order; open where there may be others."""
    modules, found, whole = named_modules(module), [], True
    for prefix, part in modules.items:
        for name, value, _ in own_buffers(tr, part):
            whole = whole and name != ""
            if isinstance(value, Tensor):
                found.append((f"{prefix}.{name}" if prefix else name, value))
            elif value is not None:
                whole = False
    return ListV(found, modules.open or not whole or bool(tr.modes_origin))


def state_of(tr: Tracer, module: Layer | Instance) -> DictV:
    """What `state_dict` gives; open where there may be others."""
    modules, found = named_modules(module), DictV()
    whole = not modules.open and not tr.modes_origin and _each_once(modules)
    for prefix, part in modules.items:
        buffers = list(own_buffers(tr, part))
        kept = [(name, value) for name, value, persistent in buffers if persistent is True]
        whole = whole and all(isinstance(persistent, bool) for *_, persistent in buffers)
        for name, value in (*own_parameters(tr, part), *kept):
            if name == "":
                whole = False
            elif isinstance(value, Tensor):
                found.items[f"{prefix}.{name}" if prefix else name] = value
            elif value is not None:
                whole = False
        whole = whole and not _writes_itself(part, prefix != "")
    found.open = not whole
    return found


def _each_once(modules: ListV) -> bool:
    """Whether no module stands in two places: the state holds it by both names."""
    children = sum(len(list(named_children(m))) for _, m in modules.items if isinstance(m, (Layer, Instance)))
    return children == len(modules.items) - 1 and len(modules.items) < MOST_MODULES


def _writes_itself(module: Value, inside: bool) -> bool:
    """Whether a class of the program adds to its state, or changes it; `inside`: as a part of another module."""
    names = ("get_extra_state", "_save_to_state_dict", *(("state_dict",) if inside else ()))
    return isinstance(module, Instance) and any(module.cls.find(name) for name in names)


def _loads_itself(module: Value) -> bool:
    """Whether a class of the program changes what it is given before it takes it."""
    return isinstance(module, Instance) and module.cls.find("_load_from_state_dict") is not None


def demand_fitting(
    tr: Tracer, module: Layer | Instance, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.Call | None
) -> None:
    """`load_state_dict`: a tensor under the name of one of the module's has its shape."""
    given = args[0] if args else kwargs.get("state_dict")
    if not isinstance(given, DictV) or not given.items or not tr.knows_objects:
        return
    state = state_of(tr, module)
    if state.open or any(_loads_itself(part) for _, part in named_modules(module).items):
        return  # a hook that is registered may change what is given
    own = state.items
    for name, value in given.items.items():
        mine = own.get(name)
        if not isinstance(value, Tensor) or not isinstance(mine, Tensor) or value.dims is None or mine.dims is None:
            continue
        if not mine.dims and len(value.dims) == 1:
            continue  # a number that an older version kept as a vector
        same = len(value.dims) == len(mine.dims)
        if not same or any(equal(a, b) is False for a, b in zip(value.dims, mine.dims, strict=True)):
            told = f"`{name}` has the shape {show_shape(value.dims)} and the module's {show_shape(mine.dims)}"
            fail(Op(tr, "load_state_dict", node, tr.site(node)), "state", told, (value, mine))


def take_state(tr: Tracer, module: Layer | Instance) -> None:
    """Numbers of buffers, and what a class's own loading sets on objects, are not known after `load_state_dict`."""
    for _, part in named_modules(module).items:
        for _, value, _ in own_buffers(tr, part):
            if isinstance(value, Tensor):
                write(tr, value, followed=False)
        if isinstance(part, Instance):
            for name in _set_by_loading(part):
                tr.touch(part)
                part.attrs[name] = tr.unknown(f"attribute {name} of a state", "imprecise", name)


def _set_by_loading(part: Instance) -> Iterator[str]:
    for method in ("set_extra_state", "_load_from_state_dict"):
        found = part.cls.find(method)
        if found is None or not isinstance(found[0], Function) or not found[0].node.args.args:
            continue
        own = found[0].node.args.args[0].arg
        for node in ast.walk(found[0].node):
            if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Store):
                continue
            if isinstance(node.value, ast.Name) and node.value.id == own:
                yield node.attr
