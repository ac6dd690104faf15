"""Calls of generic functions: which of their versions the first argument's type decides for."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.builtins.kinds import is_a
from analyzer.tracing.language.values import Class, Function, Instance, ListV, Unknown, Value


def version_for(function: Function, args: tuple[Value, ...]) -> Value:
    """The version of the type that is nearest to the first argument's, else the function itself; None: not known."""
    given = args[1:] if function.owner is not None else args
    if not given or isinstance(given[0], Unknown):
        return None
    versions: ListV | None = function.versions
    pairs: list[Any] = list(versions.items) if versions is not None else []
    if versions is None or versions.open:
        return None
    answers = [is_a(given[0], kind) for kind, _ in pairs]
    if any(answer is None for answer in answers):
        return None
    fitting = [pair for pair, answer in zip(pairs, answers, strict=True) if answer]
    if len(fitting) < 2:
        return fitting[0][1] if fitting else function
    return _nearest(given[0], fitting)


def _nearest(value: Value, pairs: list[tuple[Value, Value]]) -> Value:
    """The version of the type that comes first among the bases of the value's own; None where that is not known."""
    if isinstance(value, bool):
        return next((version for kind, version in pairs if getattr(kind, "name", "") == "bool"), None)
    own = [(kind, version) for kind, version in pairs if isinstance(kind, Class)]
    if not isinstance(value, Instance) or not own:
        return None
    order = value.cls.mro
    return min(own, key=lambda pair: order.index(pair[0]) if pair[0] in order else len(order))[1]
