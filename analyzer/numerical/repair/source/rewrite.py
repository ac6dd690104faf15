"""Finds the expression of a change on its source line and writes the changed lines. What is ambiguous is left: None."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from analyzer.findings import Location, Suggestion
from analyzer.numerical.repair.source.bounds import bounded, expressions, operators
from analyzer.numerical.repair.source.calls import Reader, constant
from analyzer.numerical.repair.source.edits import Edit, replace, suggestion
from analyzer.numerical.repair.source.file import SourceFile
from analyzer.numerical.repair.source.formulas import MATCHES, SPREADS, norm_with, spread_with, stable

T = TypeVar("T")
BOUNDS = ("clamp-below", "clamp-above", "clamp-both", "epsilon", "guard")
HALF = ("half", "bfloat16", "float16")
WIDE = ("float", "float32")
LOOPS = (ast.FunctionDef, ast.For, ast.While, ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp, ast.Lambda)
SYMBOLS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.MatMult: "@"}


@dataclass(frozen=True)
class Place:
    """Where an operator of the graph was written: the `ordinal`-th of `count` of its kind made by that line."""

    location: Location
    op_type: str
    ordinal: int = 0
    count: int = 1
    alike: bool = True  # whether all of them can come from one expression that runs several times
    own: bool = True  # False: a step inside a function of the framework that the line calls


def rewrite(root: Path, place: Place, kind: str, number: float) -> Suggestion | None:
    """The suggestion for the lines around `place`, or None if they cannot be rewritten with certainty.

    `kind` and `number` are those of a `Candidate`; the file is looked for below `root`.
    """
    file = SourceFile.read(root, place.location.path)
    return suggestion(file, place.location.path, _edits(Reader(file), place, kind, number) or ()) if file else None


def edits_at(root: Path, place: Place, kind: str, number: float) -> list[Edit]:
    """The same as edits of the file, to be joined with others; empty where there are none."""
    file = SourceFile.read(root, place.location.path)
    return (_edits(Reader(file), place, kind, number) or []) if file else []


def _edits(reader: Reader, place: Place, kind: str, number: float) -> list[Edit] | None:
    line = place.location.line
    if kind == "finite-mask":
        return _only([e for e in expressions(reader, line) if _minus_infinity(reader, e)],
                     lambda e: [replace(reader.file, e, _short(number))])  # fmt: skip
    if kind == "widen":
        return _chosen(place, [e for e in expressions(reader, line) if _widens(reader, e)], lambda e: _wide(reader, e))
    if kind in ("deviation", "biased"):
        calls = [e for e in expressions(reader, line) if reader.name(e) in SPREADS]
        return _chosen(place, calls, lambda e: spread_with(reader, e, number if kind == "deviation" else None))
    if kind == "root-epsilon":  # torch.rsqrt is a root and a reciprocal in the graph
        return _chosen(place, operators(reader, line, "Rsqrt"),
                       lambda pair: bounded(reader, pair[0], pair[1], "epsilon", number))  # fmt: skip
    found = operators(reader, line, "ReduceL2" if kind == "norm" else place.op_type)
    if kind in BOUNDS:
        if not place.own:
            return None
        if place.count > len(found) and not (place.alike and _runs_again(reader, line)):
            return None  # some are inside a function of the framework that the line calls
        return _chosen(place, found, lambda pair: bounded(reader, pair[0], pair[1], kind, number))
    wholes = [whole for whole, _ in found if whole is not None]
    if kind == "norm":
        return _chosen(place, wholes, lambda e: norm_with(reader, e, number))
    if kind in MATCHES:
        return _chosen(place, wholes, lambda e: stable(reader, kind, e))
    return None


def _runs_again(reader: Reader, line: int) -> bool:
    """Whether a line may run several times in one pass: in a loop, or in a function that is called."""
    around = [
        n for n in ast.walk(reader.file.tree) if isinstance(n, LOOPS) and n.lineno <= line <= (n.end_lineno or n.lineno)
    ]
    functions = [n for n in around if isinstance(n, ast.FunctionDef)]
    return len(functions) < len(around) or not functions or functions[-1].name not in ("forward", "call", "__call__")


def _chosen(place: Place, found: list[T], edit: Callable[[T], list[Edit] | None]) -> list[Edit] | None:
    """The edits at the expression that is the operator's own.

    A line that makes as many operators as it has expressions (or a multiple: it runs several times) makes them in the
    order of evaluation; otherwise the change must fit one expression only. Where the line writes the same expression
    again, that one is changed too: it has the same value, and is warned of as soon as the first no longer fails.
    """
    if not found or place.count % len(found) != 0:
        return _only(found, edit)
    own = found[place.ordinal % len(found)]
    made = edit(own)
    if made is None:
        return None
    text = _written(own)
    more = [edit(each) for each in found if each is not own and text and _written(each) == text]
    return [*made, *(e for edits in more for e in edits or () if e not in made)]


def _written(found: object) -> str:
    """The expression as text; of an operator and its operand, the operator's."""
    expression = found[0] if isinstance(found, tuple) else found
    return ast.unparse(expression) if isinstance(expression, ast.expr) else ""


