"""What a block of source is made of itself: not what the functions and classes in it are; how its loops are left."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Iterator

_INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


def own_parts(block: Iterable[ast.AST], apart: tuple[type[ast.AST], ...] = ()) -> Iterator[ast.AST]:
    """Of inner functions, of classes and of parts such as `apart` (but for their `else`) the part alone."""
    for part in block:
        yield part
        if isinstance(part, apart):
            yield from own_parts(getattr(part, "orelse", ()), apart)
        elif not isinstance(part, _INNER):
            yield from own_parts(ast.iter_child_nodes(part), apart)


@functools.lru_cache(maxsize=4096)
def breaks(loop: ast.For | ast.While) -> bool:
    """Whether a `break` of the loop stands in its body: those of a loop in it are that loop's."""
    return any(isinstance(part, ast.Break) for part in own_parts(loop.body, _LOOPS))


@functools.lru_cache(maxsize=4096)
def returns(loop: ast.For | ast.While) -> bool:
    """Whether a `return` of the function stands in its body."""
    return any(isinstance(part, ast.Return) for part in own_parts(loop.body))
