"""The check run of one commit: opened when the job starts, concluded in every ending, one for all runs of the commit.

GitHub can neither delete a check run nor take an annotation back. A later run therefore goes on with the check run that
is there, and sends only annotations that it lacks; where one stands that no longer holds, a new check run replaces it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from action import markers
from action.github import GitHub, GitHubProblem, StoredCheck
from action.review import CheckAnnotation, CheckRun, ReviewContext


@dataclass(frozen=True, slots=True)
class StatusCheck:
    """`run` and `attempt` order the runs of one commit: an older one never speaks over a later one."""

    github: GitHub
    name: str
    identity: str
    head_sha: str
    run: int
    attempt: int
    opened: list[StoredCheck] = field(default_factory=list)  # by this process: a read right after may not show it

    @staticmethod
    def of(github: GitHub, context: ReviewContext) -> StatusCheck:
        """The check of this run's commit."""
        return StatusCheck(github, context.name, context.identity, context.head_sha, context.run_id, context.attempt)

    def open(self) -> None:
        """Have a check run that says that this run is under way. Raises GitHubProblem."""
        latest = self._latest(self._own())
        if latest is None:
            self.opened.append(self.github.checks.create(self._begun(), done=lambda: self._latest(self._own())))
        elif _order(latest) <= self._mine:
            self.github.checks.update(latest.id, {"status": "in_progress", "external_id": self._external_id})

    def conclude(self, check: CheckRun) -> None:
        """Conclude the commit's check run; the first request says everything but annotations above its limit.

        A check run that cannot be edited is replaced. Raises GitHubProblem when the commit is left without conclusion.
        """
        check = replace(check, external_id=self._external_id)
        own = self._own()
        latest = self._latest(own)
        there: tuple[CheckAnnotation, ...] = ()
        if latest and latest.annotations and not self._later(latest):
            there = self.github.checks.annotations(latest.id)
            own = self._own()  # the last look before the write
            latest = self._latest(own)
        if latest and self._later(latest):
            self._tidy(own, latest.id, check)
            return
        stands = latest is not None and set(there) <= set(check.annotations)
        rest = tuple(a for a in check.annotations if a not in set(there)) if stands else check.annotations
        identity, before = None, len(there)
        if latest and stands:
            with contextlib.suppress(GitHubProblem):
                identity = self.github.checks.conclude(latest.id, check, rest, before)
        if identity is None:
            rest, before = check.annotations, 0
            identity = self.github.checks.create_concluded(check, done=self._concluded)
        self.github.checks.annotate(identity, check, rest, before)
        self._tidy(own, identity, check)

    @property
    def concluded(self) -> bool:
        """Whether this very run's conclusion stands there, or a later one's. Raises GitHubProblem."""
        latest = self._latest(self._own())
        return latest is not None and latest.completed and _order(latest) >= self._mine

    def _later(self, latest: StoredCheck) -> bool:
        """Whether a later run has concluded the check run."""
        return latest.completed and _order(latest) > self._mine

    def conclude_if_open(self, check: CheckRun) -> bool:
        """The last resort: conclude what this very run has left open; whether there was anything."""
        stored: list[StoredCheck] = []

        def seen() -> bool:
            stored[:] = [c for c in self._own() if c.external_id == self._external_id]
            return bool(stored)

        self.github.budget.until(seen)
        left = [c for c in stored if not c.completed]
        for each in left:
            self.github.checks.conclude(each.id, replace(check, external_id=self._external_id), ())
        return bool(left)

    def _tidy(self, own: Sequence[StoredCheck], kept: int, check: CheckRun) -> None:
        """Of two runs that began at once both have made a check run: no other one stays open.

        Only the latest counts for a required check, so each is tried. Raises GitHubProblem for one that stays open.
        """
        left: GitHubProblem | None = None
        for other in own:
            if other.id != kept and not other.completed:
                try:
                    self.github.checks.conclude(other.id, check, ())
                except GitHubProblem as problem:
                    left = problem
        if left is not None:
            raise left

    def _own(self) -> tuple[StoredCheck, ...]:
        """Those of this use of Assay that this token's App has made."""
        login = self.github.login()
        authors = {login, f"{login}[bot]"}
        prefix = f"assay/{self.identity}/"
        stored = self.github.checks.of_commit(self.head_sha, self.name)
        own = tuple(c for c in stored if c.external_id.startswith(prefix) and c.author in authors)
        return (*own, *(c for c in self.opened if all(c.id != other.id for other in own)))

    def _concluded(self) -> StoredCheck | None:
        latest = self._latest(self._own())
        return latest if latest and latest.completed and latest.external_id == self._external_id else None

    @staticmethod
    def _latest(stored: Sequence[StoredCheck]) -> StoredCheck | None:
        """The one that counts for a required check."""
        return max(stored, key=lambda c: c.id, default=None)

    @property
    def _mine(self) -> tuple[int, int]:
        return self.run, self.attempt

    @property
    def _external_id(self) -> str:
        return f"assay/{self.identity}/{self.run}.{self.attempt}"

    def _begun(self) -> dict[str, object]:
        return {
            "name": self.name,
            "head_sha": self.head_sha,
            "status": "in_progress",
            "external_id": self._external_id,
            "output": {"title": f"{self.name} is analysing", "summary": "The result will stand here."},
        }


def _order(stored: StoredCheck) -> tuple[int, int]:
    return markers.order(stored.external_id.rpartition("/")[2])
