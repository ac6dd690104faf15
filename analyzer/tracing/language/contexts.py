"""`with`: what a context manager gives its name, and what happens when it is left."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from analyzer.tracing.language.evaluation import call, get_attribute, seen
from analyzer.tracing.language.known_types import entered
from analyzer.tracing.language.lazy_iterators import ask, drain
from analyzer.tracing.language.refusal_kinds import REFUSAL
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.truths import truth_of
from analyzer.tracing.language.values import Api, Function, Instance, Layer, Lazy, Native, Object, Scope, Unknown, Value
from analyzer.tracing.paths.problems import PyRaise, ShapeFailure
from analyzer.tracing.paths.tracer import Tracer

NULL, CLOSING, STACK, SUPPRESSING = "null context", "closing context", "exit stack", "suppressing context"
LOCK = "lock"


def enter(tr: Tracer, manager: Value) -> Value:
    """The value bound by `with … as`. Raises PyRaise where entering does."""
    manager = seen(manager)
    if isinstance(manager, Lazy):
        try:
            return ask(tr, manager)
        except StopIteration:
            raise PyRaise("RuntimeError", "generator didn't yield") from None
    if isinstance(manager, Instance):
        entering = manager.cls.find("__enter__") or manager.cls.find("__aenter__")
        name = "__enter__" if manager.cls.find("__enter__") else "__aenter__"
        return call(tr, get_attribute(tr, manager, name), (), {}) if entering else manager
    if isinstance(manager, Unknown):
        return entered(manager)
    if isinstance(manager, Object) and manager.kind in (NULL, CLOSING):
        return manager.data["value"]
    if isinstance(manager, Object) and manager.kind == LOCK:
        return lock_method(tr, "__enter__")
    return manager if isinstance(manager, (Object, Tensor, Layer)) else tr.unknown("a context")


def leave(tr: Tracer, manager: Value, error: PyRaise | None) -> bool:
    """Whether leaving, with an exception or without, swallows it. Raises PyRaise where leaving raises another."""
    manager = seen(manager)
    if isinstance(manager, Lazy):
        return _leave_generator(tr, manager, error)
    if isinstance(manager, Instance):
        name = "__exit__" if manager.cls.find("__exit__") else "__aexit__"
        if manager.cls.find(name) is None:
            return False
        return _swallowed(tr, error, call(tr, get_attribute(tr, manager, name), _what(tr, error), {}))
    if isinstance(manager, Object) and manager.kind == STACK:
        return _leave_all(tr, manager, error)
    if isinstance(manager, Object) and manager.kind == CLOSING:
        call(tr, get_attribute(tr, manager.data["value"], "close"), (), {})
    if isinstance(manager, Object) and manager.kind == SUPPRESSING:
        return error is not None
    return False


def _what(tr: Tracer, error: PyRaise | None) -> tuple[Value, Value, Value]:
    """What `__exit__` is given: an exception's class, the exception, where it was raised."""
    if error is None:
        return None, None, None
    reason = REFUSAL if isinstance(error, ShapeFailure) else "an exception"
    unknown, value = tr.unknown(reason, "imprecise", pytype="object"), error.value
    made = isinstance(value, (Instance, Object))
    kind: Value = value.cls if isinstance(value, Instance) else unknown
    if not isinstance(error, ShapeFailure) and not isinstance(value, Instance) and hasattr(builtins, error.name):
        kind = Api(error.name)
    return kind, value if made else unknown, tr.unknown("a traceback", "imprecise", pytype="object")


def _swallowed(tr: Tracer, error: PyRaise | None, told: Value) -> bool:
    """Where it is not known whether a refusal of shapes is swallowed, it is told and not proved."""
    truth = truth_of(told)
    if isinstance(error, ShapeFailure) and truth is None:
        error.problem = replace(error.problem, certain=False)
        return False
    return error is not None and (tr.decide(told) if truth is None else truth)


