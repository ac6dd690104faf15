"""What a GitHub repository remembers, as far as Assay can see it."""

from __future__ import annotations

import difflib
import hashlib
import itertools
import re
from dataclasses import dataclass, field
from typing import Any

from action.diff import HUNK, hunks_of

BOT = "github-actions[bot]"


@dataclass
class ChangedFile:
    path: str
    patch: str | None = None  # None: binary, or too large to show
    status: str = "modified"
    previous: str | None = None
    content: str | None = None  # of the head, where the test knows it

    def lines(self) -> dict[int, str]:
        """The head's lines by number: all where the content is known, else those that the patch shows."""
        if self.content is not None:
            return dict(enumerate(self.content.split("\n"), 1))
        found, number = {}, 0
        for line in (self.patch or "").split("\n"):
            match = HUNK.match(line)
            if match:
                number = int(match["start"])
            elif line[:1] in ("+", " "):
                found[number] = line[1:]
                number += 1
        return found


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
    pending_reviews: set[str] = field(default_factory=set)  # who has begun a review and not handed it in
    commits: set[str] = field(default_factory=set)  # every head there has been

    pushes: dict[str, list[ChangedFile]] = field(default_factory=dict)  # the changed files at each head

    def __post_init__(self) -> None:
        self.commits.add(self.head_sha)
        self.pushes[self.head_sha] = self.files

    def push(self, head_sha: str, files: list[ChangedFile] | None = None) -> None:
        self.head_sha = head_sha
        self.commits.add(head_sha)
        if files is not None:
            self.files = files
        self.pushes[head_sha] = self.files

    def line_now(self, path: str, line: int, commit: str) -> int | None:
        """Where a line of an earlier head stands now; None where GitHub calls a comment on it outdated.

        It is when the line was changed or removed since, when the file was renamed, or when the diff shows it no more.
        """
        here = self.file(path)
        before = next((f for f in self.pushes.get(commit, self.files) if f.path == path), None)
        if here is None or before is None:
            return None
        if before is not here:
            old, new = before.lines(), here.lines()
            numbers = list(new)
            matcher = difflib.SequenceMatcher(None, list(old.values()), list(new.values()), autojunk=False)
            at = list(old).index(line) if line in old else -1
            block = next((b for b in matcher.get_matching_blocks() if b.a <= at < b.a + b.size), None)
            if block is None:
                return None
            line = numbers[block.b + at - block.a]
        return line if self.in_one_hunk(path, line) else None

    def file(self, path: str) -> ChangedFile | None:
        return next((f for f in self.files if f.path == path), None)

    def in_old_hunk(self, path: str, *lines: int) -> bool:
        file = self.file(path)
        hunks = (
            hunks_of(re.sub(r"^@@ -(\S+) \+(\S+) @@", r"@@ -\2 +\1 @@", file.patch or "", flags=re.M)) if file else ()
        )
        return any(all(line in hunk for line in lines) for hunk in hunks)

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
    side: str = "RIGHT"
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
    former_names: set[str] = field(default_factory=set)  # GitHub redirects from them
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

    def place_now(self, comment: Comment) -> tuple[int | None, int | None]:
        """The line and the first line of a review comment in the newest diff; None where it is outdated."""
        pull = self.pulls.get(comment.number)
        if pull is None or comment.path is None or comment.line is None or comment.in_reply_to:
            return comment.line, comment.start_line
        commit = comment.commit_id or pull.head_sha
        line = pull.line_now(comment.path, comment.line, commit)
        first = pull.line_now(comment.path, comment.start_line, commit) if comment.start_line else None
        if comment.start_line and (first is None or line is None or line - first != comment.line - comment.start_line):
            return None, None
        return line, first

    def outdated(self, comment: Comment) -> bool:
        return comment.subject_type == "line" and self.place_now(comment)[0] is None

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
            "check_runs": [  # of one name and commit the oldest first
                (c.name, c.head_sha, c.status, c.conclusion or "", c.title, c.summary, repr(c.annotations))
                for c in sorted(self.check_runs.values(), key=lambda c: (c.name, c.head_sha, c.id))
            ],
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
