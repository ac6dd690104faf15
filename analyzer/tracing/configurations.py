"""The configuration of a hydra program at its defaults: its YAML files, composed as their `defaults:` lists say."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from analyzer.tracing.values import ListV, Object, Unknown, Value

MOST_BYTES = 1_000_000  # a longer file is data, no configuration
MOST_FILES = 40  # of one repository that are searched for defaults
_INTERPOLATION = re.compile(r"\$\{([\w.]+)\}")


def hydra_configuration(root: Path, folder: Path, name: str) -> Value:
    """The configuration as an object, or None where the file is absent or composed in ways that are not followed."""
    found = _composed(root, folder, name, MOST_FILES)
    return None if found is None else _as_value(found, found)


def _composed(root: Path, folder: Path, name: str, most: int) -> dict[str, Any] | None:
    own = _read(root, folder / (name if name.endswith((".yaml", ".yml")) else f"{name}.yaml"))
    if own is None or most <= 0:
        return None
    listed = own.pop("defaults", [])
    result: dict[str, Any] = {}
    merged_self = False
    for entry in listed if isinstance(listed, list) else []:
        if entry == "_self_":
            _merge(result, own)
            merged_self = True
            continue
        if isinstance(entry, str):
            part, below = _composed(root, folder, entry, most - 1), ""
        elif isinstance(entry, dict) and len(entry) == 1:
            ((group, option),) = entry.items()
            group = str(group).rpartition(" ")[2]
            if group.startswith("hydra/") or option is None:
                continue
            if not isinstance(option, str) or "@" in group:
                return None
            part, below = _composed(root, folder / group, option, most - 1), group.replace("/", ".")
        else:
            return None
        if part is None:
            return None
        for key in reversed(below.split(".") if below else []):
            part = {key: part}
        _merge(result, part)
    if not merged_self:
        _merge(result, own)
    return result


def _read(root: Path, file: Path) -> dict[str, Any] | None:
    import yaml

    try:
        inside = file.resolve().is_relative_to(root.resolve())
        if not inside or file.stat().st_size > MOST_BYTES:
            return None
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError, RecursionError):
        return None
    return content if isinstance(content, dict) else {} if content is None else None


def _merge(target: dict[str, Any], more: dict[str, Any]) -> None:
    for key, value in more.items():
        if isinstance(value, dict) and isinstance(target.get(key), dict):
            _merge(target[key], value)
        else:
            target[key] = dict(value) if isinstance(value, dict) else value


def _as_value(part: Any, whole: dict[str, Any], depth: int = 12) -> Value:
    if isinstance(part, dict) and depth:
        return Object("namespace", {str(k): _as_value(v, whole, depth - 1) for k, v in part.items()})
    if isinstance(part, list) and depth:
        return ListV([_as_value(v, whole, depth - 1) for v in part])
    if isinstance(part, str) and "${" in part:
        wanted = _INTERPOLATION.fullmatch(part)
        return _as_value(_at(whole, wanted[1]), whole, depth - 1) if wanted and depth else _open()
    return part if part is None or isinstance(part, (bool, int, float, str)) else _open()


def _at(whole: dict[str, Any], path: str) -> Any:
    found: Any = whole
    for key in path.split("."):
        found = found.get(key) if isinstance(found, dict) else None
    return found


def _open() -> Unknown:
    return Unknown("a value of the configuration", "flag")
