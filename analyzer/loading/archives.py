"""Zip archives of strangers: members are read in place and by exact name, never extracted."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from analyzer.loading.files import check_file, head_of, map_file, refuse_pointer, shown, size_text
from analyzer.loading.limits import DEFAULT, Limits
from analyzer.problem import TargetProblem


class Archive:
    """An open archive whose directory was checked.

    Stored members are views of the mapped file; compressed ones are unpacked into memory within the limits.
    """

    def __init__(self, path: Path, file: zipfile.ZipFile, limits: Limits) -> None:
        self.path = path
        self.limits = limits
        self._file = file
        self._members = self._checked(file.infolist())
        self._mapped: np.ndarray | None = None

    def _checked(self, infos: list[zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
        where = shown(self.path)
        if len(infos) > self.limits.archive_members:
            raise TargetProblem(f"{where} has {len(infos)} members; {self.limits.archive_members} are read at most.")
        members: dict[str, zipfile.ZipInfo] = {}
        total = 0
        for info in infos:
            name = info.filename
            total += info.file_size
            if name.startswith("/") or "\\" in name or ".." in name.split("/") or "\0" in info.orig_filename:
                raise TargetProblem(
                    f"{where} has a member called '{shown(name)}', which points outside; it is refused."
                )
            if name in members:
                raise TargetProblem(
                    f"{where} has two members called '{shown(name)}'; it is damaged or made to deceive."
                )
            if info.flag_bits & 1:
                raise TargetProblem(f"{where} is encrypted.")
            if (info.external_attr >> 16) & 0o170000 == 0o120000:
                raise TargetProblem(f"{where} has a symbolic link '{shown(name)}' in it; links are refused.")
            if info.file_size > max(info.compress_size, 1024) * self.limits.archive_ratio:
                raise TargetProblem(
                    f"{where} is refused: its member '{shown(name)}' would unpack from "
                    f"{size_text(info.compress_size)} to {size_text(info.file_size)}."
                )
            members[name] = info
        if total > self.limits.archive_size:
            raise TargetProblem(f"{where} would unpack to {size_text(total)}, which is too much.")
        return members

    @property
    def names(self) -> list[str]:
        return list(self._members)

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def size(self, name: str) -> int:
        return self._member(name).file_size

    def _member(self, name: str) -> zipfile.ZipInfo:
        if name not in self._members:
            raise TargetProblem(f"{shown(self.path)} has no member '{shown(name)}'; it is damaged or of another kind.")
        return self._members[name]

    def read(self, name: str, largest: int) -> bytes:
        """A member's content.

        Raises:
            TargetProblem: there is none, it is larger than `largest` bytes, or it is damaged.
        """
        info = self._member(name)
        if info.file_size > largest:
            raise TargetProblem(
                f"'{shown(name)}' in {shown(self.path)} is {size_text(info.file_size)}; "
                f"{size_text(largest)} are read at most."
            )
        try:
            with self._file.open(info) as member:
                data = member.read(info.file_size + 1)
        except (
            zipfile.BadZipFile,
            OSError,
            EOFError,
            zlib.error,
            NotImplementedError,
            RuntimeError,
            ValueError,
        ) as error:
            raise TargetProblem(f"'{shown(name)}' in {shown(self.path)} is damaged: {shown(error)}.") from None
        if len(data) != info.file_size:
            raise TargetProblem(f"'{shown(name)}' in {shown(self.path)} is not as long as the directory says.")
        return data

    def view(self, name: str) -> np.ndarray:
        """A member's bytes as a read-only array, without a copy if it is stored uncompressed."""
        info = self._member(name)
        if info.compress_type != zipfile.ZIP_STORED:
            return np.frombuffer(self.read(name, self.limits.tensor_size), np.uint8)
        if self._mapped is None:
            self._mapped = map_file(self.path, self.limits)
        header = self._mapped[info.header_offset : info.header_offset + 30].tobytes()
        if len(header) < 30 or header[:4] != b"PK\x03\x04":
            raise TargetProblem(
                f"'{shown(name)}' in {shown(self.path)} is not where the directory says; it is damaged."
            )
        start = info.header_offset + 30 + sum(struct.unpack("<HH", header[26:30]))
        view = self._mapped[start : start + info.file_size]
        if len(view) != info.file_size:
            raise TargetProblem(f"{shown(self.path)} is cut off within '{shown(name)}'.")
        return view


@contextmanager
def open_archive(path: Path, limits: Limits = DEFAULT) -> Iterator[Archive]:
    """Open a zip file.

    Raises:
        TargetProblem: no zip, damaged, or a bomb by its own directory.
    """
    check_file(path, limits.weights_size)
    refuse_pointer(path, head_of(path, 64))
    try:
        file = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, EOFError, struct.error) as error:
        raise TargetProblem(
            f"{shown(path)} is not a valid archive; it is damaged or cut off ({shown(error)})."
        ) from None
    with file:
        yield Archive(path, file, limits)
