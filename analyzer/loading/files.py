"""Opening files that strangers wrote: regular files only, size-capped, with problems said in one sentence."""

from __future__ import annotations

import mmap
import os
import stat
from pathlib import Path

import numpy as np

from analyzer.loading.limits import DEFAULT, Limits
from analyzer.problem import TargetProblem

LFS_HEADER = b"version https://git-lfs.github.com/spec/"


class NotFetchedProblem(TargetProblem):
    """The file is a Git LFS pointer: there is nothing to analyse until it is fetched."""


def shown(name: object, length: int = 120) -> str:
    """A name from a model as it may stand in a sentence: printable, on one line, of bounded length."""
    text = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in str(name)[: length + 1])
    return text if len(text) <= length else text[:length] + "…"


def size_text(size: int) -> str:
    """A size for people: ``12 bytes``, ``3.4 GiB``."""
    if size < 1024:
        return f"{size} bytes"
    value = float(size)
    for unit in ("KiB", "MiB", "GiB", "TiB"):
        value /= 1024
        if value < 1024 or unit == "TiB":
            return f"{value:.1f} {unit}"
    raise AssertionError


def check_file(path: Path, largest: int) -> os.stat_result:
    """Refuse what is not a plain file of its own.

    Raises:
        TargetProblem: missing, not to be read, a link, several hard links, no regular file, empty, or larger than
            `largest` bytes.
    """
    try:
        status = path.lstat()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise TargetProblem(f"{shown(path)} cannot be read: {reason}.") from None
    if stat.S_ISLNK(status.st_mode):
        raise TargetProblem(f"{shown(path)} is a symbolic link; put the file itself in its place.")
    if not stat.S_ISREG(status.st_mode):
        raise TargetProblem(f"{shown(path)} is not a regular file.")
    if status.st_nlink > 1:
        raise TargetProblem(f"{shown(path)} has {status.st_nlink} hard links; copy it so that it is a file of its own.")
    if not os.access(path, os.R_OK):
        raise TargetProblem(f"{shown(path)} cannot be read: its permissions do not let this user; `chmod u+r` lets it.")
    if status.st_size == 0:
        raise TargetProblem(f"{shown(path)} is empty.")
    if status.st_size > largest:
        raise TargetProblem(
            f"{shown(path)} is {size_text(status.st_size)}; files of this kind are read up to {size_text(largest)}."
        )
    return status


def read_file(path: Path, limits: Limits = DEFAULT, largest: int | None = None) -> bytes:
    """The whole content of a plain file.

    Raises:
        NotFetchedProblem: it is a Git LFS pointer.
        TargetProblem: see `check_file`.
    """
    check_file(path, limits.file_size if largest is None else largest)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise TargetProblem(f"{shown(path)} cannot be read: {error.strerror}.") from None
    refuse_pointer(path, data[:64])
    return data


def out_of_memory(error: Exception) -> bool:
    """Whether protobuf's parser failed for want of memory, which it reports as damage."""
    return "alloc failed" in str(error)


def head_of(path: Path, size: int = 4096) -> bytes:
    """The first bytes of a plain file; empty if it cannot be read: a pipe would wait for somebody to write."""
    try:
        if not path.is_file():
            return b""
        with path.open("rb") as file:
            return file.read(size)
    except (OSError, ValueError):
        return b""


def is_pointer(head: bytes) -> bool:
    return head.startswith(LFS_HEADER)


def refuse_pointer(path: Path, head: bytes) -> None:
    if is_pointer(head):
        raise NotFetchedProblem(
            f"{shown(path)} is a Git LFS pointer that was not fetched; check out with `lfs: true` or `git lfs pull`."
        )


def map_file(path: Path, limits: Limits = DEFAULT) -> np.ndarray:
    """A plain file as a read-only array of bytes that the system pages in on demand."""
    check_file(path, limits.weights_size)
    refuse_pointer(path, head_of(path, 64))
    try:
        with path.open("rb") as file:
            return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)
    except (OSError, ValueError) as error:
        raise TargetProblem(f"{shown(path)} cannot be mapped: {error}.") from None


def inside(folder: Path, location: str, what: str) -> Path:
    """The path of a file that a model names, which must lie in the model's own folder.

    Refused: absolute paths, drive letters, backslashes, ``..``, NUL, links anywhere on the way, hard links.

    Raises:
        TargetProblem: with `what` as the subject of the sentence.
    """
    parts = location.split("/")
    if (
        not location
        or location.startswith(("/", "~"))
        or any(c in location for c in "\\\0:")
        or ".." in parts
        or len(location) > 4096
    ):
        raise TargetProblem(
            f"{what} points to '{shown(location)}', outside the model's folder; such paths are refused."
        )
    path = folder
    for part in parts:
        path = path / part
        if path.is_symlink():
            raise TargetProblem(
                f"{what} points to '{shown(location)}', which passes a symbolic link; links are refused."
            )
    return path
