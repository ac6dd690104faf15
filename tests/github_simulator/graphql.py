"""GitHub's GraphQL: its published schema, executed by graphql-core over the simulator's state."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from graphql import GraphQLError, GraphQLSchema, build_schema, graphql_sync

from tests.github_simulator.state import Comment, State

MUTATIONS = {
    "minimizeComment": "pull_requests",
    "unminimizeComment": "pull_requests",
    "resolveReviewThread": "contents",  # GitHub asks for more than it does for the comment itself
    "unresolveReviewThread": "contents",
}
MOST = 100  # items of one page


@cache
def schema() -> GraphQLSchema:
    """The fields of the published schema that Assay asks for."""
    return build_schema((Path(__file__).parent / "description" / "schema.graphql").read_text(encoding="utf-8"))


def answer(
    state: State, author: str, permissions: frozenset[str], body: Any, reads: frozenset[str] = frozenset()
) -> dict[str, Any]:
    """The answer with status 200; a query that the schema does not allow is an error without data, as on GitHub."""
    world = _World(state, author, permissions, reads)
    result = graphql_sync(schema(), body["query"], root_value=world.root(), variable_values=body.get("variables"))
    told: dict[str, Any] = {"data": result.data}
    if result.errors:
        told["errors"] = [_error(error) for error in result.errors]
    return told


class _Refused(GraphQLError):
    """An error with GitHub's own `type`."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message, extensions={"type": kind})


def _error(error: GraphQLError) -> dict[str, Any]:
    told: dict[str, Any] = {"message": error.message}
    if error.extensions and "type" in error.extensions:
        told["type"] = error.extensions["type"]
    if error.path:
        told["path"] = list(error.path)
    return told


class _World:
    """The resolvers; fields without one are looked up by name."""

    def __init__(self, state: State, author: str, permissions: frozenset[str], reads: frozenset[str]) -> None:
        self._state = state
        self._author = author
        self._permissions = permissions
        self._reads = reads

    def root(self) -> dict[str, Any]:
        mutations = {name: self._mutation(name) for name in MUTATIONS}
        return {"viewer": {"login": self._author}, "repository": self._repository, **mutations}

    def _repository(self, _info: Any, owner: str, name: str, followRenames: bool = True) -> Any:
        asked = f"{owner}/{name}"
        if asked != self._state.repository and not (followRenames and asked in self._state.former_names):
            raise _Refused("NOT_FOUND", f"Could not resolve to a Repository with the name '{asked}'.")
        return {"pullRequest": self._pull}

    def _pull(self, _info: Any, number: int) -> Any:
        if self._state.private and "pull_requests" not in self._permissions | self._reads:
            raise _Refused("FORBIDDEN", "Resource not accessible by integration")
        if number not in self._state.pulls:
            raise _Refused("NOT_FOUND", f"Could not resolve to a PullRequest with the number of {number}.")
        return {"reviewThreads": lambda info, **page: self._threads(number, **page)}

    def _threads(self, number: int, first: int | None = None, after: str | None = None, **_: Any) -> Any:
        if first is None:
            raise _Refused("MISSING_PAGINATION_BOUNDARIES", "You must provide a `first` or `last` value.")
        if first > MOST:
            raise _Refused("EXCESSIVE_PAGINATION", f"Requesting {first} records exceeds the limit of {MOST}.")
        comments = self._state.review_comments.values()
        roots = [c for c in comments if c.number == number and c.in_reply_to is None]
        start = int(after or 0)
        shown = roots[start : start + first]
        page = {"hasNextPage": start + first < len(roots), "endCursor": str(start + len(shown))}
        return {"pageInfo": page, "totalCount": len(roots), "nodes": [self._thread(root) for root in shown]}

    def _thread(self, root: Comment) -> Any:
        replies = [c for c in self._state.review_comments.values() if c.in_reply_to == root.id]
        comments = [root, *replies]

        def page(_info: Any, first: int | None = None, **_: Any) -> Any:
            return {"totalCount": len(comments), "nodes": [self._comment(c) for c in comments[: first or MOST]]}

        return {
            "id": root.thread_id,
            "isResolved": root.resolved,
            "isOutdated": self._state.outdated(root),
            "path": root.path,
            "line": self._state.place_now(root)[0],
            "comments": page,
        }

    def _comment(self, comment: Comment) -> Any:
        return {
            "id": comment.node_id,
            "databaseId": comment.id,
            "isMinimized": comment.minimized is not None,
            "minimizedReason": comment.minimized,
            "outdated": self._state.outdated(comment),
        }

    def _mutation(self, name: str) -> Callable[..., Any]:
        def mutate(_info: Any, input: dict[str, Any]) -> Any:
            if MUTATIONS[name] not in self._permissions:
                raise _Refused("FORBIDDEN", "Resource not accessible by integration")
            state = self._state
            comments = {c.node_id: c for c in (*state.issue_comments.values(), *state.review_comments.values())}
            threads = {c.thread_id: c for c in state.review_comments.values() if c.in_reply_to is None}
            found = (threads if "Thread" in name else comments).get(input.get("threadId") or input.get("subjectId", ""))
            if found is None:
                raise _Refused("NOT_FOUND", "Could not resolve to a node with the global id.")
            if name == "minimizeComment":
                found.minimized = input["classifier"]
            elif name == "unminimizeComment":
                found.minimized = None
            else:
                found.resolved = name == "resolveReviewThread"
            return {"clientMutationId": input.get("clientMutationId"), "thread": self._thread(found)}

        return mutate
