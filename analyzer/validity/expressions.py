"""Expressions over hyperparameters, parsed with ``ast`` and never evaluated as Python.

Numbers, names (also dotted and indexed paths such as ``input.shape[2]``), ``+ - * // %``, comparisons, ``and or not``,
``a if c else b``, ``in [...]``, ``min max ceil_div``. Text is for comparing categorical hyperparameters.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from analyzer.problem import UsageProblem
from analyzer.validity.architecture import Structural
from analyzer.validity.terms import (
    all_of,
    any_of,
    ceil_div,
    choose,
    equal,
    floor_div,
    is_z3,
    maximum,
    minimum,
    mod,
    negate,
    symbols_of,
)

_FLOATING: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow,
}  # fmt: skip
_WHOLE: dict[str, Callable[[float], int]] = {"int": int, "round": round, "floor": math.floor, "ceil": math.ceil}
MAX_LENGTH = 2_000  # characters; the text is untrusted
MAX_DEPTH = 60  # operators within operators; the parser is recursive
_ALLOWED = "numbers, names, + - * / // % **, comparisons, and, or, not, min, max, int, round, floor, ceil and ceil_div"
_FUNCTIONS: dict[str, Callable[..., Any]] = {"min": minimum, "max": maximum, "ceil_div": ceil_div}


def parse(text: str) -> ast.expr:
    """The syntax tree of `text`. Raises UsageProblem, in one sentence, for what is not an expression."""
    if len(text) > MAX_LENGTH:
        raise UsageProblem(f"the expression `{text[:40]}…` is longer than {MAX_LENGTH} characters")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise UsageProblem(f"`{text}` is not an expression; it may use {_ALLOWED}") from None
    if _depth(tree) > MAX_DEPTH:
        raise UsageProblem(f"the expression `{text[:40]}…` is nested too deeply")
    return tree


def _depth(node: ast.AST) -> int:
    deepest, stack = 0, [(node, 1)]
    while stack:
        current, level = stack.pop()
        deepest = max(deepest, level)
        if level > MAX_DEPTH:
            break
        stack.extend((child, level + 1) for child in ast.iter_child_nodes(current))
    return deepest


def path_of(node: ast.AST) -> str | None:
    """``conv1.stride[0]`` for such a tree, None for anything else."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=attribute):
            owner = path_of(value)
            return None if owner is None else f"{owner}.{attribute}"
        case ast.Subscript(value=value, slice=ast.Constant(value=int() | str() as index)):
            owner = path_of(value)
            return None if owner is None else f"{owner}[{index!r}]"
    return None


def names_in(node: ast.AST) -> frozenset[str]:
    """Every path that an expression reads."""
    path = path_of(node)
    if path is not None:
        return frozenset((path,))
    if isinstance(node, ast.Call):
        return frozenset().union(*(names_in(a) for a in node.args))
    return frozenset().union(*(names_in(child) for child in ast.iter_child_nodes(node)))


def evaluate(text: str, resolve: Callable[[str], Any]) -> Any:
    """The value of an expression in whatever reading `resolve` gives its names.

    Raises UsageProblem for constructs that are not allowed; `resolve` raises it for names it does not know.
    """
    return _Evaluator(text, resolve).value(parse(text))


