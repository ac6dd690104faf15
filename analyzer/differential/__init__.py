"""Differential tests: one model on many engines, and the one layer that is responsible."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from analyzer.differential.analysis import analyse

if TYPE_CHECKING:
    from analyzer.differential.analysis import analyse

__all__ = ["analyse"]


def __getattr__(name: str) -> Any:
    """Loaded when it is asked for: the pipeline needs `base` alone, which imports nothing heavy."""
    if name == "analyse":
        return analyse
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
