"""`if`: decided branches, branches that only refuse, branches whose sides agree, and forks."""

from __future__ import annotations

import ast
import functools
from typing import Any

from analyzer.tracing.imports.libraries import MARK
from analyzer.tracing.inside.size_conditions import asks_for_sizes
from analyzer.tracing.language.evaluation import (
    Signal,
    Steps,
    block_steps,
    evaluate,
    finished,
    holds_yield,
    run_block,
)
from analyzer.tracing.language.negation import invert_truth
from analyzer.tracing.language.own_truths import own_truth
from analyzer.tracing.language.suspended_bodies import held
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.truths import Test, truth_of
from analyzer.tracing.language.values import Class, Instance, Object, Unknown, Value
from analyzer.tracing.language.yields import suspends
from analyzer.tracing.operators.scalars import demand_one_element
from analyzer.tracing.paths.agreement import alike
from analyzer.tracing.paths.paths import Journal, PathEnd, Undecided
from analyzer.tracing.paths.problems import PyRaise, ShapeFailure
from analyzer.tracing.paths.symbols import Site
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.terms import Cond, all_of, any_of, negate


def if_steps(tr: Tracer, node: ast.If) -> Steps:
    decided = tr.choices
    test = yield from held(tr, node.test)
    value = condition(tr, test) if (side := _goes_on(node)) is None else expected(tr, test, side)
    truth, chosen = known_truth(tr, value, node.test), tr.choices > decided
    if truth is not None:
        taken = node.body if truth else node.orelse
        if side is truth and not chosen:
            _passes(tr, node.orelse if truth else node.body)
        entered = tr.choices
        try:
            return (yield from block_steps(tr, taken)) if holds_yield(taken) else run_block(tr, taken)
        except PyRaise as error:
            if not chosen:  # by the test itself: the other side is as possible, and goes on
                refusing = taken if tr.choices > entered else _raising(tr, taken, error)
                _tell_refusal(tr, node, taken, refusing, error)
            raise
    if side is not None:
        settle(tr, value, side, node.test)
        taken = node.body if side else node.orelse
        return (yield from block_steps(tr, taken)) if holds_yield(taken) else run_block(tr, taken)
    if tr.speculating:
        raise Undecided
    merges = not isinstance(value, Cond) and tr.sampler is None and not suspends(node)  # sides may give other elements
    if merges and _agree(tr, node):
        return run_block(tr, node.body)
    taken = node.body if tr.decide(value, node.test) else node.orelse
    return (yield from block_steps(tr, taken)) if holds_yield(taken) else run_block(tr, taken)


def known_truth(tr: Tracer, value: Value, node: ast.expr) -> bool | None:
    """The truth of a test, where it is known without a choice.

    Of numbers that are computed here as the program computes them: whether two are equal hangs on their last digits.
    """
    truth = truth_of(value)
    if truth is None and tr.sampler is not None and not _asks_for_equality(node):
        exact: bool | None = tr.sampler.exact_truth(value)
        return exact
    return truth


@functools.lru_cache(maxsize=4096)
def _asks_for_equality(node: ast.expr) -> bool:
    parts = list(ast.walk(node))
    named = {p.attr if isinstance(p, ast.Attribute) else getattr(p, "id", "") for p in parts}
    signs = any(isinstance(o, (ast.Eq, ast.NotEq)) for p in parts if isinstance(p, ast.Compare) for o in p.ops)
    return signs or any("equal" in name or "close" in name or name in ("eq", "ne") for name in named)


def run_if(tr: Tracer, node: ast.If) -> Signal:
    return finished(if_steps(tr, node))


def _raising(tr: Tracer, taken: list[ast.stmt], error: PyRaise) -> list[ast.stmt]:
    """The block that raised it: `if sizes differ: if not self.lenient: raise …` refuses sizes as well."""
    for statement in taken:
        for block in (statement.body, statement.orelse) if isinstance(statement, ast.If) else ():
            if block and tr.site(block[-1]) == error.site:
                return block
    return taken


