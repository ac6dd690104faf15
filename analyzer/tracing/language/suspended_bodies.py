"""Bodies of generators: expressions and statements that hold a yield, up to it and on from it.

An expression that holds one is evaluated part by part in Python's order up to its last yield; its rule then finds the
parts as values.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Generator, Iterator
from typing import Any

from analyzer.tracing.language.arithmetic import binary
from analyzer.tracing.language.assignment import assign
from analyzer.tracing.language.evaluation import EXPRESSIONS, STATEMENTS, STEPS, Steps, evaluate
from analyzer.tracing.language.lazy_iterators import ask, step_through
from analyzer.tracing.language.own_truths import own_truth
from analyzer.tracing.language.truths import truth_of
from analyzer.tracing.language.values import Lazy, Value
from analyzer.tracing.language.yields import suspends
from analyzer.tracing.paths.problems import PyRaise
from analyzer.tracing.paths.tracer import Tracer


class Held(ast.expr):
    """An expression that has its value already; `was` is what it was."""

    _fields = ("was",)

    def __init__(self, was: ast.expr, value: Value) -> None:
        super().__init__()
        self.was, self.value = was, value
        ast.copy_location(self, was)


def evaluate_steps(tr: Tracer, node: ast.expr) -> Steps:
    if not suspends(node):
        return evaluate(tr, node)
    rule = STEPS.get(type(node))
    if rule is not None:
        return (yield from rule(tr, node))
    return evaluate(tr, (yield from with_held_parts(tr, node)))


def held(tr: Tracer, node: Any) -> Generator[Value, Value, Any]:
    """The expression, or one that has its value if it holds a yield."""
    if node is None or not suspends(node):
        return node
    return Held(node, (yield from evaluate_steps(tr, node)))


def with_held_parts(tr: Tracer, node: Any) -> Generator[Value, Value, Any]:
    """A copy of which all parts up to the last that holds a yield have their values."""
    made = copy.copy(node)
    parts = list(_parts(node))
    last = max(place for place, (_, _, part) in enumerate(parts) if suspends(part))
    for field, index, part in parts[: last + 1]:
        if isinstance(part, (ast.keyword, ast.Starred, ast.FormattedValue, ast.Slice, ast.comprehension)):
            found = (yield from with_held_parts(tr, part)) if suspends(part) else _as_held(tr, part)
        elif not isinstance(getattr(part, "ctx", None), (ast.Store, ast.Del)):
            found = Held(part, (yield from evaluate_steps(tr, part)))
        else:
            found = (yield from with_held_parts(tr, part)) if suspends(part) else part
        if index is None:
            setattr(made, field, found)
        else:
            if getattr(made, field) is getattr(node, field):
                setattr(made, field, list(getattr(node, field)))
            getattr(made, field)[index] = found
    return made


def _as_held(tr: Tracer, part: Any) -> Any:
    """What has no value of its own, with those of its parts."""
    made = copy.copy(part)
    for field, index, inner in _parts(part):
        if index is None:
            setattr(made, field, Held(inner, evaluate(tr, inner)))
    return made


def _parts(node: ast.AST) -> Iterator[tuple[str, int | None, Any]]:
    """The parts that have values, as Python evaluates them: (field, place in it, part)."""
    if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        yield "generators", 0, node.generators[0]
        return
    if isinstance(node, ast.comprehension):
        yield "iter", None, node.iter
        return
    if isinstance(node, ast.Dict):
        for index, (key, value) in enumerate(zip(node.keys, node.values, strict=True)):
            if key is not None:
                yield "keys", index, key
            yield "values", index, value
        return
    fields = list(ast.iter_fields(node))
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        fields = [pair for pair in fields if pair[0] == "value"] + [
            pair for pair in fields if pair[0] in ("target", "targets")
        ]
    for name, value in fields:
        if isinstance(value, (ast.expr, ast.keyword)):
            yield name, None, value
        elif isinstance(value, list):
            for index, part in enumerate(value):
                if isinstance(part, (ast.expr, ast.keyword)):
                    yield name, index, part


# ------------------------------------------------------------------------------------------- expressions


def give(tr: Tracer, value: Value) -> Steps:
    """Hand an element to whoever asks; what it sends is what the yield gives."""
    frame = tr.frame
    if frame.leaving:
        return None
    frame.given_out += 1
    return (yield value)


def _yield(tr: Tracer, node: ast.Yield) -> Steps:
    value = None if node.value is None else (yield from evaluate_steps(tr, node.value))
    return (yield from give(tr, value))


def _yield_from(tr: Tracer, node: ast.YieldFrom) -> Steps:
    frame = tr.frame
    inner = yield from evaluate_steps(tr, node.value)
    passage = step_through(tr, inner, node)
    asked = passage.lazy
    sent: Value = None
    thrown: PyRaise | None = None
    while True:
        try:
            if asked is not None:
                value = ask(tr, asked, sent, thrown)
            elif thrown is not None:
                raise thrown
            else:
                value = next(passage.items)
        except StopIteration:
            break
        vague = passage.doubtful
        frame.endless, frame.vague = frame.endless + passage.endless, frame.vague + vague
        endless = passage.endless
        thrown = None
        try:
            sent = yield from give(tr, value)
        except PyRaise as error:
            thrown = error
        frame.endless, frame.vague = frame.endless - endless, frame.vague - vague
        if frame.leaving:
            passage.drain(tr)
            break
    frame.cut = frame.cut or passage.endless
    if isinstance(asked, Lazy) and not passage.endless:
        return getattr(asked, "returned", None)
    return None if asked is None and not passage.endless else tr.unknown("what a generator returns")


def _boolean(tr: Tracer, node: ast.BoolOp) -> Steps:
    wanted = isinstance(node.op, ast.And)
    for part in node.values[:-1]:
        value = yield from evaluate_steps(tr, part)
        told = own_truth(tr, value)
        truth = truth_of(told)
        if (tr.decide(told, part) if truth is None else truth) is not wanted:
            return value
    return (yield from evaluate_steps(tr, node.values[-1]))


def _if_expression(tr: Tracer, node: ast.IfExp) -> Steps:
    value = own_truth(tr, (yield from evaluate_steps(tr, node.test)))
    truth = truth_of(value)
    taken = tr.decide(value, node.test) if truth is None else truth
    return (yield from evaluate_steps(tr, node.body if taken else node.orelse))


def _await(tr: Tracer, node: ast.Await) -> Steps:
    return (yield from evaluate_steps(tr, node.value))


# -------------------------------------------------------------------------------------------- statements


def _simple(tr: Tracer, node: Any) -> Steps:
    """A statement without a block: it is run with the values of its parts."""
    return STATEMENTS[type(node)](tr, (yield from with_held_parts(tr, node)))


def _augmented(tr: Tracer, node: ast.AugAssign) -> Steps:
    if not isinstance(node.target, ast.Name):
        return (yield from _simple(tr, node))
    left = evaluate(tr, ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target))
    right = yield from evaluate_steps(tr, node.value)
    assign(tr, node.target, binary(tr, type(node.op), left, right, node, in_place=True))
    return None


EXPRESSIONS[Held] = lambda tr, node: node.value
STEPS.update(
    {
        ast.Yield: _yield,
        ast.YieldFrom: _yield_from,
        ast.BoolOp: _boolean,
        ast.IfExp: _if_expression,
        ast.Await: _await,
        ast.AugAssign: _augmented,
        **dict.fromkeys((ast.Expr, ast.Assign, ast.AnnAssign, ast.Return, ast.Raise, ast.Assert, ast.Delete), _simple),
    }
)
