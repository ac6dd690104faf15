"""Modules of large installed libraries: of each only the names that a program asks for are followed, when it does.

A statement of the top level runs when a name is asked for that it binds or changes. Dictionaries and lists that the
module's functions fill hold more than was seen. What a branch at the top level decides makes every use of the name
doubtful: nothing is proved behind it. `library_index` finds what a package hands out by a lazy loader.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from contextlib import contextmanager

from analyzer.tracing.imports.kept_modules import Kept, import_budget, kept_for_good
from analyzer.tracing.imports.libraries import RULED
from analyzer.tracing.language.evaluation import run_block
from analyzer.tracing.language.values import DictV, ListV, Module, Scope
from analyzer.tracing.paths.frames import Frame
from analyzer.tracing.paths.paths import OutOfBudget, PathEnd
from analyzer.tracing.paths.problems import PyRaise, ShapeFailure
from analyzer.tracing.paths.tracer import Tracer

_FILLING = ("update", "setdefault", "append", "extend", "add", "insert", "register", "pop")
_GAPS = (TypeError, ValueError, AttributeError, LookupError, ArithmeticError, RecursionError, AssertionError)


class LazyScope(Scope):
    """The names of a module that are followed one by one."""

    __slots__ = ("asked", "binding", "doubtful", "module", "stars", "tree")

    def __init__(self, tree: ast.Module) -> None:
        super().__init__()
        self.module: Module | None = None
        self.tree = tree
        self.binding, self.stars = outline(tree)
        self.asked: set[str] = set()
        self.doubtful: set[str] = set()


class Registry(DictV):
    """A dictionary of a library's module that its functions fill: under a name often what is defined by that name."""

    __slots__ = ("home",)

    def __init__(self, items: DictV, home: Module) -> None:
        super().__init__(items.items, True)
        self.home = home


Outline = tuple[dict[str, list[ast.stmt]], list[ast.ImportFrom]]


@functools.lru_cache(maxsize=192)
def outline(tree: ast.Module) -> Outline:
    """The same, of trees that are kept."""
    return outline_of(tree)


def outline_of(tree: ast.Module) -> Outline:
    """Name → the statements that bind or change it; the imports of all names."""
    binding: dict[str, list[ast.stmt]] = {}
    stars: list[ast.ImportFrom] = []
    for node in _top_level(tree.body):
        if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
            stars.append(node)
        for name in _changed(node):
            if name not in binding or not _of_framework(binding[name][0]):
                binding.setdefault(name, []).append(node)
    return binding, stars


def _of_framework(node: ast.stmt) -> bool:
    """Whether a statement imports a module with rules, which no decorator of another module fills."""
    names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
    module = node.module if isinstance(node, ast.ImportFrom) and not node.level else ""
    return any(n.partition(".")[0] in RULED for n in (*names, module or ""))


@functools.lru_cache(maxsize=192)
def filled_names(tree: ast.Module) -> frozenset[str]:
    """Names of the top level that functions of the module may fill."""
    inside = (part for node in tree.body if not isinstance(node, _PLAIN) for part in ast.walk(node))
    return frozenset(name for part in inside for name in _filled(part))


_PLAIN = (ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.Expr)


