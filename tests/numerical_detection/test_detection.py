"""Every family of defects in every form: the operator and its line named, shown by a run, mended; the twin is silent.

The mended file is exported again: it is silent too.
"""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from analyzer.findings import Confidence, Finding
from analyzer.numerical.confirm.confirmation import Confirmer

from .cases import CASES, FORMS, Case
from .conftest import CORPUS, Corpus, apply_suggestions, export_all

ENTRIES = {
    "torch": "torch_defects.py:",
    "tf2": "tensorflow_defects.py:tf2_",
    "tf1": "tensorflow_defects.py:tf1_",
    "keras": "keras_defects.py:",
}
ROUNDS = 3  # a line with two defects is mended one by one


class Analysed:
    """The findings of the defective and of the repaired program in each form."""

    def __init__(self, corpus: Corpus, work: Path) -> None:
        self.corpus, self.work = corpus, work
        self.defective = {form: corpus.analyse(ENTRIES[form] + "defective") for form in FORMS}
        self.repaired = {form: corpus.analyse(ENTRIES[form] + "repaired", confirm=False) for form in FORMS}

    def hit(self, form: str, case: Case) -> Finding:
        """The finding at the defect's own line."""
        line = self.corpus.line_of(ENTRIES[form].split(":")[0], case.name)
        rule = f"numerical/{case.rule_in(form)}"
        found = self.defective[form].findings
        hits = [f for f in found if f.rule == rule and f.location is not None and f.location.line == line]
        assert hits, [(f.rule, f.node, f.location) for f in found]
        return hits[0]


@pytest.fixture(scope="session")
def analysed(project: Path, confirmer: Confirmer, tmp_path_factory: pytest.TempPathFactory) -> Analysed:
    out = tmp_path_factory.mktemp("exported")
    graphs = {}
    for number, forms in enumerate((["torch"], ["tf1", "tf2", "keras"])):  # one process for each framework
        entries = [ENTRIES[form] + twin for form in forms for twin in ("defective", "repaired")]
        graphs.update(export_all(entries, project, out / str(number)))
    corpus = Corpus(project, graphs, confirmer, tmp_path_factory.mktemp("results"))
    return Analysed(corpus, tmp_path_factory.mktemp("mended"))


EXPECTED = [pytest.param(form, c, id=f"{form}-{c.name}") for form in FORMS for c in CASES if form in c.forms]


@pytest.mark.parametrize(("form", "case"), EXPECTED)
def test_the_defective_line_is_named_shown_and_mended(analysed: Analysed, form: str, case: Case) -> None:
    finding = analysed.hit(form, case)
    assert finding.confidence is Confidence.CONFIRMED
    assert finding.reproducer is not None
    test = analysed.corpus.output / finding.reproducer
    assert test.is_file()
    assert (test.parent / (test.stem.removeprefix("reproduce_") + ".npz")).is_file()
    assert finding.evidence.tables[0].rows
    assert len(finding.message) <= 200
    suggestion = finding.suggestion
    assert suggestion is not None
    assert suggestion.proved
    assert suggestion.replacement is not None, suggestion.description
    assert case.mended_in(form) in suggestion.replacement.replace("logsigmoid", "log_sigmoid")
    assert suggestion.path is not None
    assert suggestion.line is not None
    assert suggestion.end_line is not None
    text = (analysed.corpus.root / suggestion.path).read_text()
    lines = text.splitlines()
    lines[suggestion.line - 1 : suggestion.end_line] = suggestion.replacement.splitlines()
    ast.parse("\n".join(lines))
    assert "\n".join(lines) != text.rstrip("\n")


@pytest.mark.parametrize("form", FORMS)
def test_nothing_but_the_marked_lines_is_reported(analysed: Analysed, form: str) -> None:
    """Findings without a mark of their own stand within a few lines of the defect that they belong to."""
    file = ENTRIES[form].split(":")[0]
    marked = [analysed.corpus.line_of(file, c.name) for c in CASES if form in c.forms]
    for finding in analysed.defective[form].findings:
        assert finding.location is not None
        assert any(abs(finding.location.line - line) <= 1 for line in marked), (finding.rule, finding.location)


@pytest.mark.parametrize("form", FORMS)
def test_the_repaired_twins_are_silent(analysed: Analysed, form: str) -> None:
    assert [(f.rule, f.node, f.location) for f in analysed.repaired[form].findings] == []


@pytest.mark.parametrize("form", FORMS)
def test_a_file_with_the_suggestions_applied_is_silent_when_exported_again(analysed: Analysed, form: str) -> None:
    root = analysed.work / form / "box" / "project"
    shutil.copytree(CORPUS, root)
    entry = ENTRIES[form] + "defective"
    findings = analysed.defective[form].findings
    for number in range(ROUNDS):
        assert apply_suggestions(root, findings) > 0
        graphs = export_all([entry], root, analysed.work / form / f"out{number}")
        corpus = Corpus(root, graphs, analysed.corpus.confirmer, analysed.work / form / "results")
        findings = corpus.analyse(entry, confirm=False).findings
        if not findings:
            return
        findings = corpus.analyse(entry, confirm=False, explain=True).findings
    assert [(f.rule, f.node, f.location) for f in findings] == []


SHOWN = [
    ("torch", "log_of_softmax"),
    ("torch", "masked_attention"),
    ("keras", "free_energy"),
    ("tf2", "untaken_branch"),
    *(pytest.param(form, "sqrt_of_exp", marks=pytest.mark.study) for form in ("torch", "tf1")),
]


@pytest.mark.parametrize(("form", "name"), SHOWN)
def test_the_reproducer_stands_alone_and_fails(analysed: Analysed, form: str, name: str) -> None:
    finding = analysed.hit(form, next(c for c in CASES if c.name == name))
    assert finding.reproducer is not None
    path = analysed.corpus.output / finding.reproducer
    for threads in ("1", "4"):
        environment = {**os.environ, "OMP_NUM_THREADS": threads, "TF_NUM_INTRAOP_THREADS": threads}
        done = subprocess.run(
            [sys.executable, "-I", str(path)], env=environment, capture_output=True, text=True, timeout=300, check=False
        )
        assert done.returncode == 1, done.stdout[-1500:] + done.stderr[-500:]
        assert "not finite" in done.stdout
    if form != "torch":
        return  # one language says what is missing for all
    for needed in path.parent.glob(f"{path.stem.removeprefix('reproduce_')}.*"):
        needed.rename(needed.with_suffix(needed.suffix + ".away"))
    done = subprocess.run([sys.executable, "-I", str(path)], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 2, done.stdout[-1500:]
    assert "could not be run" in done.stdout
    assert "analyzer" not in path.read_text()


def test_a_finding_says_which_range_would_make_it_vanish(analysed: Analysed) -> None:
    finding = analysed.hit("torch", next(c for c in CASES if c.name == "clip_discarded"))
    assert any("would vanish if logits stayed within" in s for s in finding.evidence.sentences)
    assert any(a.startswith("logits in [-100, 100] (default") for a in finding.evidence.assumptions)
