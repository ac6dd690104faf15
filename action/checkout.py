"""Git, by plumbing only: nothing of the repository is ever run, no hook, no filter, no external diff.

Trees are written out blob by blob, so that attributes (`export-subst`, smudge filters) have no effect.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from action.diff import Changes, hunks_of
from analyzer.problem import UsageProblem

FILE_LIMIT = 1 << 30  # bytes of one file
TREE_LIMIT = 16 << 30  # bytes of one revision
LFS_VERSION = b"version https://git-lfs.github.com/spec/v1\n"
LFS_POINTER = re.compile(rb"^oid sha256:([0-9a-f]{64})\nsize (\d{1,15})\n?$", re.MULTILINE)
DEEPEN = (100, 1_000, 10_000)


@dataclass(frozen=True, slots=True)
class Change:
    """One changed file. `status` is git's letter: A, M, D, R, T; `old_path` is set for a rename."""

    status: str
    path: str
    old_path: str | None = None


@dataclass(frozen=True, slots=True)
class Exported:
    """What became of a revision's files; all paths relative to the repository's root."""

    unfetched: frozenset[str] = frozenset()  # Git LFS pointers whose content is not here
    submodules: frozenset[str] = frozenset()
    refused: tuple[str, ...] = ()  # a sentence each: symbolic links, improper names, files that are too large


