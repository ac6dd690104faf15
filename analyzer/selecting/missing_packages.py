"""What a project says that it needs and this environment lacks. Its files are read as text."""

from __future__ import annotations

import ast
import configparser
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement


@dataclass(frozen=True, slots=True)
class Missing:
    """The command that installs them, and their names; no names where nothing lacks."""

    command: str
    names: tuple[str, ...]


def missing_packages(root: Path) -> Missing:
    """Of ``requirements.txt`` and what it includes, else of the dependencies that the project declares.

    These are those of ``pyproject.toml`` (also Poetry's), ``setup.cfg`` or ``setup.py`` where it lists them in full.
    Extras are not read.
    """
    listed, command = _lines(root / "requirements.txt", root), "pip install -r requirements.txt"
    for declared in (_of_pyproject, _of_setup_cfg, _of_setup_py):
        if not listed:
            listed, command = declared(root), "pip install ."
    return Missing(command, tuple(dict.fromkeys(_lacking(listed))))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _lines(path: Path, root: Path, seen: frozenset[Path] = frozenset()) -> list[str]:
    """The requirements of a file and of those that its lines ``-r FILE`` name, within the repository."""
    found: list[str] = []
    path = path.resolve()
    if path in seen or not path.is_relative_to(root.resolve()):
        return found
    for line in map(str.strip, _text(path).splitlines()):
        option, _, rest = line.replace("=", " ", 1).partition(" ")
        if option in ("-r", "--requirement"):
            found += _lines(path.parent / rest.strip(), root, seen | {path})
        elif line and not line.startswith(("#", "-")):
            found.append(line.partition(" #")[0].strip())
    return found


def _of_pyproject(root: Path) -> list[str]:
    try:
        read = tomllib.loads(_text(root / "pyproject.toml"))
    except tomllib.TOMLDecodeError:
        return []
    listed = _at(read, "project", "dependencies")
    if isinstance(listed, list):
        return [one for one in listed if isinstance(one, str)]
    named = _at(read, "tool", "poetry", "dependencies")
    named = named if isinstance(named, dict) else {}
    optional = {name for name, value in named.items() if isinstance(value, dict) and value.get("optional")}
    return [name for name in named if name != "python" and name not in optional]


def _at(table: Any, *keys: str) -> Any:
    for key in keys:
        table = table.get(key) if isinstance(table, dict) else None
    return table


def _of_setup_cfg(root: Path) -> list[str]:
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(_text(root / "setup.cfg"))
    except configparser.Error:
        return []
    return parser.get("options", "install_requires", fallback="").splitlines()


def _of_setup_py(root: Path) -> list[str]:
    """The list at ``install_requires=`` of the call of ``setup``, or that of the variable it names."""
    try:
        tree = ast.parse(_text(root / "setup.py"))
    except (SyntaxError, ValueError, RecursionError):
        return []
    lists = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        for keyword in call.keywords if ast.unparse(call.func).endswith("setup") else ():
            value = lists.get(keyword.value.id) if isinstance(keyword.value, ast.Name) else keyword.value
            if keyword.arg == "install_requires" and isinstance(value, ast.List | ast.Tuple):
                return [e.value for e in value.elts if isinstance(e, ast.Constant) and isinstance(e.value, str)]
    return []


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
