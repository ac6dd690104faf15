"""From what should be there to what is there: comments, review, check run, each on its own, each repeatable.

No failure of one thing keeps the others from being posted; what could not be posted is returned as sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from action import markers, review
from action.diff import Changes
from action.github import GitHub, GitHubProblem, PermissionDenied, Posted, Thread, Unavailable
from action.review import CheckRun, Context, InlineComment
from analyzer.findings import Report


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which of the things that can be posted are."""

    comment: bool = True
    review: bool = True
    check_run: bool = True
    max_comments: int = 30
    begin: bool = True  # False: keep an existing summary up to date, but do not start one


@dataclass
class Outcome:
    """What became of a publication. `missing` are sentences about what is not there."""

    missing: list[str] = field(default_factory=list)
    denied: bool = False  # the token cannot write
    superseded: bool = False  # a newer commit or run speaks for this pull request
    comment_url: str = ""

    def attempt(self, what: str, action: Callable[[], None]) -> bool:
        """Run one step; a problem becomes a sentence."""
        try:
            action()
        except PermissionDenied as problem:
            self.denied = True
            self.missing.append(f"{what} could not be posted: {problem}")
        except GitHubProblem as problem:
            self.missing.append(f"{what} could not be posted: {problem}")
        else:
            return True
        return False


def on_pull_request(
    report: Report, context: Context, github: GitHub, number: int, changes: Changes, wanted: Wanted
) -> Outcome:
    """Review a pull request: inline comments, then the summary that knows what became of them, then the check."""
    outcome = Outcome()
    conversation = _Conversation(github, number, context)
    if wanted.comment or wanted.review:
        outcome.attempt("The review", lambda: _set(outcome, conversation.superseded()))
    ready = not outcome.superseded and not outcome.missing
    if wanted.review and ready:
        comments = review.inline_comments(report, context, changes, 10_000)
        outcome.attempt(
            "The inline comments", lambda: conversation.review(report, comments, wanted.max_comments, outcome)
        )
    if wanted.comment and ready and not outcome.denied:
        body = review.summary_comment(report, context, tuple(outcome.missing))
        outcome.attempt("The summary comment", lambda: conversation.summarise(body, outcome, wanted.begin))
    if wanted.check_run:
        before = len(outcome.missing)
        on_commit(review.check_run(report, context, tuple(outcome.missing)), github, outcome)
        told = wanted.comment and ready and not outcome.denied and len(outcome.missing) > before
        if told:
            body = review.summary_comment(report, context, tuple(outcome.missing))
            outcome.attempt("The note on what is missing", lambda: conversation.summarise(body, outcome, wanted.begin))
    return outcome


def on_commit(check: CheckRun, github: GitHub, outcome: Outcome | None = None) -> Outcome:
    """Report on a commit alone, as a check run."""
    outcome = outcome or Outcome()
    outcome.attempt("The check run", lambda: github.create_check(check))
    return outcome


def _set(outcome: Outcome, superseded: bool) -> None:
    outcome.superseded = superseded


