"""Python's own bugs in a file: undefined names, missing attributes, wrong arguments, removed names of frameworks.

`ruff` and `mypy` run as subprocesses where they are installed, isolated from the repository's configuration (a plugin
named there would be code of the pull request). What they miss on framework names is checked against the names and
signatures in the data files of `analyzer/tracing/api`, by the framework version that the repository asks for.
"""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from analyzer.tracing.framework_api import check_framework_names
from analyzer.tracing.symbols import Site
from analyzer.tracing.tracer import Problem
from analyzer.tracing.versions import Versions

SECONDS = 30.0
_RUFF = {"F821": "python/undefined-name", "F822": "python/undefined-name", "F823": "python/undefined-name"}
_MYPY = {"call-arg": "python/argument-mismatch", "attr-defined": "python/missing-attribute"}


def check_python(path: Path, root: Path, text: str, tree: ast.Module, versions: Versions) -> list[Problem]:
    """Problems of one file that `text` and `tree` are the content of."""
    try:
        relative = path.resolve().relative_to(root.resolve()).as_posix()
    except ValueError:
        relative = path.name
    problems = [*_with_ruff(text, tree, relative), *check_framework_names(tree, relative, versions)]
    if any(isinstance(n, (ast.ClassDef, ast.FunctionDef)) for n in tree.body) and len(text) < 400_000:
        known = {(p.site.line, p.rule) for p in problems}
        problems += [p for p in _with_mypy(text, relative) if (p.site.line, p.rule) not in known]
    return problems


def _command(name: str) -> list[str] | None:
    beside = Path(sys.executable).with_name(name)
    found = str(beside) if beside.is_file() else shutil.which(name)
    return [found] if found else None


def _run(command: Sequence[str], text: str | None, folder: str) -> str:
    """Standard output, or nothing when the tool fails or takes too long. The environment carries no secret."""
    try:
        done = subprocess.run(
            list(command), input=text, capture_output=True, text=True, timeout=SECONDS, cwd=folder, check=False,
            env={"PATH": "/usr/bin:/bin", "HOME": folder, "LC_ALL": "C.UTF-8"}, encoding="utf-8", errors="replace",
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout


def _with_ruff(text: str, tree: ast.Module, relative: str) -> Iterator[Problem]:
    command = _command("ruff")
    if command is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        options = [
            "check",
            "--isolated",
            "--no-cache",
            "--select",
            ",".join(_RUFF),
            "--output-format",
            "json",
            "--target-version",
            "py311",
        ]
        output = _run([*command, *options, "--stdin-filename", "file.py", "-"], text, folder)
    try:
        entries = json.loads(output or "[]")
    except ValueError:
        return
    texts = _text_lines(tree)
    dynamic = _makes_names(tree)
    for entry in entries if isinstance(entries, list) else []:
        line, code = entry["location"]["row"], entry.get("code")
        if code not in _RUFF or line in texts:
            continue  # inside quotes: a forward reference or a shape annotation, never evaluated
        message = str(entry["message"]).strip().rstrip(".")
        name = message.partition("`")[2].partition("`")[0]
        yield Problem(
            _RUFF[code], "error", f"{message}: Python raises NameError when this line runs", Site(relative, line),
            "name",
            ("ruff " + code,), not dynamic, None, name,
        )  # fmt: skip


def _text_lines(tree: ast.Module) -> set[int]:
    """Lines whose only unknown names may stand in annotations written as text."""
    lines: set[int] = set()
    for node in ast.walk(tree):
        annotations: list[ast.expr | None] = []
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            annotations = [
                node.returns,
                *(a.annotation for a in (*node.args.args, *node.args.kwonlyargs, *node.args.posonlyargs)),
            ]
        elif isinstance(node, ast.AnnAssign):
            annotations = [node.annotation]
        for annotation in annotations:
            if annotation is not None:
                for part in ast.walk(annotation):
                    if isinstance(part, ast.Constant) and isinstance(part.value, str):
                        lines.add(part.lineno)
    return lines


def _makes_names(tree: ast.Module) -> bool:
    """Whether names may be bound in ways that no static tool sees."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("exec", "globals", "locals", "vars")
        ):
            return True
        if isinstance(node, ast.ImportFrom) and any(a.name == "*" for a in node.names):
            return True
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Name)
            and node.value.id in ("get_ipython", "display")
        ):
            return True
    return False


def _with_mypy(text: str, relative: str) -> Iterator[Problem]:
    try:
        import importlib.util

        if importlib.util.find_spec("mypy") is None:
            return
    except ImportError:
        return
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "checked.py").write_text(text, encoding="utf-8")
        (Path(folder) / "empty.ini").write_text("[mypy]\n", encoding="utf-8")
        cache = Path(tempfile.gettempdir()) / f"assay-mypy-{_user()}"
        output = _run(
            [
                sys.executable, "-I", "-m", "mypy", "--config-file", "empty.ini", "--cache-dir", str(cache),
                "--follow-imports", "skip",
                "--ignore-missing-imports", "--no-site-packages", "--check-untyped-defs", "--show-error-codes",
                "--no-error-summary",
                "--hide-error-context", "--no-pretty", "--allow-redefinition", "checked.py",
            ],
            None, folder,
        )  # fmt: skip
    for line in output.splitlines():
        parts = line.split(":", 2)
        code = line.rpartition("[")[2].rstrip("]")
        if len(parts) < 3 or not parts[1].isdigit() or code not in _MYPY or " error: " not in f":{parts[2]}":
            continue
        message = parts[2].partition("error: ")[2].rpartition("  [")[0].strip()
        if (
            (code == "attr-defined" and not message.startswith('"'))
            or '"None"' in message
            or "Module" in message
            or '"object"' in message
        ):
            continue
        if "maybe" in message or "Callable" in message or "_Wrapped" in message:
            continue
        yield Problem(
            _MYPY[code],
            "warning",
            message,
            Site(relative, int(parts[1])),
            "mypy",
            (f"mypy [{code}]",),
            False,
            None,
            message[:60],
        )


def _user() -> str:
    import os

    return str(os.getuid()) if hasattr(os, "getuid") else "user"
