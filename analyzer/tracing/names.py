"""Looking names up: local, enclosing, global, builtin."""

from __future__ import annotations

import ast
import builtins as python_builtins

from analyzer.tracing.builtins import BUILTINS
from analyzer.tracing.tracer import Tracer
from analyzer.tracing.values import Scope, Value


def lookup(tr: Tracer, name: str, node: ast.AST | None = None) -> Value:
    """The value of a name. A name that is bound nowhere is unknown here; `python_bugs` reports it."""
    scope: Scope | None = tr.frames[-1].scope
    home = scope.nonlocals.get(name) if scope is not None else None
    if home is not None and name in home.names:
        return home.names[name]
    globals_ = tr.frames[-1].scope.globals
    while scope is not None:
        if name in scope.names:
            return scope.names[name]
        scope = scope.parent
    if name in globals_.names:
        return globals_.names[name]

    if name in BUILTINS:
        return BUILTINS[name]
    reason = "a builtin" if hasattr(python_builtins, name) else "a name that is not bound on this path"
    return tr.unknown(reason, label=name)
