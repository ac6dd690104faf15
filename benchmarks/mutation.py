"""How many small faults in the code its tests notice: a seeded sample of mutants, each run against its module's tests.

    python -m benchmarks.mutation --count 200 --seed 13

A mutant changes one comparison, operator, constant, condition or return of one module below; it is killed when the
module's tests fail or run past four times their usual time. Survivors are listed with the change, to be given a test or
shown to be equivalent. Not part of CI: a run takes `count` times the tests of a module.
"""

from __future__ import annotations

import argparse
import ast
import copy
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
MODULES = {  # what tests without engines decide, so that a mutant takes seconds
    "analyzer/rendering/markdown_text.py": (
        "tests/rendering/test_markdown_text.py",
        "tests/action/test_markdown_text.py",
    ),
    "analyzer/differential/distances.py": ("tests/differential/test_distances.py",),
    "analyzer/configuration/policy.py": ("tests/core/test_findings.py",),
    "analyzer/findings.py": ("tests/core/test_findings.py",),
    "analyzer/configuration/reader.py": ("tests/core/test_config_reader.py",),
    "analyzer/operators/windows.py": ("tests/operators/test_windows.py",),
    "analyzer/operators/registry.py": ("tests/operators/test_declarations.py",),
    "analyzer/numerical/relevance.py": ("tests/numerical/test_relevance.py",),
}
COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    path: str
    line: int
    before: str
    after: str
    source: str


def changed(node: ast.AST) -> Iterator[ast.AST]:
    """The node with one fault, in every way we know."""
    other = copy.deepcopy(node)
    if isinstance(other, ast.Compare) and type(other.ops[0]) in COMPARISONS:
        other.ops[0] = COMPARISONS[type(other.ops[0])]()
        yield other
    elif isinstance(other, ast.BinOp) and type(other.op) in ARITHMETIC:
        other.op = ARITHMETIC[type(other.op)]()
        yield other
    elif isinstance(other, ast.BoolOp):
        other.op = ast.Or() if isinstance(other.op, ast.And) else ast.And()
        yield other
    elif isinstance(other, ast.UnaryOp) and isinstance(other.op, ast.Not):
        yield other.operand
    elif isinstance(other, ast.IfExp):
        other.body, other.orelse = other.orelse, other.body
        yield other
    elif isinstance(other, ast.Constant) and isinstance(other.value, bool):
        other.value = not other.value
        yield other
    elif isinstance(other, ast.Constant) and isinstance(other.value, (int, float)):
        other.value += 1
        yield other
    elif isinstance(other, ast.Return) and other.value is not None:
        other.value = ast.Constant(None)
        yield other


def mutants(path: str) -> list[Mutant]:
    """Every mutant of a module; annotations, docstrings and imports are left alone."""
    text = (ROOT / path).read_text("utf-8")
    found = []

    def visit(parent: ast.AST) -> None:
        for name, value in list(ast.iter_fields(parent)):
            if name in ("annotation", "returns", "decorator_list"):
                continue
            for index, child in enumerate(value if isinstance(value, list) else [value]):
                if not isinstance(child, ast.AST) or isinstance(child, (ast.Import, ast.ImportFrom)):
                    continue
                for fault in changed(child):
                    if ast.unparse(fault) == ast.unparse(child):
                        continue  # 1e300 + 1 is 1e300
                    if isinstance(value, list):
                        value[index] = fault
                    else:
                        setattr(parent, name, fault)
                    whole = ast.unparse(ast.fix_missing_locations(tree))
                    found.append(Mutant(path, child.lineno, ast.unparse(child), ast.unparse(fault), whole))  # type: ignore[attr-defined]
                    if isinstance(value, list):
                        value[index] = child
                    else:
                        setattr(parent, name, child)
                visit(child)

    tree = ast.parse(text)
    visit(tree)
    return found


def passes(folder: Path, tests: tuple[str, ...], limit: float) -> bool:
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    try:
        return subprocess.run(command, cwd=folder, capture_output=True, timeout=limit, check=False).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=13)
    arguments = parser.parse_args()
    every = [m for path in MODULES for m in mutants(path)]
    sample = random.Random(arguments.seed).sample(every, min(arguments.count, len(every)))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in ("analyzer", "action", "scripts", "tests", "templates", "docs", "examples"):
            shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", folder)
        limits = {}
        for path, tests in MODULES.items():
            start = time.monotonic()
            if not passes(folder, tests, 600):
                sys.exit(f"the tests of {path} fail without a mutant")
            limits[path] = 4 * (time.monotonic() - start) + 10
        killed = 0
        for mutant in sample:
            original = (folder / mutant.path).read_text("utf-8")
            (folder / mutant.path).write_text(mutant.source, "utf-8")
            if passes(folder, MODULES[mutant.path], limits[mutant.path]):
                print(f"survived {mutant.path}:{mutant.line}: {mutant.before} -> {mutant.after}", flush=True)
            else:
                killed += 1
            (folder / mutant.path).write_text(original, "utf-8")
    print(
        f"seed {arguments.seed}: {killed} of {len(sample)} killed ({killed / len(sample):.0%}), of {len(every)} mutants"
    )


if __name__ == "__main__":
    main()
