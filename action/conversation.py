"""Assay's summary comment in one pull request's conversation, and which comments there are its own."""

from __future__ import annotations

from collections.abc import Sequence

from action import markers
from action.github import GitHub, Posted
from action.markers import Marker
from action.publication import Publication
from action.review import ReviewContext


class Conversation:
    """Assay's part of one pull request's conversation."""

    def __init__(self, github: GitHub, number: int, context: ReviewContext) -> None:
        self._login = github.login
        self.until = github.budget.until
        self.github = github.pull_requests
        self.number = number
        self.context = context
        self._logins: frozenset[str] | None = None

    def superseded(self) -> bool:
        """Whether the pull request has moved on, was closed, or a later run of this commit has already spoken."""
        pull = self.github.get(self.number)
        return not pull.open or pull.head_sha != self.context.head_sha or self._spoken(self._summaries())

    @property
    def told(self) -> bool:
        """Whether this very run's summary stands there, or a later one's of the same commit."""
        here = [marker for _, marker in self._summaries() if marker.get("sha") == self.context.head_sha]
        return any(markers.run_order(marker) >= self._mine for marker in here)

    def end(self, body: str, outcome: Publication) -> None:
        """The summary of a run that has no report, unless a later run has spoken."""
        outcome.superseded = self.superseded()
        if not outcome.superseded:
            self.summarise(body, outcome, True)

    def summarise(self, body: str, outcome: Publication, begin: bool) -> None:
        """One comment, edited in place: the first of ours, with the words of the latest run.

        Two runs at once may both have begun one; whichever looks last leaves one behind.
        """
        if self.moved_on():
            outcome.superseded = True
            return
        present = self._summaries()
        if self._spoken(present) or (self._later(present) and self.moved_on()):
            outcome.superseded = True
            return
        if not self._edit_first(present, body, outcome) and begin:
            outcome.comment_url = self.github.comment(self.number, body, self._is_summary).url
        present = self._summaries()
        if len(present) > 1:
            latest = max(present, key=lambda pair: markers.run_order(pair[1]))[0].body
            self._edit_first(present, latest, outcome)
            for double, _ in present[1:]:
                self.github.delete(double.id)

    def _edit_first(self, present: Sequence[tuple[Posted, Marker]], body: str, outcome: Publication) -> bool:
        """Whether there is a first summary, which now says `body`."""
        for posted, _ in present[:1]:
            same = posted.body.replace("\r\n", "\n") == body
            if same or self.github.edit(posted.id, body):
                outcome.comment_url = posted.url
                return True
        return False

    def moved_on(self) -> bool:
        """Whether the pull request has another head by now."""
        return self.github.get(self.number).head_sha != self.context.head_sha

    def _later(self, summaries: Sequence[tuple[Posted, Marker]]) -> bool:
        """Whether a later run has spoken, of whichever commit: since the last look the head may have moved."""
        return any(markers.run_order(marker) > self._mine for _, marker in summaries)

    @property
    def _mine(self) -> tuple[int, int]:
        return self.context.run_id, self.context.attempt

    def _spoken(self, summaries: Sequence[tuple[Posted, Marker]]) -> bool:
        """Whether a later run of this commit has already spoken."""
        here = [marker for _, marker in summaries if marker.get("sha") == self.context.head_sha]
        return any(markers.run_order(marker) > self._mine for marker in here)

    def _summaries(self) -> list[tuple[Posted, Marker]]:
        return self.own(self.github.comments(self.number), "summary")

    def _is_summary(self, posted: Posted) -> bool:
        return bool(self.own((posted,), "summary"))

    def own(self, comments: Sequence[Posted], kind: str) -> list[tuple[Posted, Marker]]:
        """Ours are those by our author, with our marker, with our id: all three. Oldest first."""
        found = []
        for comment in sorted(comments, key=lambda comment: comment.id):
            marker = markers.read(comment.body)
            if (
                marker
                and marker.kind == kind
                and marker.get("id") == self.context.identity
                and self._is_me(comment.author)
            ):
                found.append((comment, marker))
        return found

    def _is_me(self, author: str) -> bool:
        if self._logins is None:
            login = self._login()
            self._logins = frozenset({login, login if login.endswith("[bot]") else f"{login}[bot]"})
        return author in self._logins
