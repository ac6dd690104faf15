"""Which lines of its own file the values of a failing line come from, by the file's syntax alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from analyzer.findings import Location

MOST = 60  # lines of one problem, as in the other analyses: the nearest first
LARGEST = 2 << 20  # bytes of a source file that is read
_Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module
_Callable = ast.FunctionDef | ast.AsyncFunctionDef


def origins_of(failing: Location, root: Path) -> tuple[tuple[str, int], ...]:
    """Pairs of a path and a line: what assigns the names of the failing statement, then what assigns their names.

    Names of the function, attributes of `self`, parameters with what callers in the file give, constants of the module.
    Empty for a file that is not below `root` or is no Python.
    """
    file = root / failing.path
    try:
        if not file.resolve().is_relative_to(root.resolve()) or file.stat().st_size > LARGEST:
            return ()
        module = ast.parse(file.read_bytes())
        lines = _Origins(module).of(failing.line)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    return tuple((failing.path, line) for line in lines)


class _Origins:
    """Assignments of one module by the scope that they are made in."""

    def __init__(self, module: ast.Module) -> None:
        self.module = module
        self.parents: dict[ast.AST, ast.AST] = {c: n for n in ast.walk(module) for c in ast.iter_child_nodes(n)}
        self.assigned: dict[tuple[_Scope, str], list[ast.stmt]] = {}  # names, and "self.name" of classes
        self.functions = {n: n.name for n in ast.walk(module) if isinstance(n, _Callable)}
        self.calls: dict[str, list[ast.Call]] = {}
        for node in ast.walk(module):
            if isinstance(node, ast.Call):
                self.calls.setdefault(_last(node.func), []).append(node)
            if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.For | ast.With):
                for target in _targets(node):
                    self._keep(node, target)

    def of(self, line: int) -> list[int]:
        """The lines, the nearest first, without those of the statement at `line`."""
        failing = self._statement(line)
        if failing is None:
            return []
        found: dict[int, None] = {}
        waiting: list[tuple[ast.AST, int]] = [(part, line) for part in _read(failing)]
        seen: set[ast.AST] = {failing}
        for node, before in waiting:
            for origin, part in self._made(node, before):
                if origin in seen:
                    continue
                seen.add(origin)
                first = part.lineno
                found |= dict.fromkeys(range(first, min(part.end_lineno or first, first + MOST) + 1))
                waiting += [(more, origin.lineno) for more in _read(part)]
            if len(found) >= MOST:
                break
        own = range(failing.lineno, (_header_end(failing)) + 1)
        return [number for number in found if number not in own][:MOST]

    def _keep(self, statement: ast.stmt, target: ast.expr) -> None:
        scope = self._scope(statement)
        for node in ast.walk(target):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                self.assigned.setdefault((scope, node.id), []).append(statement)
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
                self.assigned.setdefault((self._class(scope), f"self.{node.attr}"), []).append(statement)

    def _made(self, node: ast.AST, before: int) -> Iterator[tuple[ast.stmt | ast.expr, ast.stmt | ast.expr]]:
        """What gives `node` (a name that is read, or an attribute of `self`) its value: where, and what is read there.

        In a function assignments above `before` count, the last one first; elsewhere all of them.
        """
        scope = self._scope(node)
        if isinstance(node, ast.Attribute):
            for each in self.assigned.get((self._class(scope), f"self.{node.attr}"), ()):
                yield each, each
            return
        assert isinstance(node, ast.Name)
        while True:
            made = self.assigned.get((scope, node.id), [])
            inside = isinstance(scope, _Callable)
            yield from (
                (m, m) for m in reversed(made) if not inside or m.lineno < before or scope is not self._scope(node)
            )
            if isinstance(scope, _Callable) and node.id in _parameters(scope):
                yield from ((given, given) for given in self._given(scope, node.id))
                return
            if made or scope is self.module:
                return
            scope = self._scope(scope)

    def _given(self, function: _Callable, name: str) -> Iterator[ast.expr]:
        """What a parameter may hold: its default and what calls in this file pass."""
        arguments = function.args
        positional = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
        defaults = dict(zip(reversed(positional), reversed(arguments.defaults), strict=False))
        pairs = zip((a.arg for a in arguments.kwonlyargs), arguments.kw_defaults, strict=True)
        defaults |= {a: default for a, default in pairs if default is not None}
        called, method = function.name, isinstance(self.parents.get(function), ast.ClassDef)
        if function.name == "__init__" and method:
            called = self._class(function).name  # type: ignore[union-attr]  # its parent is a class
        at = positional.index(name) - method if name in positional else -1
        for call in self.calls.get(called, ()):
            if 0 <= at < len(call.args) and not any(isinstance(a, ast.Starred) for a in call.args[: at + 1]):
                yield call.args[at]
            yield from (keyword.value for keyword in call.keywords if keyword.arg == name)
        if name in defaults:
            yield defaults[name]

    def _statement(self, line: int) -> ast.stmt | None:
        """The smallest statement that covers the line."""
        covering = [
            node
            for node in ast.walk(self.module)
            if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno)
        ]
        return min(covering, key=lambda n: (n.end_lineno or n.lineno) - n.lineno, default=None)

    def _scope(self, node: ast.AST) -> _Scope:
        """The function, class or module around `node`."""
        above = self.parents.get(node)
        while above is not None and not isinstance(above, _Scope):
            above = self.parents.get(above)
        return above if above is not None else self.module

    def _class(self, scope: _Scope) -> _Scope:
        while not isinstance(scope, ast.ClassDef | ast.Module):
            scope = self._scope(scope)
        return scope


def _targets(node: ast.Assign | ast.AnnAssign | ast.AugAssign | ast.For | ast.With) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return node.targets
    if isinstance(node, ast.With):
        return [item.optional_vars for item in node.items if item.optional_vars is not None]
    return [node.target]


def _read(node: ast.AST) -> Iterator[ast.AST]:
    """The names and the attributes of `self` that are read in a statement's head or in an expression."""
    heads: list[ast.AST] = [node]
    if isinstance(node, ast.For | ast.AsyncFor):
        heads = [node.iter]
    elif isinstance(node, ast.If | ast.While):
        heads = [node.test]
    elif isinstance(node, ast.With | ast.AsyncWith):
        heads = [item.context_expr for item in node.items]
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Try):
        heads = []
    for head in heads:
        for each in ast.walk(head):
            of_self = isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id == "self"
            if of_self or (isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load) and each.id != "self"):
                yield each


def _header_end(statement: ast.stmt) -> int:
    body = getattr(statement, "body", None)
    return max(statement.lineno, body[0].lineno - 1) if body else statement.end_lineno or statement.lineno


def _parameters(function: _Callable) -> set[str]:
    every = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
    return {a.arg for a in every if a.arg != "self"}


def _last(function: ast.expr) -> str:
    """``Net`` of ``models.Net(...)``."""
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""
