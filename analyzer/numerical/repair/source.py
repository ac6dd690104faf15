"""Rewrites one source line for a proved change. Anything ambiguous is left to the reader: None."""

from __future__ import annotations

import ast
from pathlib import Path

import onnx_ir as ir

from analyzer.findings import Location, Suggestion

CALLS = {
    "Log": ("log",),
    "Log1p": ("log1p",),
    "Exp": ("exp",),
    "Sqrt": ("sqrt",),
    "Rsqrt": ("rsqrt",),
    "Acos": ("acos", "arccos"),
    "Asin": ("asin", "arcsin"),
    "Atanh": ("atanh", "arctanh"),
    "Acosh": ("acosh", "arccosh"),
    "Pow": ("pow",),
    "Reciprocal": ("reciprocal",),
}
MODULES = {"torch", "tf", "tensorflow", "keras", "K", "F", "math", "np", "ops"}
LARGEST_FILE = 1 << 20


def rewrite(root: Path, location: Location, kind: str, number: float, node: ir.Node) -> Suggestion | None:
    """The suggestion for the lines at `location`, or None if they cannot be rewritten with certainty.

    `kind` and `number` are those of a `Candidate`.
    """
    path = (root / location.path).resolve()
    if not path.is_relative_to(root.resolve()) or not path.is_file() or path.stat().st_size > LARGEST_FILE:
        return None
    try:
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
    except (OSError, ValueError, SyntaxError, RecursionError):
        return None
    framework = _framework(tree)
    if framework is None:
        return None
    edits = [e for e in _edits(tree, text, location.line, kind, number, node, framework) if e is not None]
    if len(edits) != 1:
        return None
    target, replacement = edits[0]
    return _suggestion(location, text, target, replacement)


def _suggestion(location: Location, text: str, target: ast.expr, replacement: str) -> Suggestion | None:
    lines = text.splitlines(keepends=True)
    assert target.end_lineno is not None
    assert target.end_col_offset is not None
    first, last = target.lineno - 1, target.end_lineno - 1
    head = lines[first].encode()[: target.col_offset].decode()
    tail = lines[last].encode()[target.end_col_offset :].decode()
    changed = head + replacement + tail
    try:
        ast.parse("".join([*lines[:first], changed, *lines[last + 1 :]]))
    except SyntaxError:
        return None
    return Suggestion("", location.path, first + 1, last + 1, changed.rstrip("\n"))


def _framework(tree: ast.Module) -> str | None:
    """``torch``, ``tf`` or ``keras``: what the file's names refer to; None if unclear."""
    found = set()
    for statement in ast.walk(tree):
        if isinstance(statement, ast.Import):
            found |= {a.name.split(".")[0] for a in statement.names}
        elif isinstance(statement, ast.ImportFrom) and statement.module:
            found.add(statement.module.split(".")[0])
    if "torch" in found and "tensorflow" not in found:
        return "torch"
    if "tensorflow" in found:
        return "tf"
    return "keras" if "keras" in found else None


def _edits(
    tree: ast.Module, text: str, line: int, kind: str, number: float, node: ir.Node, framework: str
) -> list[tuple[ast.expr, str] | None]:
    """Every way in which the change applies to an expression on `line`."""
    spans = [e for e in ast.walk(tree) if isinstance(e, ast.expr) and e.lineno <= line <= (e.end_lineno or e.lineno)]
    calls = [e for e in spans if isinstance(e, ast.Call)]
    edit = _Edit(text, framework)
    if kind in ("clamp-below", "clamp-above", "clamp-both", "epsilon", "guard"):
        if node.op_type in ("Div", "RealDiv"):
            quotients = [e for e in spans if isinstance(e, ast.BinOp) and isinstance(e.op, ast.Div)]
            return [edit.operand(q, q.right, kind, number) for q in quotients]
        names = CALLS.get(node.op_type, ())
        return [edit.called(c, kind, number) for c in calls if edit.name(c) in names]
    if kind == "finite-mask":
        infinities = [e for e in spans if _is_minus_infinity(e, edit)]
        return [(e, f"{number:.0e}".replace("e+0", "e")) for e in infinities if not _inside(e, infinities)]
    if kind == "max-subtraction":
        return [edit.subtract_maximum(e) for e in spans if isinstance(e, ast.BinOp) and isinstance(e.op, ast.Div)]
    if kind == "sqrt-of-exp":
        return [edit.half_exp(c) for c in calls if edit.name(c) == "sqrt"]
    return [edit.stable_log(c, kind) for c in calls if edit.name(c) == "log"]


