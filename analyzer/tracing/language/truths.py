"""Python's truth of a value, as far as it is known."""

from __future__ import annotations

from analyzer.tracing.language.known_types import DEVICE
from analyzer.tracing.language.rows import Rows
from analyzer.tracing.language.tensors import OpenSize, Tensor
from analyzer.tracing.language.values import (
    STORE,
    Api,
    Bound,
    DictV,
    Instance,
    Iterator_,
    Layer,
    Lazy,
    ListV,
    Object,
    Unknown,
    Value,
)
from analyzer.tracing.paths.bounds import settled_truth
from analyzer.validity.terms import Cond, Poly


class Test(Unknown):
    """An undecided comparison of an unknown with a constant; deciding it tells something about the unknown."""

    __slots__ = ("constant", "negated", "operation", "subject")

    def __init__(self, subject: Unknown, operation: str, constant: Value, text: str) -> None:
        super().__init__("a comparison", subject.origin, text, "bool")
        self.subject, self.operation, self.constant, self.negated = subject, operation, constant, False


def truth_of(value: Value) -> bool | None:
    """Python's truth of a value if it is known."""
    if isinstance(value, Unknown):
        if value.value is not None:
            return truth_of(value.value[0])
        if value.truth is None and any(e is None for e in value.excluded) and value.pytype in ("object",):
            return True
        if value.truth is None and value.pytype == "object" and value.kind == DEVICE:
            return True
        if isinstance(value, Test) and value.truth is None and value.operation in ("==", "is"):
            if value.subject.value is not None:
                found = value.subject.value[0]
                same = found is value.constant or found == value.constant
                return same is not value.negated
            if any(e is value.constant or (e == value.constant and e is not None) for e in value.subject.excluded):
                return value.negated
        return value.truth if value.truth is not None or value.element is None else settled_truth(value)
    if isinstance(value, (Poly, Cond)):
        if isinstance(value, Poly):
            box = value.interval
            return True if box.lo > 0 or box.hi < 0 else None
        return None
    if isinstance(value, (ListV, DictV)):
        return None if value.doubtful else True if value.items else None if value.open else False
    if isinstance(value, OpenSize):
        return None
    if isinstance(value, Rows):
        return None
    if isinstance(value, Tensor):
        if value.array is not None and value.array.size == 1 and not value.meaning:
            return bool(value.array)
        known = value.dims == () and isinstance(value.value, (int, float))
        return bool(value.value) if known else settled_truth(value)
    if isinstance(value, Iterator_) and not isinstance(value, Lazy) and not value.once:  # a range, or a view
        return bool(value.length) if isinstance(value.length, int) else None
    if isinstance(value, Instance):
        if not _OF_VALUES.isdisjoint(value.cls.library_bases) and value.cls.find("__bool__") is None:
            return truth_of(value.attrs["value"]) if "value" in value.attrs else None
        if STORE in value.attrs and not value.cls.find("__bool__") and not value.cls.find("__len__"):
            return truth_of(value.attrs[STORE])
        if value.cls.find("__bool__") or value.cls.find("__len__") or not value.cls.closed:
            return None
        return True
    if isinstance(value, Api) and value.name in _TRUTHS:
        return _TRUTHS[value.name]
    if (isinstance(value, Api) and value.constant) or is_unread(value):
        return None
    if value is None or isinstance(value, (bool, int, float, str, bytes, tuple, complex)):
        return bool(value)
    return True


_TRUTHS = {"numpy.True_": True, "numpy.False_": False}

# Bases of enumerations whose members are as true as what they stand for.
_OF_VALUES = frozenset(("enum.Flag", "builtins.int", "builtins.str", "builtins.float"))


def is_unread(value: Value) -> bool:
    """Whether it is an attribute of a library's object that nobody looked into: a method, or any value."""
    return (
        isinstance(value, Bound)
        and isinstance(value.function, str)
        and isinstance(value.owner, (Tensor, Layer, Object, Instance))
    )


def likely(test: Test) -> bool:
    """Which side of an undecided comparison is tried first."""
    subject = test.subject
    if subject.default is not None and test.operation in ("==", "is"):
        return (subject.default == test.constant) is not test.negated
    if test.operation == "is" or (test.operation == "==" and subject.origin == "param"):
        return test.negated
    return not test.negated
