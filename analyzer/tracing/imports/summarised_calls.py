"""A call of a large library by its summary: the key of its arguments, and its result as plain data and back.

Only what is wholly known is summarised: arguments that are plain data, tensors of known sizes and objects of the
library, a result of the same kinds, no argument changed, nothing demanded of a symbol. Whether the way to it was
certain is part of the summary.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

from analyzer.tracing.imports.lazy_modules import LazyScope
from analyzer.tracing.imports.libraries import MARK
from analyzer.tracing.language.plain_data import NotPlain
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import (
    Api,
    Bound,
    Class,
    DictV,
    Function,
    Instance,
    Layer,
    ListV,
    Native,
    Partial,
    Unknown,
    Value,
)
from analyzer.tracing.paths.symbols import Site
from analyzer.tracing.paths.tracer import Tracer

MOST_PARTS = 60_000  # of the arguments of one call; a large model has some thousand


class _Key:
    """Writes values so that equal ones are written equally; an object that comes again as its number."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.numbers: dict[int, int] = {}
        self.held: list[Value] = []  # so that no number is given twice

    def add(self, *words: object) -> None:
        self.parts.append(" ".join(map(str, words)))
        if len(self.parts) > MOST_PARTS:
            raise NotPlain

    def write(self, value: Value) -> None:
        if value is None or isinstance(value, (bool, int, float, str, bytes)):
            self.add(type(value).__name__, repr(value))
            return
        if id(value) in self.numbers:
            self.add("again", self.numbers[id(value)])
            return
        if isinstance(value, (Layer, Instance, ListV, DictV, Unknown)):
            self.numbers[id(value)] = len(self.numbers)
            self.held.append(value)
        if isinstance(value, Tensor):
            self._tensor(value)
        elif isinstance(value, (tuple, ListV)):
            parts = value.items if isinstance(value, ListV) else list(value)
            self.add(type(value).__name__, len(parts), getattr(value, "open", False))
            for part in parts:
                self.write(part)
        elif isinstance(value, DictV):
            self.add("dict", len(value.items), value.open)
            self.named(value.items)
        elif isinstance(value, dict):
            self.add("names", len(value))
            self.named(value)
        elif isinstance(value, Layer):
            self.add("layer", value.name, len(value.args), len(value.attrs))
            self.named(value.args)
            self.named(value.attrs)
            self.named(value.built)
        elif isinstance(value, Instance):
            self.write(value.cls)
            self.add("object", len(value.attrs), value.open, value.built)
            self.named(value.attrs)
        elif isinstance(value, Unknown):
            refined = value.term, value.tensor, value.value
            if any(r is not None for r in refined):
                raise NotPlain
            self.add("unknown", value.origin, value.pytype, value.kind, value.label, value.truth)
        else:
            self._code(value)

    def _tensor(self, value: Tensor) -> None:
        if value.dims is None or value.graph or not all(type(d) is int for d in value.dims):
            raise NotPlain
        self.add("tensor", value.dims, value.dtype, value.framework, sorted(value.tags))
        self.write(value.value)

    def _code(self, value: Value) -> None:
        if isinstance(value, (Function, Class)):
            if not value.path.startswith(MARK) or (isinstance(value, Function) and value.scope.parent is not None):
                raise NotPlain
            self.add("code", value.path, value.node.lineno, value.name)
        elif isinstance(value, (Api, Native)):
            self.add("name", value.name)
        elif isinstance(value, Bound) and isinstance(value.function, Function):
            self.write(value.owner)
            self.write(value.function)
        elif isinstance(value, Partial):
            self.write(value.function)
            self.write(value.args)
            self.named(value.kwargs)
        else:
            raise NotPlain

    def named(self, values: Mapping[Any, Value]) -> None:
        for key, value in values.items():
            self.add("key", repr(key) if isinstance(key, (str, int, float, bool, type(None))) else self._refuse())
            self.write(value)

    def _refuse(self) -> str:
        raise NotPlain


def key_of(tr: Tracer, function: Function, args: tuple[Value, ...], kwargs: dict[str, Value]) -> str | None:
    """What a call rests on, as a hash; None where something of it is not known."""
    if function.scope.parent is not None:
        return None
    writer = _Key()
    try:
        writer.add(function.path, function.node.lineno, function.name, tr.compiled, tr.types_open, tr.defaults)
        for value in args:
            writer.write(value)
        writer.named(kwargs)
    except (NotPlain, RecursionError):
        return None
    return hashlib.sha256("\n".join(writer.parts).encode()).hexdigest()


