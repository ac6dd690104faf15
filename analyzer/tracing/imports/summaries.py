"""Summaries of libraries that outlive a run: what a call with such arguments gave, and where names are defined.

One JSON file for each library, named by its version, what its installer recorded and Assay's version. It is data and
believed little: it is read only if it has the form written here and the library's files that it rests on are the same
still; what is remembered are shapes and plain values, never an error. So one may be shared between machines.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from analyzer import __version__
from analyzer.tracing.imports.libraries import folder_of, metadata_of
from analyzer.tracing.imports.library_index import Index, index_of

FORM = 1
MOST_BYTES = 16_000_000  # of one file that is read
MOST_CALLS = 4_000  # that one holds
MOST_FILES = 2_000


@dataclass
class Library:
    """What is remembered of one library."""

    folder: Path
    file: Path
    names: Index | None = None
    calls: dict[str, Any] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)  # that the calls rest on: name → hash of the content
    changed: bool = False


@dataclass
class Summaries:
    """The libraries below one folder; those of this run are opened when a call of one is met."""

    folder: Path | None = None  # None: for this run alone
    libraries: dict[str, Library | None] = field(default_factory=dict)

    def of(self, module: str) -> Library | None:
        """What is remembered of the library of a module, which is opened the first time."""
        first = module.partition(".")[0]
        if first not in self.libraries:
            folder = folder_of(first)
            self.libraries[first] = _opened(self.folder, folder) if folder is not None else None
        return self.libraries[first]

    def index(self, module: str) -> Index:
        """Where the library of a module defines its names."""
        library = self.of(module)
        if library is None:
            return {}
        if library.names is None:
            library.names, library.changed = index_of(library.folder), True
        return library.names

    def known(self, module: str, key: str) -> Any:
        """The summary of a call, or None."""
        library = self.of(module)
        return library.calls.get(key) if library is not None else None

    def keep(self, module: str, key: str, summary: Any, paths: list[Path]) -> None:
        """Remember a call and the files of the library that it may rest on."""
        library = self.of(module)
        if library is None or len(library.calls) >= MOST_CALLS:
            return
        for path in paths:
            if path.is_relative_to(library.folder):
                library.files.setdefault(path.relative_to(library.folder).as_posix(), _hash(path))
        library.calls[key] = summary
        library.changed = True

    def write(self) -> None:
        """Write what is new; of two writers the later one stays. A folder that cannot be written to keeps nothing."""
        for library in filter(None, self.libraries.values()):
            if not library.changed or self.folder is None:
                continue
            data = {
                "form": FORM, "names": self.index(library.folder.name), "files": library.files, "calls": library.calls,
            }  # fmt: skip
            draft = library.file.with_suffix(f".{os.getpid()}")
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
                draft.write_text(json.dumps(data), encoding="utf-8")
                draft.replace(library.file)
            except OSError:
                draft.unlink(missing_ok=True)
            library.changed = False


def default_folder(environment: Mapping[str, str]) -> Path | None:
    """Where summaries are kept on this machine: `ASSAY_SUMMARIES`, nowhere if that is empty, else the user's cache."""
    named = environment.get("ASSAY_SUMMARIES")
    if named is not None:
        return Path(named) if named else None
    home = environment.get("XDG_CACHE_HOME") or (f"{environment['HOME']}/.cache" if environment.get("HOME") else "")
    return Path(home) / "assay" / "libraries" if home else None


def writable_folder(environment: Mapping[str, str]) -> list[Path]:
    """The folder of summaries, made if need be; none where it cannot be."""
    folder = default_folder(environment)
    if folder is None:
        return []
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return []
    return [folder]


def _opened(below: Path | None, folder: Path) -> Library:
    told = metadata_of(folder)
    version = told.name.removesuffix(".dist-info").rpartition("-")[2] if told is not None else "0"
    found = Library(folder, (below or folder) / f"{folder.name}-{version}-{_identity(folder, told)}.json")
    data = _read(found.file) if below is not None else None
    if data is None:
        return found
    found.names = {name: tuple(modules) for name, modules in data["names"].items()}
    if all(_hash(folder / name) == content for name, content in data["files"].items()):
        found.calls, found.files = data["calls"], data["files"]
    return found


def _identity(folder: Path, told: Path | None) -> str:
    """Of the library's content as it was installed, and of Assay."""
    made = hashlib.sha256(f"{FORM} {__version__}".encode())
    record = told / "RECORD" if told is not None else None
    try:
        made.update(record.read_bytes() if record is not None else str(folder.stat().st_mtime_ns).encode())
    except OSError:
        made.update(str(folder).encode())
    return made.hexdigest()[:16]


def _read(file: Path) -> dict[str, Any] | None:
    """The file's data where it has the right form, else None."""
    try:
        if file.stat().st_size > MOST_BYTES:
            return None
        data = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(data, dict) or data.get("form") != FORM:
        return None
    names, files, calls = (data.get(key) for key in ("names", "files", "calls"))
    if not all(isinstance(part, dict) for part in (names, files, calls)) or len(data["files"]) > MOST_FILES:
        return None
    plain = all(isinstance(m, list) and all(isinstance(t, str) for t in m) for m in data["names"].values())
    inside = all(isinstance(h, str) and ".." not in Path(f).parts and f[:1] != "/" for f, h in data["files"].items())
    return data if plain and inside else None


def _hash(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""
