"""Whether a program has another way where a file is not here, so that nothing is to be made up in its place."""

from __future__ import annotations

import ast
import functools
import os
from typing import Any

_CAUGHT = frozenset(("OSError", "IOError", "EnvironmentError", "FileNotFoundError", "Exception", "BaseException"))


def does_without(frame: Any, root: str) -> bool:
    """Whether a line of the project on the way to `frame` stands in a `try` that catches the want of a file and goes
    on."""
    while frame is not None:
        name = frame.f_code.co_filename
        if name.startswith(root + os.sep) and any(a <= frame.f_lineno <= b for a, b in _guarded(name)):
            return True
        frame = frame.f_back
    return False


@functools.lru_cache(maxsize=256)
def _guarded(path: str) -> tuple[tuple[int, int], ...]:
    """The lines that such `try` statements of a file guard."""
    try:
        with open(path, "rb") as file:
            tree = ast.parse(file.read())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return ()
    return tuple(
        (node.body[0].lineno, node.body[-1].end_lineno or node.body[-1].lineno)
        for node in ast.walk(tree)
        if isinstance(node, ast.Try) and any(_goes_on(handler) for handler in node.handlers)
    )


def _goes_on(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    caught = any(k is None or ast.unparse(k).rpartition(".")[2] in _CAUGHT for k in kinds)
    last = ast.unparse(handler.body[-1])
    return caught and not last.startswith(("raise", "sys.exit", "exit(", "quit("))
