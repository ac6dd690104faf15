"""The trusted second stage: find the pull request by its head, fetch the report, post it with our own words."""

from __future__ import annotations

from dataclasses import replace

from action import publish, relay
from action.commands import Log
from action.diff import Changes, from_patches
from action.finish import finish
from action.github import GitHub, GitHubProblem, Pull
from action.plan import RelayReport
from action.review import Context, artifact_name
from action.settings import Settings
from analyzer.problem import UsageProblem


def post(settings: Settings, todo: RelayReport, log: Log, github: GitHub) -> int:
    """Exit code 0, also where there is nothing to post. Raises UsageProblem when the report could not even be read."""
    try:
        pull = _pull(settings, todo, github)
        if isinstance(pull, str):
            log.say(pull)
            return 0
        archive = github.runs.artifact(todo.run_id, relay.artifact_name(settings.id), relay.COMPRESSED_LIMIT)
        if archive is None:
            log.say("The first stage left no report (it posted by itself, or had nothing to say).")
            return 0
        relayed = relay.unpack(archive)
        if relayed.head_sha != todo.head_sha or relayed.identity != settings.id:
            raise UsageProblem("The relayed report is about another commit or another id; nothing was posted.")
        files = github.runs.holds(todo.run_id, artifact_name(settings.id))
    except GitHubProblem as problem:
        raise UsageProblem(f"The fork's report could not be posted: {problem}") from None
    report = replace(relayed.report, fail_on=settings.fail_on or relayed.report.fail_on)
    # The first stage's number says which report is newer: an old one may well be posted by a late run.
    context = Context.of(settings, todo.head_sha, run_id=todo.run_id, attempt=todo.attempt, files=files)
    missing: list[str] = []
    changes = _changes(github, pull, missing)
    wanted = publish.Wanted.of(settings, begin=bool(report.targets))
    outcome = publish.on_pull_request(report, context, github, pull.number, changes, wanted, missing)
    for sentence in outcome.missing:
        log.warning(sentence, title="Assay")
    finish(settings, report, None, outcome, context)
    return 0


def _pull(settings: Settings, todo: RelayReport, github: GitHub) -> Pull | str:
    """The one open pull request into this repository whose head is the run's commit, or why there is none."""
    if github.runs.commit(todo.run_id) != todo.head_sha:
        raise UsageProblem("The workflow run's commit is not the one the event names; nothing was posted.")
    pulls = [
        p
        for p in github.pull_requests.of_commit(todo.head_sha)
        if p.open and p.head_sha == todo.head_sha and p.base_repository == settings.repository
    ]
    if len(pulls) != 1:
        return f"{len(pulls)} open pull requests have the head {todo.head_sha[:12]}: nothing to post."
    return pulls[0]


def _changes(github: GitHub, pull: Pull, missing: list[str]) -> Changes:
    """The lines that can carry a comment. Without them (GitHub gives up on large diffs) the summary has to do."""
    try:
        return from_patches(github.pull_requests.patches(pull.number))
    except GitHubProblem as problem:
        missing.append(f"No comment could be put on a line, for the diff could not be read: {problem}")
        return Changes()
