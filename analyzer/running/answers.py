"""What an analysis answers, held against the schema of reports and against what it was asked: it read hostile bytes."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

import jsonschema

import analyzer
from analyzer.configuration.config import TargetConfig
from analyzer.configuration.schemas import schema
from analyzer.findings import Finding, Report
from analyzer.problem import TargetProblem
from analyzer.rendering.report_json import from_json, to_json
from analyzer.running.opened import proper
from analyzer.running.outcome import TargetOutcome

MOST_FINDINGS = 5_000
_TOOL = {"name": "assay", "version": analyzer.__version__, "engines": {}}


def checked(data: Any, target: TargetConfig, files: frozenset[str]) -> TargetOutcome:
    """The outcome that `data` (JSON) describes; `files` are those that findings may point to.

    Raises `TargetProblem` for anything that is not of the proper form, or speaks of something else than `target`.
    """
    try:
        if not isinstance(data, dict) or set(data) != {"target", "findings", "opened"}:
            raise ValueError("it is no outcome")
        whole = to_json(Report((), (), tool=_TOOL)) | {"targets": [data["target"]], "findings": data["findings"]}
        jsonschema.Draft202012Validator(schema("report")).validate(whole)
        report = from_json(whole)
        opened = None if data["opened"] is None else proper(data["opened"])
    except jsonschema.ValidationError as problem:
        where = "/".join(str(part) for part in problem.absolute_path)[:200]
        raise TargetProblem(f"the answer of the analysis breaks its schema at {where}; nothing of it counts.") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
        raise TargetProblem(malformed(problem)) from None
    told = report.targets[0]
    strangers = [
        told.id != target.id or any(finding.target != target.id for finding in report.findings),
        told.path != (target.path or target.entry or ""),
        told.cached or bool(told.pictures),
        len(report.findings) > MOST_FINDINGS,
        not all(_own(finding, target, files) for finding in report.findings),
    ]
    if any(strangers):
        raise TargetProblem("the answer of the analysis speaks of something it was not asked; nothing of it counts.")
    return TargetOutcome(told, report.findings, opened)


def malformed(problem: Exception) -> str:
    """The sentence on an answer that cannot be read."""
    return f"the answer of the analysis is malformed ({type(problem).__name__}); nothing of it counts."


def _own(finding: Finding, target: TargetConfig, files: frozenset[str]) -> bool:
    paths = [finding.location.path if finding.location else "", (finding.suggestion and finding.suggestion.path) or ""]
    plain = finding.new and finding.suppressed is None  # the pipeline decides both
    # A person may name a model outside of the present folder; then its findings lie there too.
    inside = _leads_out(target.file) or not any(_leads_out(path) for path in paths)
    return inside and plain and (not finding.reproducer or finding.reproducer in files)


def _leads_out(path: str) -> bool:
    return path.startswith("/") or ".." in PurePosixPath(path).parts
