"""The five GraphQL fields that Assay asks for."""

from __future__ import annotations

import re
from typing import Any

from tests.github_simulator.state import Comment, State

MUTATIONS = {
    "minimizeComment": "pull_requests",
    "unminimizeComment": "pull_requests",
    "resolveReviewThread": "contents",  # GitHub asks for more than it does for the comment itself
    "unresolveReviewThread": "contents",
}
CLASSIFIERS = ("ABUSE", "DUPLICATE", "OFF_TOPIC", "OUTDATED", "RESOLVED", "SPAM")


def answer(state: State, author: str, permissions: frozenset[str], body: Any) -> dict[str, Any]:
    query, variables = body["query"], body.get("variables", {})
    if re.search(r"\bviewer\s*\{\s*login\s*\}", query):
        return {"data": {"viewer": {"login": author}}}
    if "reviewThreads(" in query:
        return _threads(state, variables)
    for name, permission in MUTATIONS.items():
        if re.search(rf"\b{name}\(", query):
            if permission not in permissions:
                return {
                    "data": {name: None},
                    "errors": [{"type": "FORBIDDEN", "message": "Resource not accessible by integration"}],
                }
            return _mutate(state, name, variables)
    return {"errors": [{"message": "this field is not known here"}]}


def _threads(state: State, variables: dict[str, Any]) -> dict[str, Any]:
    if f"{variables['owner']}/{variables['name']}" != state.repository or variables["number"] not in state.pulls:
        return {"data": {"repository": None}, "errors": [{"type": "NOT_FOUND", "message": "Could not resolve"}]}
    roots = [c for c in state.review_comments.values() if c.number == variables["number"] and c.in_reply_to is None]
    size, start = variables.get("size", 50), int(variables.get("after") or 0)
    shown = roots[start : start + size]
    nodes = []
    for root in shown:
        replies = [c for c in state.review_comments.values() if c.in_reply_to == root.id]
        first = {"databaseId": root.id, "id": root.node_id, "isMinimized": root.minimized is not None}
        nodes.append(
            {
                "id": root.thread_id,
                "isResolved": root.resolved,
                "comments": {"totalCount": 1 + len(replies), "nodes": [first]},
            }
        )
    page = {"hasNextPage": start + size < len(roots), "endCursor": str(start + len(shown))}
    return {"data": {"repository": {"pullRequest": {"reviewThreads": {"pageInfo": page, "nodes": nodes}}}}}


def _mutate(state: State, name: str, variables: dict[str, Any]) -> dict[str, Any]:
    comments = {c.node_id: c for c in (*state.issue_comments.values(), *state.review_comments.values())}
    threads = {c.thread_id: c for c in state.review_comments.values() if c.in_reply_to is None}
    target: Comment | None = (threads if "Thread" in name else comments).get(variables["id"])
    if target is None:
        return {"data": {name: None}, "errors": [{"type": "NOT_FOUND", "message": "Could not resolve to a node"}]}
    if name == "minimizeComment":
        if variables["classifier"] not in CLASSIFIERS:
            return {"errors": [{"message": "invalid classifier"}]}
        target.minimized = variables["classifier"]
    elif name == "unminimizeComment":
        target.minimized = None
    else:
        target.resolved = name == "resolveReviewThread"
    return {"data": {name: {"clientMutationId": None}}}
