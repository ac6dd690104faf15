"""`report.sarif`: the findings as SARIF 2.1.0 (OASIS), for code scanning and editors."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import quote

from analyzer.findings import Finding, Level, Report, Status, Suggestion
from analyzer.rendering.markdown_text import clean, writable
from analyzer.rendering.rules import help_uri, title

SCHEMA_URI = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
TEXT_LIMIT = 4_000
CONFIGURATION = ".assay.yml"
_LEVELS = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "note"}
_SEVERITY = {Level.ERROR: "8.0", Level.WARNING: "5.0", Level.NOTE: "2.0"}


def dumps(report: Report) -> str:
    return writable(json.dumps(to_sarif(report), indent=1, ensure_ascii=False) + "\n")


def to_sarif(report: Report) -> dict[str, Any]:
    """One run; a finding without a source line points to the model file, and always to its layer."""
    rules = sorted({finding.rule for finding in report.findings})
    index = {rule: position for position, rule in enumerate(rules)}
    paths = {target.id: target.file for target in report.targets}
    return {
        "$schema": SCHEMA_URI,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "Assay",
                        "semanticVersion": str(report.tool.get("version", "0")),
                        "informationUri": "https://github.com/assay-action/assay",
                        "rules": [_rule(rule, report) for rule in rules],
                    }
                },
                "originalUriBaseIds": {"SRCROOT": {"description": {"text": "The root of the repository."}}},
                "columnKind": "unicodeCodePoints",
                "results": [_result(f, index[f.rule], paths.get(f.target, ""), report) for f in report.findings],
                "invocations": [
                    {
                        "executionSuccessful": all(t.status is not Status.FAILED for t in report.targets),
                        "toolExecutionNotifications": [
                            {"level": "error", "message": {"text": _text(target.error or "could not be analysed")}}
                            for target in report.targets
                            if target.status is Status.FAILED
                        ]
                        + [
                            {"level": "note", "message": {"text": _text(f"{target.id}: {note}")}}
                            for target in report.targets
                            for note in target.notes
                        ],
                    }
                ],
            }
        ],
    }


def _rule(rule: str, report: Report) -> dict[str, Any]:
    worst = min((f.level for f in report.findings if f.rule == rule), key=list(Level).index)
    return {
        "id": rule,
        "name": "".join(word.capitalize() for word in rule.replace("/", "-").split("-")),
        "shortDescription": {"text": title(rule)},
        "helpUri": help_uri(rule),
        "defaultConfiguration": {"level": _LEVELS[worst]},
        "properties": {"tags": [rule.partition("/")[0]], "security-severity": _SEVERITY[worst]}
        if rule.startswith("security/")
        else {"tags": [rule.partition("/")[0]]},
    }


def _result(finding: Finding, rule_index: int, model: str, report: Report) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": rule_index,
        "level": _LEVELS[finding.level],
        "message": {"text": _message(finding)},
        "locations": [_location(finding, model)],
        "partialFingerprints": {"assay/v1": finding.fingerprint},
        "properties": {"confidence": str(finding.confidence), "target": finding.target},
    }
    if report.base is not None:
        result["baselineState"] = "new" if finding.new else "unchanged"
    if finding.suppressed is not None:
        result["suppressions"] = [{"kind": "external", "justification": _text(finding.suppressed)}]
    fix = _fix(finding.suggestion)
    if fix:
        result["fixes"] = [fix]
    return result


def _message(finding: Finding) -> str:
    where = f" (layer {finding.layer})" if finding.layer else ""
    return _text(f"{finding.message}{where}")


def _text(text: str) -> str:
    """A message in plain text: viewers make links of brackets in it, so those are escaped (SARIF 2.1.0, 3.11.6)."""
    return re.sub(r"([\\\[\]])", r"\\\1", clean(text, TEXT_LIMIT))


def _location(finding: Finding, model: str) -> dict[str, Any]:
    place: dict[str, Any] = {}
    if finding.location is not None:
        region: dict[str, Any] = {"startLine": finding.location.line}
        if finding.location.end_line:
            region["endLine"] = finding.location.end_line
        if finding.location.column:
            region["startColumn"] = finding.location.column
        place["physicalLocation"] = {"artifactLocation": _artifact(finding.location.path), "region": region}
    else:  # code scanning takes no result without a file
        place["physicalLocation"] = {"artifactLocation": _artifact(model or CONFIGURATION)}
    name = finding.node or finding.layer
    if name:
        qualified = f"{finding.layer}/{finding.node}" if finding.layer and finding.node else name
        names = {"name": clean(name, TEXT_LIMIT), "fullyQualifiedName": clean(qualified, TEXT_LIMIT)}
        place["logicalLocations"] = [{**names, "kind": "member"}]
    return place


def _artifact(path: str) -> dict[str, Any]:
    return {"uri": quote(path, errors="replace"), "uriBaseId": "SRCROOT"}


def _fix(suggestion: Suggestion | None) -> dict[str, Any] | None:
    if suggestion is None or suggestion.path is None or suggestion.line is None or suggestion.replacement is None:
        return None
    end = suggestion.end_line or suggestion.line
    return {
        "description": {"text": _text(suggestion.description)},
        "artifactChanges": [
            {
                "artifactLocation": _artifact(suggestion.path),
                "replacements": [
                    {
                        "deletedRegion": {
                            "startLine": suggestion.line,
                            "startColumn": 1,
                            "endLine": end + 1,
                            "endColumn": 1,
                        },
                        "insertedContent": {"text": suggestion.replacement.rstrip("\n") + "\n"},
                    }
                ],
            }
        ],
    }