def _tell_refusal(tr: Tracer, node: ast.If, taken: list[ast.stmt], refusing: list[ast.stmt], error: PyRaise) -> None:
    """A program that refuses sizes itself, by an exception that says so, fails as an operator's refusal does."""
    last = refusing[-1] if refusing else None
    if not isinstance(last, ast.Raise) or isinstance(error, ShapeFailure) or not _refuses_arguments(error):
        return
    library = tr.frame.path.startswith(MARK)
    told = not tr.made_up and not tr.speculating
    if told and _refuses(refusing) and about_sizes(tr, node.test):
        words = error.value.attrs.get("args") if isinstance(error.value, (Instance, Object)) else None
        said = f"`{ast.unparse(node.test)[:120]}` is {'true' if taken is node.body else 'false'}"
        message = f"the program raises {error.name}, since {said}"
        if library and isinstance(words, tuple) and words and isinstance(words[0], str):
            message = f"{error.name} is raised: {' '.join(words[0].split())[:160]}"
        try:
            tr.refuse(message, last, "raise")
        except ShapeFailure as failure:
            failure.raised, failure.value = error, error.value
            raise


def _refuses_arguments(error: PyRaise) -> bool:
    """Whether it is one of Python's exceptions for what does not fit, or of a class that inherits from one."""
    cls = error.value.cls if isinstance(error.value, Instance) else error.value
    bases = cls.library_bases if isinstance(cls, Class) else ()
    return error.name in REFUSALS or any(base.rpartition(".")[2] in REFUSALS for base in bases)


def _passes(tr: Tracer, refusing: list[ast.stmt]) -> None:
    """Remember that the program does not refuse here, where it may on another path."""
    if isinstance(refusing[-1], ast.Raise):
        tr.pass_operator(tr.site(refusing[-1]), "raise")


REFUSALS = frozenset(("ValueError", "RuntimeError", "TypeError", "AssertionError", "IndexError"))


def about_sizes(tr: Tracer, test: ast.expr) -> bool:
    """Whether the condition of a branch or an assertion asks for sizes."""
    function = tr.frame.function
    return asks_for_sizes(test, function.node if function is not None else None)


def condition(tr: Tracer, node: ast.expr) -> Value:
    """The value of a test; `and`, `or` and `not` of undecided parts stay one condition where they can."""
    value = evaluate(tr, node)
    demand_one_element(tr, value, "truth", node)
    return own_truth(tr, value)


@functools.lru_cache(maxsize=4096)
def _goes_on(node: ast.If) -> bool | None:
    """The side of a branch on which the program goes on, where the other does nothing but refuse."""
    return False if _refuses(node.body) else True if node.orelse and _refuses(node.orelse) else None


def expected(tr: Tracer, node: ast.expr, wanted: bool) -> Value:
    """The value of a test that the program refuses unless it is `wanted`.

    Where every part of it has to be so, each is taken to be; where one suffices, those before the last are decided.
    """
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return invert_truth(tr, expected(tr, node.operand, not wanted))
    if not isinstance(node, ast.BoolOp):
        return condition(tr, node)
    if isinstance(node.op, ast.And) is not wanted:
        return _one_suffices(tr, node, wanted)
    for part in node.values:
        value = expected(tr, part, wanted)
        truth = truth_of(value)
        if truth is None:
            settle(tr, value, wanted, part)
        elif truth is not wanted:
            return truth
    return wanted


def _one_suffices(tr: Tracer, node: ast.BoolOp, wanted: bool) -> Value:
    """`A and B` where it has to be false, `A or B` where it has to be true."""
    pending: list[tuple[Value, ast.expr]] = []
    for part in node.values:
        value = expected(tr, part, wanted) if part is node.values[-1] and not pending else condition(tr, part)
        truth = truth_of(value)
        if truth is wanted:
            return wanted
        if truth is None and not isinstance(value, (Cond, Test)) and part is not node.values[-1]:
            if tr.decide(value, part) is wanted:
                return wanted
        elif truth is None:
            pending.append((value, part))
    if not pending:
        return not wanted
    values = [value for value, _ in pending]
    if all(isinstance(value, Cond) for value in values):
        return any_of(*values) if wanted else all_of(*values)
    if any(tr.decide(value, part) is wanted for value, part in pending[:-1]):
        return wanted
    return values[-1]


