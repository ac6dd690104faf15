"""Functions, methods and modules that a program makes of others, and functions that are called at another time."""

from __future__ import annotations

from dataclasses import replace

from analyzer.tracing.language.code_objects import OF_FUNCTION
from analyzer.tracing.language.values import Bound, DictV, Function, Object, Value
from analyzer.tracing.operators.table import Op, operator


@operator("types.MethodType", "function instance")
def bound_method(op: Op, function: Value, instance: Value) -> Value:
    return Bound(instance, function) if isinstance(function, Function) else op.tr.unknown_call(op.name)


@operator("types.FunctionType types.LambdaType", "code globals name=None argdefs=None closure=None *rest")
def copied_function(
    op: Op, code: Value, globals: Value, name: Value, argdefs: Value, closure: Value, rest: tuple[Value, ...]
) -> Value:
    """Another function of the same code, which looks its names up where the first one does."""
    found = code.data.get(OF_FUNCTION) if isinstance(code, Object) else None
    if not isinstance(found, Function) or rest or op.extra.keys() - {"kwdefaults"}:
        return op.tr.unknown_call(op.name)
    defaults = argdefs if isinstance(argdefs, tuple) else () if argdefs is None else found.defaults
    named = op.extra.get("kwdefaults")
    given = dict(named.items) if isinstance(named, DictV) else found.kw_defaults
    return replace(found, name=name if isinstance(name, str) else found.name, defaults=defaults, kw_defaults=given)


@operator("types.ModuleType", "name *rest")
def new_module(op: Op, name: Value, rest: tuple[Value, ...]) -> Value:
    """An empty module: what is set on it is what it has."""
    return Object("namespace", {"__name__": name, "__doc__": rest[0] if rest else None})


@operator("atexit.register", "func *rest")
def at_the_end(op: Op, func: Value, rest: tuple[Value, ...]) -> Value:
    return func


@operator("signal.signal signal.getsignal", "signalnum handler=None")
def handler(op: Op, signalnum: Value, handler: Value) -> Value:
    """The handler that stood there before."""
    return op.tr.unknown("a handler", "imprecise")
