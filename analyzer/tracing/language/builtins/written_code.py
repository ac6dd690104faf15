"""`eval` and `exec`: code in a text is followed where the text is known; behind any other nothing is proved."""

from __future__ import annotations

import ast

from analyzer.tracing.language.builtins.call import Call
from analyzer.tracing.language.evaluation import evaluate, run_block
from analyzer.tracing.language.namespaces import ScopeNames
from analyzer.tracing.language.values import Value
from analyzer.tracing.paths.problems import PyRaise

MOST_CHARACTERS = 1000


def eval_(c: Call) -> Value:
    """An expression in a text that is known, where the call stands."""
    tree = _parsed(c, "eval")
    return dynamic(c) if not isinstance(tree, ast.Expression) else evaluate(c.tr, tree.body)


def exec_(c: Call) -> Value:
    """Statements in a text that is known. In a function the names that they bind are not those of the function."""
    tree = _parsed(c, "exec")
    inside = c.tr.frame.function is not None
    if isinstance(tree, ast.Module) and not (inside and _binds(tree)):
        run_block(c.tr, tree.body)
        return None
    spaces = (*c.args[1:], *c.kwargs.values())
    c.tr.forget(spaces)
    if not spaces or any(isinstance(space, ScopeNames) for space in spaces):
        c.tr.path.guessed = True  # it may bind any name anew, and change any object
    dynamic(c)
    return None


def dynamic(c: Call) -> Value:
    c.tr.note("code that is made at run time (exec, eval, __import__) is not followed")
    return c.tr.unknown("code made at run time")


def _parsed(c: Call, mode: str) -> ast.AST | None:
    """The tree of a known text that is run among the names of the place, at the line of the call."""
    text = c.get(0)
    if not isinstance(text, str) or len(c.args) > 1 or c.kwargs or len(text) > MOST_CHARACTERS or c.node is None:
        return None
    try:
        tree = ast.parse(text.strip() if mode == "eval" else text, mode=mode)
    except (SyntaxError, ValueError) as error:
        raise PyRaise("SyntaxError", str(error)) from error
    for part in ast.walk(tree):
        ast.copy_location(part, c.node)
    return tree


def _binds(tree: ast.AST) -> bool:
    """Whether any statement may bind a name."""
    plain = (ast.Expr, ast.Assign, ast.AugAssign)
    return any(
        (isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load))
        or (isinstance(part, ast.stmt) and not isinstance(part, plain))
        for part in ast.walk(tree)
    )
