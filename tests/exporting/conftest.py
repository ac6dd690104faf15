"""A project to export from, and the process sandbox."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from analyzer.configuration.config import TargetConfig
from analyzer.exporting.export import export
from analyzer.graph import Graph
from analyzer.walls import ResourceLimits
from analyzer.walls.process import ProcessSandbox


class Project:
    """Files in a temporary repository."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir()

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip("\n"))
        return path

    def line_of(self, name: str, fragment: str) -> int:
        """The number of the first line that holds `fragment`."""
        lines = (self.root / name).read_text().splitlines()
        return next(number for number, line in enumerate(lines, 1) if fragment in line)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project")


@pytest.fixture
def export_entry(project: Project) -> Callable[..., Graph]:
    """Export an entry of the project in a process."""

    def go(entry: str, *, limits: ResourceLimits | None = None, **config: Any) -> Graph:
        target = TargetConfig(id=entry, entry=entry, **config)
        return export(entry, project.root, target=target, sandbox=ProcessSandbox(), limits=limits)

    return go
