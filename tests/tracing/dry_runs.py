"""Scripts of the tests, run by the dry run in a real limited process."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from textwrap import dedent

from analyzer.tracing.dry_run import DryRun, dry_run
from analyzer.walls.process import ProcessSandbox
from analyzer.walls.protocol import ResourceLimits

LIMITS = ResourceLimits(seconds=240.0, memory=6 << 30)


def run(folder: Path, source: str, seconds: float = LIMITS.seconds) -> DryRun:
    (folder / "train.py").write_text(dedent(source))
    return dry_run(folder / "train.py", folder, ProcessSandbox(), limits=replace(LIMITS, seconds=seconds))


def line_of(source: str, mark: str = "# fails") -> int:
    return next(i for i, text in enumerate(dedent(source).splitlines(), 1) if mark in text)
