"""What a module of the repository offers: a name that nothing in it can bind is missing."""

from __future__ import annotations

import ast
import functools
import re
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path

from analyzer.tracing.language.signatures import ArgumentMismatch
from analyzer.tracing.language.values import Module
from analyzer.tracing.paths.problems import Diagnostic
from analyzer.tracing.paths.tracer import Tracer

_OPEN = frozenset(("globals", "setattr", "exec", "eval", "__getattr__", "__dict__", "locals", "vars", "sys"))


class MissingName(ArgumentMismatch):
    """`from module import name` or `module.name` where the module has no such name."""

    def __init__(self, problem: Diagnostic, exception: str) -> None:
        super().__init__(problem)
        self.name = exception


def refuse_missing(tr: Tracer, module: Module, name: str, node: ast.AST | None, exception: str) -> None:
    """Raise what Python raises, where the module's text shows that it never has the name."""
    tree = tr.shared.sources.get(module.path)
    if tree is None or tr.guards or tr.speculating or node is None or not tr.frames:
        return
    here = tr.frame.path
    if here == module.path or name.startswith("__") or _beside(tr.shared.root / module.path, name):
        return
    twin = (tr.shared.root / here).parent / f"{module.name.partition('.')[0]}.py"
    if twin.is_file() and twin != tr.shared.root / module.path:  # which is meant when the file is run from its folder
        return
    if _found_beside(tr.shared.root, here, module):
        return
    tr.shared.read.add(f"{module.path}:*")
    bound = names_bound(tree)
    if bound is None or name in bound:
        return
    if module.path.endswith("__init__.py") and _is_built(tr.shared.root, Path(module.path).parent, name):
        return
    near = get_close_matches(name, bound, 1)
    message = f"`{module.name}` has no `{name}`" + (f"; did you mean `{near[0]}`?" if near else "")
    problem = Diagnostic(
        "python/missing-attribute",
        "error",
        f"{message} ({module.path} binds no such name)",
        tr.site(node),
        module.name,
        certain=tr.certain,
        operand=name,
    )
    raise MissingName(problem, exception)


def _found_beside(root: Path, here: str, module: Module) -> bool:
    """Whether a file of a package names a module that lies beside it as if no package were there: where such a module
    lacks a name, a library of that name is meant (`import gin` beside a folder `gin`)."""
    folder = (root / here).parent
    first = module.name.partition(".")[0]
    if not (folder / "__init__.py").is_file() or (root / first).exists():
        return False
    return (root / module.path) in (folder / f"{first}.py", folder / first / "__init__.py") or (folder / first) in (
        root / module.path
    ).parents


def _beside(file: Path, name: str) -> bool:
    """Whether a submodule of that name lies in the package, compiled ones included."""
    folder = file.parent
    return file.name == "__init__.py" and ((folder / name).is_dir() or any(folder.glob(f"{name}.*")))


_BUILDS = ("setup.py", "setup.cfg", "pyproject.toml", "CMakeLists.txt", "meson.build", "Cargo.toml")
_COMPILED = frozenset((".c", ".cc", ".cpp", ".cu", ".cxx", ".f", ".f90", ".pyx", ".rs"))


def _is_built(root: Path, package: Path, name: str) -> bool:
    """Whether a build names it, in the package's folder or above, or a source to compile has its name: a module that
    lies there only after the build."""
    above = [root / folder for folder in (package, *package.parents)]
    for file in (folder / build for folder in above for build in _BUILDS):
        with suppress(OSError):
            if re.search(rf"\b{re.escape(name)}\b", file.read_text(encoding="utf-8", errors="replace")):
                return True
    return any(f.stem == name and f.suffix in _COMPILED for f in above[0].rglob(f"{name}.*"))


@functools.lru_cache(maxsize=192)
def names_bound(tree: ast.Module) -> frozenset[str] | None:
    """Every name that any statement of the module binds, in whatever branch; None where it may bind others."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Name, ast.Attribute)):
            word = node.id if isinstance(node, ast.Name) else node.attr
            if word in _OPEN:
                return None
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                found.add(word)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            if node.name == "__getattr__":
                return None
            found.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                if alias.name == "*":
                    return None
                found.update((alias.asname or alias.name.partition(".")[0], alias.name.rpartition(".")[2]))
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            found.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            found.add(node.rest)
    return frozenset(found)
