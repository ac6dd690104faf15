"""`functools.singledispatch`: a function that keeps what is called for each type of its first argument."""

from __future__ import annotations

import ast

from analyzer.tracing.language.evaluation import evaluate
from analyzer.tracing.language.values import Api, Function, Native, Value
from analyzer.tracing.paths.tracer import Tracer

GENERIC = ("functools.singledispatch", "functools.singledispatchmethod")
REGISTER = "register of a generic function"


def registration(function: Function) -> Native:
    """`function.register`, which takes a type and a function, or a type, or a function whose annotation tells it."""
    return Native(REGISTER, lambda c: _register(c.tr, function, c.args, c.kwargs))


def _register(tr: Tracer, function: Function, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
    kind, version = (args[0] if args else kwargs.get("cls")), (args[1] if len(args) > 1 else kwargs.get("func"))
    if version is None and isinstance(kind, Function):
        _keep(tr, function, _annotated(tr, kind), kind)
        return kind
    if version is None:
        return Native(REGISTER, lambda c: _register(c.tr, function, (kind, c.get(0)), {}))
    _keep(tr, function, [kind], version)
    return version


def _keep(tr: Tracer, function: Function, kinds: list[Value], version: Value) -> None:
    versions = function.versions
    assert versions is not None
    tr.touch(versions)
    for kind in kinds:
        versions.items = [pair for pair in versions.items if not _same(pair[0], kind)] + [(kind, version)]


def _same(a: Value, b: Value) -> bool:
    return a is b or (isinstance(a, (Api, Native)) and isinstance(b, (Api, Native)) and a.name == b.name)


def _annotated(tr: Tracer, version: Function) -> list[Value]:
    """The types that the first annotation of a function names."""
    parameters = (*version.node.args.posonlyargs, *version.node.args.args)
    found = next((p.annotation for p in parameters if p.annotation is not None), None)
    return [evaluate(tr, part) for part in _alternatives(found)] if found is not None else [tr.unknown("a type")]


def _alternatives(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            return _alternatives(ast.parse(node.value, mode="eval").body)
        except SyntaxError:
            return [node]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*_alternatives(node.left), *_alternatives(node.right)]
    if isinstance(node, ast.Subscript) and ast.unparse(node.value).rpartition(".")[2] == "Union":
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return [alternative for part in parts for alternative in _alternatives(part)]
    return [node]
