"""Binding of arguments to parameters of traced functions, and the errors that Python would raise."""

from __future__ import annotations

import ast
from typing import NoReturn

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import DictV, Function, TupleV, Unknown, Value
from analyzer.tracing.paths.problems import Diagnostic, PyRaise
from analyzer.tracing.paths.tracer import Tracer


def bind(
    tr: Tracer,
    function: Function,
    args: tuple[Value, ...],
    kwargs: dict[str, Value],
    node: ast.Call | None,
    open_args: bool,
) -> dict[str, Value]:
    """Parameter name → value. Raises PyRaise("TypeError") where Python would, and reports it where that is certain."""
    spec = function.node.args
    positional = [*spec.posonlyargs, *spec.args]
    names: dict[str, Value] = {}
    rest = list(args)
    for parameter, value in zip(positional, rest, strict=False):
        names[parameter.arg] = _labelled(value, parameter.arg)
    extra = rest[len(positional) :]
    if spec.vararg is not None:
        names[spec.vararg.arg] = TupleV(extra, True) if open_args else tuple(extra)
    elif extra and not open_args:
        _mismatch(tr, function, node, f"takes {_count(len(positional))} positional arguments but {len(rest)} are given")
    unknown_names: dict[str, Value] = {}
    keyword_names = {p.arg for p in (*spec.args, *spec.kwonlyargs)}
    for name, value in kwargs.items():
        if name not in keyword_names:
            unknown_names[name] = value
        elif name in names and not open_args:
            _mismatch(tr, function, node, f"gets two values for the argument `{name}`")
        else:
            names[name] = _labelled(value, name)
    if spec.kwarg is not None:
        names[spec.kwarg.arg] = DictV(unknown_names, open_args)
    elif unknown_names and not open_args:
        _mismatch(tr, function, node, f"has no argument `{next(iter(unknown_names))}`")
    defaults = dict(
        zip([p.arg for p in positional[len(positional) - len(function.defaults) :]], function.defaults, strict=True)
    )
    missing: list[str] = []
    given = "param" if tr.in_definition else "foreign"  # a program's own star arguments are what it has read somewhere
    for parameter in (*positional, *spec.kwonlyargs):
        name = parameter.arg
        if name in names:
            continue
        if open_args and node is not None:
            names[name] = tr.unknown("an argument that star arguments may give", given, name)
            continue
        if name in function.options:
            names[name] = function.options[name]
        elif name in defaults:
            names[name] = defaults[name]
        elif name in function.kw_defaults:
            names[name] = function.kw_defaults[name]
        else:
            missing.append(name)
            names[name] = tr.unknown("an argument", given if open_args else "imprecise", name)
    if missing and not open_args:
        which = ", ".join(f"`{m}`" for m in missing)
        _mismatch(tr, function, node, f"misses the argument{'s' if len(missing) > 1 else ''} {which}")
    return names


def _count(number: int) -> str:
    return "no" if number == 0 else str(number)


def _labelled(value: Value, name: str) -> Value:
    if isinstance(value, (Unknown, Tensor)):
        if isinstance(value, Unknown) and not value.label:
            value.label = name
        elif isinstance(value, Tensor) and not value.name:
            value.name = name
    return value


def _mismatch(tr: Tracer, function: Function, node: ast.Call | None, what: str) -> None:
    if function.decorated or node is None:
        return
    label = f"{function.owner.name}.{function.name}" if function.owner is not None else function.name
    message = f"`{label}` {what} (defined at {function.path}:{function.node.lineno})"
    if tr.speculating or (function.owner is not None and _has_to_be_overridden(function)):
        raise PyRaise("TypeError", message)
    raise ArgumentMismatch(
        Diagnostic(
            "python/argument-mismatch", "error", message, tr.site(node), label, certain=tr.certain, operand=label
        ),
        function=function,
    )


def _has_to_be_overridden(function: Function) -> bool:
    """Whether a method does nothing but refuse: the classes that are used have their own, with other arguments."""
    if isinstance(function.node, ast.Lambda):
        return False
    last = function.node.body[-1]
    raised = getattr(last, "exc", None)
    name = raised.func if isinstance(raised, ast.Call) else raised
    alone = all(isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant) for s in function.node.body[:-1])
    return alone and isinstance(name, ast.Name) and name.id == "NotImplementedError"


class ArgumentMismatch(PyRaise):
    """What Python itself refuses: a call with a TypeError, say."""

    def __init__(
        self, problem: Diagnostic, name: str = "TypeError", function: Function | None = None, operands: bool = False
    ) -> None:
        super().__init__(name, problem.message)
        self.problem, self.function = problem, function
        self.operands = operands  # whether what is refused is known, on whatever path


def refuse(tr: Tracer, rule: str, name: str, message: str, node: ast.AST, certain: bool = False) -> NoReturn:
    """Python raises `name` here; `certain`: if the path is, no other value was possible.

    What is expected around it, another exception say, lets it through.
    """
    if tr.speculating:
        raise PyRaise(name, message)
    raise ArgumentMismatch(
        Diagnostic(rule, "error", message, tr.site(node), name, certain=certain and tr.certain), name, operands=certain
    )
