"""Defective programs as people write them and their repaired twins: each defect on its line, each twin silent."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer.findings import Level
from analyzer.tracing.framework_api import check_framework_names
from analyzer.tracing.tracer import Problem
from analyzer.tracing.tracing import explore, read_source
from analyzer.tracing.versions import read_versions

CORPUS = Path(__file__).parent / "corpus"
PROGRAMS = sorted(p.name for p in CORPUS.iterdir() if (p / "broken.py").is_file())


def problems_of(path: Path) -> list[Problem]:
    _, tree = read_source(path, path.parent)
    versions = read_versions(path.parent)
    shared = explore(path.parent, path.name, tree, versions)
    return [*shared.problems.values(), *check_framework_names(tree, path.name, versions)]


def test_the_corpus_is_large_enough() -> None:
    assert len(PROGRAMS) >= 60
    for name in PROGRAMS:
        assert (
            20 <= len((CORPUS / name / "broken.py").read_text().splitlines()) <= 300
            or name.startswith("tf1-set-shape")
            or name == "tf1-reshape-size"
        )


@pytest.mark.parametrize("name", PROGRAMS)
def test_defect_is_reported_on_its_line(name: str) -> None:
    path = CORPUS / name / "broken.py"
    lines = path.read_text().splitlines()
    line = next(i for i, text in enumerate(lines, 1) if "# <- expected" in text)
    rule = lines[line - 1].partition("# <- expected")[2].lstrip(": ").strip() or "tracing/incompatible-shape"
    found = problems_of(path)
    assert (rule, line) in [(p.rule, p.site.line) for p in found], [(p.rule, p.site.line, p.message) for p in found]
    if rule == "tracing/incompatible-shape":
        assert all(p.certain for p in found if p.rule == rule and p.site.line == line)
    others = [p for p in found if p.level == Level.ERROR and (p.rule, p.site.line) != (rule, line)]
    assert not others, "an error elsewhere is a false one"


@pytest.mark.parametrize("name", PROGRAMS)
def test_repaired_twin_is_silent(name: str) -> None:
    found = problems_of(CORPUS / name / "fixed.py")
    assert not found, [(p.rule, p.site.line, p.message) for p in found]
