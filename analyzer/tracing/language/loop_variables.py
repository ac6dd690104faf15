"""What the body of a loop makes of the loop's variable: what it selects by it, and for which numbers it asks."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Instance, Scope, Unknown, Value
from analyzer.tracing.paths.tracer import Tracer


def targets_of(target: ast.expr) -> set[str]:
    return {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}


def selects(node: ast.For) -> bool:
    """Whether the body selects layers, sizes or elements by the loop's variable, so that each round may differ."""
    return _picks_code(node) or bool(_subscripts(node))


def takes_rows(tr: Tracer, node: ast.For, last: int) -> bool:
    """Whether all that it selects are elements of tensors, or of what is not known, and none lies outside.

    `last` is the last number, where the loop counts.
    """
    if _picks_code(node):
        return False
    for part in _subscripts(node):
        owner = _seen(tr, part.value)
        if isinstance(owner, Tensor):
            if not _inside(node, part.slice, owner, last):
                return False
        elif not isinstance(owner, Unknown):
            return False
    return True


def _inside(node: ast.For, index: ast.expr, owner: Tensor, last: int) -> bool:
    names = targets_of(node.target)
    for axis, part in enumerate(index.elts if isinstance(index, ast.Tuple) else [index]):
        if not _mentions(part, names):
            if not isinstance(part, (ast.Name, ast.Slice)) and not isinstance(getattr(part, "value", None), int):
                return False  # an ellipsis or a new axis, say: which axis comes next is not known
            continue
        if isinstance(part, ast.Slice):
            return False
        size = owner.dims[axis] if owner.dims is not None and axis < len(owner.dims) else None
        if isinstance(size, int) and not (isinstance(part, ast.Name) and 0 <= last < size):
            return False
    return True


def _seen(tr: Tracer, node: ast.expr) -> Value:
    """The value of a name, or of an attribute of an object, that is there already; None for anything else."""
    if isinstance(node, ast.Name):
        scope: Scope | None = tr.frame.scope
        while scope is not None and node.id not in scope.names:
            scope = scope.parent
        return scope.names[node.id] if scope is not None else tr.frame.scope.globals.names.get(node.id)
    if isinstance(node, ast.Attribute):
        owner = _seen(tr, node.value)
        return owner.attrs.get(node.attr) if isinstance(owner, Instance) else None
    return None


@functools.lru_cache(maxsize=4096)
def _subscripts(node: ast.For) -> tuple[ast.Subscript, ...]:
    """Those of the body whose index mentions the loop's variable."""
    names = targets_of(node.target)
    return tuple(p for p in _parts(node) if isinstance(p, ast.Subscript) and _mentions(p.slice, names))


@functools.lru_cache(maxsize=4096)
def _picks_code(node: ast.For) -> bool:
    """Whether the body calls the loop's variable, or asks for attributes or counts by it."""
    names, from_it = targets_of(node.target), _derived(node)
    for part in _parts(node):
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Name):
            if part.func.id in names:
                return True
            if part.func.id in ("getattr", "setattr", "range") and any(_mentions(a, from_it) for a in part.args):
                return True
    return False


def turning_points(tr: Tracer, node: ast.For) -> Iterator[int]:
    """Numbers for which the tests of the body ask of the loop's variable: ``if step % 20 == 0`` is true once in twenty
    rounds."""
    for part in _asked(node):
        found = part.value if isinstance(part, ast.Constant) else _seen(tr, part)
        if type(found) is int:
            yield found


@functools.lru_cache(maxsize=4096)
def _asked(node: ast.For) -> tuple[ast.expr, ...]:
    """Numbers, names and attributes in tests that mention the loop's variable."""
    from_it = _derived(node)
    tests = [p.test for p in _parts(node) if isinstance(p, (ast.If, ast.IfExp)) and _mentions(p.test, from_it)]
    parts = (part for test in tests for part in ast.walk(test))
    return tuple(p for p in parts if isinstance(p, (ast.Constant, ast.Name, ast.Attribute)))


@functools.lru_cache(maxsize=4096)
def _derived(node: ast.For) -> frozenset[str]:
    """The loop's variables, and the names that its body computes from them."""
    found = targets_of(node.target)
    stores = [p for p in _parts(node) if isinstance(p, (ast.Assign, ast.AugAssign, ast.For))]
    for _ in range(3):
        for store in stores:
            if _mentions(store.iter if isinstance(store, ast.For) else store.value, found):
                targets = store.targets if isinstance(store, ast.Assign) else [store.target]
                found |= {name for target in targets for name in targets_of(target)}
    return frozenset(found)


def _parts(node: ast.For) -> Iterator[ast.AST]:
    return (part for inner in node.body for part in ast.walk(inner))


def _mentions(node: ast.AST, names: set[str] | frozenset[str]) -> bool:
    return any(isinstance(n, ast.Name) and n.id in names for n in ast.walk(node))
