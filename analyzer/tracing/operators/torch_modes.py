"""Whether a torch module is in training or in evaluation mode, as `Module.train` and `Module.eval` set it."""

from __future__ import annotations

import ast
import functools

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.values import Bound, Function, Instance, Layer, Unknown, Value
from analyzer.tracing.operators.torch_modules import named_children, named_modules
from analyzer.tracing.paths.tracer import Tracer

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
    if name == "train":
        set_mode(tr, owner, args[0] if args else kwargs.get("mode", True))
    elif name == "eval":
        evaluate_mode(tr, owner)
    elif name == "apply":
        function = args[0] if args else kwargs.get("fn")
        function = function.function if isinstance(function, Bound) else function
        if not isinstance(function, Function) or _asks_for_modes(function.node):
            tr.modes_origin = tr.modes_origin or "imprecise"


@functools.lru_cache(maxsize=1024)
def _asks_for_modes(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Attribute) and part.attr in _MODE for part in ast.walk(node))
