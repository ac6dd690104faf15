"""`enum`: what a body writes in place of a value, which the enumeration settles when it is made."""

from __future__ import annotations

from analyzer.tracing.language.enumerations import AUTO, NO_MEMBER
from analyzer.tracing.language.values import Unknown, Value
from analyzer.tracing.operators.table import Op, operator


@operator("enum.auto", "")
def numbered(op: Op) -> Value:
    return Unknown(AUTO)


@operator("enum.nonmember", "value")
def no_member(op: Op, value: Value) -> Value:
    return Unknown(NO_MEMBER)