class _Packer:
    """Results as JSON: each object once, then its number."""

    def __init__(self) -> None:
        self.numbers: dict[int, int] = {}

    def pack(self, value: Value) -> Any:
        """Raises NotPlain for what cannot be written."""
        if value is None or type(value) in (bool, int, float, str):
            return value
        if id(value) in self.numbers:
            return {"again": self.numbers[id(value)]}
        if isinstance(value, (Layer, Instance, ListV, DictV, Unknown)):
            self.numbers[id(value)] = len(self.numbers)
            if len(self.numbers) > MOST_PARTS:
                raise NotPlain
        if isinstance(value, Tensor):
            known = value.dims is not None and all(type(d) is int for d in value.dims)
            if not known or value.graph or value.value is not None:
                raise NotPlain
            return {"tensor": [list(value.dims or ()), value.dtype, value.framework]}
        if type(value) is tuple:
            return {"tuple": [self.pack(v) for v in value]}
        if type(value) is ListV:
            return {"list": [value.open, *map(self.pack, value.items)]}
        if type(value) is DictV:
            return {"dict": [value.open, self.named(value.items)]}
        if type(value) is dict:
            return {"names": self.named(value)}
        if isinstance(value, Layer):
            return {"layer": [value.name, self.named(value.args), self.named(value.attrs), self.named(value.built)]}
        if isinstance(value, Instance):
            return {"object": [self.pack(value.cls), value.open, value.built, self.named(value.attrs)]}
        if isinstance(value, Unknown) and _is_open(value):
            kinds = value.reason, value.origin, value.label, value.pytype, value.kind
            return {"unknown": [*kinds, value.truth]}
        return self._code(value)

    def _code(self, value: Value) -> Any:
        if isinstance(value, (Function, Class)) and value.path.startswith(MARK):
            home = value.scope if isinstance(value, Function) else value.scope.parent
            named = [value.path, value.name]
            if isinstance(home, LazyScope) and home.names.get(value.name) is value:
                return {"code": named}
        if isinstance(value, Api):
            return {"api": [value.name, value.variant]}
        if isinstance(value, Partial):
            return {"partial": [self.pack(value.function), self.pack(value.args), self.named(value.kwargs)]}
        raise NotPlain

    def named(self, values: Mapping[Any, Value]) -> list[Any]:
        return [[k if isinstance(k, (str, int)) else self._refuse(), self.pack(v)] for k, v in values.items()]

    def _refuse(self) -> str:
        raise NotPlain


def _is_open(value: Unknown) -> bool:
    """Whether nothing was supposed of an unknown but its truth."""
    return all(known is None for known in (value.default, value.term, value.tensor, value.value))


def as_data(value: Value) -> Any:
    """A result as JSON. Raises NotPlain for what cannot be written."""
    return _Packer().pack(value)


class _Unpacker:
    """What JSON describes; whatever is not of the form that `_Packer` writes is a ValueError."""

    def __init__(self, site: Site, name: str, code: Callable[[str, str], Value]) -> None:
        self.site, self.name, self.code = site, name, code
        self.made: list[Value] = []

    def new(self, value: Value) -> Value:
        self.made.append(value)
        return value

    def unpack(self, data: Any) -> Value:
        if data is None or type(data) in (bool, int, float, str):
            return data
        if not isinstance(data, dict) or len(data) != 1:
            raise ValueError("no summary")
        ((kind, parts),) = data.items()
        if kind == "again" and type(parts) is int and 0 <= parts < len(self.made):
            return self.made[parts]
        if kind == "names":
            return self.named(parts)
        if not isinstance(parts, list):
            raise ValueError("no summary")
        return self._object(kind, parts)

    def _object(self, kind: str, parts: list[Any]) -> Value:
        if kind == "tensor":
            dims, dtype, framework = parts
            sizes = isinstance(dims, list) and len(dims) <= 16 and all(type(d) is int and d >= 0 for d in dims)
            if not sizes or not isinstance(dtype, str | None) or framework not in ("torch", "keras", "tf", "numpy"):
                raise ValueError("no tensor")
            return Tensor(dims, dtype, framework, site=self.site, name=self.name)
        if kind == "tuple":
            return tuple(map(self.unpack, parts))
        if kind == "list":
            made = self.new(ListV((), bool(parts[0])))
            made.items = list(map(self.unpack, parts[1:]))
            return made
        if kind == "dict":
            table = self.new(DictV({}, bool(parts[0])))
            table.items = self.named(parts[1])
            return table
        if kind == "layer":
            layer = self.new(Layer(str(parts[0]), {}, self.site))
            layer.args, layer.attrs, layer.built = map(self.named, parts[1:4])
            return layer
        if kind == "object":
            return self._instance(parts)
        if kind == "unknown":
            *kinds, truth = parts
            reason, origin, label, pytype, type_ = map(str, kinds)
            found = self.new(Unknown(reason, origin, label, pytype))
            found.kind, found.truth = type_, truth if isinstance(truth, bool) else None
            return found
        if kind == "code":
            return self.code(str(parts[0]), str(parts[1]))
        if kind == "api":
            return Api(str(parts[0]), str(parts[1]))
        if kind == "partial":
            return Partial(self.unpack(parts[0]), self.unpack(parts[1]), self.named(parts[2]))
        raise ValueError("no summary")

    def _instance(self, parts: list[Any]) -> Instance:
        made: Instance = self.new(Instance.__new__(Instance))
        cls = self.unpack(parts[0])
        if not isinstance(cls, Class):
            raise ValueError("no class")
        Instance.__init__(made, cls, self.site)
        made.open, made.built = bool(parts[1]), bool(parts[2])
        made.attrs = self.named(parts[3])
        return made

    def named(self, pairs: Any) -> dict[Any, Value]:
        found = {}
        for key, value in pairs:
            if not isinstance(key, (str, int)):
                raise ValueError("no key")
            found[key] = self.unpack(value)
        return found


def as_value(data: Any, site: Site, name: str, code: Callable[[str, str], Value]) -> Value:
    """The result that JSON describes; `code` gives the class or function of a path and a name.

    Raises ValueError, TypeError, KeyError or IndexError for anything that `as_data` does not write.
    """
    return _Unpacker(site, name, code).unpack(data)
