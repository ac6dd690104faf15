"""Every defect of the corpus: the operator and its line named, shown by a run, mended; the repaired twin is silent."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from analyzer.findings import Confidence, Finding
from analyzer.numerical.confirm.confirmation import Confirmer

from .cases import CASES, KERAS, Case
from .conftest import Corpus, export_all

FORMS = {
    "torch": "torch_defects.py:",
    "tf2": "tensorflow_defects.py:tf2_",
    "tf1": "tensorflow_defects.py:tf1_",
    "keras": "keras_defects.py:",
}


class Analysed:
    """The findings of the defective and of the repaired program in each form."""

    def __init__(self, corpus: Corpus, forms: list[str]) -> None:
        self.corpus = corpus
        self.defective = {form: corpus.analyse(FORMS[form] + "defective") for form in forms}
        self.repaired = {form: corpus.analyse(FORMS[form] + "repaired", confirm=False) for form in forms}

    def hit(self, form: str, case: Case) -> Finding:
        """The finding at the defect's own line."""
        line = self.corpus.line_of(FORMS[form].split(":")[0], case.name)
        rule = f"numerical/{case.rule}"
        found = self.defective[form].findings
        hits = [f for f in found if f.rule == rule and f.location is not None and f.location.line == line]
        assert hits, [(f.rule, f.node, f.location) for f in found]
        return hits[0]


@pytest.fixture(scope="session")
def analysed(project: Path, confirmer: Confirmer, tmp_path_factory: pytest.TempPathFactory) -> Analysed:
    out = tmp_path_factory.mktemp("exported")
    graphs = {}
    for number, forms in enumerate(
        (["torch"], ["tf1", "tf2", "keras"])
    ):  # torch and TensorFlow in processes of their own
        entries = [FORMS[form] + twin for form in forms for twin in ("defective", "repaired")]
        graphs.update(export_all(entries, project, out / str(number)))
    return Analysed(Corpus(project, graphs, confirmer, tmp_path_factory.mktemp("results")), list(FORMS))


EXPECTED = [
    *(pytest.param("torch", c, id=f"torch-{c.name}") for c in CASES),
    *(pytest.param(f, c, id=f"{f}-{c.name}") for f in ("tf1", "tf2") for c in CASES if c.tensorflow),
    *(pytest.param("keras", c, id=f"keras-{c.name}") for c in KERAS),
]


@pytest.mark.parametrize(("form", "case"), EXPECTED)
def test_the_defective_line_is_named_shown_and_mended(analysed: Analysed, form: str, case: Case) -> None:
    finding = analysed.hit(form, case)
    assert finding.confidence is Confidence.CONFIRMED
    assert finding.reproducer is not None
    assert (analysed.corpus.output / finding.reproducer).is_file()
    assert (analysed.corpus.output / finding.reproducer).with_suffix(".npz").name.removeprefix("test_")
    assert finding.evidence.tables[0].rows
    assert finding.suggestion is not None
    assert finding.suggestion.proved
    assert len(finding.message) <= 200


@pytest.mark.parametrize("form", FORMS)
def test_the_repaired_twins_are_silent(analysed: Analysed, form: str) -> None:
    assert [(f.rule, f.node, f.location) for f in analysed.repaired[form].findings] == []


@pytest.mark.parametrize(("form", "case"), EXPECTED)
def test_a_suggested_line_is_valid_and_changes_the_file(analysed: Analysed, form: str, case: Case) -> None:
    suggestion = analysed.hit(form, case).suggestion
    assert suggestion is not None
    if suggestion.replacement is None:
        assert suggestion.description
        return
    assert suggestion.path is not None
    assert suggestion.line is not None
    assert suggestion.end_line is not None
    text = (analysed.corpus.root / suggestion.path).read_text()
    lines = text.splitlines()
    lines[suggestion.line - 1 : suggestion.end_line] = suggestion.replacement.splitlines()
    ast.parse("\n".join(lines))
    assert "\n".join(lines) != text.rstrip("\n")


SHOWN = [("torch", "log_of_softmax"), ("torch", "sqrt_of_exp"), ("torch", "masked_attention"), ("tf1", "sqrt_of_exp")]


@pytest.mark.parametrize(("form", "name"), SHOWN)
def test_the_reproducer_stands_alone_and_fails(analysed: Analysed, form: str, name: str) -> None:
    finding = analysed.hit(form, next(c for c in CASES if c.name == name))
    assert finding.reproducer is not None
    path = analysed.corpus.output / finding.reproducer
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(path.parent), str(path)]
    done = subprocess.run(command, cwd=path.parent, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 1, done.stdout[-1500:]
    assert done.stdout.startswith("F"), "one test, and it fails"
    assert "analyzer" not in path.read_text()


def test_one_line_softmax_becomes_log_softmax(analysed: Analysed) -> None:
    suggestion = analysed.hit("torch", next(c for c in CASES if c.name == "log_of_softmax_in_one_line")).suggestion
    assert suggestion is not None
    assert suggestion.replacement is not None
    assert "torch.log_softmax(logits, dim=1)" in suggestion.replacement


def test_a_finding_says_which_range_would_make_it_vanish(analysed: Analysed) -> None:
    finding = analysed.hit("torch", next(c for c in CASES if c.name == "clip_discarded"))
    assert any("would vanish if logits stayed within" in s for s in finding.evidence.sentences)
    assert any(a.startswith("logits in [-100, 100] (default") for a in finding.evidence.assumptions)
