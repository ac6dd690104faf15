"""Assay's comments on lines of a pull request: what holds stays, what is gone is resolved, what is new is added."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace

from action import review
from action.anchoring import DOUBLE, FIXED, OPEN, Present, moves
from action.conversation import Conversation
from action.github import GitHubProblem, PermissionDenied, Posted, Thread, Unavailable
from action.markers import Marker
from action.publication import Publication
from action.review import InlineComment, Review


class Threads:
    """The review threads of one conversation."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._github = conversation.github
        self._number = conversation.number
        self._context = conversation.context
        self._threads: dict[int, Thread] | None = None

    def review(self, made: Review, limit: int, outcome: Publication) -> None:
        """Make the comments on lines what `made` wants them to be."""
        present = self._present()
        lost = [p for p in present if p.state == OPEN and not any(p.stands_at(c) for c in made.comments)]
        closed = {p.posted.id for p in lost if (thread := self._thread(p)) and thread.resolved}
        plan = moves(present, made.comments, made.current, made.silent, closed, limit)
        if self._conversation.moved_on():  # the last look before the writes
            outcome.superseded = True
            return
        for p, comment in plan.edit:
            self._github.edit_review_comment(p.posted.id, review.continued(comment.body, p.posted.body))
        for p, wanted in plan.reopen:
            outcome.attempt("A problem that came back", lambda p=p, w=wanted: self._reopen(p, w))  # type: ignore[misc]
        for p in plan.close:
            body = review.fixed_body(p.posted.body, self._context)
            outcome.attempt("A fixed problem's mark", lambda p=p, b=body: self._close(p, b))  # type: ignore[misc]
        chosen = [
            replace(comment, body=review.continuing_body(comment.body, old[-1].posted.url)) if old else comment
            for comment, old in plan.post
        ]
        self._post(chosen, outcome)
        retired = list(plan.retire)
        if chosen:
            after = self._after(chosen)
            for comment, old in plan.post:
                new = next((p for p in after if p.state == OPEN and _is(p, comment)), None)
                retired += [(p, new) for p in old if new is not None and p.state == OPEN]
        for p, new in retired:
            body = review.moved_body(p.posted.body, new.posted.url)
            outcome.attempt("A comment that moved", lambda p=p, b=body: self._close(p, b, "OUTDATED"))  # type: ignore[misc]

    def _after(self, posted: Sequence[InlineComment]) -> list[Present]:
        """What stands there once what was posted is seen; another run may have posted the same meanwhile."""
        after: list[Present] = []

        def seen() -> bool:
            after[:] = self._present()
            return all(any(p.state == OPEN and _is(p, comment) for p in after) for comment in posted)

        self._conversation.until(seen)
        return after

    def _post(self, comments: Sequence[InlineComment], outcome: Publication) -> None:
        on_lines = [comment for comment in comments if comment.line is not None]
        on_files = [comment for comment in comments if comment.line is None]
        if on_lines:
            try:
                plural = "s" if len(on_lines) > 1 else ""
                marker = Marker("review", {"id": self._context.identity, "sha": self._context.head_sha})
                self._github.review(
                    self._number,
                    self._context.head_sha,
                    f"{marker}\n{self._context.name} has {len(on_lines)} comment{plural} on this change.",
                    on_lines,
                    lambda: self._have(on_lines),
                )
            except GitHubProblem as problem:
                if problem.status != 422:
                    raise
                for comment in on_lines:
                    if not self._have([comment]):
                        self._post_one(comment, outcome)
        for comment in on_files:
            self._post_one(comment, outcome)

    def _post_one(self, comment: InlineComment, outcome: Publication) -> None:
        """One comment on its line, else on its file; the summary holds it in any case."""

        def post(what: InlineComment) -> None:
            self._github.review_comment(self._number, self._context.head_sha, what, lambda: self._have([what]))

        try:
            post(comment)
        except GitHubProblem as problem:
            if problem.status != 422:
                raise
            if comment.line is None:
                outcome.missing.append(f"A comment on `{comment.path}` was refused; its problem is in this summary.")
                return
            plain = replace(comment, line=None, start_line=None, body=comment.body.replace("```suggestion\n", "```\n"))
            self._post_one(plain, outcome)

    def _close(self, p: Present, body: str, classifier: str = "RESOLVED") -> None:
        """Resolve the thread where the token may, else fold the comment; nothing that was answered is ever deleted."""
        there = self._github.edit_review_comment(p.posted.id, body)
        thread = self._thread(p)
        if not there or thread is None or thread.resolved:
            return
        try:
            self._github.resolve(thread)
        except Unavailable:
            raise
        except GitHubProblem:
            if not thread.minimized:
                self._github.minimize(p.posted.node_id, classifier)

    def _reopen(self, p: Present, comment: InlineComment | None) -> None:
        """Open it again; a thread that the token may not open stays as it is, and the summary has the problem."""
        thread = self._thread(p)
        if thread and thread.resolved:
            with contextlib.suppress(PermissionDenied):
                self._github.resolve(thread, undo=True)
        if thread and thread.minimized:
            self._github.unminimize(p.posted.node_id)
        self._github.edit_review_comment(p.posted.id, comment.body if comment else review.reopened_body(p.posted.body))

    def _thread(self, p: Present) -> Thread | None:
        if self._threads is None:
            self._threads = {thread.comment_id: thread for thread in self._github.threads(self._number)}
        return self._threads.get(p.posted.id)

    def _have(self, comments: Sequence[InlineComment]) -> bool:
        present = [p for p in self._present() if p.state == OPEN]
        return all(any(_is(p, comment) for p in present) for comment in comments)

    def _present(self) -> list[Present]:
        """Our comments on lines, oldest first. Of doubles the first stays, the others go (or fold, once answered).

        Doubles tell of a common finding on the same lines: two runs at once may have posted them.
        """
        every = self._github.review_comments(self._number)
        answered = {comment.reply_to for comment in every}
        found: list[Present] = []
        seen: set[tuple[object, ...]] = set()
        told: dict[tuple[object, ...], set[str]] = {}  # of the open ones, by their lines
        for posted, marker in self._conversation.own([c for c in every if not c.reply_to], "finding"):
            p = Present(posted, marker)
            lines = (posted.path, posted.line, posted.start_line)
            place = (p.fingerprints, *lines)
            current = p.state == OPEN and not posted.outdated
            double = current and (place in seen or told.get(lines, set()) & p.fingerprints)
            if p.state not in (OPEN, FIXED):
                continue
            if not double:
                found.append(p)
                seen.add(place)
                if current:
                    told.setdefault(lines, set()).update(p.fingerprints)
            elif posted.id not in answered:
                self._github.delete_review_comment(posted.id)
            else:
                self._github.edit_review_comment(posted.id, review.with_state(posted.body, DOUBLE))
                self._github.minimize(posted.node_id, "DUPLICATE")
        return found


def _is(p: Present, comment: InlineComment) -> bool:
    """Whether it is that comment, on its line or, where the line was refused, on its file."""
    return p.fingerprints == frozenset(comment.fingerprints) and not p.posted.outdated and _place(p.posted, comment)


def _place(posted: Posted, comment: InlineComment) -> bool:
    return posted.path == comment.path and (posted.on_file or posted.line == comment.line)
