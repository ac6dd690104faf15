"""Replacements in a text -> the changed lines; and how a formula that reaches through local names is replaced."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from analyzer.findings import Suggestion
from analyzer.numerical.repair.source.file import Definition, SourceFile, cheap

LONGEST = 16  # lines of one suggestion
_NAME = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True)
class Edit:
    """The text between two offsets and what takes its place."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Formula:
    """An expression `whole` whose value depends on `core`, read through the names in `through` (if any)."""

    whole: ast.expr
    core: ast.expr
    through: tuple[tuple[Definition, ast.expr], ...] = ()


def suggestion(file: SourceFile, path: str, edits: Sequence[Edit]) -> Suggestion | None:
    """The changed lines as one suggestion; None if they are too many or no longer Python."""
    if not edits:
        return None
    ordered = sorted(edits, key=lambda e: (e.start, e.end))
    if any(a.end > b.start for a, b in itertools.pairwise(ordered)):
        return None
    first = file.text.count("\n", 0, ordered[0].start) + 1
    last = file.text.count("\n", 0, max(ordered[-1].end - 1, ordered[-1].start)) + 1
    if last - first + 1 > LONGEST:
        return None
    start, end = file.line_start(first), file.line_start(last + 1)
    changed, position = "", start
    for edit in ordered:
        changed += file.text[position : edit.start] + edit.text
        position = edit.end
    changed += file.text[position:end]
    try:
        ast.parse(file.text[:start] + changed + file.text[end:])
    except (SyntaxError, ValueError):
        return None
    return Suggestion("", path, first, last, changed.rstrip("\n"))


def without_unread(file: SourceFile, edits: Sequence[Edit]) -> list[Edit]:
    """The edits, and those that drop a definition which nothing reads any more after them."""
    written = frozenset(name for edit in edits for name in _NAME.findall(edit.text))

    def replaced(use: ast.Name) -> bool:
        start, end = file.span(use)
        return any(edit.start <= start and end <= edit.end for edit in edits)

    dropped = []
    for statement in ast.walk(file.tree):
        target = statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
        if not isinstance(target, ast.Name) or not isinstance(statement, ast.Assign) or target.id in written:
            continue
        uses = [use for use in file.uses(target.id, file.scope(statement)) if use is not target]
        around = file.scope(statement)
        if uses and isinstance(around, ast.FunctionDef) and all(map(replaced, uses)) and _alone(file, statement):
            end = file.line_start((statement.end_lineno or statement.lineno) + 1)
            dropped.append(Edit(file.line_start(statement.lineno), end, ""))
    kept = [e for e in edits if not any(d.start <= e.start and e.end <= d.end for d in dropped)]
    return [*kept, *dropped]


def replace(file: SourceFile, expression: ast.expr, text: str) -> Edit:
    return Edit(*file.span(expression), text)


def replace_formula(
    file: SourceFile, formula: Formula, render: Callable[[str, ast.expr | None], str | None], noun: str
) -> list[Edit] | None:
    """The edits that put ``render(x)`` in the place of a formula of x.

    Where x stands in the value of a name, a name of its own is made for it unless it is cheap enough to be written
    twice; definitions that nothing else reads are dropped. `noun` names such an x: ``logits``.
    """
    if not formula.through:
        text = render(file.source(formula.core), formula.core)
        return None if text is None else [replace(file, formula.whole, text)]
    definitions = list(dict.fromkeys(d for d, _ in formula.through))
    owner = next((d for d in definitions if any(n is formula.core for n in ast.walk(d.value))), None)
    if owner is None or any(not _alone(file, d.statement) for d in definitions):
        return None
    dropped = _unread(file, formula, definitions)
    edits: list[Edit] = []
    if cheap(formula.core) and file.unchanged(formula.core, owner, formula.whole):
        text = render(file.source(formula.core), formula.core)
    else:
        name = _fresh(file, owner, noun)
        text = render(name, None)
        if owner in dropped:
            edits.append(Edit(*file.span(owner.statement), f"{name} = {file.source(formula.core)}"))
            dropped.remove(owner)
        else:
            indent = " " * owner.statement.col_offset
            before = file.span(owner.statement)[0]
            edits.append(Edit(before, before, f"{name} = {file.source(formula.core)}\n{indent}"))
            edits.append(replace(file, formula.core, name))
    if text is None:
        return None
    for definition in dropped:
        lines = definition.statement
        edits.append(Edit(file.line_start(lines.lineno), file.line_start((lines.end_lineno or lines.lineno) + 1), ""))
    return [*edits, replace(file, formula.whole, text)]


def before_statement(file: SourceFile, expression: ast.expr, name: str) -> list[Edit] | None:
    """The edits that give a name to an expression, on a line of its own before its statement."""
    statement = file.statement(expression)
    if not isinstance(statement, (ast.Assign, ast.AugAssign, ast.Return, ast.Expr, ast.AnnAssign)):
        return None
    if not _alone(file, statement):
        return None
    indent = " " * statement.col_offset
    start = file.span(statement)[0]
    return [
        Edit(start, start, f"{name} = {file.source(expression)}\n{indent}"),
    ]


def fresh(file: SourceFile, node: ast.AST, base: str) -> str:
    """A name that the scope of `node` does not use."""
    scope = file.scope(node)
    used = {n.id for n in ast.walk(scope) if isinstance(n, ast.Name)} | {
        a.arg for a in ast.walk(scope) if isinstance(a, ast.arg)
    }
    name, number = base, 2
    while name in used:
        name, number = f"{base}_{number}", number + 1
    return name


def _fresh(file: SourceFile, owner: Definition, noun: str) -> str:
    base = noun.format(name=owner.name)
    if fresh(file, owner.statement, base) == base:
        return base
    return fresh(file, owner.statement, f"{owner.name}_{base}" if noun == base else f"{base}_value")


def _unread(file: SourceFile, formula: Formula, definitions: list[Definition]) -> list[Definition]:
    """Definitions that only the formula reads."""
    through = {id(use) for _, use in formula.through}
    inside = {id(n) for n in ast.walk(formula.whole)}
    dropped = list(definitions)
    while True:
        gone = {id(n) for d in dropped for n in ast.walk(d.statement)}
        kept = []
        for definition in dropped:
            scope = file.scope(definition.statement)
            others = [
                n for n in file.uses(definition.name, scope) if id(n) not in inside and id(n) not in gone
            ]  # fmt: skip
            matched = [n for n in file.uses(definition.name, scope) if id(n) in through]
            within = [n for n in file.uses(definition.name, scope) if id(n) in inside and id(n) not in through]
            if not others and matched and not within:
                kept.append(definition)
        if len(kept) == len(dropped):
            return dropped
        dropped = kept


def _alone(file: SourceFile, statement: ast.stmt) -> bool:
    """Whether a statement has its lines for itself."""
    start, end = file.span(statement)
    line = file.text[file.line_start(statement.lineno) : start]
    rest = file.text[end : file.line_start((statement.end_lineno or statement.lineno) + 1)].strip()
    return not line.strip() and (not rest or rest.startswith("#"))
