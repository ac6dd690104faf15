"""Execution of statements. Each rule gives None, or why its block is left: `BREAK`, `CONTINUE` or a `Returned`."""

from __future__ import annotations

import ast
import builtins
import functools
from collections.abc import Iterator
from contextlib import contextmanager

from analyzer.tracing.contracts import declared_shapes, shape_comments
from analyzer.tracing.imports.modules import import_from, import_module
from analyzer.tracing.language import loops
from analyzer.tracing.language.arithmetic import binary
from analyzer.tracing.language.assignment import assign, assign_spread, is_spread, store_name
from analyzer.tracing.language.branches import about_sizes, expected, if_steps, known_truth, run_if, settle
from analyzer.tracing.language.contexts import does_something, enter, expects, leave
from analyzer.tracing.language.definitions import make_class, make_function
from analyzer.tracing.language.evaluation import (
    BREAK,
    CONTINUE,
    STATEMENTS,
    STEPS,
    Returned,
    Signal,
    Steps,
    block_steps,
    call,
    evaluate,
    finished,
    holds_yield,
    run_block,
)
from analyzer.tracing.language.handlers import catches, caught, caught_names
from analyzer.tracing.language.items import delete_item
from analyzer.tracing.language.lazy_iterators import dropped
from analyzer.tracing.language.matching import fits
from analyzer.tracing.language.optional_packages import noted, tried
from analyzer.tracing.language.setting_attributes import delete_attribute
from analyzer.tracing.language.suspended_bodies import evaluate_steps
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Api, Class, Instance, Native, Object, Value
from analyzer.tracing.paths.frames import Frame, Leaving
from analyzer.tracing.paths.problems import PyRaise, ShapeFailure, exception_name
from analyzer.tracing.paths.tracer import Tracer

# ------------------------------------------------------------------------------------------------- names


def _assign(tr: Tracer, node: ast.Assign) -> None:
    if len(node.targets) == 1 and is_spread(node.targets[0], node.value):
        assign_spread(tr, node.targets[0], node.value)
        return
    value = evaluate(tr, node.value)
    for target in node.targets:
        assign(tr, target, value)
    if isinstance(value, Tensor) and isinstance(node.targets[0], ast.Name):
        shape_comments.check_comment(tr, value, node, tr.frame.commented)


def _annotated(tr: Tracer, node: ast.AnnAssign) -> None:
    if node.value is not None:
        value = evaluate(tr, node.value)
        assign(tr, node.target, value)
        contract = declared_shapes.contract_of(tr, node.annotation, tr.frame.path)
        if contract is not None and isinstance(node.target, ast.Name):
            if tr.frame.sizes is None:
                tr.frame.sizes = {}
            declared_shapes.check(tr, value, contract, tr.frame.sizes, f"`{node.target.id}`", node)
    if isinstance(node.target, ast.Name):
        scope = tr.frame.scope
        order = scope.names.get("__annotations__")
        if isinstance(order, dict):
            order[node.target.id] = node.annotation


def _augmented(tr: Tracer, node: ast.AugAssign) -> None:
    load: ast.expr
    if isinstance(node.target, ast.Name):
        load = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
    elif isinstance(node.target, ast.Attribute):
        load = ast.copy_location(ast.Attribute(node.target.value, node.target.attr, ast.Load()), node.target)
    else:
        load = ast.copy_location(ast.Subscript(node.target.value, node.target.slice, ast.Load()), node.target)
    left, right = evaluate(tr, load), evaluate(tr, node.value)
    assign(tr, node.target, binary(tr, type(node.op), left, right, node, in_place=True))


def _delete(tr: Tracer, node: ast.Delete) -> None:
    for target in node.targets:
        if isinstance(target, ast.Name):
            tr.touch(tr.frame.scope)
            dropped(tr, [tr.frame.scope.names.pop(target.id, None)])
        elif isinstance(target, ast.Subscript):
            delete_item(tr, evaluate(tr, target.value), evaluate(tr, target.slice))
        elif isinstance(target, ast.Attribute):
            delete_attribute(tr, evaluate(tr, target.value), target.attr)


