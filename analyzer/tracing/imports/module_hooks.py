"""`__getattr__` of a module (PEP 562) where it is one that this analysis has a rule for."""

from __future__ import annotations

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.values import Module, Native, Unknown, Value
from analyzer.tracing.paths.tracer import Tracer

HOOK = "__getattr__"


def from_hook(tr: Tracer, module: Module, name: str) -> tuple[Value] | None:
    """What the hook gives for a name that the module does not bind; None where nothing is known of it."""
    if not is_hooked(module) or name.startswith("__"):
        return None
    found = call(tr, module.scope.names[HOOK], (name,), {})
    return None if isinstance(found, Unknown) else (found,)


def is_hooked(module: Module) -> bool:
    """Whether the module hands out names by such a hook, which no import of a submodule hides."""
    hook = module.scope.names.get(HOOK)
    return isinstance(hook, Native) and hook.name == HOOK
