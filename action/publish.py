"""From what should be there to what is there: comments, review, check run, code scanning, each on its own, repeatable.

No failure of one thing keeps the others from being posted; what could not be posted is returned as sentences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from action import scanning
from action.conversation import Conversation
from action.ending import Ending
from action.github import GitHub
from action.publication import Publication
from action.review import CheckRun, Review, ReviewContext
from action.settings import Settings
from action.status_check import StatusCheck
from action.threads import Threads

TO_CHECK = "checks: write"
TO_SCAN = "security-events: write"


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which of the things that can be posted are."""

    comment: bool = True
    review: bool = True
    code_scanning: bool = False
    max_comments: int = 30

    @staticmethod
    def of(settings: Settings) -> Wanted:
        return Wanted(settings.comment, settings.review, settings.code_scanning, settings.max_comments)


def on_pull_request(
    made: Review, github: GitHub, number: int, wanted: Wanted, check: StatusCheck | None, missing: Sequence[str] = ()
) -> Publication:
    """Review a pull request: inline comments, the summary, then what stands on the commit.

    `missing` are sentences about what is lacking already. What goes wrong after the summary is added to it.
    """
    outcome = Publication(missing=list(missing))
    conversation = Conversation(github, number, made.context)
    ready = False
    if wanted.comment or wanted.review:
        known = outcome.attempt("The review", lambda: _set(outcome, conversation.superseded()))
        ready = known and not outcome.superseded
    if wanted.review and ready:
        threads = Threads(conversation)
        outcome.attempt("The inline comments", lambda: threads.review(made, wanted.max_comments, outcome))
    if wanted.comment and ready and not outcome.superseded:
        _summarise(conversation, made, outcome)
    before = len(outcome.missing)
    on_commit(made, github, f"refs/pull/{number}/head", wanted, check, outcome)
    if wanted.comment and ready and len(outcome.missing) > before:
        _summarise(conversation, made, outcome)
    return outcome


def on_commit(
    made: Review,
    github: GitHub,
    ref: str,
    wanted: Wanted,
    check: StatusCheck | None,
    outcome: Publication | None = None,
) -> Publication:
    """Report on a commit alone, as a check run and to code scanning. `ref` is the branch or pull request it is on."""
    outcome = outcome or Publication()
    if wanted.code_scanning:
        outcome.attempt(
            "The results for code scanning",
            lambda: github.code_scanning.upload(
                scanning.upload(made.report, made.context.identity), made.context.head_sha, ref
            ),
            TO_SCAN,
        )
    if check is not None:
        conclude(check, made.check(tuple(outcome.missing)), outcome)
    return outcome


def ended(
    ending: Ending,
    context: ReviewContext,
    github: GitHub,
    number: int | None,
    wanted: Wanted,
    check: StatusCheck | None,
) -> Publication:
    """Say how a run ended that has no report; the check first, for there may be little time."""
    outcome = Publication(ended=True)
    if check is not None:
        conclude(check, ending.check(context), outcome)
    if number is not None and wanted.comment:
        conversation = Conversation(github, number, context)
        outcome.attempt("The summary comment", lambda: conversation.end(ending.comment(context), outcome))
    return outcome


def conclude(check: StatusCheck, says: CheckRun, outcome: Publication) -> None:
    """Conclude the commit's check run, or know that it is not."""
    outcome.concluded = outcome.attempt("The check run", lambda: check.conclude(says), TO_CHECK)


def _summarise(conversation: Conversation, made: Review, outcome: Publication) -> None:
    body = made.summary(tuple(outcome.missing))
    outcome.attempt("The summary comment", lambda: conversation.summarise(body, outcome, made.begins))


def _set(outcome: Publication, superseded: bool) -> None:
    outcome.superseded = superseded
