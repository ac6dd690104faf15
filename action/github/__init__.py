"""The only package that talks to GitHub: small methods over PyGithub's requester. Formats no text."""

from __future__ import annotations

from dataclasses import dataclass, field

from action.github.checks import Checks, StoredCheck
from action.github.code_scanning import CodeScanning
from action.github.conversation import Posted, Pull, PullRequests, Thread
from action.github.git_data import GitData
from action.github.transient_errors import GitHubProblem, PermissionDenied, RetryBudget, Unavailable
from action.github.transport import Transport
from action.github.workflow_runs import WorkflowRuns

__all__ = [
    "GitHub",
    "GitHubProblem",
    "PermissionDenied",
    "Posted",
    "Pull",
    "RetryBudget",
    "StoredCheck",
    "Thread",
    "Unavailable",
]


@dataclass
class GitHub:
    """One repository seen with one token."""

    repository: str
    api_url: str
    graphql_url: str
    token: str = field(repr=False)
    budget: RetryBudget = field(default_factory=RetryBudget)
    timeout: int = 30  # seconds for one answer
    _login: str | None = None

    def __post_init__(self) -> None:
        self._transport = Transport(
            self.repository, self.api_url, self.graphql_url, self.token, self.budget, self.timeout
        )
        self.pull_requests = PullRequests(self._transport)
        self.checks = Checks(self._transport)
        self.git = GitData(self._transport)
        self.runs = WorkflowRuns(self._transport)
        self.code_scanning = CodeScanning(self._transport)

    def hurry(self, seconds: float) -> None:
        """Wait no longer than that from now on: the process is about to be killed."""
        self.budget.budget = self.budget.spent + seconds
        self.budget.pause = 0.0

    def login(self) -> str:
        """Who this token is; GitHub's own Actions token may not ask for its user, but GraphQL answers."""
        if self._login is None:
            try:
                self._login = str(self._transport.graphql("query { viewer { login } }", {})["viewer"]["login"])
            except PermissionDenied:
                self._login = "github-actions[bot]"
        return self._login

    def is_private(self) -> bool:
        return bool(self._transport.get("")["private"])
