"""`inspect.signature` of functions that are followed: names, defaults, and what a call binds to them."""

from __future__ import annotations

import ast

from analyzer.frameworks.api_tables import framework_data
from analyzer.tracing.language.builtins import Call
from analyzer.tracing.language.builtins.kinds import is_class
from analyzer.tracing.language.dataclass_fields import MISSING, constructor_parameters
from analyzer.tracing.language.values import (
    Api,
    Bound,
    Class,
    DictV,
    Function,
    Instance,
    ListV,
    Module,
    Native,
    Object,
    Value,
)
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.paths.tracer import Tracer

_KINDS = "inspect.Parameter."
_EACH = ("POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD", "VAR_POSITIONAL", "KEYWORD_ONLY", "VAR_KEYWORD")
EMPTY = Api("inspect.Parameter.empty")
Parameter = tuple[str, str, Value]  # name, kind, default


@operator("inspect.signature", "callable *rest")
def signature(op: Op, callable: Value, rest: tuple[Value, ...]) -> Value:
    if isinstance(callable, Api) and (named := _of_library(op.tr, callable.name)) is not None:
        described = {name: _described(name, kind, default, EMPTY) for name, kind, default in named}
        return _signature(dict(described), EMPTY)
    if isinstance(callable, Class) and callable.find("__init__") is None:
        written = constructor_parameters(callable)
        if written is not None:
            return _signature({name: _of_field(op.tr, name, given, alone) for name, given, alone in written}, None)
    function, skip = _function_of(callable)
    while function is not None and _imitates(function):
        function = function.imitates or function.wrapped
    if function is None or (function.decorated and function.node.args.kwarg is not None):
        op.tr.shared.unknown_calls[op.name] += 1
        return op.tr.unknown("a signature", "foreign")
    types = _annotations(function)
    described = {n: _described(n, kind, of, types.get(n, EMPTY)) for n, kind, of in _parameters(function, skip)}
    return _signature(described, types.get("return", EMPTY))


def _of_field(tr: Tracer, name: str, given: Value, alone: bool) -> Value:
    default = EMPTY if given is MISSING else given
    kind = "KEYWORD_ONLY" if alone else "POSITIONAL_OR_KEYWORD"
    return _described(name, kind, default, tr.unknown("an annotation", "imprecise"))


def _signature(described: dict[str, Value], returned: Value) -> Object:
    parameters = [_plain(p) for p in described.values() if isinstance(p, Object)]
    return Object(
        "signature",
        {
            "parameters": DictV(described),
            "return_annotation": returned,
            "empty": EMPTY,
            "bind": Native("bind", lambda c: _bound(c, parameters)),
            "bind_partial": Native("bind_partial", lambda c: _bound(c, parameters)),
            "replace": Native("replace", lambda c: _replaced(c, described, returned)),
        },
    )


def _replaced(c: Call, described: dict[str, Value], returned: Value) -> Value:
    """`signature.replace(parameters=…, return_annotation=…)`; what is not named stays."""
    given = c.kwargs.get("parameters", ListV(list(described.values())))
    found = _by_name(given)
    if found is None or c.args or c.open_args:
        return c.tr.unknown("a signature", "foreign")
    return _signature(found, c.kwargs.get("return_annotation", returned))


def _by_name(given: Value) -> dict[str, Value] | None:
    """Parameters of a list, by their names; None where one is not known."""
    items = list(given.items) if isinstance(given, ListV) and not given.open else given
    items = list(items) if isinstance(items, (list, tuple)) else None
    if items is None or not all(isinstance(p, Object) and p.kind == "parameter" for p in items):
        return None
    return {str(p.attrs["name"]): p for p in items}


def _plain(described: Object) -> Parameter:
    kind = described.attrs["kind"]
    return str(described.attrs["name"]), getattr(kind, "name", "").removeprefix(_KINDS), described.attrs["default"]


@operator("inspect.Signature", "parameters=None *rest")
def made_signature(op: Op, parameters: Value, rest: tuple[Value, ...]) -> Value:
    found = _by_name(() if parameters is None else parameters)
    return op.tr.unknown("a signature", "foreign") if found is None else _signature(found, EMPTY)


@operator("inspect.Parameter", "name kind *rest")
def made_parameter(op: Op, name: Value, kind: Value, rest: tuple[Value, ...]) -> Value:
    known = kind.name.removeprefix(_KINDS) if isinstance(kind, Api) else ""
    if not isinstance(name, str) or known not in _EACH:
        return op.tr.unknown("a parameter", "foreign")
    return _described(name, known, op.extra.get("default", EMPTY), op.extra.get("annotation", EMPTY))


def _imitates(function: Function) -> bool:
    """Whether it is a wrapper that has the signature of what it wraps: `@wraps(f)`."""
    marks = getattr(function.node, "decorator_list", [])
    return any(isinstance(m, ast.Call) and ast.unparse(m.func) in ("wraps", "functools.wraps") for m in marks)


def _function_of(value: Value) -> tuple[Function | None, int]:
    if isinstance(value, Function):
        return value, 0
    if isinstance(value, Bound) and isinstance(value.function, Function):
        return value.function, 1
    found = value.find("__init__") if isinstance(value, Class) else None
    return (found[0], 1) if found is not None and isinstance(found[0], Function) else (None, 0)


