"""A report whose every text is hostile, through every renderer: nothing that a stranger wrote comes to life."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from urllib.parse import unquote

from hypothesis import given
from hypothesis import strategies as st

from action import markers, relay, review
from action.diff import Changes
from action.review import ReviewContext
from analyzer.findings import DeviationMap, Location, Report
from analyzer.rendering.markdown import Links, summary
from analyzer.rendering.mermaid import diagram
from analyzer.rendering.rules import DOCS
from tests.action.hostile_markdown import hostile, live_parts, tokens
from tests.action.hostile_reports import maps, reports

SERVER = "https://github.example"
CONTEXT = ReviewContext("assay", "octo/models", SERVER, "a" * 40, 5, 1)
OWN_HTML = re.compile(
    r"\A\s*(?:<!-- assay:[a-z]+(?: [a-z]+=[A-Za-z0-9._-]+)* -->|</?(?:details|summary|b|code)(?: open)?>|[^<>])*\Z"
)


def foreign_parts(markdown: str) -> list[str]:
    """What is live and not ours: our links lead to our rules and to lines of this repository, our HTML folds."""
    found = []
    for part in live_parts(markdown):
        kind, _, content = part.partition(" ")
        ours = (
            (kind == "link" and content.startswith((f"{DOCS}/", f"{SERVER}/octo/models/blob/{'a' * 40}/")))
            or (kind == "html" and OWN_HTML.match(content))
            or (kind == "image" and content == "https://pictures.example/1.png")
        )
        if not ours:
            found.append(part)
    return found


def folds(markdown: str) -> int:
    return markdown.count("<details") - markdown.count("</details>")


@given(reports)
def test_the_summary(report: Report) -> None:
    names = [p for t in report.targets for p in t.pictures]
    links = Links(line=CONTEXT.line_address, pictures=dict.fromkeys(names, "https://pictures.example/1.png"))
    for text in (
        summary(report, links=links),
        review.summary_comment(report, CONTEXT),
        review.step_summary(report, CONTEXT),
    ):
        assert foreign_parts(text) == []
        text.encode()  # no lone surrogates
    marker = markers.read(review.summary_comment(report, CONTEXT))
    assert marker
    assert marker.fields == {"id": "assay", "sha": "a" * 40, "run": "5.1"}


def test_a_line_of_a_path_that_is_not_utf8_still_has_an_address() -> None:
    path = b"caf\xe9/m.py".decode("utf-8", "surrogateescape")
    assert CONTEXT.line_address(Location(path, 3)) == f"{SERVER}/octo/models/blob/{'a' * 40}/caf%3F/m.py#L3"


@given(reports)
def test_inline_comments(report: Report) -> None:
    changes = Changes(frozenset({"m.py"}), {"m.py": (range(1, 60),)})
    for comment in review.inline_comments(report, CONTEXT, changes, 30):
        assert foreign_parts(comment.body) == []
        marker = markers.read(comment.body)
        assert marker
        assert tuple(marker.get("fp").split(".")) == comment.fingerprints
        assert markers.read(review.fixed_body(comment.body, CONTEXT)).fields == {**marker.fields, "state": "fixed"}  # type: ignore[union-attr]
        blocks = [t for t in tokens(comment.body) if t.type == "fence" and t.info == "suggestion"]
        assert len(blocks) <= 1
        if blocks:
            fixes = [f.suggestion for f in report.findings if f.fingerprint in comment.fingerprints and f.suggestion]
            contents = [(fix.replacement or "").removesuffix("\n") + "\n" for fix in fixes]
            assert blocks[0].content in contents
        comment.body.encode()


@given(reports)
def test_the_check_run(report: Report) -> None:
    check = review.check_run(report, CONTEXT)
    assert foreign_parts(check.summary) == []
    for annotation in check.annotations:
        for text in (annotation.path, annotation.title, annotation.message):
            assert text.isprintable()
        assert len(annotation.title) <= 255
        json.dumps([annotation.details, annotation.path]).encode()


@given(maps)
def test_the_diagram(deviations: DeviationMap) -> None:
    text = r'[^"`<>;&%{}()@|\\\[\]]*'
    box = re.compile(rf'  (?:n\d+|rest)\["{text}(?:#\d+;{text})*"\](?::::\w+)?')
    for line in diagram(deviations).split("\n")[1:]:
        assert box.fullmatch(line) or re.fullmatch(r"  n\d+ --> n\d+|  classDef \w+ [\w:#,. -]+", line), line


@given(reports)
def test_a_relayed_report_says_the_same_or_is_refused(report: Report) -> None:
    from analyzer.problem import UsageProblem
    from tests.github_simulator.routes import zipped

    inside = replace(report, findings=tuple(replace(f, location=Location("m.py", 3)) for f in report.findings))
    try:
        back = relay.unpack(zipped({relay.FILE: relay.pack(inside, "assay", "a" * 40).encode()}))
    except UsageProblem:
        return
    assert foreign_parts(summary(back.report)) == []


@given(hostile, st.integers(1, 10**6))
def test_an_address_never_leaves_its_parentheses(path: str, line: int) -> None:
    path = path.encode("utf-8", "ignore").decode()
    address = CONTEXT.line_address(Location(path, line)) or ""
    assert not set(address) & set(" ()<>\"'`|\\\n\r")
    assert unquote(address.partition("#")[0]).endswith(path)


def test_templates_never_switch_escaping_off() -> None:
    from analyzer.rendering.markdown import TEMPLATES

    for template in TEMPLATES.glob("*.md"):
        text = template.read_text(encoding="utf-8")
        assert "|safe" not in text
        assert " ~ " not in text
        assert "autoescape" not in text