@dataclass(frozen=True)
class Repository:
    """A git repository in the folder `root`. `token` is used only to fetch commits that a shallow clone lacks."""

    root: Path
    fetch_url: str = ""
    token: str = field(default="", repr=False)

    def has(self, revision: str) -> bool:
        return self._git("cat-file", "-e", f"{revision}^{{commit}}", check=False).returncode == 0

    def resolve(self, revision: str) -> str | None:
        done = self._git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}", check=False)
        return done.stdout.decode().strip() or None if done.returncode == 0 else None

    def ensure(self, revision: str) -> None:
        """Have the commit, fetching it alone if need be. Raises UsageProblem that says how to mend the workflow."""
        if self.has(revision):
            return
        self._fetch("--depth=1", revision)
        if not self.has(revision):
            raise UsageProblem(
                f"The commit {revision[:12]} is neither in the checkout nor to be fetched; let `actions/checkout` run "
                "before Assay, with `fetch-depth: 0`, and give the job `permissions: contents: read`."
            )

    def merge_base(self, base: str, head: str) -> str | None:
        """The best common ancestor; a shallow history is deepened step by step. None when there is none."""
        for depth in (0, *DEEPEN):
            if depth:
                if self._git("rev-parse", "--is-shallow-repository").stdout.strip() != b"true":
                    break
                self._fetch(f"--depth={depth}", base, head)
            done = self._git("merge-base", base, head, check=False)
            if done.returncode == 0:
                return done.stdout.decode().strip()
        return None

    def changes(self, base: str, head: str) -> tuple[Change, ...]:
        """Files that differ between two commits, renames found."""
        done = self._git(*_DIFF, "--name-status", "-z", "--find-renames", base, head)
        fields = iter(done.stdout.decode("utf-8", "surrogateescape").split("\0"))
        found = []
        for status in fields:
            if not status:
                break
            first = next(fields)
            if status[0] in "RC":
                found.append(Change(status[0], next(fields), first))
            else:
                found.append(Change(status[0], first))
        return tuple(found)

    def commentable(self, base: str, head: str, changes: Iterable[Change], paths: Iterable[str]) -> Changes:
        """All changed files, and the hunks of those in `paths`, with the three lines of context that GitHub shows."""
        by_path = {change.path: change for change in changes}
        hunks = {}
        for path in sorted(set(paths) & set(by_path)):
            change = by_path[path]
            if change.status == "D":
                continue
            both = [p for p in (change.old_path, path) if p]
            done = self._git(
                *_DIFF, "--unified=3", "--find-renames", base, head, "--", *(f":(top,literal){p}" for p in both)
            )
            hunks[path] = hunks_of(done.stdout.decode("utf-8", "replace"))
        return Changes(frozenset(by_path), hunks)

    def tracks(self, revision: str, path: str) -> bool:
        """Whether a commit holds anything at `path`."""
        return bool(self._git("ls-tree", "--full-tree", revision, "--", path.rstrip("/")).stdout)

    def export(self, revision: str, into: Path) -> Exported:
        """Write the regular files of a commit below the empty folder `into`, as plain data without execute bits."""
        unfetched, submodules, refused = set(), set(), []
        wanted: list[tuple[str, str]] = []
        total = 0
        listing = self._git("ls-tree", "-r", "-z", "-l", "--full-tree", revision).stdout
        for record in filter(None, listing.split(b"\0")):
            meta, _, raw = record.partition(b"\t")
            mode, kind, oid, size = meta.decode().split()
            path = raw.decode("utf-8", "surrogateescape")
            if kind == "commit":
                submodules.add(path)
            elif mode == "120000":
                refused.append(f"{path} is a symbolic link and was not followed.")
            elif not _proper(path):
                refused.append(f"{path!r} is an improper name for a file and was left out.")
            elif int(size) > FILE_LIMIT:
                refused.append(f"{path} holds {int(size):,} bytes, more than {FILE_LIMIT:,}, and was left out.")
            else:
                total += int(size)
                wanted.append((path, oid))
        if total > TREE_LIMIT:
            raise UsageProblem(
                f"The commit {revision[:12]} holds {total:,} bytes of files, more than {TREE_LIMIT:,}; "
                "keep data out of git."
            )
        for path, content in self._blobs(wanted):
            target = into / path
            target.parent.mkdir(parents=True, exist_ok=True)
            fetched = self._lfs_object(content)
            if isinstance(fetched, Path):
                _copy(fetched, target)
                continue
            if fetched is None:
                unfetched.add(path)
            target.write_bytes(content)
        return Exported(frozenset(unfetched), frozenset(submodules), tuple(refused))

    def _blobs(self, wanted: Sequence[tuple[str, str]]) -> Iterator[tuple[str, bytes]]:
        command = [*self._command(), "cat-file", "--batch"]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=self._environment()
        ) as process:
            assert process.stdin
            assert process.stdout
            for path, oid in wanted:
                process.stdin.write(f"{oid}\n".encode())
                process.stdin.flush()
                header = process.stdout.readline().split()
                if len(header) != 3:
                    raise UsageProblem(
                        f"{path} is not in the checkout: a partial clone cannot be analysed, "
                        "use `fetch-depth: 0` without `filter`."
                    )
                content = process.stdout.read(int(header[2]))
                process.stdout.read(1)
                yield path, content
            process.stdin.close()

    def _lfs_object(self, content: bytes) -> Path | bytes | None:
        """The fetched object a pointer stands for, None when it is not here; the content when it is no pointer."""
        if len(content) > 1024 or not content.startswith(LFS_VERSION):
            return content
        match = LFS_POINTER.search(content)
        if not match:
            return content
        oid, size = match[1].decode(), int(match[2])
        folder = Path(self._git("rev-parse", "--git-common-dir").stdout.decode().strip())
        stored = (self.root / folder / "lfs" / "objects" / oid[:2] / oid[2:4] / oid).resolve()
        if not stored.is_file() or stored.is_symlink() or stored.stat().st_size != size or size > FILE_LIMIT:
            return None
        with stored.open("rb") as stream:
            return stored if hashlib.file_digest(stream, "sha256").hexdigest() == oid else None

    def _fetch(self, *arguments: str) -> None:
        remote = self.fetch_url or "origin"
        self._git(
            "fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head",
            "--no-auto-maintenance",
            arguments[0], "--end-of-options", remote, *arguments[1:],
            check=False, secrets=self._authorization(),
        )  # fmt: skip

    def _authorization(self) -> Mapping[str, str]:
        """The token as configuration in the environment of one child: never in arguments, never on disk."""
        if not self.token or not self.fetch_url.startswith(("https://", "http://")):
            return {}
        basic = base64.b64encode(f"x-access-token:{self.token}".encode()).decode()
        server = re.match(r"https?://[^/]+/", self.fetch_url)
        key = f"http.{server.group() if server else self.fetch_url}.extraheader"
        return {
            "GIT_CONFIG_COUNT": "2",
            "GIT_CONFIG_KEY_0": key,
            "GIT_CONFIG_VALUE_0": "",  # forget a header that actions/checkout may have left: two are an error
            "GIT_CONFIG_KEY_1": key,
            "GIT_CONFIG_VALUE_1": f"AUTHORIZATION: basic {basic}",
        }

    def _command(self) -> list[str]:
        settings = [part for key, value in self._settings().items() for part in ("-c", f"{key}={value}")]
        return ["git", "-C", str(self.root), *settings]

    def _settings(self) -> Mapping[str, str]:
        return {
            "safe.directory": str(self.root.resolve()),  # the runner's user owns the checkout, the container is root
            "core.hooksPath": os.devnull,
            "core.fsmonitor": "false",
            "core.quotePath": "false",
            "core.attributesFile": os.devnull,
            "protocol.ext.allow": "never",
            "credential.helper": "",
            "gc.auto": "0",
        }

    def _environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": os.devnull,
            "LC_ALL": "C",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_OPTIONAL_LOCKS": "0",
            **{
                k: os.environ[k]
                for k in ("SSL_CERT_FILE", "GIT_SSL_CAINFO", "https_proxy", "HTTPS_PROXY")
                if k in os.environ
            },
        }

    def _git(
        self, *arguments: str, check: bool = True, secrets: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        try:
            done = subprocess.run(
                [*self._command(), *arguments],
                env=self._environment() | dict(secrets or {}),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=600,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired, ValueError) as problem:
            raise UsageProblem(f"git could not be run in {self.root}: {type(problem).__name__}.") from None
        if check and done.returncode:
            sentence = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise UsageProblem(
                f"`git {arguments[0]}` failed in {self.root}: {sentence[-1][:300] if sentence else 'no message'}. "
                "Let `actions/checkout` with `fetch-depth: 0` run before Assay."
            )
        return done


_DIFF = ("diff", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=none")


def _proper(path: str) -> bool:
    """Whether a path of a tree may be written below a folder. Git refuses most of these; a stranger may not."""
    parts = PurePosixPath(path).parts
    return (
        not path.startswith("/")
        and all(part not in ("..", ".") and part.lower() != ".git" for part in parts)
        and not any(ord(c) < 32 or 0xD800 <= ord(c) < 0xE000 for c in path)
        and all(len(part.encode()) < 256 for part in parts)
    )


def _copy(source: Path, target: Path) -> None:
    """An LFS object can be larger than memory."""
    with source.open("rb") as reader, target.open("wb") as writer:
        while chunk := reader.read(1 << 20):
            writer.write(chunk)
