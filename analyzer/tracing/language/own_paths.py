"""Paths that a program forms of where its own module lies: what stands there is the repository's.

A path stays an unknown text or `pathlib.Path`, whose `place` is relative to the repository; `""` where it is not known.
The program sees nothing of it, since a check-out may lie anywhere.
"""

from __future__ import annotations

import posixpath
from pathlib import Path

from analyzer.tracing.language.values import Unknown, Value

_KEEPS = frozenset(("absolute", "resolve", "expanduser", "as_posix", "__str__", "__fspath__"))
_JOINING = frozenset(("pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath", "os.path.join"))
_SAME = frozenset(("os.path.abspath", "os.path.realpath", "os.path.normpath", "os.fspath", "os.path.expanduser"))
_USES = frozenset(("joinpath", "open", "read_text", "read_bytes"))
_ASKS = {
    "exists": Path.exists, "lexists": Path.exists, "is_file": Path.is_file, "isfile": Path.is_file,
    "is_dir": Path.is_dir, "isdir": Path.is_dir,
}  # fmt: skip


def own_path(relative: str) -> Unknown:
    """``__file__`` of the module at a path of the repository; of a library's, whose begins with `/`, any text."""
    found = Unknown("a path", "data", pytype="str")
    found.place = "" if relative.startswith("/") else relative
    return found


def place_of(value: Value) -> str:
    return value.place if isinstance(value, Unknown) else ""


def joined(place: str, parts: tuple[Value, ...]) -> str:
    """Where the parts lead from there; `""` outside the repository, or where one is no known relative path."""
    if not place or not all(isinstance(p, str) and not p.startswith("/") for p in parts):
        return ""
    found = posixpath.normpath(posixpath.join(place, *(p for p in parts if isinstance(p, str))))
    return "" if found.split("/")[0] == ".." else found


def attribute_place(value: Unknown, name: str) -> str:
    """Where an attribute of a path leads, or what its method starts from."""
    if name == "parent":
        return joined(value.place, ("..",))
    return value.place if name in _KEEPS or name in _ASKS or name in _USES else ""


def method_place(method: Unknown, args: tuple[Value, ...]) -> str:
    """What a method of a path gives: those that take no parts take flags."""
    last = method.label.rpartition(".")[2]
    return "" if last in _USES - {"joinpath"} else joined(method.place, args if last == "joinpath" else ())


def function_place(name: str, args: tuple[Value, ...]) -> str:
    """What a function of Python's library makes of a path and further parts."""
    place = place_of(args[0]) if args else ""
    if name in _JOINING:
        return joined(place, args[1:])
    if name == "os.path.dirname" and len(args) == 1:
        return joined(place, ("..",))
    return joined(place, ()) if name in _SAME and len(args) == 1 else ""


def stands(root: Path, name: str, place: str) -> bool:
    """Whether a question for a file or folder, `os.path.isdir` or `exists`, is true of one that the repository holds.

    What it does not hold may still be there when the program runs.
    """
    asks = _ASKS.get(name.rpartition(".")[2])
    try:
        return bool(place) and asks is not None and asks(root / place)
    except (OSError, ValueError):
        return False
