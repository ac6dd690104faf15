"""`report.sarif`: the findings as SARIF 2.1.0 (OASIS), for code scanning and editors."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from analyzer.findings import Finding, Level, Report, Status, Suggestion
from analyzer.rendering.rules import help_uri, title

SCHEMA_URI = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "note"}
_SEVERITY = {Level.ERROR: "8.0", Level.WARNING: "5.0", Level.NOTE: "2.0"}


def dumps(report: Report) -> str:
    return json.dumps(to_sarif(report), indent=1, ensure_ascii=False) + "\n"


def to_sarif(report: Report) -> dict[str, Any]:
    """One run; a finding without a source line points to the model file, and always to its layer."""
    rules = sorted({finding.rule for finding in report.findings})
    index = {rule: position for position, rule in enumerate(rules)}
    paths = {target.id: target.path.partition(":")[0] for target in report.targets}
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
                            {"level": "error", "message": {"text": target.error or "could not be analysed"}}
                            for target in report.targets
                            if target.status is Status.FAILED
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
        result["suppressions"] = [{"kind": "external", "justification": finding.suppressed}]
    fix = _fix(finding.suggestion)
    if fix:
        result["fixes"] = [fix]
    return result


def _message(finding: Finding) -> str:
    where = f" (layer {finding.layer})" if finding.layer else ""
    return f"{finding.message}{where}"


def _location(finding: Finding, model: str) -> dict[str, Any]:
    place: dict[str, Any] = {}
    if finding.location is not None:
        region: dict[str, Any] = {"startLine": finding.location.line}
        if finding.location.end_line:
            region["endLine"] = finding.location.end_line
        place["physicalLocation"] = {"artifactLocation": _artifact(finding.location.path), "region": region}
    elif model:
        place["physicalLocation"] = {"artifactLocation": _artifact(model)}
    name = finding.node or finding.layer
    if name:
        qualified = f"{finding.layer}/{finding.node}" if finding.layer and finding.node else name
        place["logicalLocations"] = [{"name": name, "fullyQualifiedName": qualified, "kind": "member"}]
    return place


def _artifact(path: str) -> dict[str, Any]:
    return {"uri": quote(path), "uriBaseId": "SRCROOT"}


def _fix(suggestion: Suggestion | None) -> dict[str, Any] | None:
    if suggestion is None or suggestion.path is None or suggestion.line is None or suggestion.replacement is None:
        return None
    end = suggestion.end_line or suggestion.line
    return {
        "description": {"text": suggestion.description},
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
