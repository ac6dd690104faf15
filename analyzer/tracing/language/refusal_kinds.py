"""The exceptions that libraries raise for shapes, and what programs ask of them."""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from typing import TypeGuard

REFUSAL = "an exception that refuses shapes"  # the reason of the unknown that stands for one, and for its class
ANYTHING = frozenset(("Exception", "BaseException"))
ON_SHAPES = frozenset((
    "RuntimeError", "ValueError", "TypeError", "AssertionError", "IndexError", "InvalidArgumentError", "OpError",
    "error",
))  # fmt: skip


def may_refuse_shapes(names: Iterable[str]) -> bool:
    """Whether one of these kinds of exceptions is what some library raises for shapes."""
    return bool({name.rpartition(".")[2] for name in names} & (ON_SHAPES | ANYTHING))


def is_kind_of(name: str, kinds: Iterable[str]) -> bool | None:
    """Whether one of Python's own exceptions is of one of these kinds; None where one is not Python's."""
    own, asked = getattr(builtins, name, None), [getattr(builtins, kind, None) for kind in kinds]
    if not _is_exception(own):
        return None
    known = tuple(kind for kind in asked if _is_exception(kind))
    if issubclass(own, known):
        return True
    return False if len(known) == len(asked) else None


def _is_exception(value: object) -> TypeGuard[type[BaseException]]:
    return isinstance(value, type) and issubclass(value, BaseException)
