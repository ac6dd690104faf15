"""Values that are plain Python data, and functions of Python's own library applied to them as they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from analyzer.tracing.language.container_values import exactly
from analyzer.tracing.language.tensors import Size, Tensor
from analyzer.tracing.language.values import (
    Address,
    Api,
    Class,
    DictV,
    Function,
    Instance,
    Layer,
    ListV,
    SetV,
    Unknown,
    Value,
)
from analyzer.tracing.paths.problems import PyRaise
from analyzer.validity.terms import Poly

MOST_ITEMS = 4096  # of data that a function is applied to, and of what it gives
LONGEST = 10_000  # characters of a text, so that no product of two of them fills the memory
WIDEST = 1000  # number in a format: more may be a width that fills the memory
LARGEST = 1 << 64  # numbers beyond it may take a function hours
IDENTICAL = (Tensor, Api, Class, Function, Layer, Address)  # keys that are equal to nothing but themselves


class NotPlain(Exception):
    """The value is no plain data, or more of it than a trace needs."""


def plain_data(value: Value) -> Any:
    """The value as Python has it. Raises NotPlain for anything that is not wholly known."""
    if isinstance(value, Unknown) and value.value is not None:
        value = value.value[0]
    kind = type(value)
    if value is None or kind in (bool, float, complex):
        return value
    if kind is int and abs(value) <= LARGEST:
        return value
    if kind in (str, bytes) and len(value) <= LONGEST:
        return value
    if kind in (tuple, Size) and len(value) <= MOST_ITEMS:
        return tuple(plain_data(v) for v in value)
    if isinstance(value, (ListV, DictV)) and not value.open and len(value.items) <= MOST_ITEMS:
        if isinstance(value, SetV):
            return set(map(plain_data, value.items))
        if isinstance(value, ListV):
            return [plain_data(v) for v in value.items]
        if type(value) is DictV:
            return {plain_data(k): plain_data(v) for k, v in value.items.items()}
    raise NotPlain


def is_plain(value: Value) -> bool:
    try:
        plain_data(value)
    except NotPlain:
        return False
    return True


def as_value(data: Any) -> Value:
    """Plain data as the tracer has it; an iterator as the list of what it gives. Raises NotPlain for anything else."""
    kind = type(data)
    if data is None or kind in (bool, int, float, complex, str, bytes):
        return data
    if kind is tuple:
        return tuple(map(as_value, data))
    if kind is list:
        return exactly(ListV(map(as_value, data)))
    if kind in (set, frozenset):
        return SetV(map(as_value, data))
    if kind is dict:
        return exactly(DictV({as_value(k): as_value(v) for k, v in data.items()}))
    if isinstance(data, Iterator):
        items = list(islice(data, MOST_ITEMS + 1))
        if len(items) <= MOST_ITEMS:
            return ListV(map(as_value, items))
    raise NotPlain


def applied(function: Callable[..., Any], args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """What the function itself gives. Raises NotPlain where that is not known, PyRaise where the function raises."""
    given, named = [plain_data(a) for a in args], {k: plain_data(v) for k, v in kwargs.items()}
    try:
        found = function(*given, **named)
        return as_value(found)
    except NotPlain:
        raise
    except Exception as error:
        raise PyRaise(type(error).__name__, str(error)) from error


def hashable(value: Value) -> bool:
    """Whether a value can be a key here: concrete, or an object with identity."""
    if isinstance(value, tuple):
        return all(hashable(v) for v in value)
    return value is None or isinstance(
        value,
        (int, float, str, bytes, bool, Tensor, Api, Class, Function, Instance, Layer, Poly, type(Ellipsis), Address),
    )
