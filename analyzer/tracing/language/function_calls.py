"""Calls of functions of the repository and of libraries: their bodies, followed."""

from __future__ import annotations

import ast
from dataclasses import replace

from analyzer.tracing.contracts import annotated_tensors, declared_shapes, docstrings
from analyzer.tracing.imports.libraries import MARK
from analyzer.tracing.imports.library_calls import run_library
from analyzer.tracing.language.evaluation import (
    Returned,
    call,
    evaluate,
    run_block,
)
from analyzer.tracing.language.generators import generator
from analyzer.tracing.language.generic_calls import version_for
from analyzer.tracing.language.lazy_iterators import dropped
from analyzer.tracing.language.plain_data import hashable
from analyzer.tracing.language.signatures import bind
from analyzer.tracing.language.values import REPLACED, Bound, Class, Function, Instance, Scope, Unknown, Value
from analyzer.tracing.operators.own_gradients import grade
from analyzer.tracing.paths.agreement import alike
from analyzer.tracing.paths.frames import Frame
from analyzer.tracing.paths.problems import PyRaise
from analyzer.tracing.paths.symbols import Site
from analyzer.tracing.paths.tracer import MOST_DEPTH, Tracer


def call_function(
    tr: Tracer,
    function: Function,
    args: tuple[Value, ...],
    kwargs: dict[str, Value],
    cls: Class | None = None,
    node: ast.Call | None = None,
    open_args: bool = False,
) -> Value:
    tr.shared.reached.add(f"{function.path}:{function.node.lineno}")
    function.called = True
    tr.path.guessed = tr.path.guessed or function.instead
    if function.versions is not None:
        version = version_for(function, args)
        if version is None:
            return call(tr, tr.unknown("a function for each type", label=function.name), args, kwargs, node, open_args)
        if not isinstance(version, Function):
            return call(tr, version, args, kwargs, node, open_args)
        if version is not function:
            return call_function(tr, version, args, kwargs, cls, node, open_args)
    if function.remembers and not open_args and all(map(hashable, (*args, *kwargs.values()))):
        key = (function, args, tuple(kwargs.items()))
        if key not in tr.results.items:
            value = call_function(tr, replace(function, remembers=False), args, kwargs, cls, node)
            tr.touch(tr.results)
            tr.results.items[key] = value
        return tr.results.items[key]
    if function.own_gradient:
        both = call_function(tr, replace(function, own_gradient=False), args, kwargs, cls, node, open_args)
        if not isinstance(both, tuple) or len(both) != 2:
            return tr.unknown(function.name)
        grade(tr, *both)
        return both[0]
    depth = len(tr.frames)
    if _nothing_new(tr, function, args):
        return _left_out(tr, function, args)
    if depth > MOST_DEPTH or sum(1 for f in tr.frames if f.function is function) > 6:
        tr.note(f"recursion of {function.name} is not followed beyond {min(depth, 6)} levels")
        return _left_out(tr, function, args)
    if function.command:
        args, kwargs = (), {}
    names = bind(tr, function, args, kwargs, node, open_args)
    sizes = declared_shapes.enter(tr, function, names, node)
    documented = docstrings.enter(tr, function, names)
    annotated_tensors.enter(tr, function, names)
    if function.generator:
        return generator(tr, function, names, cls, args, (sizes, documented), node)
    parent = function.scope
    scope: Scope = tr.made(Scope(parent, parent.globals))
    scope.names.update(names)
    first = args[0] if args else None
    frame = Frame(
        scope, function.path, function.name, cls or function.owner, first, function, line=function.node.lineno
    )
    frame.sizes, frame.documented, frame.given = sizes, documented, args
    if function.name == "__init__" and isinstance(first, Instance):
        tr.touch(first)
        declared_shapes.remember_sizes(first, names)
    if function.path.startswith(MARK) and not tr.frame.path.startswith(MARK):
        return run_library(tr, function, args, kwargs, node, open_args, lambda: _run_body(tr, function, frame))
    if function.compiled:
        with tr.compiling():
            return _run_body(tr, function, frame)
    value = _run_body(tr, function, frame)
    if value is not None and REPLACED in function.options:
        tr.path.guessed = True
    if tr.shared.observed is not None:
        tr.observe(function, names, value)
    return value


def _left_out(tr: Tracer, function: Function, args: tuple[Value, ...]) -> Value:
    """The result of a call that is not followed, which may change what the function can reach."""
    tr.give((*args, Bound(args[0], function) if function.owner is not None and args else function))
    return tr.unknown("recursion")


def _nothing_new(tr: Tracer, function: Function, args: tuple[Value, ...]) -> bool:
    """Whether a recursion is given what it was given before, as far as that is known: a deeper level teaches nothing.

    Without this a function that calls itself at several places, for the parts of something unknown, takes the budget.
    """
    active = [f for f in tr.frames if f.function is function]
    if len(active) < 2 or not any(isinstance(a, Unknown) for a in args):
        return False
    return all(len(f.given) == len(args) and all(map(_as_little_known, f.given, args)) for f in active[-2:])


def _as_little_known(a: Value, b: Value) -> bool:
    if isinstance(a, Unknown) and isinstance(b, Unknown):
        return all(u.term is None and u.tensor is None for u in (a, b))
    return alike(a, b)


def _is_wrapped(tr: Tracer, function: Function) -> bool:
    """Whether it is what one of the wrappers that are being called is there for, and none itself."""
    return function.wrapped is None and any(f.function and f.function.wrapped is function for f in tr.frames)


def _run_body(tr: Tracer, function: Function, frame: Frame) -> Value:
    depth, in_wrapper = len(tr.frames), tr.in_wrapper
    tr.in_wrapper = in_wrapper and frame.path.startswith(MARK) and not _is_wrapped(tr, function)
    tr.frames.append(frame)
    try:
        if isinstance(function.node, ast.Lambda):
            return evaluate(tr, function.node.body)
        signal = run_block(tr, function.node.body)
        value = signal.value if isinstance(signal, Returned) else None
        if frame.sizes is not None:
            declared_shapes.leave(tr, function, value, frame.sizes)
        if frame.documented is not None:
            docstrings.leave(tr, function, value, frame.documented)
        return value
    except PyRaise as error:
        error.path = error.path or frame.path
        raise
    finally:
        tr.in_wrapper = in_wrapper
        del tr.frames[depth:]
        if tr.unsettled:
            dropped(tr, frame.scope.names.values(), Site(frame.path, frame.line or 1, 0))
