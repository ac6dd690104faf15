"""What Python keeps of a function's code: the names of its parameters and variables, and how many there are."""

from __future__ import annotations

import ast
import functools
import types

from analyzer.tracing.language.values import Function, Object

OF_FUNCTION = "the function"  # under which a code object keeps whose it is


def code_of(function: Function) -> Object:
    """`function.__code__`."""
    code = _compiled(function.node)
    if code is None:
        return Object("code", {}, {OF_FUNCTION: function})
    counts = {name: getattr(code, name) for name in ("co_argcount", "co_posonlyargcount", "co_kwonlyargcount")}
    return Object(
        "code", {"co_name": function.name, "co_varnames": code.co_varnames, **counts}, {OF_FUNCTION: function}
    )


@functools.lru_cache(maxsize=1024)
def _compiled(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> types.CodeType | None:
    """The code of a function alone, without its decorators and defaults; nothing of it is run."""
    given = node.args
    plain = ast.arguments(
        [_bare(p) for p in given.posonlyargs], [_bare(p) for p in given.args],
        _bare(given.vararg) if given.vararg else None, [_bare(p) for p in given.kwonlyargs],
        [None for _ in given.kwonlyargs], _bare(given.kwarg) if given.kwarg else None, [],
    )  # fmt: skip
    body: list[ast.stmt] = [ast.Return(node.body)] if isinstance(node, ast.Lambda) else node.body
    kind = ast.AsyncFunctionDef if isinstance(node, ast.AsyncFunctionDef) else ast.FunctionDef
    alone = kind("f", plain, body, [], None)
    try:
        whole = compile(ast.fix_missing_locations(ast.Module([alone], [])), "<function>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return next((part for part in whole.co_consts if isinstance(part, types.CodeType)), None)


def _bare(parameter: ast.arg) -> ast.arg:
    return ast.arg(parameter.arg)