def _leave_generator(tr: Tracer, manager: Lazy, error: PyRaise | None) -> bool:
    vague = manager.endless and manager.known is None
    try:
        ask(tr, manager, None, error)
    except StopIteration:
        return error is not None
    except PyRaise as raised:
        if raised is error:
            return False
        raise
    if vague or manager.lost:
        drain(tr, manager)
        return False
    raise PyRaise("RuntimeError", "generator didn't stop")


def expects(manager: Value) -> bool:
    """Whether an exception is expected inside, as far as is known."""
    return isinstance(manager, Lazy) and bool(getattr(manager, "expects", False))


def does_something(manager: Value) -> bool:
    """Whether leaving it does something to values that are followed."""
    if isinstance(manager, Object):
        return manager.kind in (STACK, CLOSING)
    own = isinstance(manager, Instance) and manager.cls.find("__exit__") is not None
    return own or isinstance(manager, Lazy)


# ------------------------------------------------------------------------------------------ several of them


def lock_method(tr: Tracer, name: str, given: bool = False) -> Value:
    """A method of a lock: the one thread that is followed gets it; `given` an argument, it may not wait for it."""
    if name in ("acquire", "__enter__") and not given:
        return True
    if name in ("acquire", "locked", "wait", "wait_for"):
        return tr.unknown(f"{name}()", "data", name, "bool")
    return None


def _leave_all(tr: Tracer, stack: Object, error: PyRaise | None) -> bool:
    """What an `ExitStack` has collected is left, the last first; each may swallow or replace the exception."""
    begun = error
    while stack.data["exits"]:
        tr.touch(stack)
        kind, value, args, kwargs = stack.data["exits"].pop()
        try:
            if kind == "callback":
                call(tr, value, args, kwargs)
            elif kind == "exit":
                if _swallowed(tr, error, call(tr, value, _what(tr, error), {})):
                    error = None
            elif leave(tr, value, error):
                error = None
        except PyRaise as raised:
            error = raised
    if error is not None and error is not begun:
        raise error
    return begun is not None and error is None


def stack_method(tr: Tracer, stack: Object, name: str, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
    """A method of `ExitStack`."""
    exits = stack.data["exits"]
    if name in ("enter_context", "enter_async_context") and args:
        value = enter(tr, args[0])
        tr.touch(stack)
        stack.data["exits"] = [*exits, ("manager", args[0], (), {})]
        return value
    if name in ("push", "callback") and args:
        tr.touch(stack)
        managed = name == "push" and not isinstance(args[0], Function)
        entry: Any = ("manager" if managed else "exit", args[0], (), {}) if name == "push" else None
        stack.data["exits"] = [*exits, entry or ("callback", args[0], args[1:], kwargs)]
        return args[0]
    if name == "pop_all":
        tr.touch(stack)
        stack.data["exits"] = []
        return Object(STACK, {}, {"exits": exits})
    if name == "close":
        leave(tr, stack, None)
        return None
    if name == "__enter__":
        return stack
    if name == "__exit__":
        return leave(tr, stack, None)
    tr.forget([v for _, v, _, _ in exits])
    return tr.unknown(f"ExitStack.{name}()", "foreign")


# -------------------------------------------------------------------------------------------- as decorators

_AROUND = ast.parse("def inner(*args, **kwargs):\n    with recreate():\n        return function(*args, **kwargs)\n")


def around(tr: Tracer, recreate: Callable[[], Value], function: Value) -> Value:
    """The function that a context manager makes of one that it decorates: each call is made inside of a new one."""
    node = _AROUND.body[0]
    assert isinstance(node, ast.FunctionDef)
    scope = Scope(None, tr.frame.scope.globals)
    scope.names.update(recreate=Native("recreate", lambda c: recreate()), function=function)
    inner = Function(getattr(function, "name", "inner"), node, scope, getattr(function, "path", tr.frame.path))
    inner.imitates = function if isinstance(function, Function) else None
    return inner
