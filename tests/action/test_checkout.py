"""Git by plumbing: what is exported, what is never run, what a comment can stand on."""

from __future__ import annotations

import hashlib
import os
import zlib
from pathlib import Path

import pytest

from action.checkout import Change, Repository
from action.diff import hunks_of
from analyzer.problem import UsageProblem
from tests.action.harness import git, lines
from tests.github_simulator.from_git import changed_files


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    root.mkdir()
    git(root, "init", "--quiet")
    return root


def commit(root: Path, **files: str | bytes | None) -> str:
    for name, content in files.items():
        path = root / name.replace("__", "/").replace("_DOT_", ".")
        if content is None:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--allow-empty", "--message", "x")
    return git(root, "rev-parse", "HEAD")


def test_changes_with_renames_and_odd_names(repository: Path) -> None:
    odd = 'we"ird\tn\u00e4me.py'
    base = commit(repository, **{"a_DOT_py": lines(30), "gone": "x", odd: "1\n"})
    git(repository, "mv", "a.py", "b.py")
    head = commit(repository, **{"gone": None, odd: "2\n", "new": "y"})
    assert set(Repository(repository).changes(base, head)) == {
        Change("R", "b.py", "a.py"), Change("D", "gone"), Change("M", odd), Change("A", "new"),
    }  # fmt: skip


def test_commentable_lines_are_those_that_github_shows(repository: Path) -> None:
    base = commit(repository, a_DOT_py=lines(100), b_DOT_py=lines(40))
    git(repository, "mv", "b.py", "c.py")
    head = commit(repository, a_DOT_py=lines(100, {10: "x", 11: "y", 60: "z"}), c_DOT_py=lines(40, {20: "w"}))
    made = Repository(repository)
    changes = made.commentable(base, head, made.changes(base, head), ["a.py", "c.py", "other"])
    assert changes.hunks == {"a.py": (range(7, 15), range(57, 64)), "c.py": (range(17, 24),)}
    shown = {f.path: hunks_of(f.patch or "") for f in changed_files(repository, base, head)}
    assert shown == dict(changes.hunks)
    assert changes.holds("a.py", 10, 14)
    assert not changes.holds("a.py", 10, 60)
    assert not changes.holds("other", 1)


def test_content_that_looks_like_a_hunk_is_content(repository: Path) -> None:
    base = commit(repository, a_DOT_py=lines(30))
    head = commit(repository, a_DOT_py=lines(30, {5: "@@ -1,999 +1,999 @@"}))
    made = Repository(repository)
    assert made.commentable(base, head, made.changes(base, head), ["a.py"]).hunks == {"a.py": (range(2, 9),)}


def test_nothing_of_the_repository_runs(repository: Path, tmp_path: Path) -> None:
    """Filters, hooks, textconv and external diffs of the checkout's own configuration stay cold."""
    proof = tmp_path / "ran"
    touch = f"touch {proof}; cat"
    base = commit(
        repository, _DOT_gitattributes="*.bin filter=evil diff=evil export-subst\n", x_DOT_bin="1 $Format:%H$\n"
    )
    head = commit(repository, x_DOT_bin="2 $Format:%H$\n")
    for key in (
        "filter.evil.smudge",
        "filter.evil.clean",
        "filter.evil.process",
        "diff.evil.textconv",
        "diff.evil.command",
    ):
        git(repository, "config", key, touch)
    git(repository, "config", "diff.external", touch)
    git(repository, "config", "core.fsmonitor", touch)
    hooks = repository / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-checkout", "reference-transaction", "post-index-change"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {proof}\n")
        (hooks / name).chmod(0o755)
    proof.unlink(missing_ok=True)
    made = Repository(repository)
    made.ensure(head)
    changes = made.changes(base, head)
    made.commentable(base, head, changes, ["x.bin"])
    into = tmp_path / "tree"
    into.mkdir()
    made.export(head, into)
    assert not proof.exists()
    assert (into / "x.bin").read_text() == "2 $Format:%H$\n"


