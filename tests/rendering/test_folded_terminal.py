"""Many findings that are only possible are one line of the terminal; few are listed."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest
from rich.console import Console

from analyzer.findings import Confidence, Finding, Level, Report, Suggestion, TargetReport
from analyzer.rendering.terminal import FEW, show


@pytest.mark.parametrize("count", [FEW, FEW + 1])
def test_possible_findings_are_one_line_where_there_are_many(count: int) -> None:
    sure = Finding("numerical/log-of-nonpositive", Level.ERROR, Confidence.CONFIRMED, "the sure one", "m", node="a")
    possible = [
        Finding("numerical/exp-overflow", Level.ERROR, Confidence.POSSIBLE, f"possible {i}", "m", node=f"n{i}")
        for i in range(count)
    ]
    report = Report(findings=(sure, *possible), targets=(TargetReport("m", "onnx", "m.onnx"),))
    console = Console(file=io.StringIO(), width=160)
    show(report, console)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "the sure one" in text
    assert ("possible 0" in text) == (count <= FEW)
    assert (f"{count} that are possible only" in text) == (count > FEW)
    assert "blocked by 1 finding" in text


def test_the_file_of_all_entry_points_is_told_once() -> None:
    names = ("transformer_wrapper", "continuous_transformer_wrapper")
    targets = tuple(TargetReport(f"assay_models.py:{n}", "entry", f"assay_models.py:{n}") for n in names)
    console = Console(file=io.StringIO(), width=80)
    show(Report(findings=(), targets=targets), console)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert text.count("assay_models.py") == 1
    assert all(any(line.split()[:1] == [name] for line in text.splitlines()) for name in names)  # whole, on one line


def test_the_change_and_the_command_that_shows_a_problem_again_are_told() -> None:
    mended = Suggestion("use log_softmax instead of log(softmax(x)); equal", proved=True)
    log = Finding("numerical/log-of-nonpositive", Level.ERROR, Confidence.CONFIRMED, "m", "m", node="a")
    log = replace(log, suggestion=mended, reproducer="targets/m/reproducers/reproduce_m.py")
    console = Console(file=io.StringIO(), width=80)
    show(Report(findings=(log,), targets=(TargetReport("m", "onnx", "m.onnx"),)), console, output="out")
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "mend: use log_softmax\n" in re.sub(r" +\n", "\n", text)  # the part behind `instead of` stands in the report
    assert "  reproduce: python out/targets/m/reproducers/reproduce_m.py\n  report: out/report.md\n" in text
