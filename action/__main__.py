"""`python -m action`: the runner's environment in, an exit code out."""

from __future__ import annotations

import functools
import os
import signal
import sys
from collections.abc import MutableMapping
from typing import NoReturn, TextIO

from action import misfit
from analyzer import installation

try:
    from action.commands import Log, log_error, write_summary
    from action.ending import Cancelled, Ending
    from action.run import Outside, run
    from action.settings import Settings, drop_secrets, from_environ
    from action.start import hide, receive
    from analyzer.problem import Problem
except Exception as failed:
    misfit.stop(failed)


def main(environ: MutableMapping[str, str], stream: TextIO, outside: Outside | None = None) -> int:
    """Exit code 0 nothing blocks, 1 something does, 2 usage or configuration, 3 something could not be analysed."""
    log = Log(stream)
    try:
        settings = from_environ(environ)
    except Problem as problem:
        log.error(str(problem), title="Assay")
        return 2
    finally:
        drop_secrets(environ)
    log.mask(settings.token)
    try:
        return run(settings, log, outside or _outside(log))
    except (Exception, Cancelled, KeyboardInterrupt) as broken:  # before there was a commit to report on
        error = installation.as_problem(broken)
        log_error(log, error)
        ending = Ending.of(error)
        if settings.step_summary:
            write_summary(settings.summary_path, ending.markdown("Assay"))
        return ending.code


def _cancel(_number: int, _frame: object) -> NoReturn:
    """The runner cancels a job by a signal, and kills it some seconds later; a second signal must not break the end."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    raise Cancelled


def _outside(log: Log) -> Outside:
    from action.containment import in_containers
    from action.github import GitHub, RetryBudget
    from action.isolation import choose_sandbox
    from analyzer.walls.engines import EnginesImage

    engines = EnginesImage(say=log.say)

    def github(settings: Settings) -> GitHub:
        budget = RetryBudget(budget=float(settings.max_wait))
        return GitHub(settings.repository, settings.api_url, settings.graphql_url, settings.token, budget)

    return Outside(
        github=github,
        sandbox=functools.partial(choose_sandbox, engines=engines),
        contain=functools.partial(in_containers, engines=engines),
    )


if __name__ == "__main__":
    hide()
    os.chdir("/")  # the runner starts us in the checkout; nothing there may be found by a relative path
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, _cancel)
    sys.exit(main(receive(sys.argv[1:], os.environ), sys.stdout))
