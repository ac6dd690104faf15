"""What a target's run is given and what it comes to, as plain data: it crosses pipes and lives in a cache."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analyzer.configuration.config import Config, TargetConfig
from analyzer.findings import Cause, Finding, TargetReport
from analyzer.problem import NotAllowedProblem, Problem, SurroundingsProblem
from analyzer.rendering.report_json import finding_from_json, finding_to_json, target_from_json, target_to_json

if TYPE_CHECKING:
    from analyzer.tracing.checkers.type_checkers import Known
    from analyzer.walls import Sandbox


HEAD_ALONE = "head against base"  # the stage that only the head's run has
# (side, id of a target) -> (hash of what its outcome depends on, hash under which the cache keeps the outcome)
Keys = Mapping[tuple[str, str], tuple[str | None, str | None]]


@dataclass(frozen=True, slots=True)
class TargetOutcome:
    """What one target came to on one revision.

    `opened` names the files that its exports read and that no source tells (`running.opened`); None: not to be told.
    """

    target: TargetReport
    findings: tuple[Finding, ...] = ()
    opened: tuple[str, ...] | None = ()

    def to_json(self) -> dict[str, Any]:
        findings = [finding_to_json(f) for f in self.findings]
        opened = None if self.opened is None else list(self.opened)
        return {"target": target_to_json(self.target), "findings": findings, "opened": opened}

    @staticmethod
    def from_json(data: dict[str, Any]) -> TargetOutcome:
        findings = tuple(finding_from_json(finding) for finding in data["findings"])
        opened = None if data["opened"] is None else tuple(data["opened"])
        return TargetOutcome(target_from_json(data["target"]), findings, opened)


@dataclass(frozen=True)
class Surroundings:
    """What a target's run may use besides its own tree."""

    root: Path  # the checked-out tree
    output: Path  # the run's output folder; reproducers and pictures go below it
    config: Config
    sandbox: Sandbox | None = None  # None: project code must not run
    exports: Path | None = None  # where exported graphs of this target are kept, to be read
    made: Path | None = None  # where those that it exports are left, for whoever started it to take
    base_root: Path | None = None  # the base tree, for analyses that compare
    contained: bool = False  # this process runs in a container that is a wall already
    types: Known = field(default_factory=dict)  # what type checkers said of files already
    engines: bool = True  # False: in one that has no engine but ONNX Runtime; see `EnginesNeeded`


def cause_of(problem: Problem) -> Cause:
    """Whose doing a problem is."""
    if isinstance(problem, NotAllowedProblem):
        return Cause.POLICY
    return Cause.SURROUNDINGS if isinstance(problem, SurroundingsProblem) else Cause.MODEL


def kind_of(target: TargetConfig) -> str:
    """`entry`, `python` or `model`; loading may refine the last one."""
    if target.entry:
        return "entry"
    return "python" if (target.path or "").endswith(".py") else "model"


def with_environment(target: TargetConfig, config: Config) -> TargetConfig:
    """The target in the environment that the configuration gives to those without one of their own."""
    return target if target.environment is not None else replace(target, environment=config.environment)
