"""`contextlib`: context managers that programs make of others."""

from __future__ import annotations

from dataclasses import replace

from analyzer.tracing.language.contexts import CLOSING, NULL, STACK, SUPPRESSING
from analyzer.tracing.language.values import Function, Object, Value
from analyzer.tracing.operators.table import Op, operator


@operator("contextlib.suppress", "*args")
def suppressing(op: Op, args: tuple[Value, ...]) -> Value:
    return Object(SUPPRESSING)


@operator("contextlib.nullcontext", "value=None")
def nothing_around(op: Op, value: Value) -> Value:
    return Object(NULL, {}, {"value": value})


@operator("contextlib.closing contextlib.aclosing", "value")
def closed_behind(op: Op, value: Value) -> Value:
    return Object(CLOSING, {}, {"value": value})


@operator("contextlib.ExitStack contextlib.AsyncExitStack")
def exit_stack(op: Op, args: tuple[Value, ...]) -> Value:
    return Object(STACK, {}, {"exits": []})


@operator("contextlib.contextmanager contextlib.asynccontextmanager", "function")
def managing(op: Op, function: Value) -> Value:
    """As a function; as a decorator it is known by its name, see `definitions`."""
    return replace(function, kind="contextmanager") if isinstance(function, Function) else op.tr.unknown(op.short)


@operator("contextlib.redirect_stdout contextlib.redirect_stderr", "target")
def redirected(op: Op, target: Value) -> Value:
    """What is printed goes elsewhere."""
    return Object(NULL, {}, {"value": target})
