"""From what should be there to what is there: comments, review, check run, code scanning, each on its own, repeatable.

No failure of one thing keeps the others from being posted; what could not be posted is returned as sentences.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from action import markers, review, scanning
from action.diff import Changes
from action.github import GitHub, GitHubProblem, PermissionDenied, Posted, Thread, Unavailable
from action.markers import Marker
from action.review import CheckRun, Context, InlineComment
from action.settings import Settings
from analyzer.findings import Report

TO_COMMENT = "pull-requests: write"
TO_CHECK = "checks: write"
TO_SCAN = "security-events: write"


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which of the things that can be posted are."""

    comment: bool = True
    review: bool = True
    check_run: bool = True
    code_scanning: bool = False
    max_comments: int = 30
    begin: bool = True  # False: keep an existing summary up to date, but do not start one

    @staticmethod
    def of(settings: Settings, *, begin: bool) -> Wanted:
        return Wanted(
            settings.comment, settings.review, settings.check_run, settings.code_scanning, settings.max_comments, begin
        )


@dataclass
class Outcome:
    """What became of a publication. `missing` are sentences about what is not there."""

    missing: list[str] = field(default_factory=list)
    denied: bool = False  # the token cannot write
    superseded: bool = False  # a newer commit or run speaks for this pull request
    comment_url: str = ""

    def attempt(self, what: str, action: Callable[[], None], needs: str = TO_COMMENT) -> bool:
        """Run one step; a problem becomes a sentence. `needs` is the permission that the step takes."""
        try:
            action()
        except PermissionDenied as problem:
            self.denied = True
            self.missing.append(f"{what} could not be posted: {problem} The job needs `permissions: {needs}`.")
        except GitHubProblem as problem:
            self.missing.append(f"{what} could not be posted: {problem}")
        else:
            return True
        return False


def on_pull_request(
    report: Report,
    context: Context,
    github: GitHub,
    number: int,
    changes: Changes,
    wanted: Wanted,
    missing: Sequence[str] = (),
) -> Outcome:
    """Review a pull request: inline comments, the summary, then what stands on the commit.

    `missing` are sentences about what is lacking already. What goes wrong after the summary is added to it.
    """
    outcome = Outcome(missing=list(missing))
    conversation = _Conversation(github, number, context)
    ready = False
    if wanted.comment or wanted.review:
        known = outcome.attempt("The review", lambda: _set(outcome, conversation.superseded()))
        ready = known and not outcome.superseded
    if wanted.review and ready:
        comments = review.inline_comments(report, context, changes, 10_000)
        outcome.attempt(
            "The inline comments", lambda: conversation.review(report, comments, wanted.max_comments, outcome)
        )
    if wanted.comment and ready:
        body = review.summary_comment(report, context, tuple(outcome.missing))
        outcome.attempt("The summary comment", lambda: conversation.summarise(body, outcome, wanted.begin))
    before = len(outcome.missing)
    on_commit(report, context, github, f"refs/pull/{number}/head", wanted, outcome)
    if wanted.comment and ready and len(outcome.missing) > before:
        body = review.summary_comment(report, context, tuple(outcome.missing))
        outcome.attempt("The note on what is missing", lambda: conversation.summarise(body, outcome, wanted.begin))
    return outcome


def on_commit(
    report: Report, context: Context, github: GitHub, ref: str, wanted: Wanted, outcome: Outcome | None = None
) -> Outcome:
    """Report on a commit alone, as a check run and to code scanning. `ref` is the branch or pull request it is on."""
    outcome = outcome or Outcome()
    if wanted.code_scanning:
        outcome.attempt(
            "The results for code scanning",
            lambda: github.code_scanning.upload(scanning.upload(report, context.identity), context.head_sha, ref),
            TO_SCAN,
        )
    if wanted.check_run:
        check: CheckRun = review.check_run(report, context, tuple(outcome.missing))
        outcome.attempt("The check run", lambda: github.checks.report(check), TO_CHECK)
    return outcome


def _set(outcome: Outcome, superseded: bool) -> None:
    outcome.superseded = superseded


