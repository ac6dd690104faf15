"""Attributes and subscripts as data."""

from __future__ import annotations

from typing import Any

from .numbers import CategoricalText, Number, Real


def described(value: Any) -> Any:
    """An attribute for JSON: a recording value as its expression."""
    if isinstance(value, (Number, Real, CategoricalText)):
        return {"text": value.text}
    if isinstance(value, (list, tuple)):
        return [described(v) for v in value]
    return value


def subscripts(index: Any) -> list[Any] | None:
    """``x[index]`` as data; None where it holds a tensor or a list."""
    found: list[Any] = []
    for item in index if isinstance(index, tuple) else (index,):
        if isinstance(item, slice):
            found.append(["slice", item.start, item.stop, item.step])
        elif item is Ellipsis or item is None:
            found.append("..." if item is Ellipsis else "newaxis")
        elif isinstance(item, int) and not isinstance(item, bool):
            found.append(item)
        else:
            return None
    return found
