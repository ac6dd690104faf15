"""Whether a piece of source waits at a yield of the function that it belongs to."""

from __future__ import annotations

import ast
import functools


@functools.lru_cache(maxsize=16384)
def suspends(node: ast.AST) -> bool:
    """Whether a yield of the function that holds the node stands in it."""
    pending = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            pending.extend(ast.iter_child_nodes(part))
    return False


@functools.lru_cache(maxsize=4096)
def body_suspends(node: ast.AST) -> bool:
    """Whether a function of this definition is a generator."""
    return any(map(suspends, ast.iter_child_nodes(node)))