class _Conversation:
    """Assay's part of one pull request's conversation."""

    def __init__(self, github: GitHub, number: int, context: Context) -> None:
        self._login = github.login
        self._github = github.pull_requests
        self._number = number
        self._context = context
        self._logins: frozenset[str] | None = None

    def superseded(self) -> bool:
        """Whether the pull request has moved on, was closed, or a later run of this commit has already spoken."""
        pull = self._github.get(self._number)
        return not pull.open or pull.head_sha != self._context.head_sha or self._spoken(self._summaries())

    def summarise(self, body: str, outcome: Outcome, begin: bool) -> None:
        """One comment, edited in place: the first of ours, with the words of the latest run.

        Two runs at once may both have begun one; whichever looks last leaves one behind.
        """
        if self._github.get(self._number).head_sha != self._context.head_sha:
            outcome.superseded = True
            return
        present = self._summaries()
        if self._spoken(present):
            outcome.superseded = True
            return
        if not self._edit_first(present, body, outcome) and begin:
            outcome.comment_url = self._github.comment(self._number, body, self._is_summary).url
        present = self._summaries()
        if len(present) > 1:
            latest = max(present, key=lambda pair: markers.run_order(pair[1]))[0].body
            self._edit_first(present, latest, outcome)
            for double, _ in present[1:]:
                self._github.delete(double.id)

    def _edit_first(self, present: Sequence[tuple[Posted, Marker]], body: str, outcome: Outcome) -> bool:
        """Whether there is a first summary, which now says `body`."""
        for posted, _ in present[:1]:
            same = posted.body.replace("\r\n", "\n") == body
            if same or self._github.edit(posted.id, body):
                outcome.comment_url = posted.url
                return True
        return False

    def _spoken(self, summaries: Sequence[tuple[Posted, Marker]]) -> bool:
        """Whether a later run of this commit has already spoken."""
        mine = (self._context.run_id, self._context.attempt)
        here = [marker for _, marker in summaries if marker.get("sha") == self._context.head_sha]
        return any(markers.run_order(marker) > mine for marker in here)

    def review(self, report: Report, comments: Sequence[InlineComment], limit: int, outcome: Outcome) -> None:
        """Keep what still holds, mark what is gone, post what is new."""
        present = self._findings()
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

    def _summaries(self) -> list[tuple[Posted, Marker]]:
        return self._own(self._github.comments(self._number), "summary")

    def _findings(self) -> dict[str, tuple[Posted, Marker]]:
        """Our comments on lines by fingerprint. Of doubles the first stays, the others go (or fold, once answered)."""
        every = self._github.review_comments(self._number)
        answered = {comment.reply_to for comment in every}
        found: dict[str, tuple[Posted, Marker]] = {}
        for posted, marker in self._own([c for c in every if not c.reply_to], "finding"):
            if marker.get("fp") not in found:
                found[marker.get("fp")] = (posted, marker)
            elif posted.id not in answered:
                self._github.delete_review_comment(posted.id)
            elif marker.get("state") != "double":
                self._github.edit_review_comment(posted.id, review.double_body(posted.body))
                self._github.minimize(posted.node_id, "DUPLICATE")
        return found

    def _is_summary(self, posted: Posted) -> bool:
        return bool(self._own((posted,), "summary"))

    def _own(self, comments: Sequence[Posted], kind: str) -> list[tuple[Posted, Marker]]:
        """Ours are those by our author, with our marker, with our id: all three. Oldest first."""
        found = []
        for comment in sorted(comments, key=lambda comment: comment.id):
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
            login = self._login()
            self._logins = frozenset({login, login if login.endswith("[bot]") else f"{login}[bot]"})
        return author in self._logins


def _may_update(posted: Posted, comment: InlineComment) -> bool:
    """Whether the text differs and may follow. A change offered belongs to the lines where the comment stands."""
    same = posted.body.replace("\r\n", "\n").strip() == comment.body.strip()
    return not same and "```suggestion" not in comment.body and "```suggestion" not in posted.body
