"""Models of Python's builtin functions."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from analyzer.tracing.language.builtins import (
    attribute_access,
    files,
    introspection,
    iterables,
    kinds,
    numbers,
    printing,
    written_code,
)
from analyzer.tracing.language.builtins.call import Call
from analyzer.tracing.language.known_types import CLASSES
from analyzer.tracing.language.object_attributes import OBJECT
from analyzer.tracing.language.values import Api, ListV, Native, Unknown, Value

__all__ = ["BUILTINS", "EXCEPTIONS", "Call"]


def _type(c: Call) -> Value:
    value = c.get(0)
    plain = len(c.args) != 3 and isinstance(value, (bool, int, float, str))
    return BUILTINS[type(value).__name__] if plain else introspection.type_(c)


_RULES: dict[str, Callable[[Any], Value]] = {
    # sequences
    "len": iterables.length, "range": iterables.range_, "xrange": iterables.range_, "enumerate": iterables.enumerate_,
    "zip": iterables.zip_, "map": iterables.map_, "filter": iterables.filter_, "list": iterables.sequence(ListV),
    "tuple": iterables.sequence(tuple), "set": iterables.set_, "frozenset": iterables.set_, "dict": iterables.dict_,
    "next": iterables.next_, "iter": iterables.iter_, "sorted": iterables.sorted_, "reversed": iterables.reversed_,
    "any": iterables.every(False), "all": iterables.every(True), "slice": iterables.slice_,
    # numbers and text
    "int": numbers.int_, "float": numbers.float_, "str": numbers.str_, "bool": numbers.bool_,
    "max": numbers.extremum(True), "min": numbers.extremum(False), "sum": numbers.sum_, "abs": numbers.abs_,
    "round": numbers.round_, "divmod": numbers.divmod_, "pow": numbers.pow_,
    "open": files.open_,
    # types, attributes, the program itself
    "isinstance": kinds.isinstance_, "hasattr": attribute_access.hasattr_, "getattr": attribute_access.getattr_,
    "setattr": attribute_access.setattr_, "super": introspection.super_, "type": _type,
    "issubclass": kinds.issubclass_,
    "callable": introspection.callable_, "locals": attribute_access.locals_, "globals": introspection.globals_,
    "vars": attribute_access.vars_, "exit": introspection.exit_, "quit": introspection.exit_,
    "print": printing.print_, "eval": written_code.eval_, "exec": written_code.exec_,
    "__import__": written_code.dynamic, "compile": written_code.dynamic, "input": introspection.input_,
    "raw_input": introspection.input_, "ord": introspection.plain(ord), "chr": introspection.plain(chr),
    "hex": introspection.plain(hex), "bin": introspection.plain(bin), "repr": numbers.repr_,
    "staticmethod": introspection.method_of_kind("staticmethod"),
    "classmethod": introspection.method_of_kind("classmethod"),
    "property": introspection.property_, "id": introspection.identity, "hash": introspection.hashed,
    "dir": attribute_access.dir_, "delattr": attribute_access.delattr_,
    "format": introspection.plain(format), "complex": introspection.plain(complex),
    "bytes": introspection.plain(bytes), "bytearray": introspection.changing_bytes, "ascii": introspection.plain(ascii),
    "oct": introspection.plain(oct),
}  # fmt: skip
BUILTINS: dict[str, Value] = {
    name: Native(name, run, any_number=name in ("dict", "print", "super", "exit", "quit"))
    for name, run in _RULES.items()
}
BUILTINS["object"] = OBJECT
CLASSES.update(
    {name: BUILTINS[name] for name in ("bool", "int", "float", "str", "bytes", "tuple", "list", "set", "dict")}
)
CLASSES["NoneType"] = Native("NoneType", introspection.nothing)
BUILTINS["NotImplemented"] = Unknown("NotImplemented", label="NotImplemented", pytype="object")
EXCEPTIONS = tuple(n for n, v in vars(builtins).items() if isinstance(v, type) and issubclass(v, BaseException))
BUILTINS.update((name, Api(name)) for name in EXCEPTIONS)
