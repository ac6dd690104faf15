"""Defective programs as people write them and their repaired twins: each defect on its line, each twin silent."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer.findings import Level
from analyzer.frameworks.requested_versions import read_versions
from analyzer.tracing.checkers.framework_api import check_framework_names
from analyzer.tracing.paths.problems import Diagnostic
from analyzer.tracing.tracing import explore, read_source

CORPUS = Path(__file__).parent / "corpus"
PROGRAMS = sorted(p.name for p in CORPUS.iterdir() if (p / "broken.py").is_file())


def problems_of(path: Path) -> list[Diagnostic]:
    _, tree = read_source(path, path.parent)
    versions = read_versions(path.parent)
    shared = explore(path.parent, path.name, tree, versions)
    return [*shared.problems.values(), *check_framework_names(tree, path.name, versions)]


# kind of defect → programs that have it; the prefix names the framework, `keras` counts as TensorFlow 2
KINDS = {
    "paper: a broadcast loss that few batch sizes satisfy": "tf1-paper-batch-broadcast",
    "paper: an unknown rank used at rank 4 and at rank 3": "tf1-paper-unknown-rank",
    "paper: one branch only": "tf1-paper-one-branch tf2-one-branch torch-one-branch torch-loss-branch",
    "flattened size": """tf1-valid-padding tf1-small-flatten tf1-fc-size keras-no-flatten torch-flatten-size
        torch-sample-view torch-missing-flatten""",
    "reshape to another number of elements": """tf1-reshape-size tf1-set-shape tf2-heads-divide torch-attention-heads
        torch-sample-size""",
    "batch axis taken in by a reshape": "tf1-batch-axis torch-batch-axis torch-batch-reshaped",
    "rank": """tf1-matrix-vector tf1-rnn-rank tf1-concat-rank keras-lstm-rank keras-concat-rank keras-subclass-rank
        tf2-transpose-rank torch-conv1d-axes torch-unpack-count""",
    "channels or features that do not match": """tf1-filter-channels tf1-feature-count tf1-transposed-weights
        tf1-bias-size keras-missing-channel tf2-kernel-rows torch-channels torch-batchnorm-features torch-linear-chain
        torch-sequential-width torch-layernorm-size torch-gan-block torch-gan-latent
        torch-decorated-forward keras-named-inputs torch-click-command torch-class-weights""",
    "axes in another order": """tf1-rnn-feed-axes tf2-attention-transpose torch-channels-last torch-attention-transpose
        torch-lstm-batch-first torch-loss-axes""",
    "kernel larger than its input": "tf1-kernel-too-large keras-kernel-too-large torch-kernel-too-large",
    "operands that do not broadcast": """tf1-rows-differ keras-add-width keras-subclass-weight torch-residual-width
        torch-latent-mismatch torch-mask-size torch-scatter-rows""",
    "joining": "tf1-concat-rank tf2-concat-axis keras-concat-rank torch-cat-channels torch-skip-connection",
    "labels in another form": """tf1-labels-not-one-hot tf1-sparse-labels keras-labels-not-one-hot keras-class-count
        keras-subclass-target torch-target-one-hot torch-labels-column torch-target-not-flat torch-gan-labels
        torch-mixup-classes keras-own-train-step tf1-nce-labels""",
    "labels of other examples": "tf1-feed-swapped keras-test-rows torch-target-shift",
    "recurrent state": """tf1-rnn-last-step tf1-rnn-projection torch-lstm-hidden-state torch-lstm-bidirectional
        torch-lstm-input torch-packed-sequence""",
    "rows fixed at one batch size": "tf1-fixed-noise torch-fixed-noise",
    "a flag that only one value fits": "tf1-flag-width tf2-attention-transpose torch-flag-width",
    "element type": "tf1-element-type tf2-element-type torch-element-type",
    "legal but suspicious: broadcast": "tf1-loss-broadcast tf2-loss-broadcast torch-loss-broadcast",
    "legal but suspicious: argmax over one": "tf1-argmax-axis tf2-argmax-one torch-argmax-one",
    "legal but suspicious: softmax over the batch": "tf1-softmax-batch torch-softmax-batch",
    "loss that is no scalar": "torch-unreduced-loss torch-double-reduction",
    "Python: a name or argument that is not there": """tf2-removed-api torch-missing-attribute torch-argument-mismatch
        torch-unpack-count""",
}  # fmt: skip
SOME_ONLY = {  # what a framework has no form of, or refuses before a shape is known
    "paper: a broadcast loss that few batch sizes satisfy": {"tf1"},
    "paper: an unknown rank used at rank 4 and at rank 3": {"tf1"},
    "batch axis taken in by a reshape": {"tf1", "torch"},
    "recurrent state": {"tf1", "torch"},
    "rows fixed at one batch size": {"tf1", "torch"},
    "legal but suspicious: softmax over the batch": {"tf1", "torch"},
    "loss that is no scalar": {"torch"},
    "Python: a name or argument that is not there": {"tf2", "torch"},
}


def framework_of(program: str) -> str:
    prefix = program.partition("-")[0]
    return "tf2" if prefix == "keras" else prefix


def test_the_corpus_is_large_enough() -> None:
    assert len(PROGRAMS) >= 60
    for name in PROGRAMS:
        for twin in ("broken.py", "fixed.py"):
            assert 20 <= len((CORPUS / name / twin).read_text().splitlines()) <= 300, (name, twin)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_defect_has_a_program_in_every_framework(kind: str) -> None:
    programs = KINDS[kind].split()
    assert set(programs) <= set(PROGRAMS)
    assert {framework_of(p) for p in programs} == SOME_ONLY.get(kind, {"tf1", "tf2", "torch"})


def test_every_program_stands_for_a_kind() -> None:
    assert {p for programs in KINDS.values() for p in programs.split()} == set(PROGRAMS)


UNREAD = ("tf1-paper-unknown-rank",)  # the tensor at fault comes from a call that nobody can read: possible, not proved


@pytest.mark.parametrize("name", PROGRAMS)
def test_defect_is_reported_on_its_line(name: str) -> None:
    path = CORPUS / name / "broken.py"
    lines = path.read_text().splitlines()
    line = next(i for i, text in enumerate(lines, 1) if "# <- expected" in text)
    rule = lines[line - 1].partition("# <- expected")[2].lstrip(": ").strip() or "tracing/incompatible-shape"
    found = problems_of(path)
    assert (rule, line) in [(p.rule, p.site.line) for p in found], [(p.rule, p.site.line, p.message) for p in found]
    if rule == "tracing/incompatible-shape":
        certain = name not in UNREAD
        assert all(p.certain is certain for p in found if p.rule == rule and p.site.line == line)
    others = [p for p in found if p.level == Level.ERROR and (p.rule, p.site.line) != (rule, line)]
    assert not others, "an error elsewhere is a false one"


@pytest.mark.parametrize("name", PROGRAMS)
def test_repaired_twin_is_silent(name: str) -> None:
    found = problems_of(CORPUS / name / "fixed.py")
    assert not found, [(p.rule, p.site.line, p.message) for p in found]
