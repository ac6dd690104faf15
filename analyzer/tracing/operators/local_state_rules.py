"""Values that belong to a context or a thread, of which one is followed: `contextvars` and `threading.local`."""

from __future__ import annotations

from analyzer.tracing.language.builtins import Call
from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.values import COMPLETE, Native, Object, Value
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.paths.problems import PyRaise

_HELD = "held"


@operator("contextvars.ContextVar", "name *rest")
def context_variable(op: Op, name: Value, rest: tuple[Value, ...]) -> Value:
    variable = Object("context variable", {"name": name}, {_HELD: {}})
    default = {"default": op.extra["default"]} if "default" in op.extra else {}

    def get(c: Call) -> Value:
        held = variable.data[_HELD]
        if "value" in held:
            return held["value"]
        if c.args or default:
            return c.get(0) if c.args else default["default"]
        raise PyRaise("LookupError", "a context variable has no value")

    def set_(c: Call) -> Value:
        token = Object("token", {"var": variable}, {_HELD: dict(variable.data[_HELD])})
        c.tr.touch(variable)
        variable.data[_HELD] = {"value": c.get(0, "value")}
        return token

    def reset(c: Call) -> Value:
        token = c.get(0, "token")
        c.tr.touch(variable)
        known = isinstance(token, Object) and _HELD in token.data
        variable.data[_HELD] = token.data[_HELD] if known else {"value": c.tr.unknown("a value", "imprecise")}
        return None

    variable.attrs.update(get=Native("get", get), set=Native("set", set_), reset=Native("reset", reset))
    return variable


@operator("contextvars.copy_context")
def context(op: Op, args: tuple[Value, ...]) -> Value:
    """What is run in a copy sets its variables there alone; that they are set is kept here."""
    return Object("a context's copy", {"run": Native("run", lambda c: call(c.tr, c.get(0), c.args[1:], c.kwargs))})


@operator("threading.local _thread._local")
def of_thread(op: Op, args: tuple[Value, ...]) -> Value:
    return Object("namespace", {}, {COMPLETE: True})
