"""Git trees without a checkout: what a revision holds, written to a folder without running hooks or filters."""

from __future__ import annotations

import io
import os
import subprocess
from pathlib import Path

from analyzer.problem import UsageProblem

# Nothing that a repository configures may run: no hooks, no pager, no external diff, no file-system monitor.
_SAFE = (
    "-c", "core.hooksPath=/dev/null",
    "-c", "core.fsmonitor=false",
    "-c", "protocol.allow=never",
    "-c", "core.attributesFile=/dev/null",
)  # fmt: skip


def git(root: Path, *arguments: str, check: bool = True, stdin: bytes = b"") -> bytes:
    """Output of a git command in `root`. Raises UsageProblem with git's own first line when it fails."""
    environment = {"PATH": os.environ.get("PATH", ""), "HOME": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}
    try:
        done = subprocess.run(
            ["git", "-c", f"safe.directory={root.resolve()}", *_SAFE, *arguments],
            cwd=root,
            env=environment,
            capture_output=True,
            check=False,
            input=stdin,
        )
    except FileNotFoundError:
        raise UsageProblem("git is not installed; install it, or leave out --base.") from None
    if check and done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines() or ["no message"]
        raise UsageProblem(f"git {arguments[0]}: {lines[0]}")
    return done.stdout


def resolve(root: Path, revision: str) -> str:
    """The full commit id of `revision`. Raises UsageProblem when it names no commit."""
    if not (root / ".git").exists() and git(root, "rev-parse", "--is-inside-work-tree", check=False).strip() != b"true":
        raise UsageProblem(f"--base {revision}: {root} is not a git repository.")
    found = git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}", check=False)
    if not found.strip():
        raise UsageProblem(f"--base {revision}: no such commit here; fetch it first (`git fetch --depth=1 origin …`).")
    return found.decode().strip()


def export_tree(root: Path, commit: str, folder: Path) -> Path:
    """Write the files of `commit` below `folder`; returns the place that corresponds to `root` in it.

    Blobs are read by their ids, so that no filter and no `export-ignore` attribute of the repository has a say.
    Symbolic links and submodules are left out: they could point anywhere.
    """
    listing = git(root, "ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0")
    entries = [entry.split(b"\t", 1) for entry in listing if entry]
    files = [(meta.split()[2], os.fsdecode(name)) for meta, name in entries if meta.startswith((b"100644", b"100755"))]
    batch = b"".join(blob + b"\n" for blob, _ in files)
    stream = io.BytesIO(git(root, "cat-file", "--batch", stdin=batch))
    for _, name in files:
        size = int(stream.readline().split()[2])
        content = stream.read(size)
        stream.read(1)
        path = folder / name
        if ".." in Path(name).parts or (path.is_absolute() and not path.is_relative_to(folder)):
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder / git(root, "rev-parse", "--show-prefix").decode().strip()