def _global(tr: Tracer, node: ast.Global) -> None:
    for name in node.names:
        tr.frame.scope.nonlocals[name] = tr.frame.scope.globals


def _nonlocal(tr: Tracer, node: ast.Nonlocal) -> None:
    """The name is that of the nearest function around that has it; before it has, of the nearest function."""
    nearest = tr.frame.scope.parent
    for name in node.names:
        scope = nearest
        while scope is not None and name not in scope.names:
            scope = scope.parent
        home = scope if scope is not None and scope is not scope.globals else nearest
        if home is not None and home is not home.globals:
            tr.frame.scope.nonlocals[name] = home


# ------------------------------------------------------------------------------------------- definitions


def _function(tr: Tracer, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    store_name(tr, node.name, make_function(tr, node))


def _class(tr: Tracer, node: ast.ClassDef) -> None:
    store_name(tr, node.name, make_class(tr, node))


def _import(tr: Tracer, node: ast.Import) -> None:
    for alias in node.names:
        value = import_module(tr, alias.name, whole=alias.asname is not None)
        store_name(tr, alias.asname or alias.name.partition(".")[0], value)


def _import_from(tr: Tracer, node: ast.ImportFrom) -> None:
    import_from(tr, node, lambda name, value: store_name(tr, name, value))


# ------------------------------------------------------------------------------------------ control flow


def _expression(tr: Tracer, node: ast.Expr) -> None:
    if not isinstance(node.value, ast.Constant):
        evaluate(tr, node.value)


def _asks_nothing(tr: Tracer, test: ast.expr) -> bool:
    """Whether a name in an expression stands for None."""
    names = (n for n in ast.walk(test) if isinstance(n, (ast.Name, ast.Attribute)))
    return any(evaluate(tr, n) is None for n in names)


def _assert(tr: Tracer, node: ast.Assert) -> None:
    decided = tr.choices
    value = expected(tr, node.test, True)
    truth, chosen = known_truth(tr, value, node.test), tr.choices > decided
    text = ast.unparse(node.test)
    if truth is False and "__version__" not in text:  # it says with which version it is run
        if about_sizes(tr, node.test) and tr.certain and not (tr.made_up or chosen):
            tr.refuse(f"the assertion `{text[:120]}` does not hold", node.test, "assert")
        left_out = tr.met_default and _asks_nothing(tr, node.test)
        raise PyRaise("AssertionError", f"an assertion {'on None ' if left_out else ''}does not hold")
    if truth is None:
        settle(tr, value, True, node.test)


def _raise(tr: Tracer, node: ast.Raise) -> None:
    value = evaluate(tr, node.exc) if node.exc is not None else None
    if node.exc is None and tr.frame.handled:
        raise tr.frame.handled[-1]
    again = next((p for p in reversed(tr.frame.handled) if value is not None and p.bound is value), None)
    if again is not None:
        if isinstance(value, (Instance, Object)) and "__context__" in value.attrs:
            tr.touch(value)
            value.attrs["__context__"] = tr.unknown("an exception")
        raise again
    value = _called(tr, value)
    error = PyRaise(exception_name(value), "raised by the program", value)
    error.context = tr.frame.handled[-1] if tr.frame.handled else None
    if isinstance(value, (Instance, Object)):
        _chain(tr, value, next((f.handled[-1] for f in reversed(tr.frames) if f.handled), None), node)
    raise error


def _called(tr: Tracer, value: Value) -> Value:
    """An exception, of which its class may be written."""
    kind = getattr(builtins, value.name, None) if isinstance(value, (Api, Native)) else None
    raised = isinstance(value, Class) or (isinstance(kind, type) and issubclass(kind, BaseException))
    return call(tr, value, (), {}) if raised else value


def _chain(tr: Tracer, value: Instance | Object, context: PyRaise | None, node: ast.Raise) -> None:
    """What an exception that is raised says of the one that it is raised from, and of the one that is handled."""
    tr.touch(value)
    cause = evaluate(tr, node.cause) if node.cause is not None else None
    if node.cause is not None or "__cause__" not in value.attrs:
        value.attrs["__cause__"] = _called(tr, cause)
        value.attrs["__suppress_context__"] = node.cause is not None
    known = context.bound if context is not None else None
    value.attrs["__context__"] = known if known is not None else tr.unknown("an exception", "imprecise")


def _try_steps(tr: Tracer, node: ast.Try) -> Steps:
    frame = tr.frame
    signal: Signal = None
    try:
        with _pending(frame, bool(node.finalbody) or any(map(_closes, node.handlers))):
            signal = yield from _handled(tr, node, frame)
    except GeneratorExit:
        raise  # the host gives the body up
    except BaseException:
        tr.unwind(frame)
        final = (yield from _block(tr, node.finalbody)) if node.finalbody else None
        if final is not None:
            return final
        raise
    final = (yield from _block(tr, node.finalbody)) if node.finalbody else None
    return final if final is not None else signal


def _handled(tr: Tracer, node: ast.Try, frame: Frame) -> Steps:
    replaces, told = _replaces(node), tried(node)
    before = {name: frame.scope.names.get(name) for name in told.there} if told is not None else {}
    try:
        with tr.guarded(bool(node.handlers)), _replacing(frame, replaces):
            signal = yield from _block(tr, node.body)
    except PyRaise as problem:
        tr.unwind(frame)
        handler = next((h for h in node.handlers if catches(caught(tr, h), problem)), None)
        if handler is None:
            raise
        if handler.name:
            problem.bound = problem.value if problem.value is not None else tr.unknown("an exception", "imprecise")
            store_name(tr, handler.name, problem.bound)
        frame.handled = (*frame.handled, problem)
        instead = replaces and problem.name == "ModuleNotFoundError"
        with Leaving(lambda: setattr(frame, "handled", frame.handled[:-1])), _replacing(tr, instead):
            return (yield from _block(tr, handler.body))
    signal = (yield from _block(tr, node.orelse)) if signal is None else signal
    for name, value in (noted(tr, told, before) if told is not None and signal is None else {}).items():
        if frame.scope.names.get(name) is True:
            store_name(tr, name, value)
    return signal


@functools.lru_cache(maxsize=4096)
def _replaces(node: ast.Try) -> bool:
    """Whether a handler defines what the block would import."""
    imports = [n for n in node.body if isinstance(n, (ast.Import, ast.ImportFrom))]
    names = {a.asname or a.name.partition(".")[0] for n in imports for a in n.names}
    defined = (n for h in node.handlers for n in h.body if isinstance(n, (ast.FunctionDef, ast.ClassDef)))
    return any(n.name in names for n in defined)


@contextmanager
def _replacing(where: Frame | Tracer, replaces: bool) -> Iterator[None]:
    where.replacing += replaces
    with Leaving(lambda: setattr(where, "replacing", where.replacing - replaces)):
        yield


def _block(tr: Tracer, body: list[ast.stmt]) -> Steps:
    return (yield from block_steps(tr, body)) if holds_yield(body) else run_block(tr, body)


def _closes(handler: ast.ExceptHandler) -> bool:
    """Whether a handler may run where a generator is closed."""
    return bool({"BaseException", "GeneratorExit"} & set(caught_names(handler)))


@contextmanager
def _pending(frame: Frame, pending: bool) -> Iterator[None]:
    """Inside, a generator that is closed does something."""
    frame.pending += pending
    with Leaving(lambda: setattr(frame, "pending", frame.pending - pending)):
        yield


_EXPECTING = ("raises", "assertRaises", "assert_raises", "suppress", "assertWarns")  # how such names begin


def _expected_names(manager: ast.expr) -> list[str] | None:
    """The exceptions that a block expects, where all of them are Python's own and are written there."""
    given = manager.args if isinstance(manager, ast.Call) else []
    names = [n for a in given[:1] for n in (a.elts if isinstance(a, ast.Tuple) else [a])]
    plain = all(isinstance(n, ast.Name) and isinstance(getattr(builtins, n.id, None), type) for n in names)
    return [n.id for n in names if isinstance(n, ast.Name)] if names and plain else None


def _may_be(names: list[str], problem: PyRaise) -> bool:
    """Whether an exception may be one of those that are expected.

    PyTorch refuses some paddings and convolutions by a NotImplementedError; one refusal may stand for another there.
    """
    if "NotImplementedError" in names and isinstance(problem, ShapeFailure):
        return any(word in problem.problem.operator.lower() for word in ("pad", "conv", "pool", "interpolate"))
    return catches(names, problem)


def _with_steps(tr: Tracer, node: ast.With | ast.AsyncWith) -> Steps:
    return (yield from _inside(tr, node, 0))


def _inside(tr: Tracer, node: ast.With | ast.AsyncWith, place: int) -> Steps:
    if place == len(node.items):
        return (yield from _block(tr, node.body))
    item, frame = node.items[place], tr.frame
    called = item.context_expr.func if isinstance(item.context_expr, ast.Call) else item.context_expr
    name = called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
    swallow = name.startswith(_EXPECTING)
    only = _expected_names(item.context_expr) if swallow and name != "suppress" else None
    manager = yield from evaluate_steps(tr, item.context_expr)
    value = enter(tr, manager)
    try:
        with tr.guarded(swallow or expects(manager)), _pending(frame, does_something(manager)):
            if item.optional_vars is not None:
                assign(tr, item.optional_vars, value)
            signal = yield from _inside(tr, node, place + 1)
    except PyRaise as problem:
        tr.unwind(frame)
        if not leave(tr, manager, problem) and not (swallow and (only is None or _may_be(only, problem))):
            raise
        return None
    leave(tr, manager, None)
    return signal


# ---------------------------------------------------------------------------------------- match statement


def _match_steps(tr: Tracer, node: ast.Match) -> Steps:
    subject = yield from evaluate_steps(tr, node.subject)
    for case in node.cases:
        if not fits(tr, case.pattern, subject, lambda name, value: store_name(tr, name, value)):
            continue
        if case.guard is None or tr.decide((yield from evaluate_steps(tr, case.guard)), case.guard):
            return (yield from _block(tr, case.body))
    return None


STEPS.update(
    {
        ast.If: if_steps,
        ast.For: loops.for_steps,
        ast.AsyncFor: loops.for_steps,
        ast.While: loops.while_steps,
        ast.With: _with_steps,
        ast.AsyncWith: _with_steps,
        ast.Try: _try_steps,
        ast.TryStar: _try_steps,
        ast.Match: _match_steps,
    }
)
STATEMENTS.update(
    {
        ast.Assign: _assign,
        ast.AnnAssign: _annotated,
        ast.AugAssign: _augmented,
        ast.Delete: _delete,
        ast.Global: _global,
        ast.Nonlocal: _nonlocal,
        ast.FunctionDef: _function,
        ast.AsyncFunctionDef: _function,
        ast.ClassDef: _class,
        ast.Import: _import,
        ast.ImportFrom: _import_from,
        ast.Return: lambda tr, node: Returned(None if node.value is None else evaluate(tr, node.value)),
        ast.Expr: _expression,
        ast.Assert: _assert,
        ast.Raise: _raise,
        ast.Try: lambda tr, node: finished(_try_steps(tr, node)),
        ast.TryStar: lambda tr, node: finished(_try_steps(tr, node)),
        ast.With: lambda tr, node: finished(_with_steps(tr, node)),
        ast.AsyncWith: lambda tr, node: finished(_with_steps(tr, node)),
        ast.If: run_if,
        ast.For: loops.run_for,
        ast.AsyncFor: loops.run_for,
        ast.While: loops.run_while,
        ast.Match: lambda tr, node: finished(_match_steps(tr, node)),
        ast.Pass: lambda tr, node: None,
        ast.Break: lambda tr, node: BREAK,
        ast.Continue: lambda tr, node: CONTINUE,
    }
)
