"""Examples with prompts in a file's docstrings, each docstring a program that begins with the names of its module."""

from __future__ import annotations

import ast
import doctest
from collections.abc import Iterator
from pathlib import Path

from analyzer.tracing.programs.drivers import Driver
from analyzer.tracing.programs.readme_examples import MEANT

MOST_EXAMPLES = 4  # docstrings of one file
_DOCUMENTED = (ast.ClassDef, ast.FunctionDef)
_PARSER = doctest.DocTestParser()


def examples_of(relative: str, tree: ast.Module) -> list[Driver]:
    """Programs of the docstrings of the public classes, their methods, and functions of a module."""
    names = {n.name for n in tree.body if isinstance(n, _DOCUMENTED)}
    found: list[Driver] = []
    for node in _documented(tree):
        program = _program(ast.get_docstring(node) or "")
        if program is None or not names & {n.id for n in ast.walk(program) if isinstance(n, ast.Name)}:
            continue
        module = ".".join(Path(relative).with_suffix("").parts).removeprefix("src.").removesuffix(".__init__")
        used = {n.id for n in ast.walk(program) if isinstance(n, ast.Name)}
        meant = [ast.Import([ast.alias(library, name)]) for name, library in MEANT.items() if name in used]
        program.body[:0] = [*meant, ast.ImportFrom(module, [ast.alias(name="*")], 0)]
        ast.fix_missing_locations(program)
        found.append(Driver(f"{relative} (docstring of {node.name})", node.lineno, program, documented=True))
    return found[:MOST_EXAMPLES]


def _documented(tree: ast.Module) -> Iterator[ast.ClassDef | ast.FunctionDef]:
    for node in tree.body:
        if isinstance(node, _DOCUMENTED) and not node.name.startswith("_"):
            yield node
            if isinstance(node, ast.ClassDef):
                yield from (m for m in node.body if isinstance(m, ast.FunctionDef))


def _program(text: str) -> ast.Module | None:
    """The statements of the examples; None where there are none, one is no Python or is meant to fail."""
    try:
        examples = _PARSER.get_examples(text)
        if not examples or any(e.exc_msg is not None or doctest.SKIP in e.options for e in examples):
            return None
        lines: dict[int, str] = {}
        for example in examples:
            lines.update(enumerate(example.source.splitlines(), start=example.lineno))
        return ast.parse("\n".join(lines.get(n, "") for n in range(max(lines) + 1)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
