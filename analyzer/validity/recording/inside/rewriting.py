"""The project's files with calls that would lose an expression (`int`, `range`, …) turned into others."""

from __future__ import annotations

import ast
import builtins
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
from typing import Any

from . import numbers

HELPER = "__assay_numbers__"
CALLS = {"int": "whole", "float": "real", "round": "rounded", "range": "counted", "max": "largest", "min": "smallest"}
MATH = {"floor": "floor", "ceil": "ceiling"}


class _Rewriter(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = None
        if isinstance(node.func, ast.Name):
            name = CALLS.get(node.func.id)
        elif isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
            name = MATH.get(node.func.attr) if node.func.value.id == "math" else None
        if name is not None:
            node.func = ast.copy_location(_helper(name), node.func)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load) and isinstance(node.slice, (ast.Name, ast.Attribute)):
            return ast.copy_location(ast.Call(_helper("indexed"), [node.value, node.slice], []), node)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return node


def _helper(name: str) -> ast.expr:
    return ast.Attribute(ast.Name(HELPER, ast.Load()), name, ast.Load())


class Finder(importlib.abc.MetaPathFinder):
    """Modules below `root` are compiled from their rewritten text."""

    def __init__(self, root: str) -> None:
        self._root = root + os.sep

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        found = importlib.machinery.PathFinder.find_spec(name, path)
        if (
            found is None
            or not found.origin
            or not found.origin.startswith(self._root)
            or not found.origin.endswith(".py")
        ):
            return None
        return importlib.util.spec_from_file_location(
            name,
            found.origin,
            loader=_Loader(name, found.origin),
            submodule_search_locations=found.submodule_search_locations,
        )


class _Loader(importlib.machinery.SourceFileLoader):
    def get_code(self, fullname: str) -> Any:
        return self.source_to_code(self.get_data(self.path), self.path)

    def source_to_code(self, data: Any, path: Any, *, _optimize: int = -1) -> Any:  # type: ignore[override]
        tree = ast.fix_missing_locations(_Rewriter().visit(ast.parse(data)))
        return compile(tree, path, "exec", dont_inherit=True)


def install(root: str) -> None:
    """From here on modules below `root` are read rewritten."""
    setattr(builtins, HELPER, numbers)
    sys.meta_path.insert(0, Finder(root))
