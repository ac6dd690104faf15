"""What of a target is begun before its source is traced: other processes import, build and export meanwhile."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from analyzer.configuration.config import TargetConfig
from analyzer.differential.analysis import prepare as prepare_engines
from analyzer.differential.plan import traced_by_engine
from analyzer.differential.pool import Pool
from analyzer.exporting.export import export, prepare_export
from analyzer.problem import Problem
from analyzer.running.outcome import Surroundings

if TYPE_CHECKING:
    from analyzer.graph import Graph


@dataclass
class Export:
    """The export of an entry point: run when its graph is asked for, or by a thread of its own since `begin`."""

    make: Callable[[], Graph]
    _begun: Future[Graph] | None = field(default=None, init=False)

    def begin(self, stack: ExitStack) -> None:
        """Start now; who closes `stack` waits for its end."""
        threads = stack.enter_context(ThreadPoolExecutor(1, thread_name_prefix="export"))
        self._begun = threads.submit(self.make)

    def graph(self) -> Graph:
        """The graph; raises what the export raises."""
        return self.make() if self._begun is None else self._begun.result()


@dataclass(frozen=True)
class Ahead:
    """`export`: None where the target is no entry point; `pool`: engines that were started, None where none was."""

    export: Export | None = None
    pool: Pool | None = None


def begin(target: TargetConfig, where: Surroundings, stack: ExitStack) -> Ahead:
    """Begin what takes longest of `target`; `stack` ends it with the target. On one core there is no time to be had."""
    if not target.entry:
        return Ahead()
    entry, root, sandbox = target.entry, where.root, where.sandbox

    def make() -> Graph:
        alone = traced_by_engine(target)
        if alone is not None:
            return alone
        return export(entry, root, target=target, sandbox=sandbox, cache_dir=where.exports, made=where.made)

    made, pool = Export(make), None
    if sandbox is not None and where.exports is None:
        frameworks = prepare_export(entry, root, sandbox)
        if "differential" in where.config.only and target.backends != ():
            with suppress(Problem):  # told where the engines are asked for
                pool = stack.enter_context(prepare_engines(target, root, sandbox, frameworks))
        if (os.cpu_count() or 1) > 1:
            made.begin(stack)
    return Ahead(made, pool)
