"""Traced verdicts against execution, and no false errors on published sources: samples of the benchmarks."""

from __future__ import annotations

import ast
import importlib.util
import sys
from pathlib import Path

import pytest

from analyzer.tracing.tracing import explore
from analyzer.tracing.versions import Versions

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def load(name: str) -> object:
    spec = importlib.util.spec_from_file_location(name, BENCHMARKS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.filterwarnings("ignore")
def test_random_scripts_fail_where_tracing_says() -> None:
    study = load("tracing_differential")
    failing = 0
    for seed in range(9000, 9150):
        text = study.script(seed)  # type: ignore[attr-defined]
        expected = study.executed(text)  # type: ignore[attr-defined]
        failing += expected is not None
        assert study.traced(text) == expected, f"seed {seed}\n{text}"
    assert 20 <= failing <= 130


@pytest.mark.parametrize(
    "name",
    [
        "transformers/models/bert/modeling_bert.py",
        "transformers/models/t5/modeling_t5.py",
        "keras/src/applications/vgg16.py",
        "torch/nn/modules/transformer.py",
        "torch/nn/modules/rnn.py",
    ],
)
def test_published_sources_have_no_errors(name: str) -> None:
    package, _, rest = name.partition("/")
    spec = importlib.util.find_spec(package)
    assert spec is not None
    assert spec.submodule_search_locations
    file = Path(next(iter(spec.submodule_search_locations))) / rest
    shared = explore(file.parent, file.name, ast.parse(file.read_text()), Versions())
    assert [p for p in shared.problems.values() if p.level == "error"] == []
