"""The checkout of a workflow run: what changed between two commits, and which lines of the diff can carry a comment."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from action.diff import Changes, added_in, hunks_of
from analyzer.problem import UsageProblem
from analyzer.selecting.revisions import Exported, Revisions

__all__ = ["Change", "Exported", "Repository"]

DEEPEN = (100, 1_000, 10_000)  # commits fetched until the merge base is among them


@dataclass(frozen=True, slots=True)
class Change:
    """One changed file. `status` is git's letter: A, M, D, R, T; `old_path` is set for a rename."""

    status: str
    path: str
    old_path: str | None = None


@dataclass(frozen=True)
class Repository(Revisions):
    """The git repository in the folder `root`. `token` is used only to fetch commits that a shallow clone lacks."""

    advice: ClassVar[str] = "Let `actions/checkout` with `fetch-depth: 0` run before Assay."
    fetch_url: str = ""
    token: str = field(default="", repr=False)

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
        hunks, added = {}, {}
        for path in sorted(set(paths) & set(by_path)):
            change = by_path[path]
            if change.status == "D":
                continue
            both = [p for p in (change.old_path, path) if p]
            done = self._git(
                *_DIFF, "--unified=3", "--find-renames", base, head, "--", *(f":(top,literal){p}" for p in both)
            )
            patch = done.stdout.decode("utf-8", "replace")
            hunks[path], added[path] = hunks_of(patch), added_in(patch)
        return Changes(frozenset(by_path), hunks, added)

    def tracks(self, revision: str, path: str) -> bool:
        """Whether a commit holds anything at `path`."""
        return bool(self._git("ls-tree", "--full-tree", revision, "--", path.rstrip("/")).stdout)

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


_DIFF = ("diff", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=none")
