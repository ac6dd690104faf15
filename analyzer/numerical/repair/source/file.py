"""A source file as read: text, syntax tree, what its imports bind, and where names get their values."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

LARGEST_FILE = 1 << 20  # bytes; longer sources are generated and not mended by hand
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.Module)
LOOPS = (ast.For, ast.AsyncFor, ast.While)


@dataclass(frozen=True)
class Definition:
    """``name = value`` or ``self.name = value``: the only value that it can have where it was looked up."""

    name: str
    statement: ast.Assign
    value: ast.expr


@dataclass(frozen=True)
class SourceFile:
    """One parsed file. Offsets are positions in `text`."""

    text: str
    tree: ast.Module

    @classmethod
    def read(cls, root: Path, relative: str) -> SourceFile | None:
        """The file at `relative` below `root`; None if it lies outside, is too large or is not Python."""
        path = (root / relative).resolve()
        if not path.is_relative_to(root.resolve()) or not path.is_file() or path.stat().st_size > LARGEST_FILE:
            return None
        try:
            text = path.read_text(encoding="utf-8")
            return cls(text, ast.parse(text))
        except (OSError, ValueError, SyntaxError, RecursionError):
            return None

    # -- text ----------------------------------------------------------------------------------------------------

    @cached_property
    def lines(self) -> list[str]:
        return self.text.splitlines(keepends=True)

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        for line in self.lines:
            starts.append(starts[-1] + len(line))
        return starts

    def offset(self, line: int, column: int) -> int:
        """Position of a syntax tree's line (from 1) and column (in UTF-8 bytes)."""
        if line > len(self.lines):
            return len(self.text)
        before = self.lines[line - 1].encode()[:column].decode()
        return self._starts[line - 1] + len(before)

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.offset(node.lineno, node.col_offset), self.offset(node.end_lineno, node.end_col_offset)

    def line_start(self, line: int) -> int:
        return self._starts[min(line - 1, len(self.lines))]

    def source(self, node: ast.expr) -> str:
        start, end = self.span(node)
        return self.text[start:end]

    # -- structure -----------------------------------------------------------------------------------------------

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        return {child: parent for parent in ast.walk(self.tree) for child in ast.iter_child_nodes(parent)}

    @cached_property
    def imports(self) -> dict[str, str]:
        """What a name means: ``F`` -> ``torch.nn.functional``."""
        bound = {}
        for statement in ast.walk(self.tree):
            if isinstance(statement, ast.Import):
                for a in statement.names:
                    bound[a.asname or a.name.split(".")[0]] = a.name if a.asname else a.name.split(".")[0]
            elif isinstance(statement, ast.ImportFrom) and statement.module and not statement.level:
                for a in statement.names:
                    bound[a.asname or a.name] = f"{statement.module}.{a.name}"
        return bound

    def dotted(self, expression: ast.expr) -> str | None:
        """``torch.nn.functional.softmax`` for ``F.softmax``; None for what no import leads to."""
        parts: list[str] = []
        while isinstance(expression, ast.Attribute):
            parts.append(expression.attr)
            expression = expression.value
        if not isinstance(expression, ast.Name) or expression.id not in self.imports:
            return None
        return ".".join([self.imports[expression.id], *reversed(parts)])

    def statement(self, node: ast.AST) -> ast.stmt | None:
        """The innermost statement around a node."""
        current: ast.AST | None = node
        while current is not None and not isinstance(current, ast.stmt):
            current = self.parents.get(current)
        return current

    def scope(self, node: ast.AST) -> ast.AST:
        current = self.parents.get(node, self.tree)
        while not isinstance(current, SCOPES):
            current = self.parents.get(current, self.tree)
        return current

    # -- names ---------------------------------------------------------------------------------------------------

    def definition(self, name: ast.Name | ast.Attribute) -> Definition | None:
        """The assignment that certainly gave `name` its value where it is read; None if that is not certain."""
        if isinstance(name, ast.Attribute):
            return self._attribute(name)
        scope = self.scope(name)
        if isinstance(scope, ast.Lambda) or self._in_comprehension(name):
            return None
        statement: ast.AST | None = self.statement(name)
        while statement is not None and statement is not scope:
            parent = self.parents.get(statement)
            if parent is None:
                return None
            block = next((b for b in _blocks(parent) if any(s is statement for s in b)), None)
            if block is None:
                return None
            position = next(i for i, s in enumerate(block) if s is statement)
            for earlier in reversed(block[:position]):
                if name.id in bound_in(earlier):
                    return _simple(earlier, name.id)
            if isinstance(parent, LOOPS) and name.id in bound_in(parent):
                return None
            if isinstance(parent, (ast.Try, ast.Match)) and name.id in bound_in(parent):
                return None
            if isinstance(parent, (ast.With, ast.AsyncWith)) and name.id in _targets(parent):
                return None
            statement = parent
        return None

    def _attribute(self, read: ast.Attribute) -> Definition | None:
        """``self.p = value`` earlier in the same block, the only place of the class that stores `p`."""
        statement, scope = self.statement(read), self.scope(read)
        owner = self.parents.get(scope)
        if statement is None or not isinstance(owner, ast.ClassDef) or ast.unparse(read.value) != "self":
            return None
        made = [s for s in ast.walk(owner) if stores(s, read.attr)]
        block = next((b for b in _blocks(self.parents[statement]) if statement in b), [])
        if len(made) != 1 or not isinstance(made[0], ast.Assign) or len(made[0].targets) != 1 or made[0] not in block:
            return None
        one = isinstance(made[0].targets[0], ast.Attribute) and block.index(made[0]) < block.index(statement)
        return Definition(f"self.{read.attr}", made[0], made[0].value) if one else None

    def _in_comprehension(self, name: ast.Name) -> bool:
        """Whether a comprehension around a name binds it."""
        around = self.parents.get(name)
        while around is not None and not isinstance(around, ast.stmt):
            if any(name.id in bound_in(g.target) for g in getattr(around, "generators", ())):
                return True
            around = self.parents.get(around)
        return False

    def uses(self, name: str, scope: ast.AST) -> list[ast.Name]:
        """Every mention of a name in a scope and what it encloses."""
        return [n for n in ast.walk(scope) if isinstance(n, ast.Name) and n.id == name]

    def unchanged(self, expression: ast.expr, definition: Definition, use: ast.AST) -> bool:
        """Whether nothing that `expression` reads is bound again between its definition and `use`."""
        end = self.statement(use)
        if end is None:
            return False
        read = {n.id for n in ast.walk(expression) if isinstance(n, ast.Name)}
        attributes = any(isinstance(n, (ast.Attribute, ast.Subscript)) for n in ast.walk(expression))
        if definition.name in read:
            return False
        first, last = definition.statement.lineno, end.lineno
        for node in ast.walk(self.scope(definition.statement)):
            if not isinstance(node, ast.stmt) or not first < node.lineno < last:
                continue
            if bound_in(node) & read or (attributes and _stores_attribute(node)):
                return False
        return True


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for field in ("body", "orelse", "finalbody"):
        block = getattr(node, field, None)
        if isinstance(block, list):
            yield block
    for handler in getattr(node, "handlers", ()):
        yield handler.body
    for case in getattr(node, "cases", ()):
        yield case.body