def test_links_submodules_and_programs_are_plain_or_left_out(repository: Path, tmp_path: Path) -> None:
    (repository / "link").symlink_to("/etc/passwd")
    (repository / "run.sh").write_text("#!/bin/sh\n")
    (repository / "run.sh").chmod(0o755)
    first = commit(repository, a="1")
    git(repository, "update-index", "--add", "--cacheinfo", f"160000,{first},vendor/lib")
    git(repository, "commit", "--quiet", "--message", "submodule")
    head = git(repository, "rev-parse", "HEAD")
    into = tmp_path / "tree"
    into.mkdir()
    done = Repository(repository).export(head, into)
    assert sorted(p.name for p in into.rglob("*")) == ["a", "run.sh"]
    assert os.stat(into / "run.sh").st_mode & 0o111 == 0
    assert done.submodules == {"vendor/lib"}
    assert done.refused == ("link is a symbolic link and was not followed.",)


@pytest.mark.parametrize("path", ["../escape", "a/../../escape", ".git/config", ".GIT/config"])
def test_a_tree_with_improper_names_writes_nothing_outside(repository: Path, tmp_path: Path, path: str) -> None:
    """Git's own commands refuse such trees; a server that is not ours may hold them, so one is made by hand."""
    (repository / "x").write_text("x")
    blob = git(repository, "hash-object", "-w", "x")
    entry = b"100644 " + path.encode() + b"\0" + bytes.fromhex(blob)
    content = b"tree " + str(len(entry)).encode() + b"\0" + entry
    tree = hashlib.sha1(content).hexdigest()
    target = repository / ".git" / "objects" / tree[:2] / tree[2:]
    target.parent.mkdir(exist_ok=True)
    target.write_bytes(zlib.compress(content))
    made = git(repository, "commit-tree", tree, "-m", "x")
    into = tmp_path / "deep" / "tree"
    into.mkdir(parents=True)
    try:
        done = Repository(repository).export(made, into)
    except UsageProblem:
        return
    assert len(done.refused) == 1
    assert list(into.rglob("*")) == []
    assert not (tmp_path / "escape").exists()
    assert not (tmp_path / "deep" / "escape").exists()


def pointer(content: bytes) -> bytes:
    digest = hashlib.sha256(content).hexdigest()
    return f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize {len(content)}\n".encode()


def test_lfs_pointers(repository: Path, tmp_path: Path) -> None:
    here, away = b"weights that are here", b"weights that are not"
    head = commit(
        repository, here_DOT_onnx=pointer(here), away_DOT_onnx=pointer(away), forged_DOT_onnx=pointer(b"real")
    )
    for content, stored in ((here, here), (b"real", b"fake")):
        digest = hashlib.sha256(content).hexdigest()
        path = repository / ".git" / "lfs" / "objects" / digest[:2] / digest[2:4] / digest
        path.parent.mkdir(parents=True)
        path.write_bytes(stored)
    into = tmp_path / "tree"
    into.mkdir()
    done = Repository(repository).export(head, into)
    assert (into / "here.onnx").read_bytes() == here
    assert done.unfetched == {"away.onnx", "forged.onnx"}


def test_a_shallow_clone_is_deepened(repository: Path, tmp_path: Path) -> None:
    fork_point = commit(repository, a="1")
    for n in range(5):
        commit(repository, a=f"main {n}")
    base = git(repository, "rev-parse", "HEAD")
    git(repository, "checkout", "--quiet", "-b", "feature", fork_point)
    for n in range(5):
        commit(repository, b=f"feature {n}")
    head = git(repository, "rev-parse", "HEAD")
    git(repository, "config", "uploadpack.allowAnySHA1InWant", "true")
    git(tmp_path, "clone", "--quiet", "--depth=1", "--branch=feature", f"file://{repository}", "shallow")
    made = Repository(tmp_path / "shallow", f"file://{repository}")
    made.ensure(head)
    made.ensure(base)
    assert made.merge_base(base, head) == fork_point


def test_a_missing_commit_says_how_to_mend_the_workflow(repository: Path) -> None:
    commit(repository, a="1")
    with pytest.raises(UsageProblem, match="fetch-depth: 0"):
        Repository(repository).ensure("f" * 40)


def test_no_repository_at_all(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="actions/checkout"):
        Repository(tmp_path).changes("a" * 40, "b" * 40)


def test_the_token_is_not_in_arguments_or_files(repository: Path) -> None:
    made = Repository(repository, "https://127.0.0.1:1/octo/models", "s3cret-token")
    assert "s3cret-token" not in repr(made)
    assert "s3cret-token" not in " ".join(made._command())
    with pytest.raises(UsageProblem):
        made.ensure("f" * 40)
    stored = [p for p in (repository / ".git").rglob("*") if p.is_file() and b"s3cret" in p.read_bytes()]
    assert stored == []
