"""`__getattr__` of a module (PEP 562): what it gives for a name that the module does not bind."""

from __future__ import annotations

from analyzer.tracing.imports.lazy_modules import LazyScope
from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.values import Function, Module, Native, Unknown, Value
from analyzer.tracing.paths.problems import PyRaise, ShapeFailure
from analyzer.tracing.paths.tracer import Tracer

HOOK = "__getattr__"


def from_hook(tr: Tracer, module: Module, name: str) -> tuple[Value] | None:
    """What the hook gives for a name that the module does not bind; None where nothing is known of it.

    Where a hook that the program wrote raises, it has no such name, or lacks a package that may be elsewhere:
    `from module import name` looks for a submodule.
    """
    hook = module.scope.names.get(HOOK)
    if name.startswith("__") or not (is_hooked(module) or _is_written(module, hook)):
        return None
    try:
        found = call(tr, hook, (name,), {})
    except ShapeFailure:  # of the module that it imports
        raise
    except PyRaise:
        return None
    return None if isinstance(found, Unknown) else (found,)


def is_hooked(module: Module) -> bool:
    """Whether the module hands out names by a hook with a rule, which no import of a submodule hides."""
    hook = module.scope.names.get(HOOK)
    return isinstance(hook, Native) and hook.name == HOOK


def _is_written(module: Module, hook: Value) -> bool:
    """Whether the module's own text has the hook; of a large library's modules, only some statements are followed."""
    plain = isinstance(hook, Function) and not hook.decorated and not hook.generator
    return plain and not isinstance(module.scope, LazyScope)
