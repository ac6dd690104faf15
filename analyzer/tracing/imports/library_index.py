"""Where a large library defines its names: for what a package hands out by a lazy loader or a registry.

The index is a table of names and files, nothing else. It may be kept by whoever likes to: what it says is looked at
again in the file that it names, so a wrong one can make a name unknown and nothing more.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from pathlib import Path

Index = Mapping[str, tuple[str, ...]]  # name → modules of the library that define it at their top level
MOST_FILES = 6000
MOST_BYTES = 2_000_000  # of one file
_DEFINED = re.compile(rb"^(?:async def|def|class)[ ]+(\w+)", re.M)
_SKIPPED = frozenset(("tests", "test", "testing"))


@functools.lru_cache(maxsize=8)
def index_of(folder: Path) -> Index:
    """Classes and functions of every module below a library's folder."""
    found: dict[str, list[str]] = {}
    for number, file in enumerate(sorted(folder.rglob("*.py"))):
        parts = file.relative_to(folder.parent).with_suffix("").parts
        if number >= MOST_FILES or _SKIPPED & set(parts):
            continue
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        try:
            text = file.read_bytes() if file.stat().st_size <= MOST_BYTES else b""
        except OSError:
            continue
        for name in dict.fromkeys(_DEFINED.findall(text)):
            found.setdefault(name.decode(), []).append(module)
    return {name: tuple(modules) for name, modules in found.items()}


def defining(index: Index, name: str, below: str) -> str | None:
    """The one module at or below a package that defines a name; None where there are several or none."""
    modules = [m for m in index.get(name, ()) if m == below or m.startswith(f"{below}.")]
    return modules[0] if len(modules) == 1 else None
