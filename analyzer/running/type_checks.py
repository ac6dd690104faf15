"""What the type checkers say of all files of a review, asked at once: a start takes seconds, a file milliseconds."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from analyzer.configuration.config import Config, TargetConfig
from analyzer.problem import TargetProblem
from analyzer.running.aside import read_aside
from analyzer.tracing.checkers.python_bugs import checked_by_types
from analyzer.tracing.checkers.type_checkers import Known, check_types
from analyzer.tracing.tracing import read_source


def types_of(files: Collection[tuple[Path, TargetConfig]], config: Config) -> Known:
    """Of the Python files, each in its tree, that the targets trace.

    Of one alone, or where the checkers do not end well, nothing: its own analysis asks them.
    """
    sources = sorted({(root, root / target.file) for root, target in files if target.file.endswith(".py")})
    if "tracing" not in config.only or len(sources) < 2:
        return {}

    def job() -> Any:
        texts = []
        for root, path in sources:
            try:
                text, tree = read_source(path, root)
            except TargetProblem:
                continue
            if checked_by_types(text, tree):
                texts.append(text)
        return check_types(texts)

    try:
        found: Known = read_aside(job, sorted({root for root, _ in sources}))
    except TargetProblem:
        return {}
    return found
