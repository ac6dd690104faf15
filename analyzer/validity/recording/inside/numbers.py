"""Recording numbers: ordinary numbers that remember the expression they came from, and the branches they decided."""

from __future__ import annotations

import builtins
import math
import os
import sys
from collections.abc import Callable, Container, Iterator
from typing import Any

OPEN = 2  # the example of an open size
ASSERTS = frozenset(("_assert", "_check", "_check_with"))


class PathCondition:
    """The conditions that one construction went through: expression and outcome, in order."""

    def __init__(self, files: Container[str] = ()) -> None:
        self._files = files  # whose branches count: the project's, and those of libraries of models
        self.conditions: dict[str, bool] = {}
        self.lost: list[str] = []  # what could not be followed

    def decided(self, text: str, outcome: bool) -> bool:
        """Note a branch of code that was rewritten. What a framework asks of its arguments is in the layers' types."""
        frame = sys._getframe(1)
        while frame.f_back is not None and (
            frame.f_code.co_filename == __file__ or asks_for_caller(frame.f_code.co_name, frame.f_code.co_filename)
        ):
            frame = frame.f_back
        file = frame.f_code.co_filename
        if file in self._files or file.startswith(os.path.dirname(__file__)):
            self.conditions.setdefault(text, outcome)
        return outcome

    def fixed(self, value: Any) -> Any:
        """The plain value, with the condition that it is this one."""
        if isinstance(value, (Number, Real)):
            self.decided(f"{value.text} == {plain(value)!r}", True)
            return plain(value)
        return value


def asks_for_caller(function: str, file: str) -> bool:
    """Whether this is PyTorch's own helper: what it asks is asked by whoever calls it."""
    return function in ASSERTS and file.endswith(os.path.join("torch", "__init__.py"))


def plain(value: Any) -> Any:
    if isinstance(value, Number):
        return int.__int__(value)
    if isinstance(value, Real):
        return float.__float__(value)
    if isinstance(value, CategoricalText):
        return str.__str__(value)
    return value


def text_of(value: Any) -> str:
    return value.text if isinstance(value, (Number, Real, CategoricalText)) else repr(value)


class Truth:
    """A comparison whose outcome is recorded once it is asked for."""

    def __init__(self, text: str, outcome: bool, trace: PathCondition) -> None:
        self.text, self.outcome, self.trace = text, outcome, trace

    def __bool__(self) -> bool:
        return self.trace.decided(self.text, self.outcome)

    def __int__(self) -> int:
        return int(bool(self))

    __index__ = __int__


def _trace(*values: Any) -> PathCondition:
    return next(v.trace for v in values if isinstance(v, (Number, Real, CategoricalText)))


def _made(value: Any, text: str, trace: PathCondition) -> Any:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    return Number(value, text, trace) if isinstance(value, int) else Real(value, text, trace)


def _binary(symbol: str, function: Callable[[Any, Any], Any], reflected: bool) -> Callable[[Any, Any], Any]:
    def operate(self: Any, other: Any) -> Any:
        if not isinstance(other, (int, float)):
            if isinstance(other, (str, bytes, list, tuple)):
                other_result = other * _trace(self).fixed(self) if symbol == "*" else NotImplemented
                return other_result
            return NotImplemented
        left, right = (other, self) if reflected else (self, other)
        return _made(
            function(plain(left), plain(right)), f"({text_of(left)} {symbol} {text_of(right)})", _trace(self, other)
        )

    return operate


def _compared(symbol: str, function: Callable[[Any, Any], bool]) -> Callable[[Any, Any], Any]:
    def compare(self: Any, other: Any) -> Any:
        if not isinstance(other, (int, float, str)) or isinstance(other, str) is not isinstance(self, str):
            return NotImplemented
        if text_of(self) == text_of(other):  # the same expression
            return function(plain(self), plain(other))
        return Truth(
            f"{text_of(self)} {symbol} {text_of(other)}", function(plain(self), plain(other)), _trace(self, other)
        )

    return compare


class _Recording:
    text: str
    trace: PathCondition

    def __bool__(self) -> bool:
        return self.trace.decided(f"{self.text} != 0", bool(plain(self)))

    def __neg__(self) -> Any:
        return _made(-plain(self), f"(-{self.text})", self.trace)

    def __reduce__(self) -> Any:
        return type(plain(self)), (plain(self),)

    def __deepcopy__(self, memo: Any) -> Any:
        return self

    def __copy__(self) -> Any:
        return self


_ARITHMETIC: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "add": ("+", lambda a, b: a + b), "sub": ("-", lambda a, b: a - b), "mul": ("*", lambda a, b: a * b),
    "floordiv": ("//", lambda a, b: a // b), "mod": ("%", lambda a, b: a % b), "truediv": ("/", lambda a, b: a / b),
    "pow": ("**", lambda a, b: a**b),
}  # fmt: skip
_COMPARISONS: dict[str, tuple[str, Callable[[Any, Any], bool]]] = {
    "lt": ("<", lambda a, b: a < b), "le": ("<=", lambda a, b: a <= b), "gt": (">", lambda a, b: a > b),
    "ge": (">=", lambda a, b: a >= b), "eq": ("==", lambda a, b: a == b), "ne": ("!=", lambda a, b: a != b),
}  # fmt: skip
for _name, (_symbol, _function) in _ARITHMETIC.items():
    setattr(_Recording, f"__{_name}__", _binary(_symbol, _function, False))
    setattr(_Recording, f"__r{_name}__", _binary(_symbol, _function, True))
