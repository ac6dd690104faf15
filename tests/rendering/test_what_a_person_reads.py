"""Sentences, tables and counts of a review: each thing once, by its name, with nothing of the machinery."""

from __future__ import annotations

import html
import re
from dataclasses import replace

import pytest
from markdown_it import MarkdownIt

from analyzer.differential.known import KnownIssue
from analyzer.findings import Evidence, Location, Table, TargetReport
from analyzer.rendering.clauses import CHAIN
from analyzer.rendering.headline import headline
from analyzer.rendering.markdown import evidence, summary
from analyzer.rendering.markdown_text import prose
from analyzer.rendering.page import page
from tests.rendering.sample_report import sample_report


def test_a_python_file_that_is_wrong_is_counted_however_it_was_reached() -> None:
    """Three files are traced, one of them is wrong: told of the file itself, or of the script that reaches it."""
    report = sample_report()
    files = tuple(TargetReport(name, "python", name) for name in ("a.py", "b.py", "train.py"))
    own = replace(report.blocking[0], target="b.py", location=Location("b.py", 3))
    for finding in (own, replace(own, target="train.py")):
        text = headline(replace(report, targets=files, findings=(finding,))).text
        assert not re.search(r"\b0 of 3", text), text
    assert "1 of 3 Python files" in headline(replace(report, targets=files, findings=(own,))).text


def test_a_known_issue_is_a_link_without_a_bracket_in_its_code() -> None:
    known = KnownIssue("k", "Keras pads wrongly", ("keras-team/keras#23233", "onnx/onnx#5"), (None, None), "keras")
    text = str(prose(known.sentence))
    rendered = MarkdownIt("commonmark").render(text)
    links = re.findall(r'<a href="([^"]+)">([^<]+)</a>', rendered)
    assert [shown for _, shown in links] == ["keras-team/keras issue 23233", "onnx/onnx issue 5"]
    assert all(address.startswith("https://redirect.github.com/") for address, _ in links)
    assert not re.search(r"<code>[^<]*[()][^<]*</code>", rendered)
    plain = html.unescape(re.sub(r"<[^>]*>", "", rendered))
    assert "(keras-team/keras issue 23233, onnx/onnx issue 5; keras, open)" in plain


def test_what_has_a_comment_of_its_own_is_not_repeated_in_the_folds() -> None:
    report = sample_report()
    told = {f.fingerprint for f in report.blocking}
    alone, beside = summary(report), summary(report, elsewhere=told)
    for finding in report.blocking:
        for sentence in finding.evidence.sentences:
            assert sentence in alone.replace("\\", "")
            assert sentence not in beside.replace("\\", "")
    assert report.blocking[0].reproducer
    assert report.blocking[0].reproducer in alone
    assert report.blocking[0].reproducer not in beside
    assert len(beside) < len(alone)


@pytest.mark.parametrize("count", [3, 8, 9, 30])
def test_a_chain_shows_its_beginning_and_what_is_next_to_the_failure(count: int) -> None:
    rows = tuple((f"v{n}", "Add", "[0, 1]", "", "") for n in range(count))
    table = Table(("value", "operator", "range", "layer", "line"), rows)
    report = sample_report()
    finding = replace(report.blocking[0], evidence=Evidence("interval", (), (table,)))
    shown = re.findall(r"^\| v(\d+) ", evidence(finding), re.MULTILINE)
    assert len(shown) == min(count, CHAIN) <= 8
    assert shown == sorted(shown, key=int), "in the order of the computation"
    assert (shown[0], shown[-1]) == ("0", str(count - 1))
    assert ("more rows are on the page" in evidence(finding)) is (count > 8)
    whole = page(replace(report, findings=(finding,)))
    assert all(f"v{n}" in whole for n in range(count))


def test_a_sentence_on_engines_names_its_model() -> None:
    report = sample_report()
    one = replace(report.targets[0], maps=())
    other = replace(one, id="other", path="other.onnx")
    text = summary(replace(report, targets=(one, other), findings=()))
    for target in (one, other):
        assert f"`{target.id}`: torch deviates from the float64 reference" in text
