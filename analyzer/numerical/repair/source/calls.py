"""Reads expressions of PyTorch, TensorFlow and Keras programs, and spells functions in the framework at hand."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from analyzer.numerical.repair.source.file import SourceFile, stores

TORCH, TF, KERAS, BACKEND = "torch", "tf", "keras", "keras.backend"
ROOTS = {"torch": TORCH, "tensorflow": TF, "keras": KERAS}
AXES = ("dim", "axis", "axes")
KEEPS = ("keepdim", "keepdims", "keep_dims")


@dataclass(frozen=True)
class Reader:
    """The expressions of one file."""

    file: SourceFile

    def name(self, expression: ast.expr) -> str:
        """``log`` of ``torch.log(x)``, ``x.log()``, ``log(x)``, ``softmax`` of a layer; empty for anything else."""
        if not isinstance(expression, ast.Call):
            return ""
        layer = self.layer(expression)
        if layer is not None:
            return (self.file.dotted(layer.func) or "").rpartition(".")[2].lower()
        function = expression.func
        if isinstance(function, ast.Attribute):
            return function.attr
        if isinstance(function, ast.Name):
            return self.file.imports.get(function.id, function.id).rpartition(".")[2]
        return ""

    def is_method(self, call: ast.Call) -> bool:
        """Whether the tensor is the object that a method is called on: ``x.log()``."""
        return isinstance(call.func, ast.Attribute) and self.file.dotted(call.func) is None and not self.layer(call)

    def is_framework(self, call: ast.Call) -> bool:
        """Whether a call is certainly one of a framework's functions: ``torch.mm(x, y)``, ``(x * y).sum()``.

        ``self.net(x)`` runs a module, and ``helper(x)`` may be anything.
        """
        if not self.is_method(call):
            return self._root(self.file.dotted(call.func)) is not None
        assert isinstance(call.func, ast.Attribute)
        owner: ast.AST = call.func.value
        while isinstance(owner, ast.Attribute):
            owner = owner.value
        return not (isinstance(owner, ast.Name) and owner.id in self._instances(call))

    def _instances(self, node: ast.AST) -> frozenset[str]:
        """The names of the object whose methods `node` stands in."""
        found = {"self", "cls"}
        around: ast.AST | None = node
        while around is not None:
            within, around = around, self.file.parents.get(around)
            method = isinstance(around, ast.ClassDef) and isinstance(within, ast.FunctionDef) and within.args.args
            if method and isinstance(within, ast.FunctionDef) and not _is_static(within):
                found.add(within.args.args[0].arg)
        return frozenset(found)

    def layer(self, call: ast.Call) -> ast.Call | None:
        """``nn.Softmax(dim=1)`` of ``self.shares(x)``, where the class assigns `shares` once."""
        of = call.func
        if not isinstance(of, ast.Attribute) or not isinstance(of.value, ast.Name) or of.value.id != "self":
            return None
        owner: ast.AST | None = call
        while owner is not None and not isinstance(owner, ast.ClassDef):
            owner = self.file.parents.get(owner)
        made = [s for s in ast.walk(owner) if stores(s, of.attr)] if owner is not None else []
        value = made[0].value if len(made) == 1 and isinstance(made[0], ast.Assign) else None
        known = isinstance(value, ast.Call) and (self.file.dotted(value.func) or "").startswith("torch.nn.")
        return value if isinstance(value, ast.Call) and known else None

    def argument(self, expression: ast.expr) -> ast.expr | None:
        """The one tensor that a call works on: its first argument, or the object of a method."""
        if not isinstance(expression, ast.Call):
            return None
        if self.is_method(expression):
            assert isinstance(expression.func, ast.Attribute)
            owner = expression.func.value
            return None if isinstance(owner, ast.Name) and owner.id in self._instances(expression) else owner
        for name in ("input", "x", "logits", "input_tensor"):
            keyword = next((k.value for k in expression.keywords if k.arg == name), None)
            if not expression.args and keyword is not None:
                return keyword
        first = expression.args[0] if expression.args else None
        return None if isinstance(first, ast.Starred) else first

    def unary(self, expression: ast.expr, *names: str) -> ast.expr | None:
        """x of a call ``f(x)`` or ``x.f()`` with one of these names and no other operand."""
        if not isinstance(expression, ast.Call) or self.name(expression) not in names:
            return None
        others = expression.args if self.is_method(expression) else expression.args[1:]
        return None if others else self.argument(expression)

    def options(self, call: ast.Call) -> list[ast.expr]:
        """Positional arguments behind the tensor."""
        return list(call.args if self.is_method(call) else call.args[1:])

    def axis(self, call: ast.Call) -> ast.expr | None:
        """The axis argument of a reduction or a softmax."""
        stated = next((k.value for k in call.keywords if k.arg in AXES), None)
        options = self.options(call)
        return stated if stated is not None else options[0] if options else None

    def keeps(self, call: ast.Call) -> bool:
        """Whether a reduction keeps its axis, as far as constants say."""
        stated = next((k.value for k in call.keywords if k.arg in KEEPS), None)
        options = self.options(call)
        found = stated if stated is not None else options[1] if len(options) > 1 else None
        return isinstance(found, ast.Constant) and found.value is True

    def framework(self, expression: ast.expr) -> str | None:
        """What an expression is written in: by the modules it names, else by the only framework the file imports."""
        found = {r for n in ast.walk(expression) if isinstance(n, (ast.Attribute, ast.Name))
                 if (r := self._root(self.file.dotted(n))) is not None}  # fmt: skip
        if len(found) == 1:
            return found.pop()
        roots = {r for d in self.file.imports.values() if (r := self._root(d)) is not None}
        if BACKEND in roots and KERAS in roots:
            roots.discard(KERAS)
        for known in ({TORCH}, {TF}, {KERAS}, {BACKEND}):
            if roots == known:
                return known.copy().pop()
        if TORCH not in roots and TF in roots:
            return TF
        return TORCH if TORCH in roots and TF not in roots else None

    @staticmethod
    def _root(dotted: str | None) -> str | None:
        if dotted is None:
            return None
        if dotted.startswith(("keras.backend", "tensorflow.keras.backend")):
            return BACKEND
        return ROOTS.get(dotted.split(".")[0])

    def atom(self, text: str, expression: ast.expr | None) -> str:
        """The text, in parentheses if a method call or an operator around it would bind to a part of it."""
        simple = expression is None or isinstance(expression, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
        return text if simple else f"({text})"

    def prefix(self, dotted: str) -> str | None:
        """How the file spells a module: ``F`` for ``torch.nn.functional``; None if nothing it imports leads there."""
        best: str | None = None
        for name, meaning in self.file.imports.items():
            if meaning == dotted:
                spelled = name
            elif dotted.startswith(meaning + "."):
                spelled = name + dotted[len(meaning) :]
            else:
                continue
            if best is None or len(spelled) < len(best):
                best = spelled
        return best

    def tensorflow(self) -> str | None:
        """The name under which the file knows TensorFlow."""
        for module in ("tensorflow", "tensorflow.compat.v1", "tensorflow.compat.v2"):
            name = next((n for n, meaning in self.file.imports.items() if meaning == module), None)
            if name is not None:
                return name
        return None

    def module(self, framework: str, kind: str = "") -> str | None:
        """The module of a function: `kind` is ``nn`` for activations, ``math`` for TensorFlow's mathematics."""
        if framework == TORCH:
            return self.prefix("torch.nn.functional" if kind == "nn" else "torch")
        if framework == TF:
            tf = self.tensorflow()
            return f"{tf}.{kind}" if tf and kind else tf
        if framework == BACKEND:
            return self.prefix("keras.backend") or self.prefix("tensorflow.keras.backend")
        return self.prefix("keras.ops")


def _is_static(function: ast.FunctionDef) -> bool:
    """Whether a method is called without its object."""
    return any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in function.decorator_list)


def constant(expression: ast.expr) -> float | None:
    """The number that a constant expression of sums denotes."""
    if isinstance(expression, ast.Constant) and isinstance(expression.value, (int, float)):
        return float(expression.value)
    if isinstance(expression, ast.UnaryOp) and isinstance(expression.op, ast.USub):
        inner = constant(expression.operand)
        return None if inner is None else -inner
    if isinstance(expression, ast.BinOp) and isinstance(expression.op, (ast.Add, ast.Sub)):
        left, right = constant(expression.left), constant(expression.right)
        if left is None or right is None:
            return None
        return left + right if isinstance(expression.op, ast.Add) else left - right
    return None


def is_one(expression: ast.expr) -> bool:
    """1, 1.0, or 1 plus an epsilon of at most 1e-4."""
    value = constant(expression)
    return value is not None and abs(value - 1) < 1e-4