def _top_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements; imports for type checkers stand for what a lazy loader gives."""
    for node in body:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from _top_level(node.body)
            if not any(isinstance(n, ast.Attribute) and n.attr == "modules" for s in node.orelse for n in ast.walk(s)):
                yield from _top_level(node.orelse)
        else:
            yield from _imports_of(node)


def _imports_of(node: ast.stmt) -> Iterator[ast.stmt]:
    """The imports of a branch that does nothing else and binds each name once: who asks for a name expects its side."""
    if not isinstance(node, (ast.If, ast.Try)):
        yield node
        return
    found = [n for n in ast.walk(node) if isinstance(n, (ast.Import, ast.ImportFrom))]
    others = (n for n in ast.walk(node) if isinstance(n, ast.stmt) and not isinstance(n, _HARMLESS))
    instead = {id(n) for h in getattr(node, "handlers", ()) for n in ast.walk(h)}
    plain = [n for n in found if not (id(n) in instead and n.names[0].name == "*")]
    found = plain or found  # what stands in for a package that is not there
    names = [name for n in found for name in _changed(n)]
    if next(others, None) is None and len(names) == len(set(names)) and "*" not in names:
        yield from found
    else:
        yield node


_HARMLESS = (ast.Import, ast.ImportFrom, ast.If, ast.Try, ast.Pass, ast.Raise)


def _changed(node: ast.stmt) -> set[str]:
    """Names that a statement of the top level binds, or whose value it changes."""
    found: set[str] = set()
    pending: list[ast.AST] = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(part.name)
            for given in part.decorator_list:  # `@registry.register("name")` fills what it is a method of
                found.update(_root(given.func if isinstance(given, ast.Call) else given))
            continue
        if isinstance(part, (ast.Import, ast.ImportFrom)):
            found.update(a.asname or a.name.partition(".")[0] for a in part.names)
        elif isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load):
            found.add(part.id)
        elif isinstance(part, (ast.Attribute, ast.Subscript)) and not isinstance(part.ctx, ast.Load):
            if getattr(part, "attr", "") != "__doc__":
                found.update(_root(part))
        elif isinstance(part, ast.Expr) and isinstance(part.value, ast.Call):
            found.update(_root(part.value.func))
        pending.extend(ast.iter_child_nodes(part))
    return found


def _root(node: ast.expr) -> set[str]:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
        if isinstance(node, ast.Name):
            return {node.id}
    return set()


def _filled(node: ast.AST) -> set[str]:
    """Names whose value a part of a function may add to."""
    if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
        return _root(node)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _FILLING:
        return _root(node.func)
    if isinstance(node, ast.Global):
        return set(node.names)
    return set()


def provide(tr: Tracer, scope: Scope, name: str) -> bool:
    """Whether the module has the name, whose statements are followed now if they were not."""
    if not isinstance(scope, LazyScope):
        return name in scope.names
    if name not in scope.asked and name not in scope.names:
        scope.asked.add(name)
        if name in scope.binding:
            _follow(tr, scope, name)
    if name in scope.doubtful:
        _doubt(tr, scope, name)
    return name in scope.names


def _doubt(tr: Tracer, scope: LazyScope, name: str) -> None:
    """Once on each path: that a branch decided what the name is."""
    assert scope.module is not None
    key = (scope.module.path, name)
    if key not in tr.path.imported:
        tr.path.imported.add(key)
        if tr.frames:
            tr.path.choose(tr.site(), "imprecise", f"`{name}` of {scope.module.path}", True, imported=True)


def _follow(tr: Tracer, scope: LazyScope, name: str) -> None:
    module = scope.module
    assert module is not None
    statements = [_only(node, name) for node in scope.binding[name]]
    path, conditions, decisions = tr.path, len(tr.path.conditions), len(tr.path.decisions)
    symbols = set(tr.symbols.known)
    with _aside(tr, module, scope):
        try:
            with import_budget(tr):
                run_block(tr, statements)
        except OutOfBudget:
            if tr.shared.late():
                raise
            tr.note("The budget of steps for imported modules is spent; they are not followed to their ends.")
            scope.names[name] = tr.unknown(f"`{name}` of a library, beyond the budget", "foreign", name)
        except (PyRaise, PathEnd, ShapeFailure, *_GAPS):
            scope.names.setdefault(name, tr.unknown(f"`{name}` of a library that cannot be followed", "foreign", name))
        _forget_halves(scope, name, statements)
        if len(path.decisions) > decisions or len(path.conditions) > conditions:
            scope.doubtful.add(name)
        del path.decisions[decisions:], path.conditions[conditions:]
    tr.shared.kept_symbols.update({n: known for n, known in tr.symbols.known.items() if n not in symbols})
    value = scope.names.get(name)
    if isinstance(value, (DictV, ListV)) and not isinstance(value, Registry) and name in filled_names(scope.tree):
        if isinstance(value, DictV):
            scope.names[name] = Registry(value, module)
        else:
            value.open = True


def _forget_halves(scope: LazyScope, name: str, followed: list[ast.stmt]) -> None:
    """Other names that the statements have bound, where more statements bind them: they are followed when asked for."""
    for node in followed:
        other = getattr(node, "name", name)
        if other != name and other not in scope.asked and not set(scope.binding.get(other, ())) <= set(followed):
            scope.names.pop(other, None)


def _only(node: ast.stmt, name: str) -> ast.stmt:
    """An import of many names as one of this name alone."""
    if not isinstance(node, (ast.Import, ast.ImportFrom)) or len(node.names) == 1:
        return node
    names = [a for a in node.names if (a.asname or a.name.partition(".")[0]) == name]
    alone = ast.Import(names) if isinstance(node, ast.Import) else ast.ImportFrom(node.module, names, node.level)
    return ast.copy_location(alone, node)


@contextmanager
def _aside(tr: Tracer, module: Module, scope: LazyScope) -> Iterator[None]:
    """Inside, a module's statement runs as it would on import: on no branch, expecting no exception."""
    depth, prefix = len(tr.frames), tr.path.prefix
    state = tr.speculating, tr.doubts, tr.guards, tr.in_wrapper
    tr.frames.append(Frame(scope, module.path))
    tr.importing.append(Kept(module))
    tr.path.importing += 1
    tr.path.prefix, tr.speculating, tr.doubts, tr.guards, tr.in_wrapper = (), 0, 0, 0, False
    try:
        with kept_for_good(tr):
            yield
    finally:
        tr.importing.pop()
        tr.path.importing -= 1
        tr.path.prefix = prefix
        tr.speculating, tr.doubts, tr.guards, tr.in_wrapper = state
        del tr.frames[depth:]
