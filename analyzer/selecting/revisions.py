"""Git by plumbing only: nothing of the repository is ever run, no hook, no filter, no external diff.

Trees are written out blob by blob, so that attributes (`export-subst`, smudge filters) have no effect.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import ClassVar

from analyzer.problem import UsageProblem

FILE_LIMIT = 1 << 30  # bytes of one file
TREE_LIMIT = 16 << 30  # bytes of one revision
LFS_VERSION = b"version https://git-lfs.github.com/spec/v1\n"
LFS_POINTER = re.compile(rb"^oid sha256:([0-9a-f]{64})\nsize (\d{1,15})\n?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Exported:
    """What became of a revision's files; all paths relative to the repository's root."""

    unfetched: frozenset[str] = frozenset()  # Git LFS pointers whose content is not here
    submodules: frozenset[str] = frozenset()
    refused: tuple[str, ...] = ()  # a sentence each: symbolic links, improper names, files that are too large


@dataclass(frozen=True)
class Revisions:
    """The git repository that holds the folder `root`; paths are relative to the repository's own root."""

    root: Path
    advice: ClassVar[str] = "Check that the folder is a git repository with all its commits."

    def has(self, revision: str) -> bool:
        return self._git("cat-file", "-e", f"{revision}^{{commit}}", check=False).returncode == 0

    def resolve(self, revision: str) -> str | None:
        done = self._git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}", check=False)
        return done.stdout.decode().strip() or None if done.returncode == 0 else None

    def prefix(self) -> str:
        """Where `root` lies below the repository's root, with a slash at the end; empty at the root itself."""
        return os.fsdecode(self._git("rev-parse", "--show-prefix").stdout).rstrip("\n")

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
            elif not is_proper(path):
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
                        f"{path} is not in the checkout: a partial clone cannot be analysed, fetch without `--filter`."
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
        except FileNotFoundError:
            raise UsageProblem("git is not installed here, and revisions are read with it; install git.") from None
        except (OSError, subprocess.TimeoutExpired, ValueError) as problem:
            raise UsageProblem(f"git could not be run in {self.root}: {type(problem).__name__}.") from None
        if check and done.returncode:
            sentence = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no message"]
            raise UsageProblem(f"`git {arguments[0]}` failed in {self.root}: {sentence[-1][:300]}. {self.advice}")
        return done


def is_proper(path: str) -> bool:
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
