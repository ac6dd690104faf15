"""`ruff`, `mypy` and `pyright` as subprocesses, each where it is installed, their findings as problems of ours.

Each tool sees one file in an empty folder and a configuration of ours: a plugin, an interpreter or a base configuration
named in the repository would be code of the pull request. Nothing they find is imported: modules stay unknown.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from analyzer.tracing.problems import Problem
from analyzer.tracing.symbols import Site
from analyzer.walls import launch

SECONDS = 30.0  # a type checker's cold start on a large repository
UNDEFINED, MISSING, MISMATCH = "python/undefined-name", "python/missing-attribute", "python/argument-mismatch"
_RUFF = {"F821": UNDEFINED, "F822": UNDEFINED, "F823": UNDEFINED}
_MYPY = {"call-arg": MISMATCH, "attr-defined": MISSING}
_PYRIGHT = {
    "reportUndefinedVariable": UNDEFINED,
    "reportUnboundVariable": UNDEFINED,
    "reportAttributeAccessIssue": MISSING,
    "reportCallIssue": MISMATCH,
}
_PYRIGHT_SETTINGS = {
    "include": ["checked.py"],
    "typeCheckingMode": "off",
    "pythonVersion": "3.11",
    "useLibraryCodeForTypes": False,
    "strictParameterNoneValue": False,
    "reportMissingImports": False,
    "reportMissingModuleSource": False,
    **dict.fromkeys(_PYRIGHT, "error"),
}
_UNSURE = ("None", "object", "Module", "Callable", "_Wrapped", "maybe")  # what a checker without types guesses at


class ToolFailed(Exception):
    """A tool said nothing of a file, and why: one sentence for the report."""


def with_ruff(text: str, tree: ast.Module, relative: str) -> Iterator[Problem]:
    """Names that nothing binds, and locals that are read before they are set."""
    command = _beside("ruff")
    if command is None:
        raise ToolFailed("ruff is not installed: undefined names were not looked for")
    options = ["check", "--isolated", "--no-cache", "--select", ",".join(_RUFF), "--output-format", "json",
               "--target-version", "py311", "--stdin-filename", "file.py", "-"]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        entries = _json(_run("ruff", command, options, folder, text), [])
    texts, lines = _text_lines(tree), text.splitlines()
    dynamic = _makes_names(tree)
    for entry in entries:
        line, code = entry["location"]["row"], entry.get("code")
        column = len(lines[line - 1][: entry["location"]["column"] - 1].encode()) if line <= len(lines) else 0
        if code not in _RUFF or line in texts:
            continue  # inside quotes: a forward reference or a shape annotation, never evaluated
        message = str(entry["message"]).strip().rstrip(".")
        name = message.partition("`")[2].partition("`")[0]
        yield Problem(
            _RUFF[code], "error", f"{message}: Python raises NameError when this line runs",
            Site(relative, line, column), "name", ("ruff " + code,), not dynamic, None, name,
        )  # fmt: skip


def with_mypy(text: str, tree: ast.Module, relative: str) -> Iterator[Problem]:
    """Calls and attributes that do not fit what the file itself defines; possible, since types are guessed."""
    if importlib.util.find_spec("mypy") is None:
        raise ToolFailed("mypy is not installed: wrong arguments and attributes were not looked for")
    options = [
        "--config-file", "empty.ini", "--cache-dir", "cache",
        "--follow-imports", "skip", "--ignore-missing-imports", "--no-site-packages", "--check-untyped-defs",
        "--show-error-codes", "--no-error-summary", "--hide-error-context", "--no-pretty", "--allow-redefinition",
        "checked.py",
    ]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        _lay_out(folder, {"checked.py": text, "empty.ini": "[mypy]\n"})
        output = _run("mypy", None, options, folder)
    open_classes = _sets_attributes(tree)
    for line in output.splitlines():
        found = re.match(r"checked\.py:(\d+): error: (.*?)  \[([a-z-]+)\]$", line)
        if found is None or found[3] not in _MYPY:
            continue
        rule, message = _MYPY[found[3]], found[2].strip()
        if rule == MISSING and (open_classes or not message.startswith('"')):
            continue
        if not _is_unsure(message):
            yield _possible(rule, relative, int(found[1]), message, f"mypy [{found[3]}]")


def with_pyright(text: str, tree: ast.Module, relative: str) -> Iterator[Problem]:
    """The same by other means; it also knows names that are not bound yet where they are read."""
    command = pyright_command()
    if command is None:
        return
    options = ["--outputjson", "--level", "error", "--pythonpath", "none", "--project", "settings.json"]
    with tempfile.TemporaryDirectory() as folder:
        _lay_out(folder, {"checked.py": text, "settings.json": json.dumps(_PYRIGHT_SETTINGS)})
        answer = _json(_run("pyright", command[0], [*command[1:], *options], folder), {})
    texts = _text_lines(tree)
    open_classes, dynamic = _sets_attributes(tree), _makes_names(tree)
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    for entry in answer.get("generalDiagnostics", ()):
        rule, line = _PYRIGHT.get(entry.get("rule", "")), entry["range"]["start"]["line"] + 1
        message = str(entry["message"]).splitlines()[0].strip()
        if rule is None or (rule == UNDEFINED and (dynamic or line in texts)):
            continue
        if rule == MISSING:
            owner = re.match(r'Cannot access attribute "(\w+)" for class "(?:type\[)?(\w+)[*\]]*"', message)
            if owner is None or owner[2] not in own or open_classes:
                continue
            message = f'"{owner[2]}" has no attribute "{owner[1]}"'
        if not _is_unsure(message):
            yield _possible(rule, relative, line, message, f"pyright {entry['rule']}")


def merged(known: Sequence[Problem], more: Collection[Problem]) -> list[Problem]:
    """What several tools say of one defect becomes one problem; `known` is believed first and keeps its words."""
    result = list(known)
    for problem in more:
        same = [i for i, p in enumerate(result) if _same_defect(p, problem)]
        if not same:
            result.append(problem)
        for i in same[:1]:
            heard = tuple(s for s in problem.sentences if s not in result[i].sentences)
            result[i] = replace(result[i], sentences=(*result[i].sentences, *heard))
    return result


def _same_defect(one: Problem, other: Problem) -> bool:
    if (one.rule, one.site.path, one.site.line) != (other.rule, other.site.path, other.site.line):
        return False
    return one.operand == other.operand or (other.rule != UNDEFINED and other.operator in ("mypy", "pyright"))


def _possible(rule: str, relative: str, line: int, message: str, source: str) -> Problem:
    names = re.findall(r'"([^"]*)"', message)
    said = re.sub(r'"([^"]*)"', r"`\1`", message)
    operand = (names[0] if rule == UNDEFINED else names[-1]) if names else said[:60]
    if rule == UNDEFINED:
        said += ": Python raises NameError when this line runs"
    return Problem(
        rule, "warning", said, Site(relative, line), source.partition(" ")[0], (source,), False, None, operand
    )


def _is_unsure(message: str) -> bool:
    return any(f'"{word}' in message or f" {word}" in message for word in _UNSURE)


# --------------------------------------------------------------------------------------------- running a tool


def _beside(name: str) -> str | None:
    """The program next to this interpreter, else the one on the path."""
    beside = Path(sys.executable).with_name(name)
    return str(beside) if beside.is_file() else shutil.which(name)


def pyright_command() -> list[str] | None:
    """`node` and pyright's own program: its launcher for Python may download another version, so it is not used."""
    node = shutil.which("node")
    if node is None:
        return None
    found: list[Path] = []
    package = importlib.util.find_spec("pyright")
    if package is not None and package.origin is not None:
        found.append(Path(package.origin).parent / "dist" / "index.js")
    launcher = shutil.which("pyright")
    if launcher is not None:
        program = Path(launcher).resolve()
        if program.suffix == ".js":
            found.append(program)
        else:
            found += sorted(program.parent.parent.glob("lib/python3*/site-packages/pyright/dist/index.js"))
    program = next((path for path in found if path.is_file()), None)  # type: ignore[assignment]
    return [node, "--max-old-space-size=1024", str(program)] if program is not None else None


