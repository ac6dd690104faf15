"""What became of a publication: no failure of one part keeps the others from being posted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from action.github import GitHubProblem, PermissionDenied

TO_COMMENT = "pull-requests: write"


@dataclass
class Publication:
    """What became of a publication. `missing` are sentences about what is not there."""

    missing: list[str] = field(default_factory=list)
    denied: bool = False  # the token cannot write
    superseded: bool = False  # a newer commit or run speaks for this pull request
    comment_url: str = ""
    ended: bool = False  # the run ended without a report
    concluded: bool = True  # False: the commit's check run has no conclusion

    def add(self, other: Publication) -> None:
        """Take in what became of another part."""
        self.missing += other.missing
        self.denied |= other.denied
        self.superseded |= other.superseded
        self.concluded &= other.concluded
        self.comment_url = self.comment_url or other.comment_url

    def attempt(self, what: str, action: Callable[[], object], needs: str = TO_COMMENT) -> bool:
        """Run one step; a problem becomes a sentence. `needs` is the permission that the step takes."""
        try:
            action()
        except PermissionDenied as problem:
            self.denied = True
            self.missing.append(f"{what} could not be posted: {problem} The job needs `permissions: {needs}`.")
        except GitHubProblem as problem:
            self.missing.append(f"{what} could not be posted: {problem}")
        else:
            return True
        return False
