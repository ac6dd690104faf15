"""`__getattr__` of a module (PEP 562): one that this analysis has a rule for, or the module's own."""

from __future__ import annotations

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.values import Function, Module, Native, Unknown, Value
from analyzer.tracing.paths.problems import PyRaise
from analyzer.tracing.paths.tracer import Tracer

HOOK = "__getattr__"


def from_hook(tr: Tracer, module: Module, name: str) -> tuple[Value] | None:
    """What the hook gives for a name that the module does not bind; None where nothing is known of it."""
    hook = module.scope.names.get(HOOK)
    if not (is_hooked(module) or isinstance(hook, Function)) or name.startswith("__"):
        return None
    try:
        found = call(tr, hook, (name,), {})
    except PyRaise:  # it has no such name, or lacks a package that is not here
        return None
    return None if isinstance(found, Unknown) else (found,)


def is_hooked(module: Module) -> bool:
    """Whether the module hands out names by such a hook, which no import of a submodule hides."""
    hook = module.scope.names.get(HOOK)
    return isinstance(hook, Native) and hook.name == HOOK
