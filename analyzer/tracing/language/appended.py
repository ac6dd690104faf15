"""Lists that grow by the same number of items in each round of a loop, whatever a round computes."""

from __future__ import annotations

import ast
import functools
from collections import Counter
from collections.abc import Mapping, Sequence

from analyzer.tracing.language.alternatives import plain_type
from analyzer.tracing.language.values import ListV, Value
from analyzer.tracing.paths.tracer import Tracer

MOST_ITEMS = 10_000  # that a list is made long without following the loop


def completed(tr: Tracer, loop: ast.For, rounds: int, left: int, was: Sequence[Value], holder: ListV) -> bool:
    """Whether the list now has the items of the rounds of the loop that are not followed too."""
    names, function = tr.frame.scope.names, tr.frame.function
    name = next((n for n, v in names.items() if v is holder), None)
    if name is None or function is None or holder.open or not 0 <= left <= MOST_ITEMS:
        return False
    each = _growth(function.node, loop).get(name, 0)
    if not each or len(holder.items) != len(was) + rounds * each:
        return False
    kinds = [{plain_type(v) for v in holder.items[len(was) + place :: each]} for place in range(each)]
    if any(len(kind) > 1 or "" in kind for kind in kinds):
        return False
    tr.touch(holder)
    for _ in range(left):
        holder.items.extend(tr.unknown("of a round", pytype=next(iter(kind))) for kind in kinds)
    return True


@functools.lru_cache(maxsize=1024)
def _growth(function: ast.AST, loop: ast.For) -> Mapping[str, int]:
    """Names of lists, and how many items each round appends.

    Of names that are written nowhere but in assignments, in that call, and behind the loop: nothing else reaches the
    list before the loop has ended, and each round comes to the call.
    """
    leaves = (ast.Break, ast.Continue, ast.Return, ast.Yield, ast.YieldFrom)
    if any(isinstance(n, leaves) for part in loop.body for n in ast.walk(part)) or _nested(function, loop):
        return {}
    found: Counter[str] = Counter()
    calls: set[int] = set()
    for statement in loop.body:
        call = statement.value if isinstance(statement, ast.Expr) else None
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and len(call.args) == 1):
            continue
        if call.func.attr == "append" and isinstance(call.func.value, ast.Name):
            found[call.func.value.id] += 1
            calls.add(id(call.func.value))
    behind = loop.end_lineno or loop.lineno
    for node in ast.walk(function):
        if not isinstance(node, ast.Name) or node.id not in found or id(node) in calls:
            continue
        inside = loop.lineno <= node.lineno <= behind
        if inside or (isinstance(node.ctx, ast.Load) and node.lineno < loop.lineno):
            del found[node.id]
    return dict(found)


def _nested(function: ast.AST, loop: ast.For) -> bool:
    """Whether another loop, or another function, holds the loop."""
    inner = (ast.For, ast.While, ast.AsyncFor, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
    return any(
        isinstance(node, inner) and node is not loop and node is not function and any(n is loop for n in ast.walk(node))
        for node in ast.walk(function)
    )
