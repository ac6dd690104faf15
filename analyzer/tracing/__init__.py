"""Tracing: shape errors from Python source, without running it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from analyzer.tracing.tracing import trace as run

if TYPE_CHECKING:
    from analyzer.findings import AnalysisResult


def trace(path: Path, root: Path, *, target: str, entry: str | None = None, text: str | None = None) -> AnalysisResult:
    """Trace one Python file of the repository at `root`; see `analyzer.tracing.tracing.trace`."""
    return run(path, root, target=target, entry=entry, text=text)


__all__ = ["trace"]
