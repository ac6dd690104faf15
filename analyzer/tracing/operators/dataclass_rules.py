"""`dataclasses`: fields, copies with other fields, and what a dataclass holds as plain containers."""

from __future__ import annotations

import ast

from analyzer.tracing.language.dataclass_fields import MISSING, PYDANTIC
from analyzer.tracing.language.definitions import make_class
from analyzer.tracing.language.evaluation import call
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
    Module,
    Object,
    Unknown,
    Value,
    field_names,
)
from analyzer.tracing.operators.copying_rules import twin_of
from analyzer.tracing.operators.table import Op, operator


@operator("dataclasses.field", "*args")
def dataclass_field(op: Op, args: tuple[Value, ...]) -> Value:
    return Object("dataclass field", data={k: v for k, v in op.extra.items() if v != MISSING})


@operator("dataclasses.replace", "x")
def replaced(op: Op, x: Value) -> Value:
    if not isinstance(x, Instance):
        return op.tr.unknown("dataclasses.replace()")
    if x.cls.find("__post_init__") is not None:  # which is run again, on fields as they are now
        names = field_names(x.cls)
        if not x.cls.dataclass or not x.cls.closed or x.open or any(n not in x.attrs for n in names):
            return op.tr.unknown("dataclasses.replace()")
        if any(_left_out(x.cls, n) for n in names):
            return op.tr.unknown("dataclasses.replace()")
        return call(op.tr, x.cls, (), {**{n: x.attrs[n] for n in names}, **op.extra})
    made = twin_of(x, lambda part: part)
    made.attrs.update(op.extra)
    return made


def _left_out(cls: Class, name: str) -> bool:
    """Whether the constructor does not take the field."""
    found = cls.find(name)
    return found is not None and isinstance(found[0], Object) and found[0].data.get("init", True) is not True


@operator("dataclasses.asdict", "x")
def as_dictionary(op: Op, x: Value) -> Value:
    def data(value: Value) -> Value:
        if isinstance(value, Instance) and value.cls.dataclass and not value.open:
            return DictV({k: data(value.attrs[k]) for k in field_names(value.cls) if k in value.attrs})
        if isinstance(value, DictV):
            return DictV({k: data(v) for k, v in value.items.items()}, value.open)
        return type(value)(map(data, value.items), value.open) if isinstance(value, ListV) else value

    return data(x) if isinstance(x, Instance) else op.tr.unknown("dataclasses.asdict()")


@operator("dataclasses.fields", "x")
def fields(op: Op, x: Value) -> Value:
    cls = x.cls if isinstance(x, Instance) else x
    if not isinstance(cls, Class) or not cls.dataclass or not cls.closed:
        return op.tr.unknown("dataclasses.fields()")
    return tuple(_described(op, cls, name) for name in field_names(cls))


def _described(op: Op, cls: Class, name: str) -> Object:
    """A field as `dataclasses.fields` tells it."""
    found = cls.find(name)
    default = found[0] if found is not None else MISSING
    given = default.data if isinstance(default, Object) and default.kind == "dataclass field" else {"default": default}
    told = {key: given.get(key, MISSING) for key in ("default", "default_factory")}
    metadata, kind = given.get("metadata") or DictV(), op.tr.unknown("a type", label="type")
    return Object("field", {"name": name, **told, "metadata": metadata, "type": kind})


@operator("dataclasses.astuple", "obj *rest")
def as_tuple(op: Op, obj: Value, rest: tuple[Value, ...]) -> Value:
    def data(value: Value) -> Value:
        if isinstance(value, Instance) and value.cls.dataclass and not value.open:
            return tuple(data(value.attrs[k]) for k in field_names(value.cls) if k in value.attrs)
        if isinstance(value, DictV):
            return DictV({k: data(v) for k, v in value.items.items()}, value.open)
        return type(value)(map(data, value.items), value.open) if isinstance(value, ListV) else value

    known = isinstance(obj, Instance) and not rest and not op.extra and not obj.open
    return data(obj) if known else op.tr.unknown("dataclasses.astuple()")


_NO_DATACLASS = (bool, int, float, str, bytes, tuple, ListV, DictV, Tensor, Layer, Function, Bound, Module, type(None))


@operator("dataclasses.is_dataclass", "obj")
def is_dataclass(op: Op, obj: Value) -> Value:
    """Of an object or a class: named tuples and pydantic's models have fields too, and are none."""
    cls = obj.cls if isinstance(obj, Instance) else obj
    if isinstance(cls, Class):
        other = cls.tuple or PYDANTIC in cls.library_bases or cls.fields is not None
        if other or cls.closed:
            return cls.dataclass and not other
    if isinstance(obj, _NO_DATACLASS) or (isinstance(obj, Api) and obj.name.startswith(("torch.nn.", "builtins."))):
        return False
    return Unknown("whether it is a dataclass", getattr(obj, "origin", "imprecise"), pytype="bool")


@operator("dataclasses.make_dataclass", "cls_name fields *rest")
def made_dataclass(op: Op, cls_name: Value, fields: Value, rest: tuple[Value, ...]) -> Value:
    """The class that `@dataclass class Name` would make."""
    given = fields.items if isinstance(fields, ListV) and not fields.open else fields
    parts = [part if isinstance(part, tuple) else (part,) for part in given] if isinstance(given, (list, tuple)) else []
    names = [part[0] for part in parts if part and isinstance(part[0], str) and part[0].isidentifier()]
    odd = rest or set(op.extra) - {"frozen", "order", "repr", "eq"}
    if not isinstance(cls_name, str) or not cls_name.isidentifier() or not names or len(names) < len(parts) or odd:
        return op.tr.unknown("a dataclass", label=cls_name if isinstance(cls_name, str) else "")
    body: list[ast.stmt] = [ast.AnnAssign(ast.Name(n), ast.Name("object"), simple=1) for n in names]
    node = ast.ClassDef(cls_name, [], [], body, [], lineno=op.where.line, end_lineno=op.where.line, col_offset=0)
    made = make_class(op.tr, ast.fix_missing_locations(node))
    if isinstance(made, Class):
        made.dataclass = made.by_fields = True
        made.scope.names.update({part[0]: part[2] for part in parts if len(part) > 2})
    return made
