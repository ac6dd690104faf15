"""Python's operations on sets whose elements are plain data or objects that are equal to nothing but themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from analyzer.tracing.language.plain_data import IDENTICAL, NotPlain, as_value, plain_data
from analyzer.tracing.language.values import Api, Class, Instance, Layer, SetV, Value
from analyzer.tracing.paths.problems import PyRaise


class _Itself:
    """An object as an element of a set; numbers in order of their appearance keep the set's order from run to run."""

    __slots__ = ("number", "value")

    def __init__(self, value: Value, number: int) -> None:
        self.value, self.number = value, number

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Itself) and other.value is self.value

    def __hash__(self) -> int:
        return self.number


def equals_itself_alone(value: Value) -> bool:
    """Whether an object is known to be equal to nothing but itself."""
    if isinstance(value, Instance):
        return value.cls.find("__eq__") is None and not value.cls.by_fields and not _of_builtin_type(value.cls)
    return isinstance(value, IDENTICAL)


def is_object(value: Value) -> bool:
    """Whether it is an object or a layer that is equal to nothing but itself, and has one name on every path."""
    return isinstance(value, (Instance, Layer)) and equals_itself_alone(value)


def _of_builtin_type(cls: Class) -> bool:
    """Whether it may inherit how it is compared from a type of Python's: ``class Mode(str, Enum)``."""
    return any(not isinstance(base, (Class, Api)) and getattr(base, "name", "") != "object" for base in cls.mro)


def of_sets(function: Callable[..., Any], *operands: Value) -> Value:
    """What a function gives for sets. Raises NotPlain where that is not known, PyRaise where the function raises."""
    met: dict[int, _Itself] = {}
    given = [_known(operand, met) for operand in operands]
    try:
        found = function(*given)
    except Exception as error:
        raise PyRaise(type(error).__name__, str(error)) from error
    if isinstance(found, (set, frozenset)):
        return SetV(v.value if isinstance(v, _Itself) else as_value(v) for v in found)
    return as_value(found)


def _known(operand: Value, met: dict[int, _Itself]) -> Any:
    if not isinstance(operand, SetV):
        return plain_data(operand)
    if operand.open:
        raise NotPlain
    try:
        return {_element(value, met) for value in operand.items}
    except TypeError as error:
        raise NotPlain from error


def _element(value: Value, met: dict[int, _Itself]) -> Any:
    if equals_itself_alone(value):
        return met.setdefault(id(value), _Itself(value, len(met)))
    return plain_data(value)