for _name, (_symbol, _function) in _COMPARISONS.items():
    setattr(_Recording, f"__{_name}__", _compared(_symbol, _function))


class Number(_Recording, int):
    """A whole number."""

    def __new__(cls, value: int, text: str, trace: PathCondition) -> Number:
        made = int.__new__(cls, value)
        made.text, made.trace = text, trace
        return made

    __hash__ = int.__hash__
    __repr__ = int.__repr__


class Real(_Recording, float):
    """A number of floating point."""

    def __new__(cls, value: float, text: str, trace: PathCondition) -> Real:
        made = float.__new__(cls, value)
        made.text, made.trace = text, trace
        return made

    __hash__ = float.__hash__
    __repr__ = float.__repr__


class CategoricalText(str):
    """A categorical value."""

    text: str
    trace: PathCondition

    def __new__(cls, value: str, text: str, trace: PathCondition) -> CategoricalText:
        made = str.__new__(cls, value)
        made.text, made.trace = text, trace
        return made

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            return self.trace.decided(f"{self.text} == {str.__str__(other)!r}", str.__eq__(self, other))
        return False

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:  # a dictionary looks it up: the value decides
        self.trace.decided(f"{self.text} == {str.__str__(self)!r}", True)
        return str.__hash__(self)

    def __reduce__(self) -> Any:
        return str, (str.__str__(self),)


def recording(name: str, value: Any, trace: PathCondition) -> Any:
    """`value` as a recording value called `name`."""
    if isinstance(value, bool) or value is None:
        return Flag(name, value, trace)
    if isinstance(value, int):
        return Number(value, name, trace)
    if isinstance(value, float):
        return Real(value, name, trace)
    if isinstance(value, str):
        return CategoricalText(value, name, trace)
    trace.decided(f"{name} == {value!r}", True)
    return value


def Flag(name: str, value: Any, trace: PathCondition) -> Any:
    """True, False and None: their value decides the structure wherever they are used."""
    trace.decided(f"{name} == {value!r}" if value is not None else f"{name} == None", True)
    return value


# What calls in the project's files are turned into, see `rewriting`: these built-ins would lose the expression.


def whole(*arguments: Any, **named: Any) -> Any:
    value = arguments[0] if arguments else 0
    if len(arguments) == 1 and isinstance(value, Number):
        return value
    if len(arguments) == 1 and isinstance(value, Real):
        return Number(builtins.int(plain(value)), f"int({value.text})", value.trace)
    return builtins.int(*arguments, **named)


def real(*arguments: Any) -> Any:
    value = arguments[0] if arguments else 0.0
    return (
        value if isinstance(value, Real) else value * 1.0 if isinstance(value, Number) else builtins.float(*arguments)
    )


def rounded(value: Any, digits: Any = None) -> Any:
    if digits is None and isinstance(value, Real):
        return Number(builtins.round(plain(value)), f"round({value.text})", value.trace)
    return value if digits is None and isinstance(value, Number) else builtins.round(plain(value), digits)


def counted(*bounds: Any) -> range:
    """``range``: how often a loop runs is structure."""
    return builtins.range(*(b.trace.fixed(b) if isinstance(b, Number) else b for b in bounds))


def _extreme(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def choose(*values: Any, **named: Any) -> Any:
        recorded = [v for v in values if isinstance(v, (Number, Real))]
        if len(values) > 1 and recorded and not named and all(isinstance(v, (int, float)) for v in values):
            result = function(*(plain(v) for v in values))
            return _made(result, f"{name}({', '.join(map(text_of, values))})", recorded[0].trace)
        return function(*values, **named)

    return choose


largest = _extreme("max", builtins.max)
smallest = _extreme("min", builtins.min)


def indexed(owner: Any, key: Any) -> Any:
    """``owner[key]``: which element is taken is structure."""
    if isinstance(key, (Number, CategoricalText)) and isinstance(owner, (list, tuple, str, dict, range)):
        key.trace.decided(f"{key.text} == {plain(key)!r}", True)
        return owner[plain(key)]
    return owner[key]


def floor(value: Any) -> Any:
    return Number(math.floor(plain(value)), f"floor({value.text})", value.trace) if isinstance(value, Real) else (
        value if isinstance(value, Number) else math.floor(value)
    )  # fmt: skip


def ceiling(value: Any) -> Any:
    return Number(math.ceil(plain(value)), f"ceil({value.text})", value.trace) if isinstance(value, Real) else (
        value if isinstance(value, Number) else math.ceil(value)
    )  # fmt: skip


def parts_of(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from parts_of(item)
    else:
        yield value
