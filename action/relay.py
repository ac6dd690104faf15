"""A fork's report on its way from the untrusted workflow to the trusted one: one small JSON file, checked on arrival.

What arrives was written by whoever opened the pull request. It may say anything *about the model*; it cannot choose the
pull request, the commit, the policy's words or a single character of Markdown: all of that is made by trusted code.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

import jsonschema

from analyzer.configuration.schemas import schema
from analyzer.findings import Evidence, Finding, Report
from analyzer.problem import UsageProblem
from analyzer.rendering.markdown_text import writable
from analyzer.rendering.report_json import from_json, to_json

SCHEMA = "assay-relay/1"
FILE = "assay-relay.json"
COMPRESSED_LIMIT = 2_000_000  # bytes of what a fork's run hands over
RAW_LIMIT = 20_000_000  # bytes of it unpacked
MAX_FINDINGS = 2_000  # of what a fork's run hands over


@dataclass(frozen=True, slots=True)
class Relayed:
    identity: str
    head_sha: str
    report: Report


def artifact_name(identity: str) -> str:
    """The artifact that carries the file; several uses in one repository do not meet."""
    return "assay-relay" if identity == "assay" else f"assay-relay-{identity}"


def pack(report: Report, identity: str, head_sha: str) -> str:
    """The file's text. Where it would be too large, data for machines, drawings, then most evidence are left out."""
    for form in _ever_smaller(report):
        data = {"schema": SCHEMA, "id": identity, "head_sha": head_sha, "report": to_json(form)}
        text = writable(json.dumps(data, allow_nan=False, ensure_ascii=False))
        if len(text.encode()) <= RAW_LIMIT // 2 and len(zlib.compress(text.encode())) <= COMPRESSED_LIMIT // 2:
            return text
    raise UsageProblem("The report is too large to hand to the second workflow; analyse fewer models at once.")


def _ever_smaller(report: Report) -> Iterator[Report]:
    note = (*report.notes, "This report was shortened on its way from the fork's run; that run's files hold the rest.")
    report = replace(report, findings=report.findings[:MAX_FINDINGS])
    yield report
    report = _without_data(report)
    yield report
    report = replace(report, targets=_without_maps(report))
    yield report
    report = replace(
        report, notes=note, findings=_with_little_evidence(report.findings), fixed=_with_little_evidence(report.fixed)
    )
    yield report
    yield replace(report, findings=report.findings[:200], fixed=report.fixed[:200], targets=report.targets[:200])


def unpack(archive: bytes) -> Relayed:
    """The report inside a downloaded artifact. Raises UsageProblem for anything that `pack` would not have made."""
    try:
        data = json.loads(_member(archive))
        json.dumps(data, ensure_ascii=False).encode()  # half a character cannot be posted, so it is not taken
    except (ValueError, RecursionError) as problem:
        raise UsageProblem(f"The relayed report is not JSON ({type(problem).__name__}); nothing was posted.") from None
    if not isinstance(data, Mapping) or data.get("schema") != SCHEMA or set(data) != _FIELDS:
        raise UsageProblem(f"The relayed file is not of the form {SCHEMA}; use one version in both workflows.")
    try:
        jsonschema.Draft202012Validator(schema("report")).validate(data["report"])
        report = from_json(data["report"])
    except jsonschema.ValidationError as problem:
        where = "/".join(str(part) for part in problem.absolute_path)[:200]
        raise UsageProblem(
            f"The relayed report breaks its schema at {where or 'the top'}; nothing was posted."
        ) from None
    except (KeyError, TypeError, ValueError, RecursionError) as problem:
        raise UsageProblem(f"The relayed report is malformed ({type(problem).__name__}); nothing was posted.") from None
    if len(report.findings) > MAX_FINDINGS or not all(map(_inside, report.findings)):
        raise UsageProblem(
            "The relayed report names files outside the repository, or too many findings; it was not posted."
        )
    return Relayed(str(data["id"]), str(data["head_sha"]), report)


_FIELDS = {"schema", "id", "head_sha", "report"}


def _member(archive: bytes) -> bytes:
    """The one file, read in memory up to a limit; member names are compared, never used as paths."""
    if len(archive) > COMPRESSED_LIMIT:
        raise UsageProblem(f"The relayed artifact holds more than {COMPRESSED_LIMIT:,} bytes; nothing was posted.")
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as opened:
            members = opened.infolist()
            if len(members) != 1 or members[0].filename != FILE or members[0].file_size > RAW_LIMIT:
                raise UsageProblem(f"The relayed artifact must hold one file `{FILE}` of at most {RAW_LIMIT:,} bytes.")
            with opened.open(members[0]) as stream:
                content = stream.read(RAW_LIMIT + 1)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError) as problem:
        raise UsageProblem(f"The relayed artifact is no proper archive ({type(problem).__name__}).") from None
    if len(content) > RAW_LIMIT:
        raise UsageProblem(f"The relayed file unpacks to more than {RAW_LIMIT:,} bytes; nothing was posted.")
    return content


def _inside(finding: Finding) -> bool:
    paths = [
        finding.location.path if finding.location else "",
        finding.suggestion.path or "" if finding.suggestion else "",
    ]
    return all(not path.startswith("/") and ".." not in PurePosixPath(path).parts for path in paths)


def _without_data(report: Report) -> Report:
    def bare(finding: Finding) -> Finding:
        return replace(finding, evidence=replace(finding.evidence, data={}))

    return replace(report, findings=tuple(map(bare, report.findings)), fixed=tuple(map(bare, report.fixed)))


def _without_maps(report: Report) -> tuple[Any, ...]:
    return tuple(replace(target, maps=()) for target in report.targets)


def _with_little_evidence(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    return tuple(replace(f, evidence=Evidence(f.evidence.kind, f.evidence.sentences[:3])) for f in findings)
