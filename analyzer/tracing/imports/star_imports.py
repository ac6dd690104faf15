"""`from module import *`: which names it takes over, and what a name that it may take over stands for."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator

from analyzer.tracing.imports.lazy_modules import LazyScope, provide
from analyzer.tracing.language.values import Api, ListV, Module, Value
from analyzer.tracing.paths.tracer import Tracer


def taken_over(tr: Tracer, module: Module, submodule: Callable[[str], Value]) -> Iterator[tuple[str, Value]]:
    """The names that `__all__` tells, or else those without an underscore, and what they stand for.

    `submodule` imports a module of a package by its name. A name that `__all__` does not tell is given too where the
    importing module has nothing of that name: a program that uses it would fail.
    """
    scope, told, whole = module.scope, *_told(tr, module)
    for name in tuple(scope.binding if isinstance(scope, LazyScope) else scope.names):
        bound = name in tr.frame.scope.names or hasattr(builtins, name)
        if told is None:
            given = not name.startswith("_")
        else:
            given = name in told or not (name.startswith("_") or (whole and bound))
        if not given or not provide(tr, scope, name):
            continue
        if told is not None and name not in told and bound:
            if not _same(tr.frame.scope.names.get(name), scope.names[name]):
                yield name, tr.unknown("a name that a module may hand over", label=name)
        else:
            yield name, scope.names[name]
    for name in sorted(told or ()):
        if not provide(tr, scope, name) and (found := submodule(name)) is not None:
            yield name, found


def _same(one: Value, other: Value) -> bool:
    return one is other or (isinstance(one, Api) and one == other)


def _told(tr: Tracer, module: Module) -> tuple[frozenset[str] | None, bool]:
    """The names in `__all__`, None without one, and whether there are no others."""
    scope = module.scope
    doubtful = scope.doubtful if isinstance(scope, LazyScope) else ()
    if not provide(tr, scope, "__all__"):
        return None, True
    value = scope.names["__all__"]
    items = value.items if isinstance(value, ListV) else value if isinstance(value, tuple) else ()
    names = frozenset(name for name in items if isinstance(name, str))
    whole = isinstance(value, tuple) or (isinstance(value, ListV) and not value.open)
    return names, whole and all(isinstance(name, str) for name in items) and "__all__" not in doubtful