def _lay_out(folder: str, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (Path(folder) / name).write_text(text, encoding="utf-8", errors="replace")


def _run(name: str, program: str | None, options: Sequence[str], folder: str, text: str | None = None) -> str:
    """Standard output of `program`, or of the Python module `name`, behind the kernel's wall where it stands.

    The environment carries no secret. Raises `ToolFailed` when the tool fails or takes too long.
    """
    rules = launch.worker_rules(Path(folder), more=launch.programs(), programs=program is not None)
    what, form = (program, "program") if program is not None else (name, "module")
    try:
        done = subprocess.run(
            launch.command(what, *options, rules=rules, form=form), input=text,
            stdin=subprocess.DEVNULL if text is None else None, capture_output=True, text=True, timeout=SECONDS,
            cwd=folder, check=False, encoding="utf-8", errors="replace",
            env={"PATH": "/usr/bin:/bin", "HOME": folder, "TMPDIR": folder, "LC_ALL": "C.UTF-8",
                 "OPENSSL_CONF": "/dev/null"},  # Node.js ends where it may not read the system's
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise ToolFailed(f"{name} gave no answer within {SECONDS:g} s, so it says nothing of this file") from None
    except (OSError, ValueError):
        raise ToolFailed(f"{name} could not be started, so it says nothing of this file") from None
    if done.returncode not in (0, 1):  # 1: it found something
        raise ToolFailed(f"{name} ended with exit code {done.returncode}, so it says nothing of this file")
    return done.stdout


def _json(output: str, otherwise: Any) -> Any:
    """What a tool printed, or `otherwise` when that is something else than JSON of the same kind."""
    try:
        found = json.loads(output)
    except (ValueError, RecursionError):
        return otherwise
    return found if isinstance(found, type(otherwise)) else otherwise


# ------------------------------------------------------------------------------- what no static tool can judge


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


def _sets_attributes(tree: ast.Module) -> bool:
    """Whether attributes may come into being by name."""
    return any(
        (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "setattr")
        or (isinstance(node, ast.Attribute) and node.attr == "__dict__")
        for node in ast.walk(tree)
    )
