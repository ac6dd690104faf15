"""Files that an export opened under names that its sources do not tell: what an outcome depends on besides its key.

The names come from code of the project, so they are held against what a path of a tree may be, and they can only add:
a model whose files are not known counts as changed and is not kept.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from analyzer.findings import slug
from analyzer.selecting.revisions import is_proper

MOST_NAMES = 1_000  # of one target; a build that opens more reads a data set
LONGEST = 400  # characters of a name
MOST_RECORDS = 5_000  # targets of one folder
LARGEST = 1 << 20  # bytes of a record

# Target (as `slug` writes it) -> the names that its last export opened; None: too many, or not to be told.
Opened = Mapping[str, Sequence[str] | None]


def proper(names: Any) -> tuple[str, ...]:
    """`names` sorted, each once. Raises ValueError for what is no list of paths inside a tree, or too long a one."""
    if not isinstance(names, (list, tuple)) or len(names) > MOST_NAMES:
        raise ValueError("no list of names")
    if not all(isinstance(n, str) and 0 < len(n) <= LONGEST and is_proper(n) for n in names):
        raise ValueError("no path of the repository")
    return tuple(sorted(set(names)))


def recorded(names: Iterable[str]) -> tuple[str, ...] | None:
    """What of an export's `names` may be kept; None where they are too many or one of them is improper."""
    try:
        return proper(list(names))
    except ValueError:
        return None


def content(names: Sequence[str] | None, *trees: Path) -> str | None:
    """Hashes over the bytes of the files `names` in each of `trees`, equal ones once; "" where there are no names.

    A file that is not there counts too. None where it cannot be told. Nothing is parsed; no link leads out of a tree.
    """
    if names is None:
        return None
    if not names:
        return ""
    hashes = [_content(names, tree) for tree in trees]
    return None if None in hashes else " ".join(str(each) for each in dict.fromkeys(hashes))


def _content(names: Sequence[str], tree: Path) -> str | None:
    digest, top = hashlib.sha256(), tree.resolve()
    for name in names:
        digest.update(f"\0{name}\0".encode())
        try:
            path = (tree / name).resolve()
            if not path.is_relative_to(top):
                return None
            if not path.exists():
                digest.update(b"absent")
                continue
            if not stat.S_ISREG(path.stat().st_mode):
                return None  # a pipe would wait for somebody to write
            with path.open("rb") as stream:
                digest.update(hashlib.file_digest(stream, "sha256").digest())
        except (OSError, RuntimeError, ValueError):
            return None
    return digest.hexdigest()


def differs(names: Sequence[str] | None, head: Path, base: Path) -> bool:
    """Whether one of the files differs between the trees; what cannot be told does."""
    after = content(names, head)
    return after is None or after != content(names, base)


def keep(folder: Path, identity: str, names: Sequence[str] | None) -> None:
    """Leave in `folder` what the last export of the target `identity` opened; None is kept as what is not known."""
    place = folder / f"{slug(identity)}.json"
    if not names and names is not None and not place.exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    draft = place.with_name(f".{place.name}.{os.getpid()}")
    draft.write_text(json.dumps(names), encoding="utf-8")
    draft.replace(place)


def kept(folder: Path, identity: str) -> Sequence[str] | None:
    """What `keep` left for one target; nothing where it left nothing."""
    place = folder / f"{slug(identity)}.json"
    return _read(place) if place.exists() else ()


def all_kept(*folders: Path) -> Opened:
    """What `keep` left in any of `folders`, the names of all of them together."""
    found: dict[str, Sequence[str] | None] = {}
    for folder in folders:
        places = sorted(folder.glob("[!.]*.json")) if folder.is_dir() else []
        for place in places[:MOST_RECORDS]:
            names, others = _read(place), found.get(place.stem, ())
            found[place.stem] = None if names is None or others is None else tuple(sorted({*names, *others}))
    return found


def _read(place: Path) -> Sequence[str] | None:
    """The names of one record; None where it says that they are not known, or is damaged."""
    try:
        if place.is_symlink() or place.stat().st_size > LARGEST:
            return None
        return proper(json.loads(place.read_text(encoding="utf-8")))
    except (OSError, ValueError, RecursionError):
        return None
