"""`*batch` of a shape annotation where nobody gives the argument: two axes, to which what is returned can be held."""

from __future__ import annotations

import ast
import re

from analyzer.tracing.language.values import Function
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.terms import Term

AXES = 2
_ROW = re.compile(r"[\"' ]#?\*([A-Za-z_]\w*)")


def returns_a_row(function: Function) -> bool:
    """Whether its result is annotated with a row of sizes that a parameter names."""
    spec, returns = function.node.args, getattr(function.node, "returns", None)
    parameters = (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)
    given = {name for p in parameters if p.annotation is not None for name in _ROW.findall(ast.unparse(p.annotation))}
    return returns is not None and bool(given & set(_ROW.findall(ast.unparse(returns))))


def row(tr: Tracer, name: str) -> tuple[Term, ...]:
    """Sizes that callers choose."""
    return tuple(tr.fresh(f"{name}.{index}", "dim", 1) for index in range(AXES))
