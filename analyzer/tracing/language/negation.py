"""The negation of a value, as ``not`` asks for it."""

from __future__ import annotations

import ast

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.truths import Test, is_unread, truth_of
from analyzer.tracing.language.values import Api, Instance, Unknown, Value
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.terms import Cond, negate


def invert_truth(tr: Tracer, value: Value, node: ast.AST | None = None) -> Value:
    """``not value``; where its truth is not known, a path is chosen for a tensor or an unknown value."""
    tr.read(value)
    truth = truth_of(value)
    if truth is not None:
        return not truth
    if isinstance(value, Cond):
        return negate(value)
    if isinstance(value, Test):
        opposite = Test(value.subject, value.operation, value.constant, f"not {value.label}")
        opposite.negated = not value.negated
        return opposite
    if isinstance(value, (Unknown, Tensor)):
        return not tr.decide(value, node)
    lost = isinstance(value, (Instance, Api)) or is_unread(value)
    return tr.unknown("a truth", "imprecise" if lost else "data", pytype="bool")