class _Evaluator:
    def __init__(self, text: str, resolve: Callable[[str], Any]) -> None:
        self._text = text
        self._resolve = resolve

    def value(self, node: ast.expr) -> Any:
        path = path_of(node)
        if path is not None:
            return self._resolve(path)
        match node:
            case ast.Constant(value=bool() | int() | str() | float() | None as value):
                return value
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self._number(operand)
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self._number(operand)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return negate(self._truth(operand))
            case ast.BinOp(left=left, op=kind, right=right):
                return self._arithmetic(kind, self._number(left), self._number(right))
            case ast.BoolOp(op=junction, values=values):
                combine = all_of if isinstance(junction, ast.And) else any_of
                return combine(*(self._truth(v) for v in values))
            case ast.Compare(left=left, ops=operators, comparators=rights):
                return self._comparison(left, operators, rights)
            case ast.IfExp(test=test, body=body, orelse=other):
                return choose(self._truth(test), self.value(body), self.value(other))
            case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in _WHOLE:
                value = self._number(argument)
                return _WHOLE[name](value) if isinstance(value, float) else value
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in _FUNCTIONS and arguments:
                return reduce(_FUNCTIONS[name], [self._number(a) for a in arguments])
        raise UsageProblem(f"`{ast.unparse(node)}` in `{self._text}` is not allowed; an expression may use {_ALLOWED}")

    def _number(self, node: ast.expr) -> Any:
        value = self.value(node)
        if isinstance(value, (str, bool)):
            raise UsageProblem(f"`{ast.unparse(node)}` in `{self._text}` is {value!r}, which is not a number")
        return value

    def _truth(self, node: ast.expr) -> Any:
        value = self.value(node)
        if isinstance(value, (str, int)) and not isinstance(value, bool):
            raise UsageProblem(f"`{ast.unparse(node)}` in `{self._text}` is not a condition")
        return value

    def _fraction(self, kind: ast.operator, left: Any, right: Any) -> Any:
        """Arithmetic with a number of floating point: exactly as Python computes it, so on plain numbers only."""
        symbols = frozenset(s.name for v in (left, right) for s in symbols_of(v))
        if symbols:
            raise Structural(symbols)
        try:
            return _FLOATING[type(kind)](left, right)
        except (KeyError, ZeroDivisionError, OverflowError):
            raise UsageProblem(f"`{self._text}` cannot be computed for {left} and {right}") from None

    def _arithmetic(self, kind: ast.operator, left: Any, right: Any) -> Any:
        if isinstance(left, float) or isinstance(right, float) or isinstance(kind, ast.Div):
            return self._fraction(kind, left, right)
        match kind:
            case ast.Add():
                return left + right
            case ast.Sub():
                return left - right
            case ast.Mult():
                return left * right
            case ast.FloorDiv():
                return floor_div(left, right)
            case ast.Mod():
                return mod(left, right)
            case ast.Pow() if isinstance(right, int) and 0 <= right <= 4:
                return reduce(lambda a, _: a * left, range(right), 1)
        raise UsageProblem(f"`{self._text}` uses an operator that is not allowed")

    def _comparison(self, left: ast.expr, operators: Sequence[ast.cmpop], rights: Sequence[ast.expr]) -> Any:
        parts = []
        for one, right in zip(operators, rights, strict=True):
            parts.append(self._compare(left, one, right))
            left = right
        return all_of(*parts)

    def _compare(self, left: ast.expr, comparison: ast.cmpop, right: ast.expr) -> Any:
        a = self.value(left)
        if isinstance(comparison, (ast.In, ast.NotIn)) and isinstance(right, (ast.List, ast.Tuple, ast.Set)):
            found = any_of(*(_same(a, self.value(item)) for item in right.elts))
            return negate(found) if isinstance(comparison, ast.NotIn) else found
        b = self.value(right)
        if isinstance(a, float) or isinstance(b, float):
            symbols = frozenset(s.name for v in (a, b) for s in symbols_of(v))
            if symbols:
                raise Structural(symbols)
        match comparison:
            case ast.Eq():
                return _same(a, b)
            case ast.NotEq():
                return negate(_same(a, b))
        if isinstance(a, str) or isinstance(b, str):
            raise UsageProblem(f"`{self._text}` orders text; text can only be compared with == and !=")
        match comparison:
            case ast.Lt():
                return a < b
            case ast.LtE():
                return a <= b
            case ast.Gt():
                return a > b
            case ast.GtE():
                return a >= b
        raise UsageProblem(f"`{self._text}` uses a comparison that is not allowed")


def _same(a: Any, b: Any) -> Any:
    if a is None or b is None:
        return a is b
    if isinstance(a, (str, bool)) or isinstance(b, (str, bool)):
        return False if is_z3(a) or is_z3(b) else type(a) is type(b) and a == b
    return equal(a, b)
