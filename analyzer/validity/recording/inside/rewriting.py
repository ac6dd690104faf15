"""The project's files with calls that would lose an expression (`int`, `range`, …) turned into others."""

from __future__ import annotations

import ast
import builtins
import functools
import importlib.abc
import importlib.machinery
import importlib.metadata
import importlib.util
import os
import re
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


FRAMEWORKS = frozenset({"torch", "tensorflow", "keras", "jax", "numpy"})
_NAME = re.compile(r"[\w.-]+")


@functools.cache
def of_models(package: str) -> bool:
    """Whether an installed package builds models: it asks for a framework and is none (transformers, timm, …)."""
    if package in FRAMEWORKS or package in sys.stdlib_module_names:
        return False
    for distribution in _distributions().get(package, ()):
        if distribution in FRAMEWORKS or distribution.partition("-")[0] in FRAMEWORKS:
            return False
        asked = (_NAME.match(text) for text in importlib.metadata.requires(distribution) or ())
        if any(found is not None and found[0].lower() in FRAMEWORKS - {"numpy"} for found in asked):
            return True
    return False


@functools.cache
def _distributions() -> Any:
    return importlib.metadata.packages_distributions()


class RewritingFinder(importlib.abc.MetaPathFinder):
    """Modules below `root` and of libraries of models are compiled from their rewritten text."""

    def __init__(self, root: str, known: dict[str, None]) -> None:
        self._root, self._known = root + os.sep, known

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        inside = of_models(name.partition(".")[0])
        if path is None and not inside and name in sys.stdlib_module_names:
            return None
        found = importlib.machinery.PathFinder.find_spec(name, path)
        if found is None or not found.origin or not found.origin.endswith(".py"):
            return None
        if not inside and not found.origin.startswith(self._root):
            return None
        return importlib.util.spec_from_file_location(
            name,
            found.origin,
            loader=Loader(name, found.origin, self._known),
            submodule_search_locations=found.submodule_search_locations,
        )


class Loader(importlib.machinery.SourceFileLoader):
    """Compiles rewritten text, and notes the file in `known`."""

    def __init__(self, name: str, path: str, known: dict[str, None]) -> None:
        super().__init__(name, path)
        self.known = known

    def get_code(self, fullname: str) -> Any:
        return self.source_to_code(self.get_data(self.path), self.path)

    def source_to_code(self, data: Any, path: Any, *, _optimize: int = -1) -> Any:  # type: ignore[override]
        self.known[path] = None
        tree = ast.fix_missing_locations(_Rewriter().visit(ast.parse(data)))
        return compile(tree, path, "exec", dont_inherit=True)


def install(root: str, known: dict[str, None]) -> None:
    """From here on modules below `root` and of libraries of models are read rewritten; `known` gets their files."""
    setattr(builtins, HELPER, numbers)
    sys.meta_path.insert(0, RewritingFinder(root, known))
