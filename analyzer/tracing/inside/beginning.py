"""How a script is begun: as a file, as a module of its package, or as a notebook that was written out as a script."""

from __future__ import annotations

import ast
import builtins
import importlib.machinery
import os
import re
import sys
from collections.abc import Callable
from typing import Any

from .stubs import Anything, NotReached

_NOTEBOOK = re.compile(rb"get_ipython\(\)\.(system|run_line_magic|run_cell_magic|getoutput|magic)\(|^# ?In ?\[", re.M)
_TIMED = ("time", "timeit", "capture", "prun")
_SHELL = ("bash", "sh", "script", "writefile", "html", "javascript", "HTML")


def package_of(source: bytes, script: str, root: str) -> tuple[str, str] | None:
    """The package that a script with relative imports is a module of, and the folder that holds that package.

    Such a script is only ever run as ``python -m package.script``.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return None
    level = max((n.level for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)), default=0)
    folder = os.path.dirname(script)
    names: list[str] = []
    while level and folder != root and folder.startswith(root + os.sep):
        if len(names) >= level and not os.path.exists(os.path.join(folder, "__init__.py")):
            break
        folder, name = os.path.split(folder)
        names.insert(0, name)
    return (".".join(names), folder) if len(names) >= level > 0 else None


def names_of_main(source: bytes, script: str, root: str) -> dict[str, Any]:
    """What the module `__main__` begins with; the search path is changed where it is part of a package."""
    package, spec = None, None
    found = package_of(source, script, root)
    if found is not None:
        package, above = found
        sys.path[0] = above
        name = os.path.splitext(os.path.basename(script))[0]
        spec = importlib.machinery.ModuleSpec(f"{package}.{name}", None, origin=script)
    return {"__name__": "__main__", "__file__": script, "__builtins__": builtins, "__doc__": None,
            "__package__": package, "__spec__": spec}  # fmt: skip


def packages_above(package: str | None) -> None:
    """Import the package that the script belongs to, as ``-m`` does."""
    if package:
        importlib.import_module(package)


class _Notebook(Anything):
    """What `get_ipython()` gives: shell commands are left out, timed cells are executed."""

    def __init__(self, execute: Callable[[str], None]) -> None:
        self._execute = execute

    def system(self, *args: Any) -> None:
        return None

    def getoutput(self, *args: Any) -> Any:
        raise NotReached("what a shell command of a notebook prints")

    def run_line_magic(self, name: str, line: str = "", *args: Any) -> None:
        if name in _TIMED and line.strip():
            self._execute(line)

    def run_cell_magic(self, name: str, line: str, cell: str) -> None:
        if name not in (*_TIMED, *_SHELL):
            raise NotReached(f"a cell of a notebook in another language (%%{name})")
        if name in _TIMED:
            self._execute(cell)


def as_notebook(source: bytes, main: dict[str, Any], stubs: list[str]) -> None:
    """What a notebook finds without an import, for a script that was written out from one."""
    if not _NOTEBOOK.search(source):
        return
    notebook = _Notebook(lambda text: exec(compile(text, main["__file__"], "exec"), main))
    main["get_ipython"] = lambda: notebook
    main["display"] = lambda *values, **options: None
    stubs.append("IPython")
