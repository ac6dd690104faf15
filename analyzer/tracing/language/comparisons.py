"""Which comparison an operator asks for: identity, membership, or equality and order."""

from __future__ import annotations

import ast

from analyzer.tracing.language.arithmetic import settled
from analyzer.tracing.language.identity import identity
from analyzer.tracing.language.membership import member
from analyzer.tracing.language.orderings import compare_values, member_value, of_type
from analyzer.tracing.language.tensor_kinds import is_other_type, may_be_array
from analyzer.tracing.language.truths import is_unread
from analyzer.tracing.language.values import Value
from analyzer.tracing.paths.tracer import Tracer


def compare(tr: Tracer, op: type[ast.cmpop], left: Value, right: Value, node: ast.AST | None = None) -> Value:
    """What ``left op right`` is: identity, membership, or equality and order."""
    if op in (ast.Is, ast.IsNot, ast.Eq, ast.NotEq) and (is_other_type(left, right) or is_other_type(right, left)):
        return op in (ast.IsNot, ast.NotEq)
    if op in (ast.Is, ast.IsNot, ast.Eq, ast.NotEq) and may_be_array(left, right):
        return tr.unknown("of which class an array is", pytype="bool")
    if op not in (ast.Is, ast.IsNot, ast.In, ast.NotIn):
        return compare_values(tr, op, left, right, node)
    left, right = settled(left), settled(right)
    if left is not right and any(is_unread(v) or of_type(v) for v in (left, right)):
        return tr.unknown("a comparison with an attribute", pytype="bool")
    if op in (ast.Is, ast.IsNot):
        return identity(tr, left, right, op is ast.IsNot)
    left, right = member_value(left), member_value(right)
    for value in (left, right):
        tr.read(value)
    return member(tr, left, right, op is ast.NotIn)
