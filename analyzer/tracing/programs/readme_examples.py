"""The Python examples of a README, each a program: with the names that its reader takes from the blocks above it."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator

_FENCE = re.compile(r"^[ \t]*```([^\n`]*)\n(.*?)^[ \t]*```[ \t]*$", re.DOTALL | re.M)
_DIRECTIVE = re.compile(
    r"^[ \t]*\.\. (?:code|code-block|sourcecode|doctest)::[ ]*(python3?|pycon)?[ \t]*\n"
    r"(?:[ \t]+:[^\n]*\n)*((?:[ \t]+\S[^\n]*\n|[ \t]*\n)+)",
    re.M,
)
_PYTHON = re.compile(r"[ ]*\{?\.?(?:python3?|py|pycon)?[ ]*(?:[^\w\n-].*)?$", re.I)  # or no language at all
_IMPORTS = re.compile(r"^[ \t>.]*(?:from|import)\b", re.M)
# What every reader takes to be imported.
MEANT = {"torch": "torch", "nn": "torch.nn", "F": "torch.nn.functional", "np": "numpy", "tf": "tensorflow"}


def examples_in(text: str) -> list[tuple[int, ast.Module]]:
    """Line and syntax tree, which has the lines of the text, of each example."""
    blocks = [(line, tree) for line, block in sorted(_blocks(text)) if (tree := _parsed(block, line)) is not None]
    return [(line, _completed(tree, [t for _, t in blocks[:number]])) for number, (line, tree) in enumerate(blocks)]


def _completed(tree: ast.Module, above: list[ast.Module]) -> ast.Module:
    """The example behind those above it whose names it uses, and behind the imports that are meant."""
    body, wanted = tree.body, _wanted(tree)
    for other in reversed(above):
        bound = _bound(other)
        if wanted & bound:
            body = [*other.body, *body]
            wanted = (wanted - bound) | _wanted(other)
    meant = [ast.Import([ast.alias(MEANT[n], n)], lineno=body[0].lineno, col_offset=0) for n in MEANT if n in wanted]
    return ast.fix_missing_locations(ast.Module([*meant, *body], []))


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    for match in _FENCE.finditer(text):
        if _PYTHON.match(match[1]) and (match[1].strip() or _IMPORTS.search(match[2])):
            yield text.count("\n", 0, match.start(2)) + 1, match[2]
    for match in _DIRECTIVE.finditer(text):
        if match[1] or _IMPORTS.search(match[2]):
            yield text.count("\n", 0, match.start(2)) + 1, match[2]


def _parsed(block: str, line: int) -> ast.Module | None:
    """The tree of an example, also of one that is indented or written with prompts. None where it says nothing."""
    lines = block.splitlines()
    indent = min((len(t) - len(t.lstrip()) for t in lines if t.strip()), default=0)
    lines = [t[indent:] for t in lines]
    if any(t.startswith(">>> ") for t in lines):
        lines = [t[4:] if t.startswith((">>> ", "... ")) else "" for t in lines]  # what lies between was printed
    try:
        tree = ast.parse("\n" * (line - 1) + "\n".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return tree if tree.body else None


def _wanted(tree: ast.Module) -> set[str]:
    """The names that a program reads and nowhere binds."""
    read = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return read - _bound(tree) - set(dir(builtins))


def _bound(tree: ast.Module) -> set[str]:
    bound: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bound.add(node.id)
        elif isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            bound.add(node.name)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            bound.update((a.asname or a.name).partition(".")[0] for a in node.names)
    return bound