class _Conversation:
    """Assay's part of one pull request's conversation."""

    def __init__(self, github: GitHub, number: int, context: Context) -> None:
        self._github = github
        self._number = number
        self._context = context
        self._logins: frozenset[str] | None = None

    def superseded(self) -> bool:
        """Whether the pull request has moved on, was closed, or a later run of this commit has already spoken."""
        pull = self._github.pull(self._number)
        if not pull.open or pull.head_sha != self._context.head_sha:
            return True
        mine = (self._context.run_id, self._context.attempt)
        return any(
            marker.get("sha") == self._context.head_sha and markers.run_order(marker) > mine
            for _, marker in self._summaries()
        )

    def summarise(self, body: str, outcome: Outcome, begin: bool) -> None:
        """One comment, edited in place; doubles that two runs may have left are removed."""
        if self._github.pull(self._number).head_sha != self._context.head_sha:
            outcome.superseded = True
            return
        present = self._summaries()
        if present:
            first = present[0][0]
            if first.body.replace("\r\n", "\n") != body:
                self._github.edit_comment(first.id, body)
            outcome.comment_url = first.url
        elif begin:
            made = self._github.create_comment(self._number, body, self._is_summary)
            outcome.comment_url = made.url
            present = self._summaries()
        for double, _ in present[1:]:
            self._github.delete_comment(double.id)

    def review(self, report: Report, comments: Sequence[InlineComment], limit: int, outcome: Outcome) -> None:
        """Keep what still holds, mark what is gone, post what is new."""
        present = {marker.get("fp"): (posted, marker) for posted, marker in self._findings()}
        current = review.current_fingerprints(report)
        silent = review.unanswered_targets(report)
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
        wanted = {comment.fingerprint: comment for comment in comments}
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
        fresh = [comment for comment in comments if comment.fingerprint not in present]
        open_now = sum(1 for fp in present if fp in current)
        self._post(fresh[: max(0, limit - open_now)], outcome)

    def _post(self, comments: Sequence[InlineComment], outcome: Outcome) -> None:
        on_lines = [comment for comment in comments if comment.line is not None]
        on_files = [comment for comment in comments if comment.line is None]
        if on_lines:
            try:
                plural = "s" if len(on_lines) > 1 else ""
                marker = markers.Marker("review", {"id": self._context.identity, "sha": self._context.head_sha})
                self._github.create_review(
                    self._number,
                    self._context.head_sha,
                    f"{marker}\n{self._context.name} has {len(on_lines)} comment{plural} on this change.",
                    on_lines,
                    lambda: self._have(on_lines),
                )
            except GitHubProblem as problem:
                if problem.status != 422:
                    raise
                present = self._fingerprints()
                for comment in on_lines:
                    if comment.fingerprint not in present:
                        self._post_one(comment, outcome)
        for comment in on_files:
            self._post_one(comment, outcome)

    def _post_one(self, comment: InlineComment, outcome: Outcome) -> None:
        """One comment on its line, else on its file; the summary holds it in any case."""

        def post(what: InlineComment) -> None:
            self._github.create_review_comment(self._number, self._context.head_sha, what, lambda: self._have([what]))

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
        """Resolve the thread where the token may, else fold the comment; nothing is ever deleted."""
        self._github.edit_review_comment(posted.id, review.fixed_body(posted.body, self._context))
        if thread is None or thread.resolved:
            return
        try:
            self._github.resolve(thread)
        except Unavailable:
            raise
        except GitHubProblem:
            if not thread.minimized:
                self._github.minimize(posted.node_id)

    def _reopen(self, posted: Posted, comment: InlineComment | None, thread: Thread | None) -> None:
        if thread and thread.resolved:
            self._github.resolve(thread, undo=True)
        if thread and thread.minimized:
            self._github.minimize(posted.node_id, undo=True)
        self._github.edit_review_comment(posted.id, comment.body if comment else review.reopened_body(posted.body))

    def _have(self, comments: Sequence[InlineComment]) -> bool:
        present = self._fingerprints()
        return all(comment.fingerprint in present for comment in comments)

    def _fingerprints(self) -> frozenset[str]:
        return frozenset(marker.get("fp") for _, marker in self._findings())

    def _summaries(self) -> list[tuple[Posted, markers.Marker]]:
        return sorted(self._own(self._github.issue_comments(self._number), "summary"), key=lambda pair: pair[0].id)

    def _findings(self) -> list[tuple[Posted, markers.Marker]]:
        return [p for p in self._own(self._github.review_comments(self._number), "finding") if not p[0].reply]

    def _is_summary(self, posted: Posted) -> bool:
        return bool(self._own((posted,), "summary"))

    def _own(self, comments: Sequence[Posted], kind: str) -> list[tuple[Posted, markers.Marker]]:
        """Ours are those by our author, with our marker, with our id: all three."""
        found = []
        for comment in comments:
            marker = markers.read(comment.body)
            if (
                marker
                and marker.kind == kind
                and marker.get("id") == self._context.identity
                and self._is_me(comment.author)
            ):
                found.append((comment, marker))
        return found

    def _is_me(self, author: str) -> bool:
        if self._logins is None:
            login = self._github.login()
            self._logins = frozenset({login, login if login.endswith("[bot]") else f"{login}[bot]"})
        return author in self._logins


def _may_update(posted: Posted, comment: InlineComment) -> bool:
    """Whether the text differs and may follow. A change offered belongs to the lines where the comment stands."""
    same = posted.body.replace("\r\n", "\n").strip() == comment.body.strip()
    return not same and "```suggestion" not in comment.body and "```suggestion" not in posted.body
