"""The code that is copied into other people's containers: old syntax, relative imports, nothing but what is there."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

import analyzer.exporting
from analyzer.exporting.inside.examples import concrete, match
from analyzer.exporting.inside.failure import ExportFailure
from analyzer.walls import stage

INSIDE = Path(analyzer.exporting.__file__).parent / "inside"
FILES = [*sorted(INSIDE.glob("*.py")), Path(stage.__file__)]
FRAMEWORKS = {"torch", "tensorflow", "keras", "numpy", "onnxscript", "onnx_ir"}


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_it_runs_on_python_3_9(path):
    tree = ast.parse(path.read_text(), feature_version=(3, 9))
    for statement in tree.body:
        if isinstance(statement, ast.Assign):
            unions = [n for n in ast.walk(statement.value) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.BitOr)]
            assert not unions, "X | Y outside of annotations is of Python 3.10"
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert not (node.func.id == "zip" and node.keywords), "zip(strict=) is of Python 3.10"
            if node.func.id in ("isinstance", "issubclass"):
                assert not any(isinstance(a, ast.BinOp) for a in node.args), "X | Y is of Python 3.10"


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_it_imports_the_standard_library_and_frameworks_only(path):
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or ""]
        for name in names:
            assert name.split(".")[0] in sys.stdlib_module_names | FRAMEWORKS, name
    top = [n for n in tree.body if isinstance(n, ast.Import | ast.ImportFrom)]
    modules = {a.name.split(".")[0] for n in top if isinstance(n, ast.Import) for a in n.names}
    assert not modules & FRAMEWORKS, "frameworks are imported by the functions that use them"


def test_sizes_of_symbols_differ_and_keep_their_bounds():
    taken: dict[str, int] = {}
    symbols = {"fixed": (7, 7), "large": (100, None), "small": (1, 2)}
    assert concrete(["a", 3, "b", "a", "fixed", "large"], symbols, taken) == [2, 3, 3, 2, 7, 100]
    assert concrete(["small"], symbols, taken) == [2]
    assert 2 <= concrete(["c"], symbols, taken)[0] not in (2, 3)


def test_described_inputs_match_by_name_then_in_order():
    assert match(["x", "mask"], {"mask": 1, "image": 2}) == {"mask": 1, "x": 2}
    assert match(["x"], {}) == {}


def test_a_failure_is_a_sentence_with_a_place():
    failure = ExportFailure("m.py:build: no", ("m.py", 3))
    assert (str(failure), failure.place) == ("m.py:build: no", ("m.py", 3))
