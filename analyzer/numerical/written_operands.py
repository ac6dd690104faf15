"""The operand of a failing operator as its source line has it: `y` of ``torch.log(y)``, `a + b` of ``x / (a + b)``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import onnx_ir as ir

from analyzer.findings import Location
from analyzer.graph import location_of
from analyzer.numerical.repair.source.calls import Reader
from analyzer.numerical.repair.source.file import SourceFile
from analyzer.operators.conditions import DIVISION_BY_ZERO, INTEGER_DIVISION_BY_ZERO, POW_DOMAIN
from analyzer.operators.registry import operator_of

LONGEST = 40  # characters: more is read in the source
_SPELLED = {  # an operator's names in source, where they are not its own in small letters
    "Div": ("div", "divide", "true_divide"),
    "RealDiv": ("div", "divide", "realdiv", "truediv"),
    "Pow": ("pow", "power"),
}


def written_operand(root: Path, node: ir.Node, index: int) -> str:
    """The expression, where the line applies this operator once and names the operand; empty otherwise."""
    place = location_of(node)
    if place is None or index < 0:
        return ""
    file = _read(root, place.path)
    if file is None:
        return ""
    found = {ast.unparse(e): e for e in _operands(file, place, node, index)}
    if len(found) != 1:
        return ""
    ((text, expression),) = found.items()
    plain = not any(isinstance(part, (ast.Call, ast.Constant)) and part is expression for part in ast.walk(expression))
    calls = any(isinstance(part, ast.Call) for part in ast.walk(expression))
    return text if plain and not calls and len(text) <= LONGEST and "`" not in text and "\n" not in text else ""


@lru_cache(maxsize=32)
def _read(root: Path, path: str) -> SourceFile | None:
    return SourceFile.read(root, path)


def _operands(file: SourceFile, place: Location, node: ir.Node, index: int) -> Iterator[ast.expr]:
    reader, kind = Reader(file), node.op_type
    names = _SPELLED.get(kind, (kind.lower(),))
    for expression in ast.walk(file.tree):
        if not isinstance(expression, (ast.Call, ast.BinOp)):
            continue
        if not expression.lineno <= place.line <= (expression.end_lineno or expression.lineno):
            continue
        if isinstance(expression, ast.BinOp):
            if isinstance(expression.op, _symbols(node)) and index < 2:
                yield expression.right if index or kind == "Reciprocal" else expression.left
        elif reader.name(expression) in names:
            others = reader.options(expression)
            chosen = reader.argument(expression) if index == 0 else others[index - 1] if index <= len(others) else None
            if chosen is not None:
                yield chosen


def _symbols(node: ir.Node) -> tuple[type[ast.operator], ...]:
    """The symbols of Python that apply the operator to two operands."""
    operator = operator_of(node)
    unsafe = operator.unsafe if operator else ()
    if DIVISION_BY_ZERO in unsafe or INTEGER_DIVISION_BY_ZERO in unsafe:
        return ast.Div, ast.FloorDiv, ast.Mod
    return (ast.Pow,) if POW_DOMAIN in unsafe else ()
