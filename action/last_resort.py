"""`python -m action.last_resort`: the step after the job, which runs whatever became of the job itself.

A check run that the run could not conclude (it was killed, or GitHub did not answer for too long) is concluded here.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, MutableMapping
from typing import TextIO

from action import misfit

try:
    from action.commands import Log
    from action.ending import UNFINISHED
    from action.github import GitHub, GitHubProblem, RetryBudget
    from action.plan import CheckCommit, RelayReport, ReviewPullRequest, plan
    from action.review import ReviewContext
    from action.run import read_payload
    from action.settings import Settings, drop_secrets, from_environ
    from action.status_check import StatusCheck
    from analyzer.problem import Problem
except Exception as failed:
    misfit.stop(failed)


def main(environ: MutableMapping[str, str], stream: TextIO, connect: Callable[[Settings], GitHub] | None = None) -> int:
    """Exit code 0, or 3 where a check run stays open; the job's log then says why."""
    log = Log(stream)
    try:
        settings = from_environ(environ)
        log.mask(settings.token)
        todo = plan(settings, read_payload(settings))
    except Problem:
        return 0  # the job has said so, and nothing was opened
    finally:
        drop_secrets(environ)
    if (
        not settings.token
        or not settings.check_run
        or not isinstance(todo, (ReviewPullRequest, CheckCommit, RelayReport))
    ):
        return 0
    if isinstance(todo, ReviewPullRequest) and todo.read_only:
        return 0
    run, attempt = (todo.run_id, todo.attempt) if isinstance(todo, RelayReport) else (None, None)
    context = ReviewContext.of(settings, todo.head_sha, files=False, run_id=run, attempt=attempt)
    check = StatusCheck.of((connect or _github)(settings), context)
    try:
        if check.conclude_if_open(UNFINISHED.check(context)):
            log.say(UNFINISHED.sentences[0])
    except GitHubProblem as problem:
        log.error(f"The check run of {context.head_sha[:12]} stays open: {problem}", title="Assay")
        return 3
    return 0


def _github(settings: Settings) -> GitHub:
    budget = RetryBudget(budget=float(settings.max_wait))
    return GitHub(settings.repository, settings.api_url, settings.graphql_url, settings.token, budget)


if __name__ == "__main__":
    os.chdir("/")
    sys.exit(main(os.environ, sys.stdout))
