"""Tar streams that a hostile sandbox might send."""

from __future__ import annotations

import contextlib
import io
import tarfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.problem import TargetProblem
from analyzer.walls.archive import ArchiveRefused, check_name, flatten, pack, unpack


def archive(*members: tuple[tarfile.TarInfo, bytes]) -> io.BytesIO:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as tar:
        for info, content in members:
            info.size = len(content) if info.isreg() else info.size
            tar.addfile(info, io.BytesIO(content))
    stream.seek(0)
    return stream


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type = kind
    info.linkname = link
    return info


@pytest.mark.parametrize(
    "hostile",
    [
        member("../evil"),
        member("a/../../evil"),
        member("/etc/evil"),
        member("a\\b"),
        member("new\nline"),
        member("link", tarfile.SYMTYPE, "/etc/passwd"),
        member("hard", tarfile.LNKTYPE, "ok"),
        member("device", tarfile.CHRTYPE),
        member("block", tarfile.BLKTYPE),
        member("pipe", tarfile.FIFOTYPE),
    ],
    ids=lambda info: f"{info.name!a} {info.type!r}",
)
def test_hostile_members_are_refused(tmp_path, hostile):
    folder = tmp_path / "out"
    folder.mkdir()
    with pytest.raises(ArchiveRefused):
        unpack(archive((member("ok"), b"fine"), (hostile, b"bad" if hostile.isreg() else b"")), folder, 1 << 20)
    assert [p.name for p in tmp_path.iterdir()] == ["out"]
    assert [p.name for p in folder.iterdir()] == ["ok"]


def test_a_link_cannot_be_written_through(tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    stream = archive((member("d", tarfile.SYMTYPE, str(tmp_path)), b""), (member("d/evil"), b"x"))
    with pytest.raises(ArchiveRefused):
        unpack(stream, folder, 1 << 20)
    assert not (tmp_path / "evil").exists()


def test_repeated_and_oversized_members_are_refused(tmp_path):
    with pytest.raises(ArchiveRefused, match="twice"):
        unpack(archive((member("a"), b"1"), (member("a"), b"2")), tmp_path, 1 << 20)
    with pytest.raises(ArchiveRefused, match="MiB"):
        unpack(archive((member("big"), bytes(3 << 20))), tmp_path, 2 << 20)
    assert not (tmp_path / "big").exists()


def test_a_size_that_lies_is_refused(tmp_path):
    info = member("huge")
    info.size = 1 << 60
    stream = io.BytesIO(info.tobuf() + b"short")
    with pytest.raises(ArchiveRefused):
        unpack(stream, tmp_path, 1 << 20)


@given(st.binary(max_size=3000))
def test_no_bytes_escape_as_another_error(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("fuzz")
    with contextlib.suppress(ArchiveRefused):
        unpack(io.BytesIO(data), folder, 1 << 16)


@given(
    st.dictionaries(st.from_regex(r"[a-z]{1,8}(\.[a-z]{1,3})?", fullmatch=True), st.binary(max_size=2000), max_size=5)
)
def test_what_is_packed_is_unpacked(tmp_path_factory, files):
    folder = tmp_path_factory.mktemp("round")
    stream = io.BytesIO()
    pack(files, 1 << 20, stream)
    stream.seek(0)
    assert set(unpack(stream, folder, 1 << 20)) == set(files)
    assert {name: Path(folder, name).read_bytes() for name in files} == files


@given(st.text(max_size=40))
def test_accepted_names_stay_below_the_folder(name):
    try:
        check_name(name)
    except ArchiveRefused:
        return
    assert (Path("/box") / name).is_relative_to("/box")
    assert ".." not in Path(name).parts


def sparse(path: Path, size: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.truncate(size)


def test_a_project_that_is_too_large_is_refused_before_a_byte_is_copied(tmp_path):
    (tmp_path / "a.py").write_text("first in the list, and small")
    sparse(tmp_path / "data" / "train" / "x.bin", 3 << 29)
    sparse(tmp_path / "data" / "y.bin", 3 << 29)
    stream = io.BytesIO()
    with pytest.raises(TargetProblem) as refused:
        pack({"request.json": b"{}", "project": tmp_path}, 2 << 30, stream)
    assert str(refused.value).startswith(
        "the project has 3.01 GiB of files (3 GiB in `data/`), more than 2 GiB, which is what a sandbox takes; keep"
    )
    assert stream.getvalue() == b""
    with pytest.raises(TargetProblem):
        next(flatten({"request.json": b"{}", "project": tmp_path}, 2 << 30))


def test_what_fits_exactly_is_taken(tmp_path):
    (tmp_path / "a").write_bytes(bytes(60))
    assert [name for name, _ in flatten({"b": bytes(40), "p": tmp_path}, 100)] == ["b", "p/a"]
    with pytest.raises(TargetProblem, match=r"0\.01 MiB of files"):
        list(flatten({"b": bytes(40)}, 39))
