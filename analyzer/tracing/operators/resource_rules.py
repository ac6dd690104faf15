"""`importlib.resources` and `pkgutil`: files that a package of the repository keeps beside its modules."""

from __future__ import annotations

import posixpath

from analyzer.tracing.imports.module_files import find_file
from analyzer.tracing.imports.repository_files import place_in
from analyzer.tracing.language.builtins.files import by_method
from analyzer.tracing.language.contexts import NULL
from analyzer.tracing.language.known_types import attribute_of
from analyzer.tracing.language.own_paths import joined
from analyzer.tracing.language.values import Module, Object, Unknown, Value
from analyzer.tracing.operators.table import Op, operator

_HOMES = ("importlib.resources", "importlib_resources")


def _names(*names: str) -> str:
    return " ".join(f"{home}.{name}" for home in _HOMES for name in names)


def _folder(op: Op, package: Value) -> str:
    """Where a package of the repository lies; empty of any other."""
    name = package.name if isinstance(package, Module) else package
    file = find_file(op.tr, name) if isinstance(name, str) else None
    place = place_in(op.tr.shared.root, file) if file is not None else None
    if file is None or place is None:
        return ""
    return (place if file.is_dir() else place.parent).as_posix()


def _path(place: str) -> Unknown:
    found = Unknown("a path", "data", "a path", "object" if place else "")
    found.kind, found.place = "pathlib.Path", place
    return found


@operator(_names("files"), "anchor=None")
def files(op: Op, anchor: Value) -> Value:
    """The folder of a package; without a name that of the calling module."""
    if anchor is None:
        return _path(posixpath.dirname(op.tr.frame.path) if not op.tr.frame.path.startswith("/") else "")
    return _path(_folder(op, anchor))


@operator(_names("as_file"), "path")
def as_file(op: Op, path: Value) -> Value:
    return Object(NULL, {}, {"value": path})


@operator(_names("path"), "package resource")
def path(op: Op, package: Value, resource: Value) -> Value:
    return Object(NULL, {}, {"value": _path(joined(_folder(op, package), (resource,)))})


@operator(
    _names("read_text", "read_binary", "open_text", "open_binary") + " pkgutil.get_data", "package resource *rest"
)
def content(op: Op, package: Value, resource: Value, rest: tuple[Value, ...]) -> Value:
    """The text of a file, or the opened file; bytes are as little known as a long text."""
    binary = "text" not in op.name
    name = "open" if op.short.startswith("open") else "read_bytes" if binary else "read_text"
    method = attribute_of(_path(joined(_folder(op, package), (resource,))), name, f"a path.{name}")
    found = by_method(op.tr, method, ("rb",) if name == "open" and binary else (), {})
    return found if found is not None else op.tr.unknown_call(op.name)
