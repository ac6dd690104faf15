"""The library attrs: fields, what makes and checks their values, decorators of classes, copies."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.attrs_classes import DECORATORS, FACTORY, decorate, make_field
from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.values import Class, DictV, Instance, ListV, Native, Object, Value, field_names
from analyzer.tracing.operators.table import Op, operator

_POSITIONS = ("default", "validator", "repr", "cmp", "hash", "init", "metadata", "type", "converter")


def _both(names: str) -> str:
    return " ".join(f"{home}.{name}" for home in ("attr", "attrs") for name in names.split())


@operator(f"attr.ib attr.attrib attr.attr {_both('field')}", "*args")
def field(op: Op, args: tuple[Value, ...]) -> Value:
    return make_field({**dict(zip(_POSITIONS, args, strict=False)), **op.extra})


@operator(_both("Factory"), "factory takes_self=False")
def factory(op: Op, factory: Value, takes_self: Value) -> Value:
    return Object(FACTORY, data={"factory": factory, "takes_self": takes_self})


@operator(" ".join(sorted(DECORATORS)), "*args")
def decorated(op: Op, args: tuple[Value, ...]) -> Value:
    def run(cls: Value) -> Value:
        return decorate(op.tr, op.name, cls, op.extra) if isinstance(cls, Class) else op.tr.unknown("a class")

    return run(args[0]) if args and args[0] is not None else Native("a decorator", lambda c: run(c.get(0)))


_VALIDATORS = (
    "instance_of in_ optional deep_iterable deep_mapping is_callable matches_re lt le ge gt max_len min_len "
    "subclass_of not_ or_ provides"
)


@operator(_both(" ".join(f"validators.{name}" for name in _VALIDATORS.split())), "*args")
def validator(op: Op, args: tuple[Value, ...]) -> Value:
    """A check of the library's own: it raises or gives nothing."""
    return Native("a validator", lambda c: None)


@operator(_both("validators.and_ converters.pipe"), "*args")
def one_after_another(op: Op, args: tuple[Value, ...]) -> Value:
    return ListV(list(args))


@operator(_both("converters.optional"), "converter")
def optional(op: Op, converter: Value) -> Value:
    return Native("a converter", lambda c: None if c.get(0) is None else call(c.tr, converter, (c.get(0),), {}))


@operator(_both("converters.default_if_none"), "default=None factory=None")
def default_if_none(op: Op, default: Value, factory: Value) -> Value:
    if isinstance(default, Object) and default.kind == FACTORY:
        factory = default.data["factory"]

    def run(c: Any) -> Value:
        if c.get(0) is not None:
            return c.get(0)
        return default if factory is None else call(c.tr, factory, (), {})

    return Native("a converter", run)


def _is_whole(value: Value) -> bool:
    """Whether all fields of an object are known."""
    return isinstance(value, Instance) and value.cls.closed and all(n in value.attrs for n in field_names(value.cls))


@operator(_both("asdict astuple"), "inst")
def as_data(op: Op, inst: Value) -> Value:
    def data(value: Value) -> Value:
        if isinstance(value, Instance) and value.cls.fields is not None and _is_whole(value):
            found = {name: data(value.attrs[name]) for name in field_names(value.cls)}
            return DictV(found) if op.short == "asdict" else tuple(found.values())
        if isinstance(value, DictV):
            return DictV({key: data(v) for key, v in value.items.items()}, value.open)
        return type(value)(map(data, value.items), value.open) if isinstance(value, ListV) else value

    whole = not op.extra and _is_whole(inst)
    return data(inst) if whole else op.tr.unknown(f"{op.short}()", label=op.short)


@operator(_both("evolve assoc"), "inst *rest")
def evolved(op: Op, inst: Value, rest: tuple[Value, ...]) -> Value:
    """Another object of the class, made by its constructor."""
    fields = inst.cls.fields if isinstance(inst, Instance) else None
    if fields is None or not _is_whole(inst):
        return op.tr.unknown(f"{op.short}()")
    kept = {n: f for n, f in fields.items() if f.data.get("init") is not False}
    if any(n.startswith("_") or f.data.get("alias") is not None for n, f in kept.items()):
        return op.tr.unknown(f"{op.short}()")
    return call(op.tr, inst.cls, (), {**{n: inst.attrs[n] for n in kept}, **op.extra})
