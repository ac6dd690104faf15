"""Whether a torch module is in training or in evaluation mode, as `Module.train` and `Module.eval` set it."""

from __future__ import annotations

import ast
import functools

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.values import Bound, Function, Instance, Layer, Native, Partial, Unknown, Value
from analyzer.tracing.operators.torch_modules import named_children, named_modules
from analyzer.tracing.operators.trainable import choose_trained
from analyzer.tracing.paths.tracer import Tracer

MOST_APPLIED = 64  # modules of one network that a function is applied to one by one
_FOLLOWED = (Function, Bound, Instance, Native, Partial)
_ASKING = frozenset(("isinstance", "hasattr", "getattr", "len", "type", "find", "sqrt", "size", "startswith", "print"))
_MODE = frozenset(("train", "eval", "training"))


def mode_of(tr: Tracer, instance: Instance) -> Value:
    """`module.training` where no `train` or `eval` was seen: `Module.__init__` sets it to True.

    Where others may call them, who imports a definition or a function that is not known, both are possible.
    """
    chosen = tr.in_definition or tr.made_up or not all(_plain(base) for base in instance.cls.library_bases)
    origin = "flag" if chosen else tr.modes_origin or ("imprecise" if instance.open else "")
    if not origin:
        return True
    tr.touch(instance)
    value = Unknown("training or evaluation", origin, "training", "bool")
    value.default = True
    instance.attrs["training"] = value
    return value


def _plain(base: str) -> bool:
    """Whether none but the program calls `train` and `eval` of objects with this base; a trainer may."""
    return base.startswith("torch.") or "." not in base


def surely_trains(tr: Tracer, layer: Layer) -> bool:
    """Whether a layer of layers that is called here is in training mode, in which it was made.

    Where `eval` of what holds it was called, `modes_origin` tells so: the layers inside it are no children.
    """
    return not (tr.in_definition or tr.made_up or tr.modes_origin) and layer.attrs.get("training", True) is True


def set_mode(tr: Tracer, owner: Layer | Instance, mode: Value) -> None:
    """`module.train(mode)` of the library: of the module itself, and `train(mode)` of each of its children."""
    if named_modules(owner).open:
        tr.modes_origin = tr.modes_origin or "imprecise"  # there may be others below it
    _set_below(tr, owner, mode, frozenset())


def _set_below(tr: Tracer, module: Layer | Instance, mode: Value, above: frozenset[int]) -> None:
    if isinstance(module, Instance):
        tr.touch(module)
        module.attrs["training"] = mode
    for _, child in list(named_children(module)):
        own = child.cls.find("train") if isinstance(child, Instance) else None
        if id(child) in above:
            tr.modes_origin = tr.modes_origin or "imprecise"
        elif own is not None and isinstance(own[0], Function):
            call(tr, Bound(child, own[0], own[1]), (mode,), {})
        elif isinstance(child, (Layer, Instance)):  # what is no module of the program's has no mode that is known
            _set_below(tr, child, mode, above | {id(module)})


def evaluate_mode(tr: Tracer, owner: Layer | Instance) -> None:
    """`module.eval()`, which is `module.train(False)`."""
    own = owner.cls.find("train") if isinstance(owner, Instance) else None
    if own is not None and isinstance(own[0], Function):
        call(tr, Bound(owner, own[0], own[1]), (False,), {})
    else:
        set_mode(tr, owner, False)


def change_modes(
    tr: Tracer, owner: Layer | Instance, name: str, args: tuple[Value, ...], kwargs: dict[str, Value]
) -> None:
    """What a method of the library's that gives the module itself does to modes: `train`, `eval` and `apply`."""
    if name == "requires_grad_":
        choose_trained(tr, args[0] if args else kwargs.get("requires_grad", True))
    elif name == "train":
        set_mode(tr, owner, args[0] if args else kwargs.get("mode", True))
    elif name == "eval":
        evaluate_mode(tr, owner)
    elif name == "apply":
        _apply(tr, owner, args[0] if args else kwargs.get("fn"))


def _apply(tr: Tracer, owner: Layer | Instance, given: Value) -> None:
    """`module.apply(function)`: with each module below it, then itself; what only fills weights changes nothing."""
    function = given.function if isinstance(given, Bound) else given
    if isinstance(function, Function) and _fills_weights(function.node):
        return
    every = named_modules(owner)
    if isinstance(given, _FOLLOWED) and len(every.items) <= MOST_APPLIED:
        _apply_below(tr, owner, given)
        if not every.open:
            return
    tr.forget([module for _, module in every.items])
    if not isinstance(function, Function) or _asks_for_modes(function.node):
        tr.modes_origin = tr.modes_origin or "imprecise"


def _apply_below(tr: Tracer, module: Layer | Instance, function: Value) -> None:
    children = {id(child): child for _, child in named_children(module)}
    for child in children.values():
        if isinstance(child, (Layer, Instance)):
            _apply_below(tr, child, function)
    call(tr, function, (module,), {})


@functools.lru_cache(maxsize=1024)
def _fills_weights(node: ast.AST) -> bool:
    """Whether a function calls nothing but what fills tensors and asks for types, and sets no attribute but `data`."""
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store) and part.attr != "data":
            return False
        if isinstance(part, (ast.Global, ast.Nonlocal)):
            return False
        if isinstance(part, ast.Call):
            short = part.func.attr if isinstance(part.func, ast.Attribute) else getattr(part.func, "id", "")
            if not ((short.endswith("_") and not short.endswith("__")) or short in _ASKING):
                return False
    return True


@functools.lru_cache(maxsize=1024)
def _asks_for_modes(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Attribute) and part.attr in _MODE for part in ast.walk(node))
