"""Conditions by which a program refuses sizes: read off their text, by tracing and by the dry run alike."""

from __future__ import annotations

import ast
import functools
import re
from typing import Any

_SIZES = re.compile(
    r"\.(shape|ndim)\b|\.(size|dim|get_shape|numel|nelement|ndimension|int_shape)\(|\btf\.rank\(|[\w\])]\s*%"
)  # a shape, or whether a size divides
_TEXT = re.compile(r"""\w?("[^"]*"|'[^']*')""")


@functools.lru_cache(maxsize=4096)
def asks_for_sizes(condition: ast.expr, function: Any) -> bool:
    """Whether it asks for a shape, whether a size divides, or for a name that `function` (None: none is around it)
    takes from such; texts in it say nothing."""
    names = _from_sizes(function) if function is not None else frozenset()
    return (
        _of_sizes(condition)
        or _of_products(condition)
        or any(isinstance(n, ast.Name) and n.id in names for n in ast.walk(condition))
    )


def _of_sizes(node: ast.expr) -> bool:
    return _SIZES.search(_TEXT.sub("", ast.unparse(node))) is not None


def _of_products(node: ast.expr) -> bool:
    """Whether it asks if a size is the product of two others: ``head_dim * heads != width``."""
    sides = [
        side for part in ast.walk(node) if isinstance(part, ast.Compare)
        and all(isinstance(op, (ast.Eq, ast.NotEq)) for op in part.ops) for side in (part.left, *part.comparators)
    ]  # fmt: skip
    named = (ast.Name, ast.Attribute)
    return any(
        isinstance(side, ast.BinOp) and isinstance(side.op, ast.Mult)
        and isinstance(side.left, named) and isinstance(side.right, named)
        for side in sides
    ) and all(isinstance(side, (*named, ast.BinOp)) for side in sides)  # fmt: skip


@functools.lru_cache(maxsize=4096)
def _from_sizes(function: ast.AST) -> frozenset[str]:
    assigned = [n for n in ast.walk(function) if isinstance(n, ast.Assign) and _of_sizes(n.value)]
    parts = [part for a in assigned for target in a.targets for part in ast.walk(target)]
    return frozenset(part.id for part in parts if isinstance(part, ast.Name))
