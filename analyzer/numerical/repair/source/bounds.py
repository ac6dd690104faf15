"""Operands of the operators on a line, and how they are written with a bound."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from analyzer.numerical.repair.source.calls import BACKEND, KERAS, TF, TORCH, Reader, constant
from analyzer.numerical.repair.source.edits import Edit, before_statement, fresh, replace
from analyzer.numerical.repair.source.file import in_order

CALLS: Mapping[str, tuple[str, ...]] = {
    "Log": ("log", "log2", "log10"),
    "Log1p": ("log1p",),
    "log1p": ("log1p",),  # a call of torch's own
    "Exp": ("exp",),
    "Sqrt": ("sqrt", "safe_sqrt", "rsqrt"),
    "Rsqrt": ("rsqrt",),
    "Acos": ("acos", "arccos"),
    "Asin": ("asin", "arcsin"),
    "Atanh": ("atanh", "arctanh"),
    "Acosh": ("acosh", "arccosh"),
    "Cosh": ("cosh",),
    "Sinh": ("sinh",),
    "Expm1": ("expm1",),
    "Reciprocal": ("reciprocal",),
    "Inv": ("reciprocal",),
    "ReduceL2": ("norm", "vector_norm"),
    "EuclideanNorm": ("norm",),
}
BINARY: Mapping[str, tuple[type[ast.operator], tuple[str, ...], int]] = {  # operator, functions, operand
    "Div": (ast.Div, ("div", "divide", "true_divide", "truediv", "realdiv"), 1),
    "RealDiv": (ast.Div, ("div", "divide", "true_divide", "truediv", "realdiv"), 1),
    "Mod": (ast.Mod, ("mod", "remainder", "fmod", "floormod"), 1),
    "FloorMod": (ast.Mod, ("mod", "floormod"), 1),
    "FloorDiv": (ast.FloorDiv, ("floor_divide", "floordiv", "floor_div"), 1),
    "Pow": (ast.Pow, ("pow", "power"), 0),
}
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
ROOTS = {  # other ways of writing an operator
    "Reciprocal": "Div", "Inv": "Div", "Sqrt": "Pow", "Rsqrt": "Pow", "Mod": "FloorDiv", "FloorMod": "FloorDiv",
}  # fmt: skip


def spellings(op_type: str) -> frozenset[str]:
    """The functions by whose names an operator is written."""
    names = {*CALLS.get(op_type, ()), *(BINARY[op_type][1] if op_type in BINARY else ())}
    other = ROOTS.get(op_type)
    return frozenset(names) | (spellings(other) if other else frozenset())


def operators(reader: Reader, line: int, op_type: str) -> list[tuple[ast.expr | None, ast.expr]]:
    """Every expression on a line that computes the operator, with the operand that a bound is for.

    In the order in which Python evaluates them. ``x /= y`` is no expression: None stands for it.
    """
    found: list[tuple[ast.expr | None, ast.expr]] = []
    for node in _on_line(reader, line):
        operand = _operand(reader, node, op_type)
        if operand is not None:
            found.append((node if isinstance(node, ast.expr) else None, operand))
    other = ROOTS.get(op_type)
    if op_type == "Reciprocal" and operators(reader, line, "Rsqrt"):
        return []  # its own division is not written anywhere
    if other == "Pow" and not found:
        return [pair for pair in operators(reader, line, other) if _half_power(reader, pair[0])]
    return operators(reader, line, other) if not found and other else found


def _half_power(reader: Reader, power: ast.expr | None) -> bool:
    """``x ** 0.5``, ``pow(x, -0.5)``."""
    if isinstance(power, ast.BinOp):
        exponent: ast.expr | None = power.right
    elif isinstance(power, ast.Call):
        options = reader.options(power)
        exponent = options[0] if options else None
    else:
        return False
    value = constant(exponent) if exponent is not None else None
    return value is not None and abs(value) == 0.5


def expressions(reader: Reader, line: int) -> Iterator[ast.expr]:
    """All expressions that touch a line, in the order of evaluation."""
    for node in _on_line(reader, line):
        if isinstance(node, ast.expr):
            yield node


def _on_line(reader: Reader, line: int) -> Iterator[ast.expr | ast.stmt]:
    for node in in_order(reader.file.tree):
        if isinstance(node, (ast.expr, ast.AugAssign)) and node.lineno <= line <= (node.end_lineno or node.lineno):
            yield node


def _operand(reader: Reader, node: ast.expr | ast.stmt, op_type: str) -> ast.expr | None:
    binary = BINARY.get(op_type)
    if binary is not None:
        operator, names, position = binary
        if isinstance(node, ast.BinOp) and isinstance(node.op, operator):
            return node.right if position else node.left
        if isinstance(node, ast.AugAssign) and isinstance(node.op, operator) and position:
            return node.value
        if isinstance(node, ast.Call) and reader.name(node) in names:
            options = reader.options(node)
            return (options[0] if options else None) if position else reader.argument(node)
        return None
    if not isinstance(node, ast.Call) or reader.name(node) not in CALLS.get(op_type, ()):
        return None
    return reader.argument(node) if op_type in ("ReduceL2", "EuclideanNorm") else reader.unary(node, reader.name(node))


def bounded(reader: Reader, whole: ast.expr | None, x: ast.expr, kind: str, number: float) -> list[Edit] | None:
    """The edits that put a bound on the operand x."""
    framework = reader.framework(whole if whole is not None else x)
    if framework is None:
        return None
    file, text = reader.file, reader.file.source(x)
    if is_python_number(reader, x):
        written = _number_written(reader, text, kind, number)
        return None if written is None else [replace(file, x, written)]
    if kind == "guard" and not isinstance(x, (ast.Name, ast.Attribute, ast.Constant)):
        name = fresh(file, x, "denominator")
        edits = before_statement(file, x, name) if _alone_of_its_kind(reader, x) else None
        written = _written(reader, framework, name, None, kind, number)
        if written is None:
            return None
        if edits is not None:
            return [*edits, replace(file, x, written)]
        return [replace(file, x, written.replace(name, f"({name} := {text})", 1))]
    written = _written(reader, framework, text, x, kind, number)
    return None if written is None else [replace(file, x, written)]


def _alone_of_its_kind(reader: Reader, x: ast.expr) -> bool:
    """Whether a denominator is always computed with its statement, which has no other that may need a name."""
    around = reader.file.parents.get(x)
    while around is not None and not isinstance(around, ast.stmt):
        if isinstance(around, (ast.Lambda, ast.IfExp, ast.BoolOp, *COMPREHENSIONS)):
            return False
        around = reader.file.parents.get(around)
    statement = reader.file.statement(x)
    parts = [n for n in ast.walk(statement) if isinstance(n, (ast.expr, ast.AugAssign))] if statement else []
    operands = [o for n in parts if (o := _operand(reader, n, "Div")) is not None]
    return sum(not isinstance(o, (ast.Name, ast.Attribute, ast.Constant)) for o in operands) <= 1


def _short(number: float) -> str:
    """As few digits as give the number back."""
    text = f"{number:g}"
    return text if float(text) == number else repr(number)


def is_python_number(reader: Reader, x: ast.expr) -> bool:
    """Whether an expression is certainly no tensor: made of numbers, sizes and lengths alone."""
    if isinstance(x, ast.Constant):
        return isinstance(x.value, (int, float))
    if isinstance(x, ast.UnaryOp):
        return is_python_number(reader, x.operand)
    if isinstance(x, ast.BinOp):
        return is_python_number(reader, x.left) and is_python_number(reader, x.right)
    if isinstance(x, ast.Subscript):
        return isinstance(x.value, ast.Attribute) and x.value.attr == "shape" and not isinstance(x.slice, ast.Slice)
    if isinstance(x, ast.Call):
        if isinstance(x.func, ast.Name):
            return x.func.id in ("len", "int", "float") and x.func.id not in reader.file.imports
        return isinstance(x.func, ast.Attribute) and (x.func.attr, len(x.args)) in (("size", 1), ("numel", 0))
    definition = reader.file.definition(x) if isinstance(x, ast.Name) else None
    return definition is not None and is_python_number(reader, definition.value)


def _number_written(reader: Reader, text: str, kind: str, number: float) -> str | None:
    """Frameworks bound tensors; a number is bounded by Python, which also leaves its type as it is."""
    if {"max", "min"} & set(reader.file.imports):
        return None
    n = _short(number)
    return {
        "epsilon": f"({text} + {n})",
        "clamp-below": f"max({text}, {n})",
        "clamp-above": f"min({text}, {n})",
        "clamp-both": f"max(-{number!r}, min({text}, {number!r}))",
    }.get(kind)


def _written(reader: Reader, framework: str, text: str, x: ast.expr | None, kind: str, number: float) -> str | None:
    n = _short(number)
    if kind == "epsilon":
        return f"({text} + {n})"
    module = reader.module(framework)
    if framework == TORCH:
        atom = reader.atom(text, x)
        if kind == "guard":
            return module and f"{module}.where({atom}.abs() < {n}, {module}.full_like({text}, {n}), {text})"
        return {
            "clamp-below": f"{atom}.clamp(min={n})",
            "clamp-above": f"{atom}.clamp(max={n})",
            "clamp-both": f"{atom}.clamp(-{number!r}, {number!r})",
        }.get(kind)
    if module is None:
        return None
    if framework in (TF, KERAS) and kind == "guard":
        small = f"{module}.ones_like({text}) * {n}"
        return f"{module}.where({module}.abs({text}) < {n}, {small}, {text})"
    clip = {TF: "clip_by_value", KERAS: "clip", BACKEND: "clip"}[framework]
    return {
        "clamp-below": f"{module}.maximum({text}, {n})",
        "clamp-above": f"{module}.minimum({text}, {n})",
        "clamp-both": f"{module}.{clip}({text}, -{number!r}, {number!r})",
    }.get(kind)