def bound_in(node: ast.AST) -> set[str]:
    """Names that a statement may bind, nested blocks included, nested scopes not."""
    names: set[str] = set()
    stack = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, ast.Name) and isinstance(current.ctx, (ast.Store, ast.Del)):
            names.add(current.id)
        elif isinstance(current, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(current.name)
            continue
        elif isinstance(current, (ast.Global, ast.Nonlocal)):
            names.update(current.names)
        elif isinstance(current, ast.ExceptHandler) and current.name:
            names.add(current.name)
        elif isinstance(current, (ast.Import, ast.ImportFrom)):
            names.update(a.asname or a.name.split(".")[0] for a in current.names)
        stack.extend(ast.iter_child_nodes(current))
    return names


def _targets(node: ast.With | ast.AsyncWith) -> set[str]:
    return {n.id for item in node.items for n in ast.walk(item) if isinstance(n, ast.Name)
            and isinstance(n.ctx, ast.Store)}  # fmt: skip


def _simple(statement: ast.stmt, name: str) -> Definition | None:
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    target = statement.targets[0]
    if not isinstance(target, ast.Name) or target.id != name:
        return None
    return Definition(name, statement, statement.value)


def stores(statement: ast.AST, attribute: str) -> bool:
    """Whether a statement, not one inside it, stores ``self.attribute``."""
    targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
    return isinstance(statement, ast.stmt) and any(
        isinstance(n, ast.Attribute) and n.attr == attribute for t in targets if t is not None for n in ast.walk(t)
    )


def _stores_attribute(statement: ast.stmt) -> bool:
    return any(
        isinstance(n, (ast.Attribute, ast.Subscript)) and isinstance(n.ctx, ast.Store) for n in ast.walk(statement)
    )


def cheap(expression: ast.expr) -> bool:
    """Whether an expression may stand twice: it calls nothing."""
    return not any(
        isinstance(n, (ast.Call, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr, ast.Lambda, ast.comprehension))
        for n in ast.walk(expression)
    )


def in_order(node: ast.AST) -> Iterator[ast.AST]:
    """Nodes in the order in which Python evaluates them: operands before their operator, left to right."""
    for child in ast.iter_child_nodes(node):
        yield from in_order(child)
    yield node
