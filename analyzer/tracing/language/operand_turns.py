"""Whose method an operator asks first: Python's rule for two operands of which one or both are objects."""

from __future__ import annotations

from analyzer.tracing.language.values import Class, Instance, Unknown, Value


def turns(left: Value, right: Value, name: str, reflected: str) -> list[tuple[Instance, str, Value]]:
    """The methods that are asked one after the other, each with its owner and what it is given.

    That of the right operand comes first where its class is an heir of the left one's that has its own; of two
    operands of one class the right one is asked for an order alone.
    """
    ways = [(left, name, right), (right, reflected, left)]
    found = [(o, method, other) for o, method, other in ways if isinstance(o, Instance) and o.cls.find(method)]
    if isinstance(left, Instance) and isinstance(right, Instance):
        if left.cls is right.cls and reflected == f"__r{name[2:]}":
            return found[:1] if left.cls.find(name) else []
        if right.cls is not left.cls and left.cls in right.cls.mro and _own(left.cls, right.cls, reflected):
            found.reverse()
    return found


def _own(base: Class, heir: Class, name: str) -> bool:
    own, inherited = heir.find(name), base.find(name)
    return own is not None and (inherited is None or own[1] is not inherited[1])


def is_refusal(told: Value) -> bool:
    """Whether a method has answered that it does not know the other operand."""
    return isinstance(told, Unknown) and told.label == told.reason == "NotImplemented"
