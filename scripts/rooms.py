"""Draw which rooms of `analyzer/` import which: `python scripts/rooms.py` renews the drawing in docs/architecture.md.

An arrow that others lead around is left out (A → C where A → B → C), so that the drawing shows the order of the rooms.
Imports inside functions count; those for type checkers alone do not.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator, Mapping
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "architecture.md"
DRAWING = re.compile(r"(?<=```mermaid\n).*?(?=```)", re.DOTALL)


def sources() -> Mapping[str, Path]:
    """The modules of `analyzer` by name."""
    found = {}
    for path in sorted((ROOT / "analyzer").rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = sources()


@functools.cache
def trees() -> Mapping[str, ast.Module]:
    """Every module's syntax tree."""
    return {name: ast.parse(path.read_text()) for name, path in MODULES.items()}


def imports(node: ast.AST, inside: bool = False) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    """Every import that runs, and whether it stands inside a function."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        if isinstance(child, (ast.Import, ast.ImportFrom)):
            yield child, inside
        yield from imports(child, inside or isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)))


def own(statement: ast.Import | ast.ImportFrom) -> set[str]:
    """The modules of Assay that an import names."""
    if isinstance(statement, ast.Import):
        return {a.name for a in statement.names if a.name in MODULES}
    base = statement.module or ""
    names = {f"{base}.{a.name}" if f"{base}.{a.name}" in MODULES else base for a in statement.names}
    return names & MODULES.keys()


def rooms() -> Mapping[str, set[str]]:
    """The rooms (packages, and modules at the top) that each room imports."""
    found: dict[str, set[str]] = {}
    for module, tree in trees().items():
        room = module.split(".")[1:2] or ["analyzer"]
        needed = {m.split(".")[1] for statement, _ in imports(tree) for m in own(statement) if "." in m}
        found.setdefault(room[0], set()).update(needed - set(room))
    return found


def drawing() -> str:
    """The rooms as Mermaid, what needs others above what they need. Raises `graphlib.CycleError` for a circle."""
    needed = rooms()
    behind: dict[str, set[str]] = {}  # all that a room needs, directly or not
    for room in TopologicalSorter(needed).static_order():
        direct = needed.get(room, set())
        behind[room] = direct.union(*(behind[other] for other in direct))
    lines = ["flowchart TD"]
    for room in sorted(needed):
        around = {far for other in needed[room] for far in behind[other]}
        lines += [f"    {room} --> {other}" for other in sorted(needed[room] - around)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(DRAWING.sub(lambda _: drawing(), PAGE.read_text()))
