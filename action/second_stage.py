"""The trusted second stage: find the pull requests by their head, fetch the report, post it with our own words."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace

from action import publish, relay
from action.commands import Log, log_error, write_summary
from action.conversation import Conversation
from action.diff import Changes, from_patches
from action.ending import LAST_WAIT, Cancelled, Ending
from action.finish import finish
from action.github import GitHub, GitHubProblem, Pull
from action.plan import RelayReport
from action.publication import Publication
from action.review import Review, ReviewContext, artifact_name
from action.settings import Settings
from action.status_check import StatusCheck
from analyzer.installation import as_problem
from analyzer.problem import UsageProblem

LEFT_NOTHING = (
    "The first stage ended as `{conclusion}` and left no report; the log of its run {run} says why. Run it again, and "
    "see that its workflow uploads `assay-relay.json` where the output `relay` names it (docs/workflows/review.yml)."
)


def post(settings: Settings, todo: RelayReport, log: Log, github: GitHub) -> int:
    """Exit code 0, also where there is nothing to post; 2 when the report could not be read, 3 when not posted.

    The commit of the first stage gets a concluded check run in every ending but one: the first stage has posted itself.
    """
    context = ReviewContext.of(settings, todo.head_sha, run_id=todo.run_id, attempt=todo.attempt, files=False)
    check = StatusCheck.of(github, context) if settings.check_run else None
    pulls: tuple[Pull, ...] = ()
    try:
        pulls = _pulls(settings, todo, github)
        archive = github.runs.artifact(todo.run_id, relay.artifact_name(settings.id), relay.COMPRESSED_LIMIT)
        if archive is None and (
            todo.conclusion == "success" or _posted_itself(settings, context, github, pulls, check)
        ):
            log.say("The first stage left no report (it posted by itself, or had nothing to say).")
            return 0
        if archive is None:
            left = LEFT_NOTHING.format(conclusion=todo.conclusion, run=todo.run_id)
            log.error(left, title="Assay")
            ending = Ending("❌", "has no result", (left,), "failure", 2)
            return _end(settings, ending, context, github, pulls, check, log)
        if not pulls:
            log.say(f"No open pull request has the head {todo.head_sha[:12]}: nothing to post.")
            return 0
        if check is not None:
            with contextlib.suppress(GitHubProblem):  # it is tried again at the end
                check.open()
        return _post(settings, todo, archive, log, github, pulls, check)
    except (Exception, Cancelled, KeyboardInterrupt) as broken:
        error = as_problem(broken)
        if isinstance(error, GitHubProblem):
            error = UsageProblem(f"The fork's report could not be read: {error}")
        log_error(log, error)
        ending = Ending.of(error)
        if ending.conclusion == "cancelled":
            github.hurry(LAST_WAIT)
        return _end(settings, ending, context, github, pulls, check, log)


def _posted_itself(
    settings: Settings, context: ReviewContext, github: GitHub, pulls: Sequence[Pull], check: StatusCheck | None
) -> bool:
    """Whether the first stage's own words stand there: of a pull request without a fork, its token can write."""
    if check is not None:
        return check.concluded
    return settings.comment and any(Conversation(github, pull.number, context).told for pull in pulls)


def _post(
    settings: Settings,
    todo: RelayReport,
    archive: bytes,
    log: Log,
    github: GitHub,
    pulls: Sequence[Pull],
    check: StatusCheck | None,
) -> int:
    relayed = relay.unpack(archive)
    if relayed.head_sha != todo.head_sha or relayed.identity != settings.id:
        raise UsageProblem("The relayed report is about another commit or another id; nothing was posted.")
    files = github.runs.holds(todo.run_id, artifact_name(settings.id))
    report = replace(relayed.report, fail_on=settings.fail_on or relayed.report.fail_on)
    # The first stage's number says which report is newer: an old one may well be posted by a late run.
    context = ReviewContext.of(settings, todo.head_sha, run_id=todo.run_id, attempt=todo.attempt, files=files)
    total = Publication()
    for pull in pulls:
        missing: list[str] = []
        made = Review.of(report, context, _changes(github, pull, missing))
        wanted = publish.Wanted.of(settings)
        outcome = publish.on_pull_request(made, github, pull.number, wanted, check, missing)
        check = None if outcome.concluded else check  # one commit, one check run
        total.add(outcome)
    for sentence in total.missing:
        log.warning(sentence, title="Assay")
    finish(settings, made, None, total)
    return 0 if check is None or total.concluded else 3


def _end(
    settings: Settings,
    ending: Ending,
    context: ReviewContext,
    github: GitHub,
    pulls: tuple[Pull, ...],
    check: StatusCheck | None,
    log: Log,
) -> int:
    """Say why there is no review where the review would stand."""
    total = Publication(ended=True)
    numbers: list[int | None] = [pull.number for pull in pulls]
    for number in numbers or [None]:
        total.add(publish.ended(ending, context, github, number, publish.Wanted.of(settings), check))
        check = None
    for sentence in total.missing:
        log.warning(sentence, title="Assay")
    if settings.step_summary:
        write_summary(settings.summary_path, "\n".join((ending.markdown(context.name), *total.missing)))
    finish(settings, None, None, total)
    return ending.code


def _pulls(settings: Settings, todo: RelayReport, github: GitHub) -> tuple[Pull, ...]:
    """The open pull requests into this repository whose head is the run's commit."""
    if github.runs.commit(todo.run_id) != todo.head_sha:
        raise UsageProblem("The workflow run's commit is not the one the event names; nothing was posted.")
    return tuple(
        p
        for p in github.pull_requests.of_commit(todo.head_sha)
        if p.open and p.head_sha == todo.head_sha and p.base_repository == settings.repository
    )


def _changes(github: GitHub, pull: Pull, missing: list[str]) -> Changes:
    """The lines that can carry a comment. Without them (GitHub gives up on large diffs) the summary has to do."""
    try:
        return from_patches(github.pull_requests.patches(pull.number))
    except GitHubProblem as problem:
        missing.append(f"No comment could be put on a line, for the diff could not be read: {problem}")
        return Changes()
