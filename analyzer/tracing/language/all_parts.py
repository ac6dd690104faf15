"""The parts of a syntax tree, listed once: many ask the same modules and functions."""

from __future__ import annotations

import ast
import functools


def all_parts(node: ast.AST) -> tuple[ast.AST, ...]:
    """The node and what is below it, in the order of `ast.walk`; ask it of modules and definitions."""
    return _of_module(node) if isinstance(node, ast.Module) else _of_definition(node)


def _listed(node: ast.AST) -> tuple[ast.AST, ...]:
    found = [node]
    for part in found:  # grows meanwhile
        for name in part._fields:
            value = getattr(part, name, None)
            if isinstance(value, list):
                found += [item for item in value if isinstance(item, ast.AST)]
            elif isinstance(value, ast.AST):
                found.append(value)
    return tuple(found)


# A list keeps what it is of: modules are large, so as many as there are of syntax trees (`module_files.MOST_KEPT`).
_of_module = functools.lru_cache(maxsize=192)(_listed)
_of_definition = functools.lru_cache(maxsize=2048)(_listed)
