"""`report.json` and `report.sarif`: contracts, round trips."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from sarif_pydantic import Sarif

from analyzer.configuration.schemas import schema
from analyzer.findings import Confidence, Evidence, Finding, Level, Location, Report, Status, Suggestion, TargetReport
from analyzer.rendering import report_json, sarif, terminal
from analyzer.rendering.clauses import brief
from analyzer.rendering.headline import duration, headline
from analyzer.rendering.markdown import summary
from analyzer.rendering.page import page
from tests.rendering.sample_report import sample_report

REPORT = schema("report")


def test_the_schemas_are_schemas() -> None:
    for name in ("report", "config"):
        jsonschema.Draft202012Validator.check_schema(schema(name))


def test_report_json_keeps_the_contract_and_comes_back_unchanged() -> None:
    report = sample_report()
    text = report_json.dumps(report)
    data = json.loads(text)
    jsonschema.Draft202012Validator(REPORT).validate(data)
    assert data["schema"] == "assay-report/1"
    assert data["verdict"] == "fail"
    assert report_json.dumps(report_json.from_json(data)) == text


def test_the_schema_refuses_what_is_not_a_report() -> None:
    data = report_json.to_json(sample_report())
    for damage in ({"verdict": "maybe"}, {"schema": "assay-report/2"}, {"findings": [{}]}, {"extra": 1}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.Draft202012Validator(REPORT).validate({**data, **damage})


texts = st.text(st.characters(codec="utf-8"), max_size=40)
findings = st.builds(
    Finding,
    rule=st.sampled_from(["numerical/overflow", "validity/illegal-shape"]),
    level=st.sampled_from(list(Level)),
    confidence=st.sampled_from(list(Confidence)),
    message=st.text(st.characters(codec="utf-8"), min_size=1, max_size=40),
    target=texts,
    layer=texts,
    node=texts,
    location=st.none() | st.builds(Location, st.text("abc/", min_size=1, max_size=9), st.integers(1, 9999)),
    evidence=st.builds(Evidence, st.just("static"), st.lists(texts, max_size=3).map(tuple)),
    suggestion=st.none() | st.builds(Suggestion, texts),
    new=st.booleans(),
)


@given(st.lists(findings, max_size=5))
def test_any_findings_survive_json_and_make_valid_sarif(found: list[Finding]) -> None:
    report = replace(sample_report(), findings=tuple(found))
    data = json.loads(report_json.dumps(report))
    jsonschema.Draft202012Validator(REPORT).validate(data)
    assert report_json.from_json(data).findings == report.findings
    Sarif.model_validate(sarif.to_sarif(report))


def test_sarif_says_what_code_scanning_needs() -> None:
    report = sample_report()
    run = json.loads(sarif.dumps(report))["runs"][0]
    results = run["results"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert [rules[r["ruleIndex"]] for r in results] == [r["ruleId"] for r in results]
    first = results[0]
    assert first["level"] == "error"
    assert first["baselineState"] == "new"
    assert first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "models/vae.py"
    assert first["locations"][0]["physicalLocation"]["region"]["startLine"] == 42
    assert first["partialFingerprints"] == {"assay/v1": report.findings[0].fingerprint}
    assert "logsigmoid" in json.dumps(first["fixes"])
    assert [r["baselineState"] for r in results] == ["new", "new", "unchanged", "new"]
    assert results[3]["suppressions"][0]["justification"] == "accepted until the rewrite"
    assert results[2]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "models/vae.py"
    assert run["invocations"][0]["executionSuccessful"] is False


def test_the_headline_counts_models_and_traced_files_apart() -> None:
    report = sample_report()
    (blocked,) = {f.target for f in report.blocking}
    (model,) = [t for t in report.targets if t.id == blocked]
    traced = [replace(model, id=f"{name}.py", path=f"{name}.py", kind="python") for name in ("train", "data")]
    sound = replace(model, id="sound")
    broken = replace(report.blocking[0], target="train.py")
    text = headline(replace(report, targets=(model, sound, *traced), findings=(*report.findings, broken))).text
    assert text.endswith("in 1 of 2 changed models and 1 of 2 Python files")
    only = headline(replace(report, targets=tuple(traced), findings=(broken,))).text
    assert only.endswith("in 1 of 2 Python files")


def test_one_reason_of_several_models_is_told_once() -> None:
    reason = "module 'torch' is not installed where the export runs; install it there"
    targets = tuple(
        TargetReport(f"m.py:{name}", "entry", f"m.py:{name}", Status.FAILED, f"m.py:{name}: {reason} (m.py:{line})")
        for line, name in enumerate("abc", 1)
    )
    other = TargetReport("w.onnx", "onnx", "w.onnx", Status.FAILED, "w.onnx: the file ends early (w.onnx:1)")
    console = Console(width=200, record=True, file=io.StringIO())
    terminal.show(Report((*targets, other), ()), console)
    told = [line for line in console.export_text().splitlines() if line.startswith("!")]
    assert told == [f"! 3 models: {reason}", "! w.onnx: the file ends early (w.onnx:1)"]


def test_a_file_whose_entry_point_is_a_model_is_counted_as_that() -> None:
    """A problem at a line of the file is one of the model: the page counts as the comment does."""
    report = sample_report()
    (blocked,) = {f.target for f in report.blocking}
    (model,) = [t for t in report.targets if t.id == blocked]
    entry = replace(model, kind="entry", path="models/vae.py:build")
    own, other = (replace(model, id=name, path=name, kind="python") for name in ("models/vae.py", "train.py"))
    both = replace(report, targets=(entry, own, other))
    assert headline(both).text.endswith("in 1 of 1 changed model and 0 of 1 Python file")
    assert "in 1 of 1 model and 0 of 1 Python file" in page(both)


def test_what_one_change_mends_is_one_item() -> None:
    report = sample_report()
    first = next(f for f in report.blocking if f.location and f.suggestion)
    assert first.location
    beside = replace(first, message="`div` divides by 0", node="div", location=replace(first.location, line=41))
    text = summary(replace(report, findings=(first, beside)))
    assert text.count("**Mend**") == 1
    assert "\n    Also `div` divides by 0 in `VAE.loss`\n" in text
    assert "`models/vae.py:41` (confirmed)" in text
    assert "2 new problems" in text


def test_ranges_of_weights_are_counted_in_the_comment_and_told_on_the_page() -> None:
    report = sample_report()
    assumed = ("x in [0, 1]", "`w` in [-3, 3] (initial values [-1, 1], widened)", "`b` in [-1, 1] (initial values 0)")
    told = replace(report, targets=(replace(report.targets[0], assumptions=assumed),))
    text = summary(told)
    assert "ranges of 2 weights, on the page" in text
    assert "widened" not in text
    assert "widened" in page(told)


def test_a_problem_is_one_clause_and_nothing_of_it_is_lost() -> None:
    """What and where in one line, the mend below; how it comes about stands in the fold, with the whole sentence."""
    report = sample_report()
    text = summary(report)
    seen, _, folded = text.partition("<details>")
    for finding in report.blocking:
        assert brief(finding) in seen
        assert finding.message in folded
        assert str(finding.confidence) in folded
    assert "confirmed" not in seen
    assert duration(report.seconds) not in seen
    assert duration(report.seconds) in folded


@pytest.mark.parametrize(
    ("rule", "message", "said"),
    [
        (
            "numerical/exp-overflow",
            "`exp` overflows: its operand reaches 9e6, float32 ends at 88.72",
            "`exp` overflows",
        ),
        ("tracing/incompatible-shape", "Linear `fc`: it takes 4 features", "Linear `fc`: it takes 4 features"),
        (
            "differential/x",
            "A deviates by 0.09 in `shrink` (Pool); rounding explains 2e-07",
            "A deviates by 0.09 in `shrink`",
        ),
        ("checkpoint/x", "Only 3 of 5 would be loaded, and nothing says so.", "Only 3 of 5 would be loaded"),
        (
            "validity/x",
            "no (what stands in brackets is nearly all of this)",
            "no (what stands in brackets is nearly all of this)",
        ),
    ],
)
def test_what_one_clause_says(rule: str, message: str, said: str) -> None:
    assert brief(replace(sample_report().findings[0], rule=rule, message=message)) == said
