"""Reading a repository in a child process behind the kernel's wall: finding models parses files of strangers too."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from analyzer.problem import TargetProblem, UsageProblem
from analyzer.running.processes import Enclosure, run_all
from analyzer.walls import launch
from analyzer.walls.kernel.rules import Rules

SECONDS = 600.0  # a repository of 100,000 files takes less than one minute


def read_aside(job: Callable[[], Any], read: Sequence[Path]) -> Any:
    """What `job` returns (JSON), called where it reads `read` and Assay's own libraries and writes nothing that stays.

    Its `UsageProblem` and `TargetProblem` are raised here. Where the kernel offers no wall it is a plain child process.
    """

    def told(_send: Callable[[Any], None]) -> Any:
        try:
            return {"value": job()}
        except (UsageProblem, TargetProblem) as problem:
            return {"usage": isinstance(problem, UsageProblem), "problem": str(problem)}

    with tempfile.TemporaryDirectory(prefix="assay-run-", ignore_cleanup_errors=True) as folder:
        home = Path(folder, "home")
        home.mkdir()
        rules = None
        if launch.standing() is None:
            rules = Rules(
                libraries=[*launch.libraries(), *launch.programs()],
                read=[str(path.resolve()) for path in read],
                names=[str(launch.ASSAY)],
                write=[str(home)],
                programs=True,
                limits={"CORE": 0, "NPROC": launch.threads_for(None)},
            )
        jobs, walls = {"reading": told}, {"reading": Enclosure(home, rules)}
        ((_, answer),) = run_all(jobs, deadline=SECONDS, parallel=1, logs=Path(folder, "logs"), enclosures=walls)
    if not isinstance(answer.value, dict):
        raise TargetProblem(f"the repository could not be searched for models: {answer.error}")
    if "problem" in answer.value:
        raise (UsageProblem if answer.value.get("usage") else TargetProblem)(str(answer.value["problem"]))
    return answer.value["value"]
