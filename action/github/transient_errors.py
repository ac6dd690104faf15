"""What can go wrong between Assay and GitHub, which of it passes by itself, and how long a run waits for that."""

from __future__ import annotations

import time
import urllib.error
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

SETTLED = 5.0  # seconds after which what was written is read again: GitHub answers reads from copies that lag behind
SECONDARY_WAIT = 60.0  # seconds, where GitHub limits without saying for how long


class GitHubProblem(Exception):
    """GitHub did not do what was asked; `str(problem)` is a sentence. `status` is 0 when no answer came."""

    def __init__(self, sentence: str, status: int = 0) -> None:
        super().__init__(sentence)
        self.status = status


class PermissionDenied(GitHubProblem):
    """The token may not do this: a fork's, Dependabot's, or a job without the permission."""


class Unavailable(GitHubProblem):
    """A transient error that lasts longer than the run may wait."""


class TransientAnswer(Exception):
    """An answer with status 200 that reports a transient error, as GraphQL does; `limited` is a rate limit."""

    def __init__(self, message: str, *, limited: bool) -> None:
        super().__init__(message)
        self.limited = limited


@dataclass
class RetryBudget:
    """How long one run may wait for GitHub altogether; `clock` and `sleep` are the module `time`'s, or a test's."""

    budget: float = 180.0
    clock: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep
    pause: float = 1.0  # between two writes, as GitHub asks
    spent: float = 0.0

    def wait(self, seconds: float, why: str) -> None:
        """Sleep, or raise Unavailable when the budget does not allow it."""
        if self.spent + seconds > self.budget:
            raise Unavailable(f"{why}; waiting {round(seconds)} s more would exceed this run's {round(self.budget)} s.")
        self.spent += seconds
        self.sleep(seconds)

    def until(self, seen: Callable[[], bool]) -> bool:
        """Look again until what was written is seen, for `SETTLED` seconds and as long as the budget allows."""
        waited = 0.0
        while not seen():
            rest = min(1.0 + waited, SETTLED - waited, self.budget - self.spent)
            if rest <= 0:
                return False
            self.spent += rest
            waited += rest
            self.sleep(rest)
        return True

    def charge(self, seconds: float) -> None:
        """Count time that an unanswered request has cost."""
        self.spent += max(0.0, seconds)


@dataclass(frozen=True)
class TransportFailure:
    """What an exception of the transport means for the caller."""

    sentence: str
    status: int
    transient: bool  # worth another try
    unconfirmed: bool = False  # the write may have happened
    wait: float = 0.0
    original: Exception | None = None

    def problem(self) -> GitHubProblem:
        if isinstance(self.original, GitHubProblem):
            return self.original
        denied = self.status in (401, 403) and "locked" not in self.sentence  # a locked conversation refuses everybody
        kind = PermissionDenied if denied else Unavailable if self.transient else GitHubProblem
        return kind(f"{self.sentence}.", self.status)

    @staticmethod
    def of(error: Exception, now: float) -> TransportFailure:
        """Judge an exception; what is no trouble of the transport is raised again."""
        from github import GithubException

        if isinstance(error, GithubException):
            headers = {k.lower(): v for k, v in (error.headers or {}).items()}
            return _of_status(error.status, _message(error.data), headers, now, error)
        if isinstance(error, urllib.error.HTTPError):
            headers = {k.lower(): v for k, v in error.headers.items()}
            return _of_status(error.code, error.reason, headers, now, error)
        if isinstance(error, TransientAnswer):
            if error.limited:
                return TransportFailure("GitHub's rate limit was reached (GraphQL)", 200, True, wait=SECONDARY_WAIT)
            return TransportFailure(f"GitHub's GraphQL says: {error}", 200, True, unconfirmed=True)
        if isinstance(error, GitHubProblem):
            return TransportFailure(str(error), error.status, transient=False, original=error)
        if isinstance(error, OSError):  # also every exception of requests
            sentence = f"GitHub did not answer ({type(error).__name__})"
            return TransportFailure(sentence, 0, transient=True, unconfirmed=True, original=error)
        raise error


def _of_status(status: int, message: str, headers: Mapping[str, str], now: float, error: Exception) -> TransportFailure:
    limited = status == 429 or (
        status == 403
        and ("retry-after" in headers or "rate limit" in message.lower() or headers.get("x-ratelimit-remaining") == "0")
    )
    if limited:
        return TransportFailure(f"GitHub's rate limit was reached ({status})", status, True, wait=_pause(headers, now))
    if status >= 500:
        return TransportFailure(f"GitHub answered {status}", status, True, unconfirmed=True)
    return TransportFailure(f"GitHub answered {status}: {message[:300].rstrip('.')}", status, False, original=error)


def _pause(headers: Mapping[str, str], now: float) -> float:
    """What GitHub asks for: `Retry-After`, else the time until the limit is reset, else a minute."""
    after = headers.get("retry-after", "")
    if after.isdigit():
        return float(after)
    reset = headers.get("x-ratelimit-reset", "")
    if headers.get("x-ratelimit-remaining") == "0" and reset.isdigit():
        return max(1.0, float(reset) - now + 1)
    return SECONDARY_WAIT


def _message(data: Any) -> str:
    """GitHub's words with the first details, as one line."""
    if not isinstance(data, Mapping):
        return str(data)[:300]
    details = [str(e.get("message", e)) if isinstance(e, Mapping) else str(e) for e in data.get("errors") or ()]
    return " ".join("; ".join([str(data.get("message", "")), *details[:3]]).split())