def settle(tr: Tracer, value: Value, taken: bool, node: ast.AST) -> None:
    """Go on as if the undecided value had this truth, because the other side leads nowhere."""
    tr.shared.asks_values = tr.shared.asks_values or isinstance(value, Tensor)
    if isinstance(value, Cond):
        tr.assume(value if taken else negate(value), "definition", tr.site(node))
    elif isinstance(value, Test):
        tr.settle(value, taken)
    elif isinstance(value, Unknown):
        tr.touch(value)
        value.truth = taken


def _refuses(body: list[ast.stmt]) -> bool:
    """Whether a block does nothing but complain and leave the program."""
    if not body:
        return False
    last = body[-1]
    if isinstance(last, ast.Raise):
        return all(isinstance(s, (ast.Expr, ast.Assign, ast.Raise, ast.AugAssign)) or _complains(s) for s in body)
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        text = ast.unparse(last.value.func)
        return text in ("sys.exit", "exit", "quit", "os._exit") or text.endswith("parser.error")
    return False


def _complains(statement: ast.stmt) -> bool:
    """Whether it chooses between ways to complain: what it does not leave by, it leaves to those behind."""
    if not isinstance(statement, ast.If):
        return False
    return _refuses(statement.body) and (not statement.orelse or _refuses(statement.orelse))


def _agree(tr: Tracer, node: ast.If) -> bool:
    """Whether both sides lead to the same state, so that no fork is needed."""
    site = tr.site(node)
    tr.occurrences[site] = tr.occurrences.get(site, 0) + 1
    key = Site(f"{site.path}#{tr.occurrences[site]}", site.line, site.column)
    if key in tr.shared.unmergeable:
        return False
    first = _try_out(tr, node.body)
    second = _try_out(tr, node.orelse) if first is not None else None
    if first is not None and second is not None and _same_effects(first, second):
        return True
    tr.shared.unmergeable.add(key)
    return False


Effects = dict[int, tuple[Any, Any, Any]]  # id -> (item, state before, state after)


def _try_out(tr: Tracer, body: list[ast.stmt]) -> Effects | None:
    depth = len(tr.frames)
    with tr.undoable() as journal:
        outer, tr.trial = tr.trial, tr.trial or journal.mark
        suspended, unsettled = tr.suspended, list(tr.unsettled)
        tr.speculating += 1
        try:
            signal = run_block(tr, body)
            effects = _effects(journal) if signal is None else None
        except (PyRaise, PathEnd, Undecided):
            effects = None
        finally:
            tr.speculating -= 1
            tr.trial, tr.suspended, tr.unsettled = outer, suspended, unsettled
            del tr.frames[depth:]
            journal.undo()
    return effects


def _effects(journal: Journal) -> Effects:
    return {
        key: (item, _learned(item, before), _learned(item, item.state()))
        for key, (item, before) in journal.saved.items()
    }


def _learned(item: Any, state: Any) -> Any:
    """What is known of it; that an attribute or item of something unknown was looked at tells nothing of either."""
    if not isinstance(item, Unknown):
        return state
    attrs, items, *rest = state
    return (*({k: v for k, v in held.items() if not _bare(v)} for held in (attrs, items)), *rest)


def _bare(value: Value) -> bool:
    """Whether nothing is known of a value but where it comes from."""
    if type(value) is not Unknown or value.term is not None or value.tensor is not None or value.value is not None:
        return False
    return (
        value.truth is None and not value.excluded and all(map(_bare, (*value.attrs.values(), *value.items.values())))
    )


def _same_effects(first: Effects, second: Effects) -> bool:
    for key in first.keys() | second.keys():
        a, b = first.get(key), second.get(key)
        if a is None or b is None:
            only = a or b
            assert only is not None
            if not alike(only[1], only[2]):
                return False
        elif not alike(a[2], b[2]):
            return False
    return True
