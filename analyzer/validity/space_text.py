"""Expressions as they stand in a file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Text:
    """An expression as it stands in a file."""

    text: str
    line: int | None = None
