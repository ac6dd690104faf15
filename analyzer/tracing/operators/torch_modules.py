"""What every torch module does beside its forward: registered children, and hooks on its call."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from analyzer.tracing.language.evaluation import call, get_attribute
from analyzer.tracing.language.known_types import PARALLEL
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import CHILDREN, DictV, Fields, Instance, Layer, ListV, Object, Unknown, Value
from analyzer.tracing.operators.own_gradients import hook_back
from analyzer.tracing.paths.tracer import Tracer

_HOOKS = {
    "register_forward_hook": "after",
    "register_forward_pre_hook": "before",
    "register_full_backward_hook": "back",
    "register_full_backward_pre_hook": "first back",
}
MOST_MODULES = 400  # of one network that are gone through one by one
BUFFERS = "__buffers__"  # the attribute that holds (name, persistent) of each registered buffer
_HIDDEN = ("__layer__", "__hooks__", BUFFERS, PARALLEL, CHILDREN)


class Children(DictV):
    """`module._modules`: what is written into it is registered with the module."""

    __slots__ = ("module",)

    def __init__(self, module: Layer | Instance, items: dict[str, Value], open: bool) -> None:
        super().__init__(items, open)
        self.module = module


def is_module(value: Value) -> bool:
    return isinstance(value, Layer) or (
        isinstance(value, Instance) and any(base.startswith("torch.nn.") for base in value.cls.library_bases)
    )


def is_sequence(value: Value) -> bool:
    """Whether it calls its children in order: `nn.Sequential`, or a class that inherits from it."""
    name = value.name if isinstance(value, Layer) else ""
    bases = value.cls.library_bases if isinstance(value, Instance) else ()
    return (name == "torch.nn.Sequential" or "torch.nn.Sequential" in bases) and isinstance(
        value.attrs.get(CHILDREN), ListV
    )


def named_children(value: Layer | Instance) -> Iterator[tuple[str, Value]]:
    """The registered children in order; those of a sequence by their names, else by their places."""
    items = value.attrs.get(CHILDREN)
    names = {id(v): k for k, v in value.attrs.items() if k not in _HIDDEN and is_module(v)}
    if isinstance(items, ListV):
        for index, child in enumerate(items.items):
            yield names.get(id(child), str(index)), child
        if is_sequence(value):
            return
    elif isinstance(items, DictV):
        yield from ((str(k), v) for k, v in items.items.items())
    listed = {id(c) for c in items.items} if isinstance(items, ListV) else set()
    for name, child in value.attrs.items():
        if name not in _HIDDEN and is_module(child) and id(child) not in listed:
            yield name, child


def named_modules(value: Layer | Instance) -> ListV:
    """The module and all below it, each once, by dotted names; open where there may be others."""
    found: list[tuple[str, Value]] = []
    seen: set[int] = set()
    whole = True
    pending: list[tuple[str, Value]] = [("", value)]
    while pending:
        name, module = pending.pop()
        if not is_module(module) or len(found) > MOST_MODULES:
            whole = False
        elif id(module) not in seen:
            seen.add(id(module))
            found.append((name, module))
            children = list(named_children(module))
            whole = whole and not children_of(module).open and not _has_hidden(module)
            told = {k: v for k, v in module.attrs.items() if k != "name" or isinstance(module, Instance)}
            whole = whole and not any(isinstance(v, Unknown) for v in told.values())
            pending += [(f"{name}.{child}" if name else child, v) for child, v in reversed(children)]
    return ListV(found, not whole)


def _has_hidden(module: Value) -> bool:
    """Whether it is a library's layer that is made of layers."""
    name = module.name if isinstance(module, Layer) else ""
    return bool(name) and (not name.startswith("torch.nn.") or "Transformer" in name or "Attention" in name)


def children_of(value: Layer | Instance) -> Children:
    items = value.attrs.get(CHILDREN)
    open_ = (isinstance(value, Instance) and value.open) or (isinstance(items, (ListV, DictV)) and items.open)
    return Children(value, dict(named_children(value)), open_)


def children_by_name(value: Layer | Instance) -> DictV | None:
    """What `nn.ModuleDict`, or a class that inherits from it, holds; None for any other module."""
    layer, items = value if isinstance(value, Layer) else value.attrs.get("__layer__"), value.attrs.get(CHILDREN)
    by_name = isinstance(layer, Layer) and layer.name in ("torch.nn.ModuleDict", "torch.nn.ParameterDict")
    return items if by_name and isinstance(items, DictV) else None


def register(tr: Tracer, owner: Layer | Instance, name: str, old: Value, new: Value) -> None:
    """`owner.name = new` where `owner` keeps its children by name or in order: it replaces one, or follows the last."""
    named = children_by_name(owner)
    if named is not None and name in named.items and not is_module(new):
        tr.touch(named)
        named.items[name] = new
    elif is_module(new):
        _register(tr, owner, name, old, new, is_sequence(owner))
    elif isinstance(new, Unknown) and is_sequence(owner) and isinstance(items := owner.attrs.get(CHILDREN), ListV):
        place = _place_of(owner, items, name, old)
        if place is not None:
            tr.touch(items)
            items.items[place] = new


def _register(tr: Tracer, owner: Layer | Instance, name: str, old: Value, new: Value, in_order: bool) -> None:
    if not is_module(old):  # what was no module stood elsewhere: this one comes last
        owner.attrs[name] = owner.attrs.pop(name)
    named, items = children_by_name(owner), owner.attrs.get(CHILDREN)
    if named is not None:
        tr.touch(named)
        named.items[name] = new
    if not isinstance(items, ListV) or not in_order:
        return
    place = _place_of(owner, items, name, old)
    tr.touch(items)
    if place is None:
        items.items.append(new)
    else:
        items.items[place] = new


