"""Builtins that ask about types, attributes and the program itself."""

from __future__ import annotations

import ast
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from analyzer.tracing.language.builtins.call import Call
from analyzer.tracing.language.builtins.kinds import MODULES
from analyzer.tracing.language.known_types import class_of
from analyzer.tracing.language.namespaces import ScopeNames
from analyzer.tracing.language.object_attributes import kind_of
from analyzer.tracing.language.packed_sequences import PACKED, packing_of
from analyzer.tracing.language.plain_data import NotPlain, applied
from analyzer.tracing.language.rows import FRAME, SERIES, Rows
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import (
    Address,
    Api,
    Bound,
    Class,
    DictV,
    Function,
    Instance,
    Layer,
    ListV,
    Native,
    OneOfTwo,
    Partial,
    Scope,
    SetV,
    SuperV,
    Unknown,
    Value,
)
from analyzer.tracing.paths.paths import PathEnd


def method_of_kind(kind: str) -> Callable[[Call], Value]:
    """`staticmethod(f)` and `classmethod(f)`, also where a class is given `f` later."""

    def run(c: Call) -> Value:
        function = c.get(0)
        if isinstance(function, Function):
            return replace(function, kind=kind)
        known = function is not None and kind == "staticmethod"
        return function if known else c.tr.unknown(f"{kind}()")

    return run


def property_(c: Call) -> Value:
    """`name = property(getter, setter, deleter, doc)` in a class."""
    getter, setter, deleter, doc = (c.get(n, name) for n, name in enumerate(("fget", "fset", "fdel", "doc")))
    if not isinstance(getter, Function) or not all(v is None or isinstance(v, Function) for v in (setter, deleter)):
        return c.tr.unknown("a property")
    options = dict(getter.options)
    if isinstance(deleter, Function):
        options["attribute deleter"] = deleter
    if doc is not None:
        options["attribute __doc__"] = doc
    return replace(getter, kind="property", setter=setter, options=options)


def identity(c: Call) -> Value:
    """`id(x)`: one number for each object, as long as this analysis keeps one value for it."""
    of = c.get(0)
    if not isinstance(of, (*_KEPT, Tensor)) or isinstance(of, SetV):  # frozen ones are not copied
        return hashed(c)
    found = c.tr.addresses.get(id(of))
    if found is None:
        alone = not isinstance(of, Tensor) or (of.framework == "torch" and "variable" in of.tags)
        found = c.tr.addresses[id(of)] = Address(of) if alone else OneOfTwo(of)
    return found


_KEPT = (Instance, Layer, Class, Function, ListV, DictV)


def hashed(c: Call) -> Value:
    return c.tr.unknown("what tells an object from others", pytype="int")


def changing_bytes(c: Call) -> Value:
    """A `bytearray`, which its methods make longer: what it holds is not followed."""
    return c.tr.unknown("bytes that change", "imprecise")


def plain(function: Callable[..., Any]) -> Callable[[Call], Value]:
    """A builtin that is itself applied to plain values."""

    def run(c: Call) -> Value:
        if c.args and all(isinstance(a, (int, float, str)) and not (isinstance(a, str) and len(a) > 100)
                          for a in c.args):  # fmt: skip
            with suppress(NotPlain):
                return applied(function, c.args, c.kwargs)
        return c.tr.unknown(f"{function.__name__}()", "imprecise", pytype="int" if function is ord else "str")

    return run


def super_(c: Call) -> Value:
    frame = next((f for f in reversed(c.tr.frames) if f.owner is not None), None)
    if len(c.args) == 2 and isinstance(c.args[0], Class):
        return SuperV(c.args[0], c.args[1])
    if frame is None or frame.owner is None:
        return c.tr.unknown("super()")
    return SuperV(frame.owner, frame.first)


def globals_(c: Call) -> Value:
    return ScopeNames(c.tr.frame.scope.globals, True)


def type_(c: Call) -> Value:
    value = c.get(0)
    if len(c.args) == 3:
        return _made_class(c)
    if isinstance(value, Instance):
        return kind_of(value)
    if isinstance(value, Rows) and value.kind in (FRAME, SERIES):
        return Api(value.kind)
    if isinstance(value, Tensor) and value.framework == "numpy":
        return Api("numpy.ndarray")
    if packing_of(value) is not None:
        return Api(PACKED)
    return class_of(value)


def _made_class(c: Call) -> Value:
    """`type(name, bases, names)`."""
    name, bases, names = c.args
    if not isinstance(name, str) or not isinstance(bases, tuple) or not isinstance(names, DictV) or c.node is None:
        return c.tr.unknown("a class made at run time")
    known = (Class, Api, Unknown)
    bases = tuple(
        b if isinstance(b, known) else c.tr.unknown("a base class")
        for b in bases
        if not (isinstance(b, Native) and b.name == "object")
    )
    scope = Scope(c.tr.frame.scope, c.tr.frame.scope.globals)
    scope.names.update({str(k): v for k, v in names.items.items()})
    node = ast.ClassDef(name, [], [], [], [])
    return Class(name, bases, scope, ast.copy_location(node, c.node), c.tr.frame.path)


def callable_(c: Call) -> Value:
    value = c.get(0)
    if isinstance(value, (Function, Bound, Class, Native, Layer, Partial)):
        return True
    if value is None or isinstance(value, (int, float, str, tuple, ListV, DictV, Tensor)):
        return False
    if isinstance(value, Instance) and (value.cls.find("__call__") or set(value.cls.library_bases) & {*MODULES}):
        return True
    if isinstance(value, Instance) and value.cls.closed and all(b.startswith("enum.") for b in value.cls.library_bases):
        return False
    return c.tr.unknown("a test", getattr(value, "origin", "imprecise"), pytype="bool")


def exit_(c: Call) -> Value:
    raise PathEnd


def nothing(c: Call) -> Value:
    return None


def input_(c: Call) -> Value:
    return Unknown("what the user types", "flag", "input", "str")
