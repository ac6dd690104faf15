"""Evaluation of an expression by the rule of its kind of node."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from analyzer.tracing.tracer import Tracer
from analyzer.tracing.values import Value

RULES: dict[type[ast.expr], Callable[[Tracer, Any], Value]] = {}  # filled by `expressions`


def evaluate(tr: Tracer, node: ast.expr) -> Value:
    rule = RULES.get(type(node))
    if rule is None:
        return tr.unknown(type(node).__name__)
    tr.step()
    return rule(tr, node)
