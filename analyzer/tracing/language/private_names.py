"""Names that begin with two underscores inside a class: Python puts the name of the class before them."""

from __future__ import annotations

import ast
import re

PRIVATE = re.compile(rb"\b__[A-Za-z]\w*(?<!__)\b")

_WRITTEN_OUT = re.compile(rb"\b_[A-Za-z]\w*?__[A-Za-z]")


def writes_out_private_names(source: bytes) -> bool:
    """Whether a source has private names and such as Python makes of them: ``"_Net__scale"`` of a buffer."""
    return bool(PRIVATE.search(source) and _WRITTEN_OUT.search(source))


def with_private_names(tree: ast.Module) -> ast.Module:
    """The tree, which is changed in place."""
    for node in tree.body:
        _visit(node, "")
    return tree


def _visit(node: ast.AST, owner: str) -> None:
    if isinstance(node, ast.Attribute):
        node.attr = _named(node.attr, owner)
    elif isinstance(node, ast.Name):
        node.id = _named(node.id, owner)
    elif isinstance(node, (ast.arg, ast.keyword)) and node.arg is not None:
        node.arg = _named(node.arg, owner)
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        node.name = _named(node.name, owner)
    inner = (node.name.lstrip("_") if isinstance(node, ast.ClassDef) else "") or owner
    for child in ast.iter_child_nodes(node):
        _visit(child, inner)


def _named(name: str, owner: str) -> str:
    private = owner and name.startswith("__") and not name.endswith("__") and "." not in name
    return f"_{owner}{name}" if private else name
