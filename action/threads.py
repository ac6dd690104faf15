"""Assay's comments on lines of a pull request: what holds stays, what is gone is resolved, what is new is added."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace

from action import review
from action.conversation import Conversation
from action.github import GitHubProblem, PermissionDenied, Posted, Thread, Unavailable
from action.markers import Marker
from action.outcome import Outcome
from action.review import InlineComment, Review


class Threads:
    """The review threads of one conversation."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._github = conversation.github
        self._number = conversation.number
        self._context = conversation.context

    def review(self, made: Review, limit: int, outcome: Outcome) -> None:
        """Keep what still holds, mark what is gone, post what is new."""
        present = self._findings()
        current = made.current
        silent = made.silent
        gone = {
            fp: posted
            for fp, (posted, marker) in present.items()
            if fp not in current and marker.get("target") not in silent and marker.get("state") != "fixed"
        }
        back = {
            fp: posted for fp, (posted, marker) in present.items() if fp in current and marker.get("state") == "fixed"
        }
        threads: dict[int, Thread] = {}
        if gone or back:
            threads = {thread.comment_id: thread for thread in self._github.threads(self._number)}
        wanted = {comment.fingerprint: comment for comment in made.comments}
        for fp, (posted, marker) in present.items():
            comment = wanted.get(fp)
            if fp in gone:
                outcome.attempt("A fixed problem's mark", lambda p=posted: self._close(p, threads.get(p.id)))  # type: ignore[misc]
            elif fp in back:
                outcome.attempt(
                    "A problem that came back",
                    lambda p=posted, c=comment: self._reopen(p, c, threads.get(p.id)),  # type: ignore[misc]
                )
            elif comment and marker.get("state") == "open" and _may_update(posted, comment):
                self._github.edit_review_comment(posted.id, comment.body)
        fresh = [comment for comment in made.comments if comment.fingerprint not in present]
        open_now = sum(1 for fp in present if fp in current)
        chosen = fresh[: max(0, limit - open_now)]
        self._post(chosen, outcome)
        if chosen:
            self._findings()  # another run may have posted the same meanwhile

    def _post(self, comments: Sequence[InlineComment], outcome: Outcome) -> None:
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
                present = self._findings()
                for comment in on_lines:
                    if comment.fingerprint not in present:
                        self._post_one(comment, outcome)
        for comment in on_files:
            self._post_one(comment, outcome)

    def _post_one(self, comment: InlineComment, outcome: Outcome) -> None:
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

    def _close(self, posted: Posted, thread: Thread | None) -> None:
        """Resolve the thread where the token may, else fold the comment; nothing that was answered is ever deleted."""
        there = self._github.edit_review_comment(posted.id, review.fixed_body(posted.body, self._context))
        if not there or thread is None or thread.resolved:
            return
        try:
            self._github.resolve(thread)
        except Unavailable:
            raise
        except GitHubProblem:
            if not thread.minimized:
                self._github.minimize(posted.node_id)

    def _reopen(self, posted: Posted, comment: InlineComment | None, thread: Thread | None) -> None:
        """Open it again; a thread that the token may not open stays as it is, and the summary has the problem."""
        if thread and thread.resolved:
            with contextlib.suppress(PermissionDenied):
                self._github.resolve(thread, undo=True)
        if thread and thread.minimized:
            self._github.unminimize(posted.node_id)
        self._github.edit_review_comment(posted.id, comment.body if comment else review.reopened_body(posted.body))

    def _have(self, comments: Sequence[InlineComment]) -> bool:
        present = self._findings()
        return all(comment.fingerprint in present for comment in comments)

    def _findings(self) -> dict[str, tuple[Posted, Marker]]:
        """Our comments on lines by fingerprint. Of doubles the first stays, the others go (or fold, once answered)."""
        every = self._github.review_comments(self._number)
        answered = {comment.reply_to for comment in every}
        found: dict[str, tuple[Posted, Marker]] = {}
        for posted, marker in self._conversation.own([c for c in every if not c.reply_to], "finding"):
            if marker.get("fp") not in found:
                found[marker.get("fp")] = (posted, marker)
            elif posted.id not in answered:
                self._github.delete_review_comment(posted.id)
            elif marker.get("state") != "double":
                self._github.edit_review_comment(posted.id, review.double_body(posted.body))
                self._github.minimize(posted.node_id, "DUPLICATE")
        return found


def _may_update(posted: Posted, comment: InlineComment) -> bool:
    """Whether the text differs and may follow. A change offered belongs to the lines where the comment stands."""
    same = posted.body.replace("\r\n", "\n").strip() == comment.body.strip()
    return not same and "```suggestion" not in comment.body and "```suggestion" not in posted.body
