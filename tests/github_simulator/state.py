"""What a GitHub repository remembers, as far as Assay can see it."""

from __future__ import annotations

import hashlib
import itertools
from dataclasses import dataclass, field
from typing import Any

from action.diff import hunks_of

BOT = "github-actions[bot]"


@dataclass
class ChangedFile:
    path: str
    patch: str | None = None  # None: binary, or too large to show
    status: str = "modified"
    previous: str | None = None


@dataclass
class PullRequest:
    number: int
    head_sha: str
    base_sha: str
    head_repository: str | None = None  # None: the fork was deleted
    base_ref: str = "main"
    state: str = "open"
    files: list[ChangedFile] = field(default_factory=list)
    too_large: bool = False  # GitHub gives up on its diff
    locked: bool = False  # nobody may comment any more
    commits: set[str] = field(default_factory=set)  # every head there has been

    def __post_init__(self) -> None:
        self.commits.add(self.head_sha)

    def push(self, head_sha: str, files: list[ChangedFile] | None = None) -> None:
        self.head_sha = head_sha
        self.commits.add(head_sha)
        if files is not None:
            self.files = files

    def file(self, path: str) -> ChangedFile | None:
        return next((f for f in self.files if f.path == path), None)

    def in_one_hunk(self, path: str, *lines: int) -> bool:
        file = self.file(path)
        hunks = hunks_of(file.patch) if file and file.patch else ()
        return any(all(line in hunk for line in lines) for hunk in hunks)


@dataclass
class Comment:
    """An issue comment, or a review comment (then `path` is set)."""

    id: int
    number: int
    author: str
    body: str
    path: str | None = None
    line: int | None = None
    start_line: int | None = None
    subject_type: str = "line"
    commit_id: str = ""
    in_reply_to: int | None = None
    minimized: str | None = None
    resolved: bool = False
    edits: int = 0

    @property
    def node_id(self) -> str:
        return f"C_{self.id}"

    @property
    def thread_id(self) -> str:
        return f"T_{self.in_reply_to or self.id}"


@dataclass
class CheckRun:
    id: int
    name: str
    head_sha: str
    status: str
    conclusion: str | None
    external_id: str
    author: str = BOT  # of the App that made it
    title: str = ""
    summary: str = ""
    annotations: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class Artifact:
    id: int
    run_id: int
    name: str
    content: bytes
    expired: bool = False


@dataclass
class Upload:
    """A SARIF file handed to code scanning."""

    commit: str
    ref: str
    sarif: dict[str, Any]
    state: str = "pending"
    errors: list[str] = field(default_factory=list)


@dataclass
class WorkflowRun:
    id: int
    head_sha: str
    event: str = "pull_request"
    conclusion: str = "success"


@dataclass
class State:
    """One repository. Ids count up over everything, as GitHub's do."""

    repository: str = "octo/models"
    private: bool = False
    default_branch: str = "main"
    pulls: dict[int, PullRequest] = field(default_factory=dict)
    issue_comments: dict[int, Comment] = field(default_factory=dict)
    review_comments: dict[int, Comment] = field(default_factory=dict)
    reviews: list[dict[str, Any]] = field(default_factory=list)
    check_runs: dict[int, CheckRun] = field(default_factory=dict)
    artifacts: dict[int, Artifact] = field(default_factory=dict)
    runs: dict[int, WorkflowRun] = field(default_factory=dict)
    uploads: dict[str, Upload] = field(default_factory=dict)
    refs: dict[str, str] = field(default_factory=dict)  # "heads/main" -> commit
    blobs: dict[str, bytes] = field(default_factory=dict)
    trees: dict[str, dict[str, str]] = field(default_factory=dict)  # sha -> full path -> blob
    commits: dict[str, dict[str, Any]] = field(default_factory=dict)
    pushed: set[str] = field(default_factory=set)  # commits that somebody pushed outside pull requests
    ids: Any = field(default_factory=lambda: itertools.count(1001))

    def add_pull(self, pull: PullRequest) -> PullRequest:
        if pull.head_repository is None:
            pull.head_repository = self.repository
        self.pulls[pull.number] = pull
        return pull

    def has_commit(self, sha: str) -> bool:
        """Whether the repository holds the commit: pushed to a branch, or the head of a pull request."""
        heads = {c for pull in self.pulls.values() for c in (*pull.commits, pull.base_sha)}
        return sha in heads or sha in self.pushed or sha in self.commits

    def comment(self, number: int, author: str, body: str, **where: Any) -> Comment:
        """A comment that a person or another bot wrote."""
        made = Comment(next(self.ids), number, author, body, **where)
        (self.review_comments if made.path else self.issue_comments)[made.id] = made
        return made

    def add_artifact(self, run_id: int, name: str, content: bytes) -> Artifact:
        made = Artifact(next(self.ids), run_id, name, content)
        self.artifacts[made.id] = made
        return made

    def snapshot(self) -> dict[str, Any]:
        """What a visitor would see, without ids, addresses and times: equal for equal outcomes."""

        def shown(comment: Comment) -> tuple[Any, ...]:
            c = comment
            return (
                c.number,
                c.author,
                c.body,
                c.path,
                c.line,
                c.start_line,
                c.in_reply_to is None,
                c.minimized,
                c.resolved,
            )

        return {
            "issue_comments": sorted(map(shown, self.issue_comments.values()), key=repr),
            "review_comments": sorted(map(shown, self.review_comments.values()), key=repr),
            "check_runs": sorted(
                (c.name, c.head_sha, c.status, c.conclusion or "", c.title, c.summary, repr(c.annotations))
                for c in self.check_runs.values()
            ),
            "alerts": {  # GitHub keeps the last analysis of a category on a commit
                (u.commit, u.ref, run["automationDetails"]["id"]): repr(run["results"])
                for u in self.uploads.values()
                if u.state != "failed"
                for run in u.sarif["runs"]
            },
            "branches": {
                ref: self.trees[self.commits[sha]["tree"]] for ref, sha in self.refs.items() if sha in self.commits
            },
        }

    def digest(self, kind: str, content: bytes) -> str:
        return hashlib.sha1(f"{kind} {len(content)}\0".encode() + content).hexdigest()
