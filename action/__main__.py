"""`python -m action`: the runner's environment in, an exit code out."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import MutableMapping
from typing import TextIO

from action.commands import Log
from action.run import Outside, report_problem, run
from action.settings import Settings, drop_secrets, from_environ
from action.start import hide, receive
from analyzer.problem import Problem


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
        return run(settings, log, outside or _outside())
    except Problem as problem:
        report_problem(settings, problem, log)
        return 2
    except Exception as error:
        for line in traceback.format_exc().splitlines():
            log.say(line)
        log.error(f"Assay failed: {type(error).__name__}; the log shows where. Please report it.", title="Assay")
        return 3


def _outside() -> Outside:
    from action.github import GitHub, RetryBudget
    from action.isolation import choose_sandbox

    def github(settings: Settings) -> GitHub:
        budget = RetryBudget(budget=float(settings.max_wait))
        return GitHub(settings.repository, settings.api_url, settings.graphql_url, settings.token, budget)

    return Outside(github=github, sandbox=choose_sandbox)


if __name__ == "__main__":
    hide()
    os.chdir("/")  # the runner starts us in the checkout; nothing there may be found by a relative path
    sys.exit(main(receive(sys.argv[1:], os.environ), sys.stdout))
