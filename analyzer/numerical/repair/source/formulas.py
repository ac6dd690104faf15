"""Recognises the formulas that have a stable form, through local names, and writes that form."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from analyzer.numerical.repair.source.calls import (
    BACKEND,
    KEEPS,
    KERAS,
    TF,
    TORCH,
    Reader,
    constant,
    is_one,
)
from analyzer.numerical.repair.source.edits import Edit, Formula, replace_formula
from analyzer.numerical.repair.source.file import Definition


class Walk:
    """Looks at expressions through the names that stand for them, and remembers those names."""

    def __init__(self, reader: Reader) -> None:
        self.reader, self.file = reader, reader.file
        self.through: list[tuple[Definition, ast.expr]] = []

    def see(self, expression: ast.expr | None, wanted: Callable[[ast.expr], bool]) -> ast.expr | None:
        """The expression, or what its name stands for, if it is as wanted."""
        for _ in range(3):
            if expression is None:
                return None
            if wanted(expression):
                return expression
            if not isinstance(expression, (ast.Name, ast.Attribute)):
                return None
            definition = self.file.definition(expression)
            if definition is None:
                return None
            self.through.append((definition, expression))
            expression = definition.value
        return None

    def call(self, expression: ast.expr | None, *names: str) -> ast.Call | None:
        found = self.see(expression, lambda e: self.reader.name(e) in names)
        return found if isinstance(found, ast.Call) else None

    def formula(self, whole: ast.expr, core: ast.expr | None) -> Formula | None:
        return None if core is None else Formula(whole, core, tuple(self.through))


def stable(reader: Reader, kind: str, whole: ast.expr) -> list[Edit] | None:
    """The edits that replace the formula at `whole` by its stable form; None where it is not of that kind."""
    match = MATCHES.get(kind)
    return None if match is None else match(reader, whole)


def _log_softmax(reader: Reader, whole: ast.expr) -> list[Edit] | None:
    walk = Walk(reader)
    inner = walk.call(_log_operand(reader, whole), "softmax")
    core = reader.argument(inner) if inner is not None else None
    formula = walk.formula(whole, core)
    if inner is None:
        return _by_hand(reader, whole, _log_operand(reader, whole), "log_softmax")
    if core is None or formula is None:
        return None
    call = inner

    def render(x: str, shown: ast.expr | None) -> str | None:
        layer = reader.layer(call)
        if layer is not None:
            axis = next((reader.file.source(k.value) for k in layer.keywords if k.arg == "dim"), "")
            axis = axis or (reader.file.source(layer.args[0]) if layer.args else "")
            module = reader.module(TORCH)
            return f"{module}.log_softmax({x}, dim={axis})" if module and axis.lstrip("-").isdigit() else None
        function = reader.file.source(call.func)
        dotted = reader.file.dotted(call.func) or ""
        if isinstance(call.func, ast.Attribute):
            root = function[: -len("softmax")]
            if "activations" in dotted or ".backend" in dotted:
                module = reader.module(reader.framework(call) or "", "nn")
                root = f"{module}." if module else ""
        else:
            module = reader.module(reader.framework(call) or "", "nn")
            root = f"{module}." if module else ""
        if not root:
            return None
        if reader.is_method(call):
            root = f"{reader.atom(x, shown)}."
            rest = [reader.file.source(a) for a in call.args]
        else:
            rest = [x, *(reader.file.source(a) for a in reader.options(call))]
        rest += [f"{k.arg}={reader.file.source(k.value)}" for k in call.keywords if k.value is not core and k.arg]
        return f"{root}log_softmax({', '.join(rest)})"

    return replace_formula(reader.file, formula, render, "logits")


def _log_sigmoid(reader: Reader, whole: ast.expr) -> list[Edit] | None:
    walk = Walk(reader)
    inner = walk.call(_log_operand(reader, whole), "sigmoid")
    formula = walk.formula(whole, reader.argument(inner) if inner is not None else None)
    return _as(reader, formula, whole, "log_sigmoid", "{}", "logits")


def _log_one_minus_sigmoid(reader: Reader, whole: ast.expr) -> list[Edit] | None:
    walk = Walk(reader)
    rest = walk.see(_log_operand(reader, whole), lambda e: isinstance(e, ast.BinOp) and isinstance(e.op, ast.Sub))
    if not isinstance(rest, ast.BinOp) or not is_one(rest.left):
        return None
    inner = walk.call(rest.right, "sigmoid")
    formula = walk.formula(whole, reader.argument(inner) if inner is not None else None)
    return _as(reader, formula, whole, "log_sigmoid", "-{}", "logits")


def _softplus(reader: Reader, whole: ast.expr) -> list[Edit] | None:
    if reader.name(whole) == "log1p":
        walk = Walk(reader)
        inner = walk.call(reader.unary(whole, "log1p"), "exp")
        formula = walk.formula(whole, reader.unary(inner, "exp") if inner is not None else None)
        return _as(reader, formula, whole, "softplus", "{}", "log_{name}")
    for swapped in (False, True):
        walk = Walk(reader)
        total = walk.see(_log_operand(reader, whole), lambda e: isinstance(e, ast.BinOp) and isinstance(e.op, ast.Add))
        if not isinstance(total, ast.BinOp):
            return None
        one, other = (total.right, total.left) if swapped else (total.left, total.right)
        if constant(one) != 1.0:
            continue
        inner = walk.call(other, "exp")
        formula = walk.formula(whole, reader.unary(inner, "exp") if inner is not None else None)
        return _as(reader, formula, whole, "softplus", "{}", "log_{name}")
    return None


def _logsumexp(reader: Reader, whole: ast.expr) -> list[Edit] | None:
    walk = Walk(reader)
    total = walk.call(_log_operand(reader, whole), "sum", "reduce_sum")
    inner = walk.call(reader.argument(total), "exp") if total is not None else None
    formula = walk.formula(whole, reader.unary(inner, "exp") if inner is not None else None)
    framework = reader.framework(whole)
    if total is None or formula is None or framework is None:
        return None
    summed = total
    module = reader.module(framework)
    name = {TF: "reduce_logsumexp"}.get(framework, "logsumexp")

    def render(x: str, shown: ast.expr | None) -> str | None:
        options = [reader.file.source(a) for a in reader.options(summed)]
        options += [f"{k.arg}={reader.file.source(k.value)}" for k in summed.keywords if k.arg]
        if module is None or (framework == TORCH and not options):
            return None
        return f"{module}.{name}({', '.join([x, *options])})"

    return replace_formula(reader.file, formula, render, "log_{name}")


def _softmax(reader: Reader, whole: ast.expr) -> list[Edit] | None:
    """``exp(x) / sum(exp(x), axis, keep)``, each part possibly behind a name."""
    return _by_hand(reader, whole, whole, "softmax")


def _by_hand(reader: Reader, whole: ast.expr, quotient: ast.expr | None, function: str) -> list[Edit] | None:
    """The function in the place of `whole`, which computes it from the quotient of a softmax written by hand."""
    walk = Walk(reader)
    shares = walk.see(quotient, lambda e: isinstance(e, ast.BinOp) and isinstance(e.op, ast.Div))
    if not isinstance(shares, ast.BinOp):
        return None
    top = walk.call(shares.left, "exp")
    total = walk.call(shares.right, "sum", "reduce_sum")
    if top is None or total is None:
        return None
    below = walk.call(reader.argument(total), "exp")
    core, again = reader.unary(top, "exp"), reader.unary(below, "exp") if below is not None else None
    axis = reader.axis(total)
    if core is None or again is None or axis is None or not reader.keeps(total):
        return None
    if again is not core and reader.file.source(again) != reader.file.source(core):
        return None
    number = constant(axis)
    if number is None:
        return None
    framework = reader.framework(whole) or ""
    module = reader.module(framework, "" if framework == TORCH else "nn")
    word = "dim" if framework == TORCH else "axis"

    def render(x: str, shown: ast.expr | None) -> str | None:
        known = module is not None and (function == "softmax" or framework != BACKEND)
        return f"{module}.{function}({x}, {word}={int(number)})" if known else None

    formula = walk.formula(whole, core)
    return None if formula is None else replace_formula(reader.file, formula, render, "log_{name}")


def _half_exp(reader: Reader, whole: ast.expr) -> list[Edit] | None:
    walk = Walk(reader)
    inner = walk.call(reader.unary(whole, "sqrt"), "exp")
    core = reader.unary(inner, "exp") if inner is not None else None
    formula = walk.formula(whole, core)
    if inner is None or formula is None:
        return None
    call = inner

    def render(x: str, shown: ast.expr | None) -> str | None:
        half = f"{reader.atom(x, shown)} / 2"
        return f"({half}).exp()" if reader.is_method(call) else f"{reader.file.source(call.func)}({half})"

    return replace_formula(reader.file, formula, render, "log_{name}")


def norm_with(reader: Reader, whole: ast.expr, epsilon: float) -> list[Edit] | None:
    """``x.norm(dim=1)`` -> ``torch.sqrt((x ** 2).sum(dim=1) + eps)``."""
    framework = reader.framework(whole)
    if not isinstance(whole, ast.Call) or framework is None or reader.name(whole) not in ("norm", "vector_norm"):
        return None
    x, module = reader.argument(whole), reader.module(framework)
    if x is None or module is None:
        return None
    options = reader.options(whole)
    if options and constant(options[0]) != 2.0:
        return None
    kept = []
    for keyword in whole.keywords:
        if keyword.arg in ("p", "ord"):
            if constant(keyword.value) != 2.0 and not (
                isinstance(keyword.value, ast.Constant) and keyword.value.value in ("euclidean", None)
            ):
                return None
        elif keyword.arg in ("dim", "axis", *KEEPS):
            kept.append(f"{keyword.arg}={reader.file.source(keyword.value)}")
        elif keyword.value is not x:
            return None
    if len(options) > 1:
        return None
    text, source = reader.file.source, reader.atom(reader.file.source(x), x)
    if framework == TORCH:
        new = f"{module}.sqrt(({source} ** 2).sum({', '.join(kept)}) + {epsilon:g})"
    else:
        name = "reduce_sum" if framework == TF else "sum"
        new = f"{module}.sqrt({module}.{name}({', '.join([f'{module}.square({text(x)})', *kept])}) + {epsilon:g})"
    return replace_formula(reader.file, Formula(whole, x), lambda _, __: new, "")


SPREADS = {"std": "var", "reduce_std": "reduce_variance", "var": "var"}


def spread_with(reader: Reader, whole: ast.expr, epsilon: float | None) -> list[Edit] | None:
    """``x.std(1)`` -> ``torch.sqrt(x.var(1) + eps)``; without an epsilon, ``x.std(1, correction=0)``."""
    framework = reader.framework(whole)
    if not isinstance(whole, ast.Call) or framework is None or not isinstance(whole.func, ast.Attribute):
        return None
    function, name = reader.file.source(whole.func), whole.func.attr
    arguments = [reader.file.source(a) for a in whole.args]
    named = {k.arg: reader.file.source(k.value) for k in whole.keywords if k.arg}
    if len(named) != len(whole.keywords):
        return None
    if epsilon is None:
        positional = [a for a in reader.options(whole) if isinstance(a, ast.Constant) and isinstance(a.value, bool)]
        if framework != TORCH or positional or named.get("correction", "1") == "0" or name not in ("std", "var"):
            return None
        named.pop("unbiased", None)
        named["correction"] = "0"
    else:
        function = function[: -len(name)] + SPREADS[name]
    module = reader.module(framework)
    if module is None or (epsilon is not None and name == "var"):
        return None
    text = f"{function}({', '.join([*arguments, *(f'{k}={v}' for k, v in named.items())])})"
    new = text if epsilon is None else f"{module}.sqrt({text} + {epsilon:g})"
    return replace_formula(reader.file, Formula(whole, whole), lambda _, __: new, "")


def _log_operand(reader: Reader, whole: ast.expr) -> ast.expr | None:
    return reader.unary(whole, "log")


def _as(
    reader: Reader, formula: Formula | None, whole: ast.expr, function: str, argument: str, noun: str
) -> list[Edit] | None:
    """``function(argument(x))`` in the framework of the file."""
    framework = reader.framework(whole)
    if formula is None or framework is None or framework == BACKEND:
        return None
    kind = {TORCH: "nn", TF: "nn" if function == "softplus" else "math", KERAS: ""}[framework]
    module = reader.module(framework, kind)
    name = "logsigmoid" if framework == TORCH and function == "log_sigmoid" else function

    def render(x: str, shown: ast.expr | None) -> str | None:
        if module is None:
            return None
        given = argument.format(reader.atom(x, shown) if argument != "{}" else x)
        return f"{module}.{name}({given})"

    return replace_formula(reader.file, formula, render, noun)


MATCHES: Mapping[str, Callable[[Reader, ast.expr], list[Edit] | None]] = {
    "log-softmax": _log_softmax,
    "log-sigmoid": _log_sigmoid,
    "log-one-minus-sigmoid": _log_one_minus_sigmoid,
    "softplus": _softplus,
    "logsumexp": _logsumexp,
    "softmax": _softmax,
    "sqrt-of-exp": _half_exp,
}
