"""What `ruff`, `mypy` and `pyright` find in a file, as problems of ours, each where it is installed."""

from __future__ import annotations

import ast
import re
import sys
import tempfile
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from analyzer.tracing.checkers.tool_runs import ToolFailed, as_json, beside, run
from analyzer.tracing.checkers.type_checkers import PYRIGHT_RULES, Complaint, Said
from analyzer.tracing.paths.problems import Diagnostic
from analyzer.tracing.paths.symbols import Site

UNDEFINED, MISSING, MISMATCH = "python/undefined-name", "python/missing-attribute", "python/argument-mismatch"
_RUFF = {"F821": UNDEFINED, "F822": UNDEFINED, "F823": UNDEFINED}
_MYPY = {"call-arg": MISMATCH, "attr-defined": MISSING}
_PYRIGHT = dict(zip(PYRIGHT_RULES, (UNDEFINED, UNDEFINED, MISSING, MISMATCH), strict=True))
# Packages whose decorators leave the signature as it is; the empty one stands for what the file or Python brings.
_KEEPS_SIGNATURES = frozenset(("", "torch", "tensorflow", "keras", "jax", "numpy"))
_UNSURE = ("None", "object", "Module", "Callable", "_Wrapped", "maybe")  # what a checker without types guesses at


def with_ruff(text: str, tree: ast.Module, relative: str) -> Iterator[Diagnostic]:
    """Names that nothing binds, and locals that are read before they are set."""
    command = beside("ruff")
    if command is None:
        raise ToolFailed("ruff is not installed: undefined names were not looked for")
    options = ["check", "--isolated", "--no-cache", "--select", ",".join(_RUFF), "--output-format", "json",
               "--target-version", "py311", "--stdin-filename", "file.py", "-"]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        entries = as_json(run("ruff", command, options, folder, text), [])
    texts, lines = _text_lines(tree), text.splitlines()
    dynamic = _makes_names(tree)
    for entry in entries:
        line, code = entry["location"]["row"], entry.get("code")
        column = len(lines[line - 1][: entry["location"]["column"] - 1].encode()) if line <= len(lines) else 0
        if code not in _RUFF or line in texts:
            continue  # inside quotes: a forward reference or a shape annotation, never evaluated
        message = str(entry["message"]).strip().rstrip(".")
        name = message.partition("`")[2].partition("`")[0]
        yield Diagnostic(
            _RUFF[code], "error", f"{message}: Python raises NameError when this line runs",
            Site(relative, line, column), "name", ("ruff " + code,), not dynamic, None, name,
        )  # fmt: skip


def with_mypy(said: Said, tree: ast.Module, relative: str) -> Iterator[Diagnostic]:
    """Calls and attributes that do not fit what the file itself defines; possible, since types are guessed."""
    open_classes = _sets_attributes(tree)
    for line, _, message, code in _complaints(said, "mypy"):
        rule = _MYPY.get(code)
        if rule is None or (rule == MISSING and (open_classes or not message.startswith('"'))):
            continue
        if not _is_unsure(message):
            yield _possible(rule, relative, line, message, f"mypy [{code}]")


def with_pyright(said: Said, tree: ast.Module, relative: str) -> Iterator[Diagnostic]:
    """The same by other means; it also knows names that are not bound yet where they are read."""
    texts = _text_lines(tree)
    open_classes, dynamic = _sets_attributes(tree), _makes_names(tree)
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    for line, column, message, code in _complaints(said, "pyright"):
        rule = _PYRIGHT.get(code)
        if rule is None or (rule == UNDEFINED and (dynamic or line in texts)):
            continue
        if rule == MISSING:
            owner = re.match(r'Cannot access attribute "(\w+)" for class "(?:type\[)?(\w+)[*\]]*"', message)
            if owner is None or owner[2] not in own or open_classes:
                continue
            message = f'"{owner[2]}" has no attribute "{owner[1]}"'
        if rule == MISMATCH and _is_foreign(tree, line, column, message):
            continue
        if not _is_unsure(message):
            yield _possible(rule, relative, line, message, f"pyright {code}")


def _complaints(said: Said, tool: str) -> Sequence[Complaint]:
    answer = said.get(tool, [])
    if isinstance(answer, str):
        raise ToolFailed(answer)
    return answer


def merged(known: Sequence[Diagnostic], more: Collection[Diagnostic]) -> list[Diagnostic]:
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


def _same_defect(one: Diagnostic, other: Diagnostic) -> bool:
    if (one.rule, one.site.path, one.site.line) != (other.rule, other.site.path, other.site.line):
        return False
    return one.operand == other.operand or (other.rule != UNDEFINED and other.operator in ("mypy", "pyright"))


def _possible(rule: str, relative: str, line: int, message: str, source: str) -> Diagnostic:
    names = re.findall(r'"([^"]*)"', message)
    said = re.sub(r'"([^"]*)"', r"`\1`", message)
    operand = (names[0] if rule == UNDEFINED else names[-1]) if names else said[:60]
    if rule == UNDEFINED:
        said += ": Python raises NameError when this line runs"
    return Diagnostic(
        rule, "warning", said, Site(relative, line), source.partition(" ")[0], (source,), False, None, operand
    )


def _is_unsure(message: str) -> bool:
    return any(f'"{word}' in message or f" {word}" in message for word in _UNSURE)


# ------------------------------------------------------------------------------- what no static tool can decide


def _is_foreign(tree: ast.Module, line: int, column: int, message: str) -> bool:
    """Whether what is called is a library's, of whose stubs pyright brings parts, or a library's decorator wraps it."""
    place, whole = (line, column), message.startswith("Argument")  # "Arguments missing …" is said of the call itself
    calls = [
        n for n in ast.walk(tree)
        if isinstance(n, ast.Call) and (n.lineno, n.col_offset) <= place < (n.end_lineno or 0, n.end_col_offset or 0)
        and (whole or (n.lineno, n.col_offset) != place)
    ]  # fmt: skip
    if not calls:
        return False
    called = max(calls, key=lambda n: (n.lineno, n.col_offset, -(n.end_lineno or 0), -(n.end_col_offset or 0))).func
    libraries = _libraries(tree)
    if _root(called) in libraries:
        return True
    name = called.attr if isinstance(called, ast.Attribute) else _root(called)
    return any(
        isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and n.name == name
        and any(libraries.get(_root(d), "") not in _KEEPS_SIGNATURES for d in n.decorator_list)
        for n in ast.walk(tree)
    )  # fmt: skip


def _root(node: ast.expr) -> str:
    """``a`` of ``a.b(c).d``."""
    while isinstance(node, (ast.Attribute, ast.Call, ast.Subscript)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _libraries(tree: ast.Module) -> dict[str, str]:
    """The names that imports bind to something outside Python's own library, with their packages."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update({(a.asname or a.name.partition(".")[0]): a.name.partition(".")[0] for a in node.names})
        elif isinstance(node, ast.ImportFrom):
            package = (node.module or "").partition(".")[0] if not node.level else "."
            found.update({(a.asname or a.name): package for a in node.names})
    return {name: package for name, package in found.items() if package not in sys.stdlib_module_names}


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
