"""What a project says that it needs and this environment lacks. Its files are read as text."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement


@dataclass(frozen=True, slots=True)
class Missing:
    """The command that installs them, and their names; no names where nothing lacks."""

    command: str
    names: tuple[str, ...]


def missing_packages(root: Path) -> Missing:
    """Of ``requirements.txt``, else of the dependencies in ``pyproject.toml``; extras and other files are not read."""
    requirements, project = root / "requirements.txt", root / "pyproject.toml"
    listed = _lines(requirements)
    command = "pip install -r requirements.txt"
    if not listed:
        listed, command = _dependencies(project), "pip install ."
    return Missing(command, tuple(dict.fromkeys(_lacking(listed))))


def _lines(path: Path) -> list[str]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    return [
        line.partition(" #")[0].strip() for line in lines if line.strip() and not line.lstrip().startswith(("#", "-"))
    ]


def _dependencies(path: Path) -> list[str]:
    try:
        listed = tomllib.loads(path.read_text(encoding="utf-8")).get("project", {}).get("dependencies", [])
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, AttributeError):
        return []
    return [one for one in listed if isinstance(one, str)] if isinstance(listed, list) else []


def _lacking(listed: list[str]) -> Iterator[str]:
    """Those that hold for this interpreter and are not installed, in whatever version."""
    for line in listed:
        try:
            requirement = Requirement(line)
        except InvalidRequirement:
            continue
        if requirement.marker is not None and not requirement.marker.evaluate():
            continue
        try:
            distribution(requirement.name)
        except (PackageNotFoundError, ValueError):
            yield requirement.name