def _place_of(owner: Layer | Instance, items: ListV, name: str, old: Value) -> int | None:
    """Where the child of this name stands, which was `old`; one module may stand under several names."""
    places = [i for i, child in enumerate(items.items) if old is not None and child is old]
    names = [k for k, v in owner.attrs.items() if k == name or (v is old and k not in _HIDDEN)]
    if places:
        return places[names.index(name)] if len(names) == len(places) else places[0]
    return int(name) if name.isdigit() and int(name) < len(items.items) else None


def add_module(tr: Tracer, owner: Layer | Instance, args: tuple[Value, ...], kwargs: dict[str, Value]) -> None:
    """``Module.add_module(name, module)``: a child of the same name is replaced where it stands."""
    given = dict(zip(("name", "module"), args, strict=False)) | kwargs
    name, child = given.get("name"), given.get("module")
    items = owner.attrs.get(CHILDREN)
    tr.touch(owner)
    if isinstance(name, str):
        old = owner.attrs.get(name)
        owner.attrs[name] = child
        _register(tr, owner, name, old, child, in_order=True)
    elif isinstance(items, (ListV, DictV)):
        tr.touch(items)
        items.open = True
    if isinstance(owner, Instance) and not isinstance(name, str):
        owner.open = True


def find_submodule(owner: Value, path: str) -> Value:
    """The child at a dotted path, or None."""
    for name in path.split("."):
        if not isinstance(owner, (Layer, Instance)):
            return None
        owner = dict(named_children(owner)).get(name)
    return owner


def find_tensor(tr: Tracer, owner: Layer | Instance, path: Value) -> Value:
    """``get_parameter`` and ``get_buffer``: the tensor at a dotted path, or something unknown."""
    if not isinstance(path, str):
        return tr.unknown("a parameter")
    home, _, name = path.rpartition(".")
    module = find_submodule(owner, home) if home else owner
    held = isinstance(module, Layer) or (isinstance(module, Instance) and name in module.attrs)
    found = get_attribute(tr, module, name) if held else None
    return found if isinstance(found, Tensor) else tr.unknown("a parameter")


def loaded_keys() -> Fields:
    """What ``load_state_dict`` gives: names that no one knows here."""
    return Fields((ListV((), True), ListV((), True)), ("missing_keys", "unexpected_keys"))


# ------------------------------------------------------------------------------------------------------- hooks


def register_hook(
    tr: Tracer, owner: Layer | Instance, method: str, args: tuple[Value, ...], kwargs: dict[str, Value]
) -> Value:
    """``register_forward_hook(hook, *, prepend=False, with_kwargs=False, always_call=False)``, or of the way back."""
    named, first = kwargs.get("with_kwargs", False) is True, kwargs.get("prepend", False) is True
    hooks = owner.attrs.get("__hooks__")
    if not isinstance(hooks, ListV):
        hooks = ListV()
        tr.touch(owner)
        owner.attrs["__hooks__"] = hooks
    entry = (_HOOKS[method], args[0], named)
    tr.touch(hooks)
    if entry[0] not in ("before", "after"):  # when it runs nobody knows as well as for the way there
        tr.give((args[0],), names=False)
    hooks.items.insert(0 if first else len(hooks.items), entry)
    return Object("hook", data={"hooks": hooks, "entry": entry})


def remove_hook(tr: Tracer, handle: Object) -> None:
    hooks = handle.data["hooks"]
    tr.touch(hooks)
    hooks.items = [entry for entry in hooks.items if entry is not handle.data["entry"]]


def is_hook(name: str) -> bool:
    return name in _HOOKS


def hooks_of(owner: Layer | Instance, kind: str) -> list[tuple[Value, bool]]:
    """What runs ``before`` or ``after`` its forward, and whether it is given the arguments with names too."""
    hooks = owner.attrs.get("__hooks__")
    return [(hook, named) for when, hook, named in hooks.items if when == kind] if isinstance(hooks, ListV) else []


def call_with_hooks(
    tr: Tracer,
    owner: Layer | Instance,
    args: tuple[Value, ...],
    kwargs: dict[str, Value],
    run: Callable[[tuple[Value, ...], dict[str, Value]], Value],
) -> Value:
    """A call of a module between its hooks, which may change its arguments and its result."""
    for hook, named in hooks_of(owner, "before"):
        given = (DictV(dict(kwargs)),) if named else ()
        changed = call(tr, hook, (owner, args, *given), {})
        if named and changed is not None:
            args, kwargs = _changed(tr, changed, args)
        elif changed is not None:
            args = changed if isinstance(changed, tuple) else (changed,)
    result = run(args, kwargs)
    for hook, named in hooks_of(owner, "after"):
        given = (DictV(dict(kwargs)),) if named else ()
        changed = call(tr, hook, (owner, args, *given, result), {})
        result = result if changed is None else changed
    for kind in ("first back", "back"):
        for hook, _ in hooks_of(owner, kind):
            hook_back(tr, hook, owner, len(args), result, kind == "first back")
    return result


def _changed(tr: Tracer, changed: Value, args: tuple[Value, ...]) -> tuple[tuple[Value, ...], dict[str, Value]]:
    """The arguments that a hook gives, ``(args, kwargs)``; unknown ones where they are not whole."""
    if isinstance(changed, tuple) and len(changed) == 2:
        places, names = changed
        if isinstance(places, tuple) and isinstance(names, DictV) and not names.open:
            return places, dict(names.items)
    return tuple(tr.unknown("an argument that a hook gives") for _ in args), {}
