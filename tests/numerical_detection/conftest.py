"""The corpus of defects, exported once per session in one process for each framework, and one set of workers."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from analyzer.configuration.config import InputSpec, TargetConfig
from analyzer.exporting.annotate import graph_of
from analyzer.exporting.manifest import read_manifest
from analyzer.findings import AnalysisResult, Finding, Level
from analyzer.graph import Graph, ValueRange
from analyzer.numerical.analysis import analyse
from analyzer.numerical.confirm.confirmation import ConfirmationBudget, Confirmer
from analyzer.walls import forked
from analyzer.walls.imports import EXPORTER, TOLD

CORPUS = Path(__file__).parent / "corpus"
RANGES = {  # what a configuration would say; all other ranges are inferred
    "noise": (-4.0, 4.0),
    "visible": (0.0, 255.0),
    "pixels": (0.0, 1.0),
    "mask": (0.0, 1.0),
    "rows": (-1000.0, 1000.0),
    "cosine": (-2.0, 2.0),
}


@dataclass
class Corpus:
    """Exported graphs by entry, and how to analyse one."""

    root: Path
    graphs: dict[str, Graph]
    confirmer: Confirmer
    output: Path

    def target(self, entry: str) -> TargetConfig:
        names = {(v.name or "").removesuffix(":0") for v in self.graphs[entry].graph.inputs}
        inputs = {n: InputSpec(range=ValueRange(*RANGES[n])) for n in RANGES if n in names}
        return TargetConfig(id=entry, entry=entry, inputs=inputs)

    def analyse(self, entry: str, *, confirm: bool = True, explain: bool | None = None) -> AnalysisResult:
        return analyse(
            self.graphs[entry],
            self.target(entry),
            output=self.output,
            root=self.root,
            confirmer=self.confirmer,
            confirm=confirm,
            explain=confirm if explain is None else explain,
        )

    def line_of(self, file: str, name: str) -> int:
        """The line marked as the defect `name`."""
        lines = (self.root / file).read_text().splitlines()
        return next(i for i, line in enumerate(lines, 1) if re.search(rf"# defect: {name}$", line))


def apply_suggestions(root: Path, findings: Iterable[Finding]) -> int:
    """Writes the suggested lines into the files below `root`, last lines first, overlapping ones not; how many."""
    taken: dict[str, list[tuple[int, int, str]]] = {}
    for finding in findings:
        fix = finding.suggestion
        if fix is None or fix.replacement is None or fix.path is None or fix.line is None or fix.end_line is None:
            continue
        known = taken.setdefault(fix.path, [])
        if all(fix.end_line < first or fix.line > last for first, last, _ in known):
            known.append((fix.line, fix.end_line, fix.replacement))
    for path, changes in taken.items():
        lines = (root / path).read_text().splitlines()
        for first, last, text in sorted(changes, reverse=True):
            lines[first - 1 : last] = text.splitlines()
        (root / path).write_text("\n".join(lines) + "\n")
    return sum(len(changes) for changes in taken.values())


def export_all(entries: list[str], root: Path, out: Path) -> dict[str, Graph]:
    """Exports the entries below `root` in one process, which has imported their framework already."""
    torch = all("torch" in (root / entry.partition(":")[0]).read_text() for entry in entries)
    own = dict(TOLD) if torch else {**TOLD, "KERAS_BACKEND": "tensorflow"}
    child = forked.start(
        "export_many", str(root), str(out), *entries, imports=EXPORTER if torch else ("tensorflow",), rules=None,
        path=[Path(__file__).parent, Path(__file__).parents[2]], folder=root, variables={**os.environ, **own}, own=own,
        session=False, errors="joined",
    )  # fmt: skip
    assert child is not None
    child.stdin.close()
    with child.stdout, child.stderr:
        said = child.stdout.read().decode()
    assert child.wait(600) == 0, said[-2000:]
    graphs = {}
    for number, entry in enumerate(entries):
        folder = out / str(number)
        manifest = read_manifest(folder / "export.json", entry)
        assert manifest.failure is None, manifest.failure
        graphs[entry] = graph_of(folder, manifest, TargetConfig(id=entry, entry=entry))
    return graphs


def reviewed(models: str, names: Iterable[str], made: Path) -> dict[str, tuple[Finding, ...]]:
    """What is found of entry points of one file of this text, with a short search; `made` is an empty folder."""
    root = made / "box" / "project"
    root.mkdir(parents=True)
    (root / "models.py").write_text(models)
    graphs = export_all([f"models.py:{name}" for name in names], root, made / "exported")
    with Confirmer(ConfirmationBudget(search=4.0)) as workers:
        return {
            entry.partition(":")[2]: analyse(
                graph, TargetConfig(id="t", entry=entry), root=root, explain=False, confirmer=workers
            ).findings
            for entry, graph in graphs.items()
        }


def blocking(findings: Iterable[Finding]) -> set[str]:
    """The rules of the errors among findings, gradients apart."""
    told = {f.rule.removeprefix("numerical/") for f in findings if f.level is Level.ERROR}
    return {rule for rule in told if not rule.startswith("gradient")}


@pytest.fixture(scope="session")
def confirmer() -> Iterator[Confirmer]:
    with Confirmer(ConfirmationBudget(search=10.0, total=60.0)) as workers:
        yield workers


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the corpus where the exporter expects a project."""
    root = tmp_path_factory.mktemp("corpus") / "box" / "project"
    shutil.copytree(CORPUS, root)
    return root
