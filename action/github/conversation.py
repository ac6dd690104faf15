"""A pull request and what is said in it: its commits and files, comments, reviews, threads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from action.github.transient_errors import GitHubProblem
from action.github.transport import Transport
from action.review import InlineComment


@dataclass(frozen=True, slots=True)
class Pull:
    number: int
    head_sha: str
    base_sha: str
    base_repository: str
    open: bool


@dataclass(frozen=True, slots=True)
class Posted:
    """A comment that is there. `reply_to` is the comment that it answers, 0 for none.

    `line` is where it stands in the newest diff, None where it stands on a file or is outdated.
    """

    id: int
    node_id: str
    author: str
    body: str
    url: str = ""
    reply_to: int = 0
    path: str = ""
    line: int | None = None
    start_line: int | None = None
    on_file: bool = False

    @property
    def outdated(self) -> bool:
        """Whether GitHub folds it, for the line that it was written for is gone."""
        return self.line is None and not self.on_file

    @property
    def text(self) -> str:
        """The body as it was sent: GitHub stores other line ends."""
        return self.body.replace("\r\n", "\n").strip()


@dataclass(frozen=True, slots=True)
class Thread:
    """A review thread, known by its first comment."""

    id: str
    resolved: bool
    comment_id: int
    minimized: bool


@dataclass(frozen=True, slots=True)
class PullRequests:
    """The pull requests of one repository."""

    transport: Transport

    # -- reading -----------------------------------------------------------------------------------------------------

    def get(self, number: int) -> Pull:
        """GET /repos/{owner}/{repo}/pulls/{pull_number}"""
        return _pull(self.transport.get(f"/pulls/{number}"))

    def of_commit(self, sha: str) -> tuple[Pull, ...]:
        """Pull requests whose head is this commit. GET /repos/{owner}/{repo}/commits/{commit_sha}/pulls

        GitHub may not know a fork's commit there; then the open pull requests are gone through.
        """
        near = [_pull(item) for item in self.transport.pages(f"/commits/{sha}/pulls")]
        found = [pull for pull in near if pull.head_sha == sha]
        if not found:
            every = map(_pull, self.transport.pages("/pulls", {"state": "open"}))
            found = [pull for pull in every if pull.head_sha == sha]
        return tuple(found)

    def patches(self, number: int) -> tuple[tuple[str, str | None], ...]:
        """Changed files and their patches, of which GitHub tells the first 3,000.

        GET /repos/{owner}/{repo}/pulls/{pull_number}/files
        """
        return tuple((item["filename"], item.get("patch")) for item in self.transport.pages(f"/pulls/{number}/files"))

    def comments(self, number: int) -> tuple[Posted, ...]:
        """GET /repos/{owner}/{repo}/issues/{issue_number}/comments"""
        return tuple(_posted(item) for item in self.transport.pages(f"/issues/{number}/comments"))

    def review_comments(self, number: int) -> tuple[Posted, ...]:
        """GET /repos/{owner}/{repo}/pulls/{pull_number}/comments"""
        return tuple(_posted(item) for item in self.transport.pages(f"/pulls/{number}/comments"))

    def threads(self, number: int) -> tuple[Thread, ...]:
        """The review threads of a pull request, through GraphQL."""
        owner, _, name = self.transport.repository.partition("/")
        found: list[Thread] = []
        after = None
        while True:
            variables = {"owner": owner, "name": name, "number": number, "after": after, "size": 50}
            page = self.transport.graphql(_THREADS, variables)["repository"]["pullRequest"]["reviewThreads"]
            for node in page["nodes"]:
                for first in node["comments"]["nodes"][:1]:
                    found.append(Thread(node["id"], node["isResolved"], first["databaseId"], first["isMinimized"]))
            if not page["pageInfo"]["hasNextPage"]:
                return tuple(found)
            after = page["pageInfo"]["endCursor"]

    # -- the summary comment -----------------------------------------------------------------------------------------

    def comment(self, number: int, body: str, mine: Callable[[Posted], bool]) -> Posted:
        """POST /repos/{owner}/{repo}/issues/{issue_number}/comments. `mine` recognises it when the answer was lost."""

        def done() -> Any:
            return next((c for c in self.comments(number) if mine(c)), None)

        made = self.transport.call("POST", f"/issues/{number}/comments", {"body": body}, done=done)
        return made if isinstance(made, Posted) else _posted(made)

    def edit(self, identity: int, body: str) -> bool:
        """Whether the comment was still there to be edited."""
        return self._if_there("PATCH", f"/issues/comments/{identity}", {"body": body})

    def delete(self, identity: int) -> None:
        self._if_there("DELETE", f"/issues/comments/{identity}")

    # -- comments on lines -------------------------------------------------------------------------------------------

    def review(
        self, number: int, sha: str, body: str, comments: Sequence[InlineComment], posted: Callable[[], bool]
    ) -> None:
        """One review with all comments on lines. POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews"""
        data = {"commit_id": sha, "event": "COMMENT", "body": body, "comments": [_place(c) for c in comments]}
        self.transport.call("POST", f"/pulls/{number}/reviews", data, done=lambda: posted() or None)

    def review_comment(self, number: int, sha: str, comment: InlineComment, posted: Callable[[], bool]) -> None:
        """One comment on a line or a file. POST /repos/{owner}/{repo}/pulls/{pull_number}/comments"""
        data = {"commit_id": sha, **_place(comment)}
        if comment.line is None:
            data["subject_type"] = "file"
        self.transport.call("POST", f"/pulls/{number}/comments", data, done=lambda: posted() or None)

    def edit_review_comment(self, identity: int, body: str) -> bool:
        """Whether the comment was still there to be edited."""
        return self._if_there("PATCH", f"/pulls/comments/{identity}", {"body": body})

    def delete_review_comment(self, identity: int) -> None:
        self._if_there("DELETE", f"/pulls/comments/{identity}")

    def resolve(self, thread: Thread, *, undo: bool = False) -> None:
        name = "unresolveReviewThread" if undo else "resolveReviewThread"
        query = f"mutation($id: ID!) {{ {name}(input: {{threadId: $id}}) {{ clientMutationId }} }}"
        self.transport.graphql(query, {"id": thread.id})

    def minimize(self, node_id: str, classifier: str = "RESOLVED") -> None:
        query = (
            "mutation($id: ID!, $classifier: ReportedContentClassifiers!) "
            "{ minimizeComment(input: {subjectId: $id, classifier: $classifier}) { clientMutationId } }"
        )
        self.transport.graphql(query, {"id": node_id, "classifier": classifier})

    def unminimize(self, node_id: str) -> None:
        query = "mutation($id: ID!) { unminimizeComment(input: {subjectId: $id}) { clientMutationId } }"
        self.transport.graphql(query, {"id": node_id})

    def _if_there(self, verb: str, path: str, body: Any = None) -> bool:
        try:
            self.transport.call(verb, path, body)
        except GitHubProblem as problem:
            if problem.status != 404:
                raise
            return False
        return True


_THREADS = """
query($owner: String!, $name: String!, $number: Int!, $size: Int!, $after: String) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    reviewThreads(first: $size, after: $after) {
      pageInfo { hasNextPage endCursor }
      nodes { id isResolved comments(first: 1) { nodes { id databaseId isMinimized } } }
    }
  } }
}
"""


def _pull(item: Mapping[str, Any]) -> Pull:
    base = item["base"]
    return Pull(
        int(item["number"]), item["head"]["sha"], base["sha"], base["repo"]["full_name"], item["state"] == "open"
    )


def _posted(item: Mapping[str, Any]) -> Posted:
    author = (item.get("user") or {}).get("login") or ""  # None once an account is deleted
    body, reply_to = item.get("body") or "", int(item.get("in_reply_to_id") or 0)
    return Posted(
        int(item["id"]),
        item["node_id"],
        author,
        body,
        item.get("html_url", ""),
        reply_to,
        item.get("path") or "",
        item.get("line"),
        item.get("start_line"),
        item.get("subject_type") == "file",
    )


def _place(comment: InlineComment) -> dict[str, Any]:
    place: dict[str, Any] = {"path": comment.path, "body": comment.body}
    if comment.line is not None:
        place |= {"line": comment.line, "side": "RIGHT"}
    if comment.start_line is not None:
        place |= {"start_line": comment.start_line, "start_side": "RIGHT"}
    return place
