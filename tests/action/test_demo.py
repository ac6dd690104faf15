"""`assay demo` around the action: the repository, the simulator, the rendered conversation. The analyses are given."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from action.__main__ import main
from action.demo.page import screenshot
from action.demo.run import run_demo
from action.github import GitHub, RetryBudget
from action.run import Outside
from analyzer.findings import Location, Report
from analyzer.problem import UsageProblem
from tests.action.hostile_markdown import live_parts
from tests.action.reports import KERNEL, report


def launch(environment: Mapping[str, str], log: Path) -> int:
    """The action in this process, with one finding on a line that the example pull request changes."""
    finding = replace(KERNEL, location=Location("vae/model.py", 33), message="it <b>breaks</b> for @everyone")

    def analyse(*_: object, **__: object) -> Report:
        return report(finding)

    outside = Outside(
        github=lambda s: GitHub(s.repository, s.api_url, s.graphql_url, s.token, RetryBudget(pause=0)),
        sandbox=lambda settings, plan, base: (None, None),
        pipeline=analyse,
        write=lambda made, output: made,
    )
    stream = io.StringIO()
    code = main(dict(environment), stream, outside)
    log.write_text(stream.getvalue(), encoding="utf-8")
    return code


def test_the_demo_leaves_a_review(tmp_path: Path) -> None:
    demo = run_demo(tmp_path / "demo", lambda _: None, launch=launch)
    assert demo.code == 1
    text = demo.review.read_text(encoding="utf-8")
    assert "1 new problem" in text
    assert "**Comment on** `vae/model.py:33`" in text
    page = demo.page.read_text(encoding="utf-8")
    assert 'class="add"' in page
    assert "<b>breaks</b>" not in page
    assert live_parts(text.split("---")[0].split("\n\n")[0]) == []
    run_demo(tmp_path / "demo", lambda _: None, launch=launch)  # its own folder is made anew


def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(UsageProblem, match="--out"):
        run_demo(tmp_path, lambda _: None, launch=launch)
    assert (tmp_path / "thesis.txt").exists()


def test_an_action_that_breaks_shows_its_log(tmp_path: Path) -> None:
    def broken(environment: Mapping[str, str], log: Path) -> int:
        log.write_text("it went wrong here\n")
        return 3

    with pytest.raises(UsageProblem, match="it went wrong here"):
        run_demo(tmp_path / "demo", lambda _: None, launch=broken)


@pytest.mark.browser
def test_the_page_has_a_picture(tmp_path: Path) -> None:
    source = tmp_path / "page.html"
    source.write_text("<!doctype html><title>x</title><h1>x</h1>")
    made = screenshot(source, tmp_path / "page.png")
    if made is None:
        pytest.skip("Chromium is not installed")
    assert made.read_bytes().startswith(b"\x89PNG")