def _parameters(function: Function, skip: int) -> list[Parameter]:
    spec = function.node.args
    positional = [*spec.posonlyargs, *spec.args]
    without = len(positional) - len(function.defaults)
    found: list[Parameter] = [
        (p.arg, "POSITIONAL_OR_KEYWORD", EMPTY if i < without else function.defaults[i - without])
        for i, p in enumerate(positional)
    ][skip:]
    found += [(spec.vararg.arg, "VAR_POSITIONAL", EMPTY)] if spec.vararg is not None else []
    found += [(p.arg, "KEYWORD_ONLY", function.kw_defaults.get(p.arg, EMPTY)) for p in spec.kwonlyargs]
    found += [(spec.kwarg.arg, "VAR_KEYWORD", EMPTY)] if spec.kwarg is not None else []
    return found


_HOMES = ("torch.nn", "torch.optim", "keras.layers")


def _of_library(tr: Tracer, name: str) -> list[Parameter] | None:
    """What the constructor of a library's class takes; with `self` where its `__init__` is asked. None: not told."""
    home, _, last = name.removesuffix(".__init__").rpartition(".")
    told = framework_data(home.partition(".")[0])["modules"][home].get(last) if home in _HOMES else None
    if not told or not last[:1].isupper() or told == ["*args", "**kwargs"]:
        return None
    found: list[Parameter] = [("self", "POSITIONAL_OR_KEYWORD", EMPTY)] if name.endswith(".__init__") else []
    kind = "POSITIONAL_OR_KEYWORD"
    for entry in told:
        if entry.startswith("*"):
            variable = "VAR_KEYWORD" if entry.startswith("**") else "VAR_POSITIONAL"
            found += [(entry.lstrip("*"), variable, EMPTY)] if entry.lstrip("*") else []
            kind = "KEYWORD_ONLY"
        else:
            default = tr.unknown("a default", "imprecise") if entry.endswith("=") else EMPTY
            found.append((entry.strip("/="), kind, default))
    return found


def _described(name: str, kind: str, default: Value, type: Value) -> Object:
    kinds: dict[str, Value] = {word: Api(_KINDS + word) for word in _EACH}
    own: dict[str, Value] = {"name": name, "kind": kinds[kind], "default": default, "annotation": type}
    replace = Native("replace", lambda c: _other(c, own))
    return Object("parameter", {**own, **kinds, "empty": EMPTY, "replace": replace})


def _other(c: Call, own: dict[str, Value]) -> Value:
    """`parameter.replace(name=…, kind=…, default=…, annotation=…)`; what is not named stays."""
    new = {**own, **c.kwargs}
    kind = new["kind"].name.removeprefix(_KINDS) if isinstance(new["kind"], Api) else ""
    if c.args or c.open_args or new.keys() != own.keys() or not isinstance(new["name"], str) or kind not in _EACH:
        return c.tr.unknown("a parameter", "foreign")
    return _described(new["name"], kind, new["default"], new["annotation"])


def _annotations(function: Function) -> dict[str, Value]:
    """The annotations that are written; what type each is is not looked at."""
    spec = function.node.args
    given = (*spec.posonlyargs, *spec.args, *spec.kwonlyargs, spec.vararg, spec.kwarg)
    found: dict[str, Value] = {p.arg: Object("annotation") for p in given if p is not None and p.annotation is not None}
    if getattr(function.node, "returns", None) is not None:
        found["return"] = Object("annotation")
    return found


_ASKED = {
    "isclass": (Class,), "isfunction": (Function,), "ismethod": (Bound,), "isroutine": (Function, Bound),
    "ismodule": (Module,),
}  # fmt: skip
_TOLD = (Class, Function, Bound, Module, Instance, ListV, DictV, tuple, str, int, float, type(None))


@operator("inspect.isclass inspect.isfunction inspect.ismethod inspect.isroutine inspect.ismodule", "object")
def is_kind(op: Op, object: Value) -> Value:
    """What kind of thing of the source a value is."""
    if isinstance(object, _ASKED[op.short]):
        return not (isinstance(object, Bound) and not isinstance(object.function, Function)) or op.tr.unknown("a test")
    if isinstance(object, Api) and op.short == "isclass" and (told := is_class(object.name)) is not None:
        return told
    return False if isinstance(object, _TOLD) else op.tr.unknown("a test of a kind", pytype="bool")


def _bound(c: Call, parameters: list[Parameter]) -> Value:
    """What the call gives each parameter, in their order."""
    rest, named = list(c.args), dict(c.kwargs)
    given: dict[str, Value] = {}
    for name, kind, _ in parameters:
        if kind == "VAR_POSITIONAL":
            if rest:
                given[name], rest = tuple(rest), []
        elif kind == "VAR_KEYWORD":
            if named:
                given[name], named = DictV(named), {}
        elif kind == "POSITIONAL_OR_KEYWORD" and rest:
            given[name] = rest.pop(0)
        elif name in named:
            given[name] = named.pop(name)
    arguments = DictV(given, c.open_args)
    return Object("bound arguments", {"arguments": arguments, "apply_defaults": Native(
        "apply_defaults", lambda inner: _fill(inner.tr, arguments, parameters))})  # fmt: skip


def _fill(tr: Tracer, arguments: DictV, parameters: list[Parameter]) -> None:
    tr.touch(arguments)
    given = dict(arguments.items)
    empty: dict[str, Value] = {"VAR_POSITIONAL": (), "VAR_KEYWORD": DictV()}
    for name, kind, default in parameters:
        if name not in given and (kind in empty or default != EMPTY):
            given[name] = empty.get(kind, default)
    arguments.items = {name: given[name] for name, _, _ in parameters if name in given}
