"""Annotations for functions without: what tracing has seen their arguments and results to be, in jaxtyping's form.

A proposal is kept if the file, traced again with all of them, gives no finding that it did not give before.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from analyzer.tracing.language.tensors import Shape, Tensor
from analyzer.tracing.language.values import Unknown, Value
from analyzer.validity.terms import Cond, Poly, Term, Truth, substitute

MOST_CALLS = 8  # of one function that are kept: more of them say little more
_KINDS = {"f": "Float", "b": "Float", "i": "Int", "u": "UInt", "c": "Complex"}  # by the first letter of a type
HEADER = "from jaxtyping import {}\nfrom torch import Tensor\n"

Seen = tuple[Term | None, ...]  # the sizes of a tensor; None in front: axes of any number


@dataclass
class ObservedCall:
    """One call of a function: element types and sizes by parameter, those of the result under ``return``."""

    tensors: dict[str, tuple[str | None, Seen]] = field(default_factory=dict)
    sizes: dict[Term, str] = field(default_factory=dict)  # integers of the constructor or the call, by value


@dataclass(frozen=True)
class Annotation:
    """A proposal: the function's line and name, and the annotation of each parameter and of ``return``."""

    line: int
    function: str
    shapes: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        given = ", ".join(f"{name}: {shape}" for name, shape in self.shapes if name != "return")
        result = next((f" -> {shape}" for name, shape in self.shapes if name == "return"), "")
        return f"{self.function}({given}){result}"


def seen_call(
    names: dict[str, Value], sizes: dict[str, Value], result: Value, conditions: Iterable[Truth]
) -> ObservedCall:
    """What a call tells, at its end: what its operators demand of unknown arguments (`conditions`) is known then."""
    call, equal = ObservedCall(), _equalities(conditions)
    for name, value in (*names.items(), ("return", result)):
        tensor = value.tensor if isinstance(value, Unknown) else value
        if isinstance(tensor, Tensor) and tensor.framework == "torch" and (found := _seen(tensor.shape)) is not None:
            sizes_now = tuple(d if d is None else substitute(d, equal) for d in found)
            call.tensors[name] = (tensor.dtype, sizes_now)
    known = [(n, v) for n, v in (*sizes.items(), *names.items()) if isinstance(v, (int, Poly)) and v is not True]
    for name, value in reversed(known):
        if len(name) > 1 and value is not False and value not in (0, 1):
            call.sizes[substitute(value, equal)] = name
    return call


def _equalities(conditions: Iterable[Truth]) -> dict[str, Term]:
    """Symbol → number, of those that a condition sets equal to one."""
    found: dict[str, Term] = {}
    for condition in conditions:
        value = condition.args[0] if isinstance(condition, Cond) and condition.kind == "eq" else None
        if isinstance(value, Poly) and len(value.symbols) == 1:
            (symbol,) = value.symbols
            coefficient = dict(value.terms).get((symbol,), 0)
            if abs(coefficient) == 1 and value == Poly({(symbol,): coefficient, (): value.constant}):
                found[symbol.name] = -value.constant * coefficient
    return found


def _seen(shape: Shape) -> Seen | None:
    if shape.dims is not None:
        return shape.dims
    last: list[Term | None] = []
    while -len(last) - 1 in shape.back:
        last.insert(0, shape.back[-len(last) - 1])
    return (None, *last) if last else None


