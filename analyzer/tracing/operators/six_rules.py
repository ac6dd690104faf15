"""`six`: the names of Python 3 that code for both Pythons takes from it."""

from __future__ import annotations

from analyzer.tracing.language.builtins import BUILTINS, Call
from analyzer.tracing.language.evaluation import call, get_attribute
from analyzer.tracing.language.values import Native, Value
from analyzer.tracing.operators.table import Op, operator

_METHODS = {
    "iteritems": "items", "viewitems": "items", "itervalues": "values", "viewvalues": "values", "iterkeys": "keys",
    "viewkeys": "keys",
}  # fmt: skip


@operator("six.moves.range six.moves.xrange six.moves.zip six.moves.map six.moves.filter", "*args")
def builtin(op: Op, args: tuple[Value, ...]) -> Value:
    return BUILTINS[op.short].run(Call(op.tr, args, dict(op.extra), op.node))


@operator(" ".join(f"six.{name}" for name in _METHODS), "d")
def of_dictionary(op: Op, d: Value) -> Value:
    return call(op.tr, get_attribute(op.tr, d, _METHODS[op.short], op.node), (), {}, op.node)


@operator("six.add_metaclass", "metaclass")
def add_metaclass(op: Op, metaclass: Value) -> Value:
    return Native(op.short, lambda c: c.get(0))


@operator("six.python_2_unicode_compatible six.ensure_str six.ensure_text", "value *rest")
def itself(op: Op, value: Value, rest: tuple[Value, ...]) -> Value:
    return op.tr.unknown("text", pytype="str") if isinstance(value, bytes) else value
