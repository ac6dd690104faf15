"""Idioms of the literature on small layers: no error is seen in them as published, and some in each careless twin."""

from __future__ import annotations

import ast
import re
import shutil
from pathlib import Path

import pytest

from analyzer.configuration.config import InputSpec, TargetConfig
from analyzer.findings import Finding, Level
from analyzer.graph import Graph, ValueRange
from analyzer.graph.model import SPAN
from analyzer.numerical.analysis import analyse
from tests.numerical_detection.conftest import export_all

CORPUS = Path(__file__).parent / "corpus"
FILES = ("box_losses", "metric_losses", "likelihoods", "layers", "signals")
MOST = 10.0  # times as large as its example is an input, as a configuration would say; pictures lie in [0, 1]
UNDECIDED = {  # errors that cannot happen and that no relation excludes yet
    "monotone_spline",  # the denominator of a rational quadratic spline, of four values
    "segments_of_decay",  # running totals that fall, compared below a diagonal
    "sparse_maximum",  # the first of a ranking is always inside the support
}
UNSEEN = {"gaussian_by_cholesky"}  # PyTorch raises where a matrix is not positive definite: no number is wrong


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("idioms") / "box" / "project"
    shutil.copytree(CORPUS, root)
    return root


def declared(graph: Graph) -> dict[str, InputSpec]:
    """Ranges as large as the examples of the inputs, or ten times that where they have both signs."""
    found = {}
    for value in graph.graph.inputs:
        if SPAN in value.metadata_props and value.name:
            low, high = map(float, value.metadata_props[SPAN].split())
            size = max(-low, high) * (MOST if low < 0 else 1)
            found[value.name] = InputSpec(range=ValueRange(-size if low < 0 else 0.0, size))
    return found


def functions(file: str) -> dict[str, range]:
    """The lines of each idiom of a file."""
    tree = ast.parse((CORPUS / f"{file}.py").read_text())
    names = set(re.findall(r"^@idiom.*\n(?:[^@\n].*\n)*?def (\w+)", (CORPUS / f"{file}.py").read_text(), re.M))
    return {
        node.name: range(node.lineno, (node.end_lineno or 0) + 1)
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name in names
    }


def by_function(found: tuple[Finding, ...], file: str) -> dict[str, list[Finding]]:
    places = functions(file)
    return {
        name: [f for f in found if f.location is not None and f.location.line in lines]
        for name, lines in places.items()
    }


@pytest.fixture(scope="module", params=FILES)
def found(
    request: pytest.FixtureRequest, project: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, dict[str, tuple[Finding, ...]]]:
    file = request.param
    entries = [f"{file}.py:healthy", f"{file}.py:careless"]
    graphs = export_all(entries, project, tmp_path_factory.mktemp(file))
    result = {}
    for entry, graph in graphs.items():
        target = TargetConfig(id="t", entry=entry, inputs=declared(graph))
        result[entry.split(":")[1]] = analyse(graph, target, root=project, confirm=False, explain=False).findings
    return file, result


def test_no_error_is_seen_in_what_is_healthy(found: tuple[str, dict[str, tuple[Finding, ...]]]) -> None:
    file, results = found
    errors = [f for f in results["healthy"] if f.level is Level.ERROR]
    named = {name: [f.message for f in own] for name, own in by_function(tuple(errors), file).items() if own}
    assert {name: messages for name, messages in named.items() if name not in UNDECIDED} == {}


def test_every_careless_twin_is_seen(found: tuple[str, dict[str, tuple[Finding, ...]]]) -> None:
    file, results = found
    silent = {name for name, own in by_function(results["careless"], file).items() if not own}
    assert silent <= UNSEEN
