"""The pipeline on this machine: each target in a child process, behind the kernel's wall."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from analyzer.configuration.config import Config, TargetConfig
from analyzer.findings import Report, Status
from analyzer.running import pipeline
from analyzer.running.enclosure import MADE, enclosures
from analyzer.running.exports import kept_in, keys_of_exports, take
from analyzer.running.keys import keys_of
from analyzer.running.outcome import Keys, Surroundings
from analyzer.running.pipeline import Jobs, Outcomes, Progress, RunOptions, outcomes_of
from analyzer.running.processes import Send, run_all
from analyzer.running.target_run import run_target
from analyzer.running.type_checks import types_of
from analyzer.walls.relayed import asked


def review(
    head: Path,
    base: Path | None,
    config: Config,
    targets: Sequence[TargetConfig],
    *,
    keys: Keys | None = None,
    **options: Any,
) -> Report:
    """`pipeline.review` with what only a process that may read the trees has: their keys, and the analyses."""
    if keys is None:
        keys = keys_of(targets, config, {"head": head} | ({"base": base} if base is not None else {}))
    return pipeline.review(head, base, config, targets, keys=keys, local=_run, **options)


def _run(
    jobs: Jobs,
    config: Config,
    options: RunOptions,
    output: Path,
    progress: Progress,
    message: Callable[[str, Any], None],
) -> Outcomes:
    def job(target: TargetConfig, where: Surroundings, made: Path) -> Callable[[Send], Any]:
        def run(send: Send) -> Any:
            return run_target(target, replace(where, sandbox=asked(where.sandbox), made=made), send).to_json()

        return run

    keys: Mapping[str, str] = {}
    if options.exports is not None:
        jobs = {
            name: (place, target, replace(where, exports=kept_in(options.exports, target.id)))
            for name, (place, target, where) in jobs.items()
        }
        if any(where.sandbox is not None for _, _, where in jobs.values()):  # else nothing is exported
            keys = keys_of_exports({name: (target, where.root) for name, (_, target, where) in jobs.items()})

    types = types_of([(where.root, target) for _, target, where in jobs.values()], config)
    jobs = {name: (place, target, replace(where, types=types)) for name, (place, target, where) in jobs.items()}
    with enclosures({name: (target, where) for name, (_, target, where) in jobs.items()}) as walls:
        answers = run_all(
            {name: job(target, where, walls[name].home / MADE) for name, (_, target, where) in jobs.items()},
            deadline=config.timeout,
            parallel=options.parallel or os.cpu_count() or 1,
            logs=output / ".logs",
            on_message=message,
            enclosures=walls,
        )
        for place, outcome in outcomes_of(answers, jobs, progress):
            name = f"{place[0]} {place[1]}"
            kept = jobs[name][2].exports
            if kept is not None and outcome.target.status is Status.ANALYSED:
                take(walls[name].home / MADE, kept, keys.get(name))
            yield place, outcome
