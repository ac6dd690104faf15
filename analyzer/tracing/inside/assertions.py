"""Assertions about what a program has computed, told from those about the machine, its files or its flags."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

# What a condition, or what its names are bound to, says where the machine, its files, its clock or its user decide.
_OF_MACHINES = re.compile(
    r"\b(os|sys|glob|pathlib|path|platform|socket|shutil|subprocess|time|psutil|environ|getenv|input|open)\b"
    r"|argv|\bargs\b|arguments|\bopts?\b|options|flags|config|\bcfg\b|settings|exists|listdir|files?\b|download|fetch"
    r"|load|read|version|cuda|\bmps\b|gpu|device|backend|available|distributed|rank|elapsed|seconds|perf_counter|memory",
    re.IGNORECASE,
)
_JUDGES = frozenset(("allclose", "isclose", "array_equal", "equal", "all", "any", "isfinite", "isnan"))
_COMPUTED = ("torch", "numpy", "tensorflow", "keras", "jax", "jaxlib")


def of_results(condition: ast.expr, scopes: Sequence[ast.AST], values: Mapping[str, Any]) -> bool:
    """Whether a condition compares what calls inside the program gave, and nothing of the machine enters it.

    `scopes` are the module and the functions around it, outermost first, `values` its names and what they held.
    """
    if not _compares(condition):
        return False
    parts: list[ast.AST] = [condition]
    seen: set[str] = set()
    for part in parts:  # grows
        for name in sorted(_read(part) - seen):
            seen.add(name)
            found = (list(_bound(name, scope)) for scope in reversed(scopes))
            bound = next(filter(None, found), [])  # of the innermost scope that has the name
            if not bound and not _given(name, values):
                return False
            parts += bound
    if _OF_MACHINES.search(" ".join(ast.unparse(part) for part in parts)):
        return False
    return any(_computes(node) for part in parts for node in ast.walk(part))


def _compares(condition: ast.expr) -> bool:
    """Whether it compares with something else than a text or None, or asks a function that compares arrays."""
    for node in ast.walk(condition):
        if isinstance(node, ast.Compare) and not any(
            isinstance(o, ast.Constant) and (o.value is None or isinstance(o.value, (str, bool)))
            for o in (node.left, *node.comparators)
        ):
            return True
        if isinstance(node, ast.Call) and _called(node) in _JUDGES:
            return True
    return False


def _computes(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and not hasattr(builtins, _called(node))


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _read(part: ast.AST) -> set[str]:
    names = [n for n in ast.walk(part) if isinstance(n, ast.Name)]
    inner = {n.id for n in names if isinstance(n.ctx, ast.Store)}  # of a comprehension
    return {n.id for n in names} - inner


def _given(name: str, values: Mapping[str, Any]) -> bool:
    """Whether a name that is bound nowhere is a function, a class, a module or what a framework computes."""
    if hasattr(builtins, name):
        return True
    value = values.get(name)
    return callable(value) or type(value).__name__ == "module" or type(value).__module__.split(".")[0] in _COMPUTED


def _bound(name: str, scope: ast.AST) -> Iterator[ast.AST]:
    """What a scope itself binds a name to."""
    pending = list(ast.iter_child_nodes(scope))
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            continue  # which has names of its own
        pending += ast.iter_child_nodes(node)
        if isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        elif isinstance(node, (ast.AnnAssign, ast.AugAssign, ast.NamedExpr)) and node.value is not None:
            targets, value = [node.target], node.value
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            targets, value = [node.target], node.iter
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            targets, value = [node.optional_vars], node.context_expr
        else:
            continue
        if any(isinstance(n, ast.Name) and n.id == name for target in targets for n in ast.walk(target)):
            yield value
