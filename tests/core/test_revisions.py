"""Trees of git revisions: exactly the files, no hooks, no filters, no links."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from analyzer.selecting.revisions import Revisions


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    root.mkdir()

    def git(*arguments: str) -> None:
        subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@example.com", *arguments],
            cwd=root, check=True, capture_output=True,
        )  # fmt: skip

    git("init", "-b", "main")
    (root / "models").mkdir()
    (root / "models" / "ä b.bin").write_bytes(bytes(range(256)) * 10)
    (root / "hidden.onnx").write_bytes(b"model\r\n")
    (root / ".gitattributes").write_text("hidden.onnx export-ignore text eol=crlf\n*.bin filter=evil\n")
    os.symlink("/etc/passwd", root / "link.onnx")
    git("config", "filter.evil.smudge", f"touch {tmp_path}/owned")
    git("add", "-A")
    git("commit", "-m", "one")
    return root


def exported(root: Path, tree: Path) -> Path:
    revisions = Revisions(root)
    commit = revisions.resolve("main")
    assert commit is not None
    tree.mkdir()
    revisions.export(commit, tree)
    return tree / revisions.prefix()


def test_a_tree_is_written_as_it_was_committed(repository: Path, tmp_path: Path) -> None:
    (repository / "hidden.onnx").write_bytes(b"changed")
    tree = exported(repository, tmp_path / "tree")
    assert (tree / "models" / "ä b.bin").read_bytes() == bytes(range(256)) * 10
    assert (tree / "hidden.onnx").read_bytes().rstrip() == b"model"
    assert not (tree / "link.onnx").exists()
    assert not (tmp_path / "owned").exists()


def test_a_subfolder_finds_its_place_in_the_tree(repository: Path, tmp_path: Path) -> None:
    tree = exported(repository / "models", tmp_path / "tree")
    assert [p.name for p in tree.iterdir()] == ["ä b.bin"]


@pytest.mark.parametrize("revision", ["no-such-branch", "--help", "HEAD; touch x"])
def test_an_unknown_revision_is_no_revision(repository: Path, revision: str) -> None:
    assert Revisions(repository).resolve(revision) is None


def test_outside_a_repository(tmp_path: Path) -> None:
    assert Revisions(tmp_path).resolve("HEAD") is None
