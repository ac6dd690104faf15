"""The constructor that `@dataclass`, named tuples and pydantic's models write."""

from __future__ import annotations

import ast

from analyzer.tracing.contracts import declared_shapes
from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.values import Bound, Class, DictV, Function, Instance, Object, Value, field_names
from analyzer.tracing.paths.tracer import Tracer

PYDANTIC = "pydantic.BaseModel"


def _changes(cls: Class) -> bool:
    """Whether a validator of a pydantic model may change what its fields are given."""
    for part in cls.mro:
        for node in part.node.body if isinstance(part, Class) else ():
            marks = [ast.unparse(d) for d in getattr(node, "decorator_list", ())]
            if any("validator" in m and "mode='after'" not in m for m in marks):
                return True
    return False


def fill_dataclass(
    tr: Tracer, instance: Instance, args: tuple[Value, ...], kwargs: dict[str, Value], open_args: bool
) -> None:
    """Give each field its argument, its default, or what its factory makes; then `__post_init__` runs."""
    annotated: dict[str, ast.expr] = {}
    sizes: declared_shapes.Sizes = {}
    for cls in reversed(instance.cls.mro):
        if isinstance(cls, Class):
            annotated.update(cls.scope.names.get("__annotations__", {}))
    fields = {name: found[0] if (found := instance.cls.find(name)) else None for name in field_names(instance.cls)}
    for index, (name, default) in enumerate(fields.items()):
        if index < len(args):
            value = args[index]
        elif name in kwargs:
            value = kwargs[name]
        elif open_args:
            value = tr.unknown("a field", label=name)  # which arguments of unknown number may be
        elif isinstance(default, Object) and default.kind == "dataclass field":
            factory = default.data.get("default_factory")
            value = (
                default.data["default"]
                if "default" in default.data
                else call(tr, factory, (), {})
                if factory
                else tr.unknown("a field")
            )
        elif any(name in c.scope.names for c in instance.cls.mro if isinstance(c, Class)):
            value = default
        else:
            value = tr.unknown("a field", label=name)
        instance.attrs[name] = value
        declared_shapes.check_field(tr, instance, name, value, annotated, sizes)
    if PYDANTIC in instance.cls.library_bases:
        changed = _changes(instance.cls)
        for name in fields:
            if changed or isinstance(instance.attrs[name], DictV):  # it may become a model of its own
                instance.attrs[name] = tr.unknown("a field", label=name)
        instance.open = instance.open or changed
    after = instance.cls.find("__post_init__")
    if after is not None and isinstance(after[0], Function):
        more = {k: v for k, v in kwargs.items() if k not in fields} if after[0].node.args.kwarg is not None else {}
        call(tr, Bound(instance, after[0], after[1]), (), more)
