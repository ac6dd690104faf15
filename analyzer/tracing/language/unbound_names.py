"""Names that a function binds somewhere, and that are read where its run has bound them nowhere."""

from __future__ import annotations

import ast
import functools

from analyzer.tracing.language.own_parts import own_parts
from analyzer.tracing.paths.problems import Diagnostic, PyRaise
from analyzer.tracing.paths.tracer import Tracer

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def refuse_unbound(tr: Tracer, name: str) -> None:
    """Raises where the name is one of the function's own and nothing was decided or left out on the way to here.

    Python: a name that is bound anywhere in a function is local to all of it, and to read it before is an
    UnboundLocalError (language reference, 4.2.2).
    """
    frame = tr.frame
    function = frame.function
    if function is None or tr.path.decisions or not tr.certain or tr.in_definition:
        return
    if frame.cut or frame.endless or frame.forever or frame.vague or frame.further:
        return  # a round that was not followed may bind it
    if frame.scope.parent is not function.scope or name not in _local_names(function.node):
        return
    message = f"the name {name} is read, and no line that binds it has run"
    if not tr.guards:
        rule = "tracing/uncaught-exception"
        tr.report(Diagnostic(rule, "error", message, tr.site(), "UnboundLocalError", certain=True))
    raise PyRaise("UnboundLocalError", message)


@functools.lru_cache(maxsize=512)
def _local_names(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> frozenset[str]:
    if isinstance(node, ast.Lambda):
        return frozenset()
    bound, shared = set[str](), set[str]()
    for part in own_parts(node.body, _COMPREHENSIONS):
        if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load):
            bound.add(part.id)
        elif isinstance(part, (ast.Global, ast.Nonlocal)):
            shared.update(part.names)
        elif isinstance(part, (ast.Import, ast.ImportFrom)):
            bound.update((a.asname or a.name).partition(".")[0] for a in part.names)
        elif isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            bound.add(part.name)
            shared.update(name for inner in ast.walk(part) if isinstance(inner, ast.Nonlocal) for name in inner.names)
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id in ("exec", "locals"):
            return frozenset()  # what binds names unseen
    return frozenset(bound - shared)
