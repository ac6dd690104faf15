"""Modules depend on each other one way, and say so at their top; imports inside functions are for frameworks.

Exceptions are the dispatcher of the commands, and files that run elsewhere.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.rooms import DRAWING, MODULES, PAGE, drawing, imports, own, trees

ROOT = Path(__file__).parents[2]
ELSEWHERE = ("analyzer.commands.cli", "analyzer.exporting.inside", "analyzer.differential.worker")


def test_the_rooms_form_no_circle_and_are_drawn_as_they_are() -> None:
    """Imports inside functions count."""
    assert DRAWING.findall(PAGE.read_text()) == [drawing()], "run: python scripts/rooms.py"


def test_imports_inside_functions_are_for_frameworks() -> None:
    found = {
        f"{importer}: {imported}"
        for importer, tree in trees().items()
        if not importer.startswith(ELSEWHERE)
        for statement, inside in imports(tree)
        if inside
        for imported in own(statement)
    }
    assert found == set()


def ancestors(module: str) -> set[str]:
    parts = module.split(".")
    return {".".join(parts[:i]) for i in range(1, len(parts))}


def test_no_module_needs_itself() -> None:
    """Importing a module runs the packages it lies in as well."""
    graph: dict[str, set[str]] = {}
    for importer, tree in trees().items():
        named = {m for statement, inside in imports(tree) if not inside for m in own(statement)}
        packages = {p for m in named for p in ancestors(m)} - ancestors(importer)
        graph[importer] = ((named | packages) & MODULES.keys()) - {importer}
    done: set[str] = set()
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 10_000))

    def visit(module: str, path: tuple[str, ...]) -> None:
        assert module not in path, " -> ".join((*path[path.index(module) :], module))
        if module not in done:
            for other in sorted(graph[module]):
                visit(other, (*path, module))
            done.add(module)

    for module in graph:
        visit(module, ())


@pytest.mark.parametrize(
    "modules",
    ["analyzer.commands.trace, analyzer.commands.lsp", "analyzer.commands.check", "action.contained_selection"],
)
def test_what_reads_no_graph_pays_for_none(modules: str) -> None:
    """Tracing, the language server and what finds models start without `onnx_ir` and `sympy`: most of a start."""
    heavy = "{'onnx', 'onnx_ir', 'sympy'}"
    program = f"import sys, {modules}; print({heavy} & set(sys.modules) or 'none')"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "none"


LATE = """
import sys
import analyzer.graph
import onnx_ir
assert not {"sympy", "onnx_ir._symbolic_shapes"} & sys.modules.keys()
assert onnx_ir.__spec__.loader is onnx_ir.__loader__ and onnx_ir.__loader__.path == onnx_ir.__file__
assert str(onnx_ir.SymbolicDim("N") + 1) == "N + 1"
import sympy
assert sys.modules["sympy"] is sympy and sympy.__spec__.name == "sympy"
assert onnx_ir.SymbolicDim(sympy.Symbol("M")).value == "M"
"""


@pytest.mark.parametrize("before", ["", "import sympy\n", "import onnx_ir\n"])
def test_sympy_is_imported_when_a_symbolic_size_is_computed_with(before: str) -> None:
    program = before + (LATE if not before else LATE.replace("assert not", "not", 1))
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-1500:]


def test_a_class_name_stands_once() -> None:
    """One meaning a name: what two rooms would call alike has the term of its field."""
    found: dict[str, list[str]] = {}
    for module, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(module)
    assert {name: places for name, places in found.items() if len(places) > 1} == {}
