"""One text of a file after another: which parts stayed, under line numbers that an edit elsewhere does not change.

Parts are functions of the module and methods of its classes; everything else is the frame around them. An edition has a
syntax tree with lines of its own: a function keeps them as long as its text is the same, a changed one gets new ones.
Own lines lie above a million, so that those in a sentence can be told and put back.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from analyzer.tracing.paths.problems import Diagnostic
from analyzer.tracing.paths.symbols import Site

FIRST = 1_000_000
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_NUMBER = re.compile(r"(?<=line )\d{7,}|(?<=\.py:)\d{7,}|(?<=\):)\d{7,}")  # the last of a docstring
_CUT = re.compile(r"((?:line |\.py:|\):))1\d{0,6}…$")  # a number in which a long sentence was cut off


class _Different(Exception):
    """The frame around the functions has changed."""


@dataclass(frozen=True, slots=True)
class Edition:
    """One text of a file."""

    text: str
    written: ast.Module  # with the lines of the text
    tree: ast.Module  # with lines of its own
    lines: Mapping[int, int]  # own line → line of the text
    following: int  # the first own line that was never given

    def told(self, sentence: str) -> str:
        """A sentence with the lines of the text."""
        put = _NUMBER.sub(lambda found: str(self.lines.get(int(found[0]), found[0])), sentence)
        return _CUT.sub(r"\1…", put)

    def placed(self, problem: Diagnostic, path: str) -> Diagnostic:
        """A problem with the lines of the text, which is that of the file `path`."""

        def moved(site: Site) -> Site:
            return replace(site, line=self.lines.get(site.line, site.line)) if site.path == path else site

        fix = problem.fix
        if fix is not None and fix[1] == path and fix[0].lineno in self.lines:
            node = copy.deepcopy(fix[0])
            ast.increment_lineno(node, self.lines[node.lineno] - node.lineno)
            fix = (node, *fix[1:])
        return replace(
            problem, site=moved(problem.site), places=tuple(map(moved, problem.places)), fix=fix,
            message=self.told(problem.message), sentences=tuple(map(self.told, problem.sentences)),
            tier=self.told(problem.tier),
        )  # fmt: skip


def first_edition(text: str, written: ast.Module) -> Edition:
    """The edition of a text that has none before it. `written`: its syntax tree."""
    tree = ast.parse(text)
    ast.increment_lineno(tree, FIRST)
    count = len(_lines(text))
    return Edition(text, written, tree, {FIRST + n: n for n in range(1, count + 1)}, FIRST + count + 1)


def next_edition(before: Edition, text: str, written: ast.Module) -> Edition | None:
    """The edition of a text that differs in functions alone from the one before; None where more has changed."""
    made = ast.parse(text)
    merging = _Merging(_lines(before.text), _lines(text), before.following)
    try:
        made.body = list(merging.bodies(before.written.body, before.tree.body, written.body, made.body))
    except _Different:
        return None
    return Edition(text, written, made, merging.map, merging.following)


def _lines(text: str) -> list[str]:
    return re.split(r"\r\n|\r|\n", text)


def _start(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(d.lineno for d in decorators)])


def _end(node: ast.AST) -> int:
    end = getattr(node, "end_lineno", None)
    return end if isinstance(end, int) else 0


def _head_end(node: ast.stmt) -> int:
    """The last line with a part of what stands before the body of a function or class."""
    parts = [p for p in ast.iter_child_nodes(node) if not isinstance(p, ast.stmt)]
    return max([node.lineno, *(_end(p) for part in parts for p in ast.walk(part))])


def _apart(node: ast.stmt) -> bool:
    """Whether the body of a function or class begins on a line of its own."""
    body: list[ast.stmt] = getattr(node, "body", [])
    return bool(body) and _start(body[0]) > _head_end(node)


class _Merging:
    """Puts the parts of the tree before that stayed in the place of the new ones."""

    def __init__(self, before: list[str], now: list[str], following: int) -> None:
        self.before, self.now, self.following = before, now, following
        self.map: dict[int, int] = {}

    def bodies(
        self, before: list[ast.stmt], own: list[ast.stmt], written: list[ast.stmt], made: list[ast.stmt]
    ) -> Iterator[ast.stmt]:
        """`before` and `own`: the old statements with the text's lines and their own; `written`, `made`: the new."""
        if len(before) != len(written):
            raise _Different
        for old, kept, new, fresh in zip(before, own, written, made, strict=True):
            if type(old) is not type(new):
                raise _Different
            if isinstance(new, ast.ClassDef) and _apart(new) and _apart(old):
                self._require_head(old, new)
                yield self._class(old, kept, new, fresh)
            elif self._same(old, _end(old), new, _end(new)):
                self._stays(_start(kept), new, _end(new))
                yield kept
            elif isinstance(new, _FUNCTIONS):
                self._require_head(old, new)
                ast.increment_lineno(fresh, self.following - _start(fresh))
                self._stays(self.following, new, _end(new))
                self.following += _end(new) - _start(new) + 1
                yield fresh
            else:
                raise _Different

    def _class(self, old: ast.stmt, kept: ast.stmt, new: ast.ClassDef, fresh: ast.stmt) -> ast.ClassDef:
        assert isinstance(old, ast.ClassDef)
        assert isinstance(kept, ast.ClassDef)
        assert isinstance(fresh, ast.ClassDef)
        self._stays(_start(kept), new, _head_end(new))
        merged = copy.copy(kept)
        merged.body = list(self.bodies(old.body, kept.body, new.body, fresh.body))
        return merged

    def _require_head(self, old: ast.stmt, new: ast.stmt) -> None:
        if not (_apart(old) and _apart(new) and self._same(old, _head_end(old), new, _head_end(new))):
            raise _Different

    def _same(self, old: ast.stmt, old_end: int, new: ast.stmt, new_end: int) -> bool:
        """Whether the lines of two statements are the same up to these."""
        return self.before[_start(old) - 1 : old_end] == self.now[_start(new) - 1 : new_end]

    def _stays(self, own: int, new: ast.stmt, end: int) -> None:
        first = _start(new)
        self.map.update({own + n: first + n for n in range(end - first + 1)})
