"""Files into and out of a sandbox as tar streams, with nothing but regular files in them and with caps on size."""

from __future__ import annotations

import io
import math
import os
import stat
import tarfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import IO

from analyzer.problem import TargetProblem

# Version control may hold a token, virtual environments belong to another machine.
LEFT_BEHIND = frozenset(
    {".git", ".hg", ".svn", "__pycache__", ".venv", "venv", "node_modules", ".mypy_cache", ".pytest_cache", ".tox"}
)
MAX_MEMBERS = 100_000  # a virtual environment of all frameworks holds half as many
MAX_NAME = 1024  # characters; file systems allow 255 a part and 4,096 a path


class ArchiveRefused(Exception):
    """The stream holds something a sandbox must not hand back; the text says what."""


def files_below(root: Path) -> Iterator[tuple[str, Path]]:
    """Regular files below `root` as (relative name, real path), sorted.

    A symbolic link counts as the file it names when that file lies inside `root`, else it is left out; folders that
    are links, sockets and devices are left out.
    """
    inside = root.resolve()
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in LEFT_BEHIND and not os.path.islink(os.path.join(folder, f)))
        for name in sorted(names):
            path = Path(folder, name)
            real = path.resolve() if path.is_symlink() else path
            if path.is_symlink() and not _may_follow(real, inside):
                continue
            try:
                mode = real.lstat().st_mode
            except OSError:
                continue
            if stat.S_ISREG(mode) and _readable(real):
                yield path.relative_to(root).as_posix(), real


def _readable(path: Path) -> bool:
    """A wall around this process closes other results, which may lie inside the project."""
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | getattr(os, "O_NONBLOCK", 0)))
    except OSError:
        return False
    return True


def _may_follow(real: Path, inside: Path) -> bool:
    return real.is_relative_to(inside) and not LEFT_BEHIND.intersection(real.relative_to(inside).parts)


def flatten(files: Mapping[str, bytes | Path], limit: int) -> Iterator[tuple[str, bytes | Path]]:
    """One entry a file, once all are measured. Raises `TargetProblem`, before the first, where together they have more
    than `limit` bytes."""
    entries: list[tuple[str, bytes | Path]] = []
    total = 0
    parts: Counter[str] = Counter()  # bytes by what lies directly in a folder that goes in
    for name, content in files.items():
        check_name(name)
        if isinstance(content, bytes) or content.is_file():
            entries.append((name, content))
            total += _size(content)
            continue
        for below, path in files_below(content):
            entries.append((f"{name}/{below}", path))
            size = _size(path)
            total += size
            first, inner, _ = below.partition("/")
            parts[first + inner] += size
    if total > limit:
        most = "".join(f" ({_bytes(size)} in `{part}`)" for part, size in parts.most_common(1))
        raise TargetProblem(
            f"the project has {_bytes(total)} of files{most}, more than {_bytes(limit)}, which is what a sandbox "
            "takes; keep data sets out of the repository's folder or point the target at an exported model file"
        )
    yield from entries


def _size(content: bytes | Path) -> int:
    if isinstance(content, bytes):
        return len(content)
    try:
        return content.stat().st_size
    except FileNotFoundError:  # gone since it was listed: said when it is read
        return 0


def _bytes(size: int) -> str:
    """Rounded up, so that what exceeds a limit reads as more than it."""
    unit, name = ((1 << 30), "GiB") if size >= 1 << 30 else ((1 << 20), "MiB")
    return f"{math.ceil(100 * size / unit) / 100:g} {name}"


def pack(files: Mapping[str, bytes | Path], limit: int, into: IO[bytes]) -> None:
    """Write `files` as a tar stream, all owned by root and readable by everybody."""
    with tarfile.open(fileobj=into, mode="w|", format=tarfile.PAX_FORMAT) as archive:
        for name, content in flatten(files, limit):
            member = tarfile.TarInfo(name)
            member.mode = 0o644
            if isinstance(content, bytes):
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
            else:
                with content.open("rb") as source:
                    member.size = os.fstat(source.fileno()).st_size
                    archive.addfile(member, source)


def check_name(name: str) -> None:
    """Raises `ArchiveRefused` unless `name` is a plain relative path that stays where it is put."""
    path = PurePosixPath(name)
    if (
        not name
        or len(name) > MAX_NAME
        or path.is_absolute()
        or ".." in path.parts
        or "\\" in name
        or any(ord(c) < 32 or c == "\x7f" for c in name)
        or name.encode("utf-8", "surrogateescape").decode("utf-8", "replace") != name
    ):
        raise ArchiveRefused(f"a file name that could lead elsewhere: {name[:80]!a}")


def unpack(stream: IO[bytes], target: Path, limit: int) -> tuple[str, ...]:
    """Put the regular files of a tar stream below the empty folder `target`; return their names.

    Raises `ArchiveRefused` for links, devices, sparse files, names that lead elsewhere, repeated names, and more
    than `limit` bytes or `MAX_MEMBERS` members; what was written before stays.
    """
    names: list[str] = []
    total = 0
    try:
        with tarfile.open(fileobj=stream, mode="r|") as archive:
            for count, member in enumerate(archive):
                if count >= MAX_MEMBERS:
                    raise ArchiveRefused(f"more than {MAX_MEMBERS} files")
                check_name(member.name)
                if member.isdir():
                    continue
                if not member.isreg() or member.issparse():
                    raise ArchiveRefused(f"something that is not a plain file: {member.name[:80]!a}")
                total += member.size
                if total > limit:
                    raise ArchiveRefused(f"more than {limit >> 20} MiB")
                source = archive.extractfile(member)
                assert source is not None
                path = target / member.name
                path.parent.mkdir(parents=True, exist_ok=True)
                with path.open("xb") as sink:
                    while chunk := source.read(1 << 20):
                        sink.write(chunk)
                names.append(member.name)
    except FileExistsError as error:
        raise ArchiveRefused("the same file twice") from error
    except (tarfile.TarError, OSError, UnicodeError, ValueError, EOFError) as error:
        raise ArchiveRefused(f"an archive that cannot be read ({type(error).__name__})") from error
    return tuple(names)