def _only(found: list[T], edit: Callable[[T], list[Edit] | None]) -> list[Edit] | None:
    made = [e for e in map(edit, found) if e is not None]
    return made[0] if len(made) == 1 else None


def _short(number: float) -> str:
    return f"{number:.0e}".replace("e+0", "e").replace("e-0", "e-")


def _minus_infinity(reader: Reader, expression: ast.expr) -> bool:
    """``float("-inf")``, ``-float("inf")``, ``-math.inf``, ``-torch.inf`` …"""
    if isinstance(expression, ast.UnaryOp) and isinstance(expression.op, ast.USub):
        text = reader.file.source(expression.operand).replace("'", '"').replace(" ", "")
        dotted = reader.file.dotted(expression.operand) or ""
        return text == 'float("inf")' or dotted.endswith((".inf", ".Inf"))
    text = reader.file.source(expression).replace("'", '"').replace(" ", "")
    return text == 'float("-inf")'


def _widens(reader: Reader, expression: ast.expr) -> bool:
    """Whether an expression converts the result of an operator to float32."""
    return _narrow(reader, expression) is not None


def _narrow(reader: Reader, expression: ast.expr) -> ast.expr | None:
    """What an expression converts to float32."""
    if not isinstance(expression, ast.Call):
        return None
    name, options = reader.name(expression), reader.options(expression)
    named = bool(options) and reader.file.source(options[0]).strip("\"'").rpartition(".")[2] in WIDE
    method = name == "float" and reader.is_method(expression) and not options
    if not (method or name == "to_float" or (named and name in ("to", "cast", "type"))):
        return None
    inner = reader.argument(expression)
    return inner if isinstance(inner, (ast.BinOp, ast.Call)) else None


def _wide(reader: Reader, expression: ast.expr) -> list[Edit] | None:
    """``(a * b).float()`` -> ``(a.float() * b.float())``: every operand is converted instead of the result."""
    inner = _narrow(reader, expression)
    if not isinstance(expression, ast.Call) or inner is None:
        return None

    def converted(x: ast.expr) -> str:
        text = reader.file.source(x)
        if constant(x) is not None:
            return text
        if reader.is_method(expression):
            arguments = ", ".join(reader.file.source(a) for a in expression.args)
            assert isinstance(expression.func, ast.Attribute)
            return f"{reader.atom(text, x)}.{expression.func.attr}({arguments})"
        rest = [text, *(reader.file.source(a) for a in reader.options(expression))]
        return f"{reader.file.source(expression.func)}({', '.join(rest)})"

    if isinstance(inner, ast.BinOp):
        symbol = SYMBOLS.get(type(inner.op))
        if symbol is None:
            return None
        return [replace(reader.file, expression, f"({converted(inner.left)} {symbol} {converted(inner.right)})")]
    x = reader.argument(inner) if isinstance(inner, ast.Call) else None
    if x is None or not isinstance(inner, ast.Call) or reader.name(inner) in HALF or not reader.is_framework(inner):
        return None
    operands = [x, *(a for a in reader.options(inner) if constant(a) is None)]
    inside = {id(a): converted(a) for a in operands}
    if reader.is_method(inner):
        assert isinstance(inner.func, ast.Attribute)
        arguments = [inside.get(id(a), reader.file.source(a)) for a in inner.args]
        arguments += [f"{k.arg}={reader.file.source(k.value)}" for k in inner.keywords if k.arg]
        text = f"{inside[id(x)]}.{inner.func.attr}({', '.join(arguments)})"
    else:
        arguments = [inside.get(id(a), reader.file.source(a)) for a in inner.args]
        arguments += [f"{k.arg}={reader.file.source(k.value)}" for k in inner.keywords if k.arg]
        text = f"{reader.file.source(inner.func)}({', '.join(arguments)})"
    return [replace(reader.file, expression, text)]
