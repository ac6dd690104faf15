"""Configuration files of the repository, as the default run reads them, and what hydra composes of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from analyzer.tracing.imports.repository_files import place_in
from analyzer.tracing.language.values import DictV, ListV, Object, Unknown, Value

MOST_BYTES = 1_000_000  # a longer file is data, no configuration
MOST_FILES = 40  # of one repository that are searched for defaults
MOST_PARTS = 20_000  # of one file: aliases of aliases of YAML make more of a few lines than any memory holds
DEEPEST = 12  # levels of a configuration; an interpolation is one, so that those of themselves end
_INTERPOLATION = re.compile(r"\$\{([\w.]+)\}")


def hydra_configuration(root: Path, folder: Path, name: str) -> Value:
    """The configuration as an object, or None where the file is absent or composed in ways that are not followed."""
    found = _composed(root, folder, name, MOST_FILES)
    return None if found is None else as_configuration(found)


def as_configuration(found: dict[str, Any]) -> Value:
    """The object that OmegaConf makes of plain data, its interpolations resolved."""
    return _as_value(found, found, DEEPEST, iter(range(MOST_PARTS)))


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
    text = text_inside(root, file)
    try:
        content = None if text is None else plain_content(text, "yaml")
    except ValueError:
        return None
    return content if isinstance(content, dict) else {} if content is None and text is not None else None


def text_inside(root: Path, file: Path) -> str | None:
    """The text of a file of the repository; None where it is absent, elsewhere, or too long for a configuration."""
    try:
        if place_in(root, file) is None or not file.is_file() or file.stat().st_size > MOST_BYTES:
            return None
        return file.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None


def plain_content(text: str, form: str) -> Any:
    """What ``yaml.safe_load`` or ``json.loads`` makes of a text. Raises ValueError: nothing, or too much of it."""
    import yaml

    try:
        content = json.loads(text) if form == "json" else yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError(str(error)) from error
    waiting, seen = [content], 0
    while waiting:
        part = waiting.pop()
        below = list(part.values()) if isinstance(part, dict) else part if isinstance(part, (list, set)) else ()
        seen += len(below)
        if seen > MOST_PARTS:
            raise ValueError("more than a configuration holds")
        waiting.extend(below)
    return content


def _merge(target: dict[str, Any], more: dict[str, Any]) -> None:
    for key, value in more.items():
        if isinstance(value, dict) and isinstance(target.get(key), dict):
            _merge(target[key], value)
        else:
            target[key] = dict(value) if isinstance(value, dict) else value


def _as_value(part: Any, whole: dict[str, Any], depth: int, budget: Iterator[int]) -> Value:
    if not depth or next(budget, None) is None:
        return _open()
    if isinstance(part, dict):
        return as_mapping({str(k): _as_value(v, whole, depth - 1, budget) for k, v in part.items()})
    if isinstance(part, list):
        return ListV([_as_value(v, whole, depth - 1, budget) for v in part])
    if isinstance(part, str) and "${" in part:
        wanted = _INTERPOLATION.fullmatch(part)
        return _as_value(_at(whole, wanted[1]), whole, depth - 1, budget) if wanted else _open()
    return part if part is None or isinstance(part, (bool, int, float, str)) else _open()


def as_mapping(parts: dict[str, Value]) -> Object:
    """A configuration: its parts are attributes and items, and it has the methods of a dictionary that read."""
    return Object("namespace", parts, {"mapping": True})


def is_mapping(value: Value) -> bool:
    return isinstance(value, Object) and value.kind == "namespace" and "mapping" in value.data


def from_values(value: Value, depth: int = DEEPEST) -> Value:
    """What OmegaConf makes of dictionaries and lists of a program; interpolations are not followed."""
    if isinstance(value, DictV) and not value.open and depth and all(isinstance(k, str) for k in value.items):
        return as_mapping({k: from_values(v, depth - 1) for k, v in value.items.items()})
    if isinstance(value, ListV) and not value.open and depth:
        return ListV([from_values(v, depth - 1) for v in value.items])
    if isinstance(value, (DictV, ListV)) or (isinstance(value, str) and "${" in value):
        return _open()
    return value


def to_values(value: Value) -> Value:
    """The plain dictionaries and lists of a configuration."""
    if is_mapping(value):
        return DictV({k: to_values(v) for k, v in value.attrs.items()})
    return ListV([to_values(v) for v in value.items]) if isinstance(value, ListV) and not value.open else value


def _at(whole: dict[str, Any], path: str) -> Any:
    found: Any = whole
    for key in path.split("."):
        found = found.get(key) if isinstance(found, dict) else None
    return found


def _open() -> Unknown:
    return Unknown("a value of the configuration", "flag")
