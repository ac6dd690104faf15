"""Evaluation of expressions: names, members, operators, choices, calls, generators."""

from __future__ import annotations

import ast

from analyzer.tracing.language import displays
from analyzer.tracing.language.arithmetic import binary, unary
from analyzer.tracing.language.assignment import name_expression
from analyzer.tracing.language.calls import call_node
from analyzer.tracing.language.comparisons import compare
from analyzer.tracing.language.definitions import make_lambda
from analyzer.tracing.language.evaluation import EXPRESSIONS, evaluate, get_attribute, get_item
from analyzer.tracing.language.names import lookup
from analyzer.tracing.language.negation import invert_truth
from analyzer.tracing.language.own_truths import own_truth
from analyzer.tracing.language.truths import Test, truth_of
from analyzer.tracing.language.values import SliceV, Unknown, Value
from analyzer.tracing.operators.scalars import demand_one_element
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.terms import Cond, all_of, any_of


def _subscript(tr: Tracer, node: ast.Subscript) -> Value:
    value = evaluate(tr, node.value)
    tr.frames[-1].line = node.lineno
    return get_item(tr, value, evaluate(tr, node.slice), node)


def _slice(tr: Tracer, node: ast.Slice) -> SliceV:
    parts = [None if p is None else evaluate(tr, p) for p in (node.lower, node.upper, node.step)]
    return SliceV(*parts)


def _boolean(tr: Tracer, node: ast.BoolOp) -> Value:
    """`and` / `or` with short circuit; undecided operands that are conditions stay one condition."""
    wanted = isinstance(node.op, ast.And)
    pending: list[Value] = []
    value: Value = wanted
    for index, part in enumerate(node.values):
        value = evaluate(tr, part)
        told = own_truth(tr, value)
        truth = truth_of(told)
        last = index == len(node.values) - 1
        if truth is None:
            if isinstance(value, (Cond, Test)) or (isinstance(value, Unknown) and value.pytype == "bool"):
                if last and not pending:
                    return value
                pending.append(value)
                continue
            if last and not pending:
                return value
            if not pending:
                demand_one_element(tr, value, "truth", part)
            if tr.decide(told, part) is not wanted:
                return value if not pending else not wanted
            continue
        if truth is not wanted:
            return value if not pending else not wanted
    if not pending:
        return value
    if all(isinstance(p, Cond) for p in pending):
        return all_of(*pending) if wanted else any_of(*pending)
    for item in pending:  # decide one after another, in order
        if tr.decide(item, node) is not wanted:
            return not wanted
    return wanted


def _unary(tr: Tracer, node: ast.UnaryOp) -> Value:
    value = evaluate(tr, node.operand)
    if isinstance(node.op, ast.Not):
        demand_one_element(tr, value, "truth", node.operand)
        return invert_truth(tr, own_truth(tr, value), node.operand)
    return unary(tr, type(node.op), value)


def _binary(tr: Tracer, node: ast.BinOp) -> Value:
    left, right = evaluate(tr, node.left), evaluate(tr, node.right)
    tr.frames[-1].line = node.lineno
    return binary(tr, type(node.op), left, right, node)


def _compare(tr: Tracer, node: ast.Compare) -> Value:
    left = evaluate(tr, node.left)
    results: list[Value] = []
    for op, right_node in zip(node.ops, node.comparators, strict=True):
        right = evaluate(tr, right_node)
        results.append(compare(tr, type(op), left, right, node))
        left = right
    if len(results) == 1:
        return results[0]
    if all(isinstance(r, (bool, Cond)) for r in results):
        return all_of(*results)
    return all(tr.decide(r, node) for r in results)


def _if_expression(tr: Tracer, node: ast.IfExp) -> Value:
    value = own_truth(tr, evaluate(tr, node.test))
    demand_one_element(tr, value, "truth", node.test)
    truth = truth_of(value)
    if truth is None:
        for part in (node.body, node.orelse):
            if not isinstance(part, (ast.Constant, ast.Name, ast.Attribute)):
                break
        else:
            a, b = evaluate(tr, node.body), evaluate(tr, node.orelse)
            if (isinstance(a, (str, type(None))) and isinstance(b, (str, type(None)))) or a is b:
                if a == b:
                    return a
                if isinstance(a, str) and isinstance(b, str) and not isinstance(value, (Cond, Test)):
                    return tr.unknown("text", pytype="str")
        truth = tr.decide(value, node.test)
    return evaluate(tr, node.body if truth else node.orelse)


def _named(tr: Tracer, node: ast.NamedExpr) -> Value:
    value = evaluate(tr, node.value)
    name_expression(tr, node.target.id, value)
    return value


def _yield(tr: Tracer, node: ast.Yield | ast.YieldFrom) -> Value:
    """One that is not in the body of a function: see `suspended_bodies`."""
    return tr.unknown("what is sent to a generator")


EXPRESSIONS.update(displays.RULES)
EXPRESSIONS.update(
    {
        ast.Constant: lambda tr, node: node.value,
        ast.Name: lambda tr, node: lookup(tr, node.id),
        ast.Attribute: lambda tr, node: get_attribute(tr, evaluate(tr, node.value), node.attr, node),
        ast.Subscript: _subscript,
        ast.Slice: _slice,
        ast.Call: call_node,
        ast.BinOp: _binary,
        ast.UnaryOp: _unary,
        ast.BoolOp: _boolean,
        ast.Compare: _compare,
        ast.IfExp: _if_expression,
        ast.Lambda: make_lambda,
        ast.NamedExpr: _named,
        ast.Await: lambda tr, node: evaluate(tr, node.value),
        ast.Yield: _yield,
        ast.YieldFrom: _yield,
        ast.Starred: lambda tr, node: evaluate(tr, node.value),
    }
)
