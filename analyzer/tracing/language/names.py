"""Looking names up: local, enclosing, global, builtin."""

from __future__ import annotations

import ast
import builtins as python_builtins
import functools

from analyzer.tracing.imports.lazy_modules import LazyScope, provide
from analyzer.tracing.imports.libraries import MARK
from analyzer.tracing.imports.modules import library_name
from analyzer.tracing.language.builtins import BUILTINS
from analyzer.tracing.language.known_types import function_of
from analyzer.tracing.language.values import Scope, Value
from analyzer.tracing.paths.problems import PyRaise
from analyzer.tracing.paths.tracer import Tracer

_CONSTANTS = {"__debug__": True, "Ellipsis": ...}  # the first unless Python runs with -O


def lookup(tr: Tracer, name: str) -> Value:
    """The value of a name. A name that is bound nowhere is unknown here; `python_bugs` reports it."""
    scope: Scope | None = tr.frames[-1].scope
    home = scope.nonlocals.get(name) if scope is not None else None
    if home is not None and name in home.names:
        return home.names[name]
    globals_ = tr.frames[-1].scope.globals
    while scope is not None:
        if (name in scope.names or isinstance(scope, LazyScope)) and provide(tr, scope, name):
            return scope.names[name]
        scope = scope.parent
    if name in globals_.names or _from_library(tr, globals_, name):
        return globals_.names[name]

    if name in BUILTINS:
        return BUILTINS[name]
    if name in _CONSTANTS:
        return _CONSTANTS[name]
    if hasattr(python_builtins, name):
        return function_of(f"builtins.{name}", "a builtin", "imprecise", name)
    if tr.guards and name not in globals_.nonlocals and not _stars(tr, tr.frame.path):
        raise PyRaise("NameError", name)  # `try: unicode` and its like
    if _is_unbound(tr, name):
        raise PyRaise("UnboundLocalError", f"`{name}` is not bound on this way through {tr.frame.name}")
    return tr.unknown("a name that is not bound on this path", label=name)


def _is_unbound(tr: Tracer, name: str) -> bool:
    """Whether the function binds the name elsewhere than on the way that a run has taken, which chose nothing."""
    frame = tr.frame
    node = frame.function.node if frame.function is not None else None
    if tr.doubts or tr.path.decisions or tr.in_definition or node is None or isinstance(node, ast.Lambda):
        return False
    if frame.cut or frame.endless or frame.forever or frame.vague or frame.further or frame.path.startswith(MARK):
        return False
    return frame.scope.parent is not None and name not in frame.scope.nonlocals and name in _bound_in(node)


@functools.lru_cache(maxsize=1024)
def _bound_in(node: ast.FunctionDef | ast.AsyncFunctionDef) -> frozenset[str]:
    """Names that the statements of a function bind by assignment alone."""
    found: set[str] = set()
    others: set[str] = set()
    pending: list[ast.AST] = list(node.body)
    while pending:
        part = pending.pop()
        if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            others.add(part.name)
            continue
        if isinstance(part, (ast.Global, ast.Nonlocal)):
            others.update(part.names)
        elif isinstance(part, ast.Delete):
            others.update(n.id for n in ast.walk(part) if isinstance(n, ast.Name))
        elif isinstance(part, (ast.Import, ast.ImportFrom)):
            others.update((alias.asname or alias.name).partition(".")[0] for alias in part.names)
        elif isinstance(part, ast.ExceptHandler) and part.name:
            others.add(part.name)
        elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            found.add(part.id)
        if not isinstance(part, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            pending.extend(ast.iter_child_nodes(part))
    return frozenset(found - others)


def _from_library(tr: Tracer, scope: Scope, name: str) -> bool:
    """Whether a module of a library takes the name over with all those of another."""
    if not isinstance(scope, LazyScope) or not scope.stars or scope.module is None:
        return False
    return library_name(tr, scope.module, name)


def _stars(tr: Tracer, path: str) -> bool:
    """Whether the file takes names over that it does not name."""
    tree = tr.shared.sources.get(path)
    tr.shared.read.add(f"{path}:*")
    return tree is None or _takes_names_over(tree)


@functools.lru_cache(maxsize=192)
def _takes_names_over(tree: ast.Module) -> bool:
    return any(
        (isinstance(n, ast.ImportFrom) and n.names[0].name == "*") or (isinstance(n, ast.Name) and n.id == "globals")
        for n in ast.walk(tree)
    )