class _Edit:
    """Source text of changed expressions in one file."""

    def __init__(self, text: str, framework: str) -> None:
        self.text, self.framework = text, framework

    def source(self, expression: ast.expr) -> str:
        return ast.get_source_segment(self.text, expression) or ""

    def name(self, call: ast.expr) -> str:
        if not isinstance(call, ast.Call):
            return ""
        return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")

    def module(self, call: ast.Call) -> str | None:
        """``tf.math`` of ``tf.math.log(x)``; None for a method or a bare name."""
        if not isinstance(call.func, ast.Attribute):
            return None
        owner = self.source(call.func.value)
        root = owner.split(".")[0]
        return owner if root in MODULES and owner.replace(".", "").replace("_", "").isalnum() else None

    def argument(self, call: ast.expr) -> ast.expr | None:
        """The one tensor that a call works on: its first argument, or the object of a method."""
        if not isinstance(call, ast.Call):
            return None
        if self.module(call) is not None or isinstance(call.func, ast.Name):
            return call.args[0] if call.args and not isinstance(call.args[0], ast.Starred) else None
        return call.func.value if isinstance(call.func, ast.Attribute) else None

    def atom(self, expression: ast.expr) -> str:
        """The expression, in parentheses if a method call behind it would bind to a part of it."""
        text = self.source(expression)
        simple = isinstance(expression, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
        return text if simple else f"({text})"

    def bounded(self, x: ast.expr, kind: str, number: float) -> str | None:
        """The operand x after the change."""
        n, text = f"{number:g}", self.source(x)
        if self.framework == "torch":
            atom = self.atom(x)
            return {
                "clamp-below": f"{atom}.clamp(min={n})",
                "clamp-above": f"{atom}.clamp(max={n})",
                "clamp-both": f"{atom}.clamp(-{number!r}, {number!r})",
                "epsilon": f"({text} + {n})",
                "guard": f"torch.where({atom}.abs() < {n}, torch.full_like({text}, {n}), {text})",
            }.get(kind)
        tf = "tf" if self.framework == "tf" else "keras.ops"
        clip = "clip_by_value" if tf == "tf" else "clip"
        return {
            "clamp-below": f"{tf}.maximum({text}, {n})",
            "clamp-above": f"{tf}.minimum({text}, {n})",
            "clamp-both": f"{tf}.{clip}({text}, -{number!r}, {number!r})",
            "epsilon": f"({text} + {n})",
            "guard": f"{tf}.where({tf}.abs({text}) < {n}, {n}, {text})",
        }.get(kind)

    def available(self, name: str) -> bool:
        """Whether the file binds `name` by an import."""
        for statement in ast.walk(ast.parse(self.text)):
            if isinstance(statement, (ast.Import, ast.ImportFrom)) and any(
                (a.asname or a.name.split(".")[0]) == name for a in statement.names
            ):
                return True
        return False

    def operand(self, whole: ast.BinOp, x: ast.expr, kind: str, number: float) -> tuple[ast.expr, str] | None:
        changed = self.bounded(x, kind, number)
        root = (changed or "").split(".")[0]
        if changed is None or (root in ("tf", "keras", "torch") and not self.available(root)):
            return None
        return x, changed

    def called(self, call: ast.Call, kind: str, number: float) -> tuple[ast.expr, str] | None:
        x = self.argument(call)
        if x is None:
            return None
        changed = self.bounded(x, kind, number)
        root = (changed or "").split(".")[0]
        if changed is None or (root in ("tf", "keras") and not self.available(root)):
            return None
        return x, changed

    def stable_log(self, call: ast.Call, kind: str) -> tuple[ast.expr, str] | None:
        """``log(…)`` of something that has a stable form of its own."""
        inner = self.argument(call)
        if inner is None:
            return None
        if kind == "log-softmax" and isinstance(inner, ast.Call) and self.name(inner) == "softmax":
            text = self.source(inner)
            function = self.source(inner.func)
            return call, function[: -len("softmax")] + "log_softmax" + text[len(function) :]
        if kind == "log-sigmoid" and self.name(inner) == "sigmoid":
            return self._with(call, "log_sigmoid", self.argument(inner), negated=False)
        rest = inner.right if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Sub) else None
        if (
            kind == "log-one-minus-sigmoid"
            and isinstance(inner, ast.BinOp)
            and rest is not None
            and _is_one(inner.left)
        ):
            if self.name(rest) != "sigmoid":
                return None
            return self._with(call, "log_sigmoid", self.argument(rest), negated=True)
        if kind == "softplus" and isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Add):
            for one, other in ((inner.left, inner.right), (inner.right, inner.left)):
                if _is_one(one) and self.name(other) == "exp":
                    return self._with(call, "softplus", self.argument(other), negated=False)
        if kind == "logsumexp" and self.framework == "torch" and self.name(inner) == "sum":
            exponential = self.argument(inner)
            x = self.argument(exponential) if exponential is not None and self.name(exponential) == "exp" else None
            if x is not None and isinstance(inner, ast.Call):
                more = inner.args[1:] if self.module(inner) is not None else inner.args
                options = [self.source(a) for a in more] + [f"{k.arg}={self.source(k.value)}" for k in inner.keywords]
                if options and self.available("torch"):
                    return call, f"torch.logsumexp({', '.join([self.source(x), *options])})"
        return None

    def _with(self, call: ast.expr, function: str, x: ast.expr | None, *, negated: bool) -> tuple[ast.expr, str] | None:
        if x is None:
            return None
        argument = f"-{self.atom(x)}" if negated else self.source(x)
        root = {"torch": "torch", "tf": "tf", "keras": "keras"}[self.framework]
        if not self.available(root):
            return None
        prefix = {
            "torch": "torch.nn.functional",
            "tf": "tf.nn" if function == "softplus" else "tf.math",
            "keras": "keras.ops",
        }
        name = {"torch": {"log_sigmoid": "logsigmoid"}}.get(self.framework, {}).get(function, function)
        return call, f"{prefix[self.framework]}.{name}({argument})"

    def half_exp(self, call: ast.Call) -> tuple[ast.expr, str] | None:
        inner = self.argument(call)
        x = self.argument(inner) if inner is not None and self.name(inner) == "exp" else None
        if x is None or not isinstance(inner, ast.Call):
            return None
        if self.module(inner) is not None:
            return call, f"{self.source(inner.func)}({self.atom(x)} / 2)"
        return call, f"({self.atom(x)} / 2).exp()"

    def subtract_maximum(self, quotient: ast.BinOp) -> tuple[ast.expr, str] | None:
        """``exp(x) / sum(exp(x))`` written in one expression becomes softmax."""
        top, below = quotient.left, quotient.right
        if self.name(top) != "exp" or not isinstance(below, ast.Call) or self.name(below) not in ("sum", "reduce_sum"):
            return None
        x, summed = self.argument(top), self.argument(below)
        if x is None or summed is None or self.source(summed) != self.source(top):
            return None
        rest = below.args[1:] if self.module(below) is not None else below.args
        axis = [self.source(a) for a in rest[:1]]
        axis += [self.source(k.value) for k in below.keywords if k.arg in ("dim", "axis")]
        if len(axis) != 1 or not axis[0].lstrip("-").isdigit():
            return None
        root = {"torch": "torch", "tf": "tf", "keras": "keras"}[self.framework]
        if not self.available(root):
            return None
        call = {"torch": "torch.softmax({}, dim={})", "tf": "tf.nn.softmax({}, axis={})",
                "keras": "keras.ops.softmax({}, axis={})"}[self.framework]  # fmt: skip
        return quotient, call.format(self.source(x), axis[0])


def _is_minus_infinity(expression: ast.expr, edit: _Edit) -> bool:
    """``float("-inf")``, ``-float("inf")``, ``-math.inf``, ``-torch.inf`` …"""
    text = edit.source(expression).replace("'", '"').replace(" ", "")
    if text in ('float("-inf")', '-float("inf")'):
        return True
    return text.startswith("-") and text.endswith(".inf") and text[1:-4].isidentifier()


def _inside(expression: ast.expr, others: list[ast.expr]) -> bool:
    return any(o is not expression and any(e is expression for e in ast.walk(o)) for o in others)


def _is_one(expression: ast.expr) -> bool:
    """1, 1.0, or 1 plus an epsilon of at most 1e-4."""
    value = _number(expression)
    return value is not None and abs(value - 1) < 1e-4


def _number(expression: ast.expr) -> float | None:
    if isinstance(expression, ast.Constant) and isinstance(expression.value, (int, float)):
        return float(expression.value)
    if isinstance(expression, ast.BinOp) and isinstance(expression.op, (ast.Add, ast.Sub)):
        left, right = _number(expression.left), _number(expression.right)
        if left is None or right is None:
            return None
        return left + right if isinstance(expression.op, ast.Add) else left - right
    return None
