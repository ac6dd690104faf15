"""Expressions as they stand in a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Text:
    """An expression as it stands in a file."""

    text: str
    line: int | None = None


@dataclass(frozen=True)
class Pending:
    """An expression over sizes of values that are only known once the layers before have run."""

    text: str
    resolve: Callable[[str], Any]  # of the names that are no such sizes


def size_path(name: str) -> tuple[str, int] | None:
    """The value and the axis that ``conv1.shape[2]`` or ``sizes['block.conv1'][2]`` speak of; None for other names."""
    if name.startswith("sizes['") and name.endswith("]"):
        value, _, axis = name[7:-1].rpartition("'][")
    else:
        value, _, axis = name.removesuffix("]").rpartition(".shape[")
    return (value, int(axis)) if value and axis.lstrip("-").isdigit() else None
