"""A generated script, run as a person would run it: in a fresh process, from a clean folder, with nothing of Assay.

Only a script that showed what it is for is cited. Exit code 1: shows it; 0: does not; 2 and all others: could not run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from analyzer.differential.backend import Backend
from analyzer.problem import TargetProblem
from analyzer.walls import PYTHON, ResourceLimits, Sandbox
from analyzer.walls.process import ProcessSandbox

SECONDS = 180.0  # for one script: two engines start and run one to three nodes
OVERLAY = "import os, runpy, sys; sys.path.insert(0, {0!r}); os.environ['PYTHONPATH'] = {0!r}; sys.argv = {1!r}; "

Overlay = Callable[[str, str], Path]


class Fresh(Protocol):
    """Runs one script; see `FreshProcess`."""

    def __call__(self, script: Path, beside: Sequence[Path], backend: Backend, project: Path | None = None) -> Ran: ...


@dataclass(frozen=True, slots=True)
class Ran:
    """How a script ended, with the last line that it printed."""

    exit_code: int
    said: str

    @property
    def shows(self) -> bool:
        return self.exit_code == 1


@dataclass(frozen=True)
class FreshProcess:
    """Runs scripts. `sandbox` (None: a limited process of this machine) is used for what holds code of the project."""

    overlay: Overlay | None = None
    sandbox: Sandbox | None = None

    def __call__(self, script: Path, beside: Sequence[Path], backend: Backend, project: Path | None = None) -> Ran:
        """`beside`: data that the script reads from its own folder. `project`: the tree that holds an entry point."""
        files: dict[str, bytes | Path] = {script.name: script, **{p.name: p for p in beside}}
        command = [PYTHON, script.name]
        if project is not None:
            files["project"] = project
            command.append("project")
        place: Sandbox = self.sandbox or ProcessSandbox()
        if backend.version is not None:
            if self.overlay is None:
                return Ran(2, f"version {backend.version} is not installed here")
            folder = str(self.overlay(backend.engine.packages[-1], backend.version))
            if isinstance(place, ProcessSandbox):
                place = replace(place, packages=(folder,))
            code = OVERLAY.format(folder, command[1:])
            command = [PYTHON, "-c", code + f"runpy.run_path({script.name!r}, run_name='__main__')"]
        variables: Mapping[str, str] = {"TF_CPP_MIN_LOG_LEVEL": "3"}
        try:
            done = place.run(command, files=files, limits=ResourceLimits(seconds=SECONDS), environment=variables)
        except TargetProblem as problem:
            return Ran(2, str(problem))
        lines = [line.strip() for line in done.log.splitlines() if line.strip()]
        return Ran(2 if done.timed_out or done.out_of_memory else done.exit_code, (lines or ["no output"])[-1][:200])
