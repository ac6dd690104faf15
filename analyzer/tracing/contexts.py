"""`with`: what a context manager gives its name, and what happens when it is left."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

from analyzer.tracing.evaluation import call, get_attribute, iterate
from analyzer.tracing.known_types import entered
from analyzer.tracing.tensors import Tensor
from analyzer.tracing.tracer import Tracer
from analyzer.tracing.values import Instance, Iterator_, Layer, Object, Unknown, Value


def enter_context(tr: Tracer, manager: Value) -> tuple[Value, Callable[[bool], Value]]:
    """The value bound by `with … as`, and what to do on leaving, with or without an exception, which it may swallow."""

    def nothing(failed: bool) -> Value:
        return None

    if isinstance(manager, Iterator_):
        found = list(islice(iterate(tr, manager, None)[0], 1))
        return (found[0] if found else tr.unknown("a context")), nothing
    if isinstance(manager, Instance):
        if manager.cls.find("__enter__"):
            value = call(tr, get_attribute(tr, manager, "__enter__"), (), {})

            def leave(failed: bool) -> Value:
                what = (tr.unknown("an exception", "imprecise", pytype="object"),) * 3 if failed else (None, None, None)
                found = manager.cls.find("__exit__")
                result = call(tr, get_attribute(tr, manager, "__exit__"), what, {}) if found else None
                return result if failed else None

            return value, leave
        return manager, nothing
    if isinstance(manager, Unknown):
        return entered(manager), nothing
    return (manager if isinstance(manager, (Object, Tensor, Layer)) else tr.unknown("a context")), nothing