def propose(tree: ast.Module, calls: dict[int, list[ObservedCall]]) -> list[Annotation]:
    """Annotations of the functions whose calls were seen, in the order of the file; those that have some are left."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.lineno in calls:
            shapes = _shapes(node, calls[node.lineno])
            if shapes:
                found.append(Annotation(node.lineno, node.name, tuple(shapes.items())))
    return sorted(found, key=lambda a: a.line)


def _shapes(node: ast.FunctionDef | ast.AsyncFunctionDef, calls: Sequence[ObservedCall]) -> dict[str, str]:
    spec = node.args
    free = [p.arg for p in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs) if p.annotation is None]
    free += ["return"] if node.returns is None else []
    names: dict[tuple[Term, ...], str] = {}
    given = {name: [c.tensors[name] for c in calls if name in c.tensors] for name in free}
    rows = [[s for _, s in given[name]] for name in free if len(given[name]) == len(calls)]
    batches = {sizes for seen in rows if (sizes := _rows(seen)) is not None}
    found = {}
    for name in free:
        seen = given[name]
        if len(seen) == len(calls) > 0:
            text = _shape([s for _, s in seen], calls, names, batches)
            kinds = {"Bool" if dtype == "bool" else _KINDS.get((dtype or "")[:1], "Shaped") for dtype, _ in seen}
            if text is not None:
                found[name] = f'{kinds.pop() if len(kinds) == 1 else "Shaped"}[Tensor, "{text}"]'
    return found


def _rows(seen: list[Seen]) -> tuple[Term, ...] | None:
    """How many rows a tensor of several axes had in each call; None where that is not known."""
    rows = tuple(s[0] for s in seen if len(s) > 1 and s[0] is not None)
    return rows if len(rows) == len(seen) else None


def _shape(
    seen: list[Seen],
    calls: Sequence[ObservedCall],
    names: dict[tuple[Term, ...], str],
    batches: set[tuple[Term, ...]],
) -> str | None:
    """One text for all calls; axes whose sizes go together in all of them have one name. Of the sizes that never change
    the rows have one, in `batches` those of tensors of several axes, with which others may go together."""
    if len({len(s) for s in seen}) > 1 or len({bool(s) and s[0] is None for s in seen}) > 1:
        return None
    parts = []
    for axis, sizes in enumerate(zip(*seen, strict=True)):
        if sizes[0] is None:
            parts.append("...")
            continue
        values = tuple(s for s in sizes if s is not None)
        given = {c.sizes.get(v, "") for c, v in zip(calls, values, strict=True)}
        if len(given) == 1 and "" not in given:
            parts.append(given.pop())
        elif (
            len(set(values)) == 1
            and isinstance(values[0], int)
            and (axis > 0 or (len(seen[0]) == 1 and values not in batches))
        ):
            parts.append(str(values[0]))
        elif all(isinstance(v, int) or _is_symbol(v) for v in values):
            parts.append(names.setdefault(values, _fresh("b" if axis == 0 else "n", set(names.values()))))
        else:
            parts.append("_")
    return " ".join(parts)


def _is_symbol(value: Term) -> bool:
    return isinstance(value, Poly) and len(value.terms) == 1 and value.terms[0][1] == 1 and len(value.terms[0][0]) == 1


def _fresh(letter: str, taken: set[str]) -> str:
    letters = letter if letter == "b" else "nmklhwdc"
    free: Iterable[str] = (c for c in (*letters, *(f"{letters[0]}{i}" for i in range(2, 100))) if c not in taken)
    return next(iter(free))


def annotated(text: str, tree: ast.Module, proposals: Sequence[Annotation]) -> str:
    """The source with the proposals written in, and the imports that they need after its docstring and its imports."""
    edits: list[tuple[int, int, str]] = []
    by_line = {a.line: dict(a.shapes) for a in proposals}
    lines = text.splitlines(keepends=True)
    for node in ast.walk(tree):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or node.lineno not in by_line:
            continue
        shapes = by_line[node.lineno]
        for parameter in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            if parameter.arg in shapes:
                edits.append((parameter.end_lineno or 0, parameter.end_col_offset or 0, f": {shapes[parameter.arg]}"))
        place = _before_colon(lines, node)
        if "return" in shapes and place is not None:
            edits.append((*place, f" -> {shapes['return']}"))
    for line, column, new in sorted(edits, reverse=True):
        encoded = lines[line - 1].encode()
        lines[line - 1] = (encoded[:column] + new.encode() + encoded[column:]).decode()
    kinds = sorted({shape.partition("[")[0] for a in proposals for _, shape in a.shapes})
    lines.insert(_after_future(tree), HEADER.format(", ".join(kinds)))
    return "".join(lines)


def _after_future(tree: ast.Module) -> int:
    """The number of lines before the first statement that is neither a docstring nor an import of `__future__`."""
    for node in tree.body:
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not future and not text:
            return min((d.lineno for d in getattr(node, "decorator_list", [])), default=node.lineno) - 1
    return 0


def _before_colon(lines: Sequence[str], node: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[int, int] | None:
    """Where the head of a function closes its parentheses: the last one before its body."""
    body = node.body[0]
    for line in range(body.lineno, node.lineno - 1, -1):
        encoded = lines[line - 1].encode()
        text = encoded[: body.col_offset] if line == body.lineno else encoded.partition(b"#")[0]
        column = text.rfind(b"):")
        if column >= 0:
            return line, column + 1
    return None
