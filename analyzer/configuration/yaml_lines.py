"""YAML with line numbers: plain data, and the line on which each key or item stands."""

from __future__ import annotations

import datetime
import math
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import yaml

from analyzer.problem import UsageProblem

Path = tuple[str | int, ...]

MAX_BYTES = 1 << 20  # a larger file is no configuration
MAX_NODES = 100_000  # places, aliases written out: a bomb of aliases ends here
MAX_DEPTH = 40  # mappings within mappings; the parser is recursive
MAX_INTEGER = 1 << 63  # sizes fit; Python cannot even print what base 60 (`1:59:59`) makes of a long text
MAX_BRACKETS = 400  # well beyond MAX_DEPTH: brackets in texts are counted too


if TYPE_CHECKING or not yaml.__with_libyaml__:
    _Parser = yaml.SafeLoader
else:  # libyaml, which reads a thousand layers in a tenth of the time; a PyYAML without it is possible
    _Parser = yaml.CSafeLoader


class _Loader(_Parser):
    """The safe loader, which keeps dates as text."""

    yaml_implicit_resolvers = {  # noqa: RUF012 - PyYAML's own class attribute
        first: [(tag, regexp) for tag, regexp in resolvers if tag != "tag:yaml.org,2002:timestamp"]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


def load_with_lines(text: str, name: str) -> tuple[Any, dict[Path, int]]:
    """Parse `text`; the second result maps the path of each key and item to its line, counted from 1.

    Raises UsageProblem on broken YAML, duplicate keys and documents that expand beyond sane sizes; `name` is the file.
    """
    if len(text) > MAX_BYTES:
        raise UsageProblem(
            f"{name} is larger than 1 MiB; a configuration is a page of text, so check that it is the right file."
        )
    if (line := _too_deep(text)) is not None:
        raise UsageProblem(f"{name}:{line}: more than {MAX_BRACKETS} brackets stand open; write it as indented lines.")
    if wrong := yaml.reader.Reader.NON_PRINTABLE.search(text):
        raise UsageProblem(f"{name}: the character {ord(wrong.group()):#06x} has no place in YAML; remove it.")
    loader = _Loader(text)
    try:
        _check_depth(text, name)
        root = loader.get_single_node()
        lines: dict[Path, int] = {}
        data = _plain(loader, root, (), lines, name) if root is not None else None
    except yaml.MarkedYAMLError as error:
        error = _in_words(text) or error
        mark = error.problem_mark or error.context_mark
        place = f"{name}:{mark.line + 1}" if mark else name
        raise UsageProblem(f"{place}: not valid YAML: {error.problem or error.context}.") from None
    except yaml.YAMLError as error:
        raise UsageProblem(f"{name}: not valid YAML: {' '.join(str(error).split())}.") from None
    except (ValueError, RecursionError) as error:
        raise UsageProblem(f"{name}: a value cannot be read: {error}.") from None
    finally:
        loader.dispose()
    return data, lines


def _too_deep(text: str) -> int | None:
    """The line on which more brackets stand open than a document needs: PyYAML takes quadratic time for them."""
    depth, line = 0, 1
    for character in text:
        if character == "\n":
            line += 1
        elif character in "[{":
            depth += 1
            if depth > MAX_BRACKETS:
                return line
        elif character in "]}":
            depth = max(0, depth - 1)
    return None


def _in_words(text: str) -> yaml.MarkedYAMLError | None:
    """The mistake as PyYAML's own parser tells it, which says what stands there instead; None where it sees none."""
    try:
        for _ in yaml.parse(text, Loader=yaml.SafeLoader):
            pass
    except yaml.MarkedYAMLError as error:
        return error
    return None


def _check_depth(text: str, name: str) -> None:
    """Composing is recursive, and libyaml's does not watch its stack; events are not."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.events.CollectionStartEvent):
            depth += 1
            if depth > MAX_BRACKETS:
                place = f"{name}:{event.start_mark.line + 1}" if event.start_mark else name
                raise UsageProblem(f"{place}: the document is nested too deeply; write fewer levels.")
        elif isinstance(event, yaml.events.CollectionEndEvent):
            depth -= 1


def _plain(loader: _Loader, node: yaml.Node, path: Path, lines: dict[Path, int], name: str) -> Any:
    line = node.start_mark.line + 1
    lines.setdefault(path, line)
    if len(lines) > MAX_NODES or len(path) > MAX_DEPTH:
        raise UsageProblem(f"{name}:{line}: the document is nested or repeated too deeply; write it without aliases.")
    if isinstance(node, yaml.MappingNode):
        result: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            key = loader.construct_object(key_node, deep=True)
            where = key_node.start_mark.line + 1
            if not isinstance(key, Hashable) or isinstance(key, tuple):
                raise UsageProblem(f"{name}:{where}: a key must be plain text.")
            key = key if isinstance(key, str) else str(key_node.value)
            if key in result:
                raise UsageProblem(f"{name}:{where}: the key `{key}` stands twice; keep one.")
            lines[(*path, key)] = where
            result[key] = _plain(loader, value_node, (*path, key), lines, name)
        return result
    if isinstance(node, yaml.SequenceNode):
        return [_plain(loader, item, (*path, index), lines, name) for index, item in enumerate(node.value)]
    value = loader.construct_object(node, deep=True)
    if isinstance(value, float) and math.isnan(value):  # neither above nor below any bound
        raise UsageProblem(f"{name}:{line}: nan is not a number; write one.")
    if isinstance(value, int) and not -MAX_INTEGER <= value <= MAX_INTEGER:
        raise UsageProblem(f"{name}:{line}: {str(node.value)[:24]} is larger than any size: at most 64 bits hold it.")
    return value.isoformat() if isinstance(value, datetime.date) else value
