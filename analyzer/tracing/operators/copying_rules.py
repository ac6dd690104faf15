"""`copy`: another object of the same kind, as its class says or part by part."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import (
    STORE,
    Bound,
    DictV,
    Function,
    Instance,
    Layer,
    ListV,
    Value,
)
from analyzer.tracing.operators.table import Op, operator


@operator("copy.copy", "x")
def copied(op: Op, x: Value) -> Value:
    if isinstance(x, Tensor):
        return copy.copy(x)
    own = _by_hooks(op, x, "__copy__", ())
    return own if own is not None else twin_of(x, lambda part: part)


@operator("copy.deepcopy", "x memo=None")
def copied_deeply(op: Op, x: Value, memo: Value) -> Value:
    if isinstance(x, Tensor):
        return copy.copy(x)
    memory = memo if isinstance(memo, Copied) else Copied(open=True)
    if isinstance(memo, (DictV, Instance)) and memo is not memory:
        op.tr.forget([memo])  # it is told what was copied
    twins = memory.twins

    def twin(part: Value) -> Value:
        if isinstance(part, tuple) and type(part) is tuple:
            parts = tuple(map(twin, part))
            return part if all(a is b for a, b in zip(parts, part, strict=True)) else parts
        if id(part) not in twins:
            hooked = isinstance(part, Instance) and part.cls.find("__deepcopy__") is not None
            twins[id(part)] = part, op.tr.unknown("a copy", label="copy()") if hooked else part
            own = _by_hooks(op, part, "__deepcopy__", (memory,))
            made = own if own is not None else twin_of(part, twin, lambda made: begin(part, made))
            twins[id(part)] = part, made
        return twins[id(part)][1]

    def begin(part: Value, made: Value) -> None:
        twins[id(part)] = part, made  # before its parts are copied, which may hold it

    return twin(x)


_REDUCING = ("__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__getnewargs__", "__getnewargs_ex__")


class Copied(DictV):
    """What a deep copy has copied already, as `__deepcopy__` is given it; `twins` hold each part and its copy."""

    __slots__ = ("twins",)

    def __init__(self, items: dict[Any, Value] | None = None, open: bool = False) -> None:
        super().__init__(items, open)
        self.twins: dict[int, tuple[Value, Value]] = {}


def _by_hooks(op: Op, x: Value, name: str, args: tuple[Value, ...]) -> Value:
    """The copy of an object whose class says what it is made of; None of others."""
    if not isinstance(x, Instance):
        return None
    own = x.cls.find(name)
    if own is not None and isinstance(own[0], Function):
        made = call(op.tr, Bound(x, own[0], own[1]), args, {})
        return made if made is not None else op.tr.unknown("a copy", label="copy()")
    unknown = own is not None or any(x.cls.find(name) for name in _REDUCING)
    return op.tr.unknown("a copy", label="copy()") if unknown else None


def twin_of(x: Value, part: Callable[[Value], Value], begin: Callable[[Value], None] = lambda made: None) -> Value:
    """Another object of the same kind, each of whose parts `part` gives; `begin` is told of it before that."""
    if isinstance(x, Layer):
        layer = Layer(x.name, x.args, x.site, x.nodes)
        begin(layer)
        layer.attrs, layer.built = {k: part(v) for k, v in x.attrs.items()}, dict(x.built)
        return layer
    if isinstance(x, DictV):
        made = x.twin()
        begin(made)
        made.items = {k: part(v) for k, v in x.items.items()}
        return made
    if isinstance(x, ListV):
        sequence = type(x)((), x.open)
        begin(sequence)
        sequence.items = [part(item) for item in x.items]
        return sequence
    if isinstance(x, Instance) and any(base.startswith("enum.") for base in x.cls.library_bases):
        return x
    if isinstance(x, Instance):
        instance = Instance(x.cls, x.site)
        begin(instance)
        instance.attrs, instance.open = {k: part(v) for k, v in x.attrs.items()}, x.open
        instance.built = x.built
        if isinstance(held := instance.attrs.get(STORE), (DictV, ListV)) and held is x.attrs[STORE]:
            instance.attrs[STORE] = held.twin()  # what the object is, not what it has
        return instance
    return x
