"""The constructor that `@dataclass`, named tuples and pydantic's models write."""

from __future__ import annotations

import ast

from analyzer.tracing.contracts import declared_shapes
from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.values import Api, Bound, Class, DictV, Function, Instance, Object, Value, field_names
from analyzer.tracing.paths.tracer import Tracer

PYDANTIC = "pydantic.BaseModel"
MISSING = Api("dataclasses.MISSING")
_MADE = Object("default factory")  # what a signature shows where a function makes the value


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
    fields = _parameters(instance.cls)
    by_name = _by_name_alone(instance.cls)
    left = list(args)
    passed_on: list[Value] = []
    for name, default in fields.items():
        taken = not isinstance(default, Object) or default.data.get("init", True) is not False
        if left and taken and name not in by_name:
            value = left.pop(0)
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
        if _is_passed_on(annotated.get(name)):
            passed_on.append(value)
            continue
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
        call(tr, Bound(instance, after[0], after[1]), tuple(passed_on), more)


def constructor_parameters(cls: Class) -> list[tuple[str, Value, bool]] | None:
    """What the constructor that `@dataclass` writes takes: names, defaults or `MISSING`, whether by name alone.

    None where another library writes it.
    """
    if not cls.dataclass or cls.fields is not None or PYDANTIC in cls.library_bases:
        return None
    by_name, found = _by_name_alone(cls), list[tuple[str, Value, bool]]()
    for name, default in _parameters(cls).items():
        given: Value = default if cls.find(name) is not None else MISSING
        if isinstance(default, Object) and default.kind == "dataclass field":
            if default.data.get("init", True) is False:
                continue
            made: Value = _MADE if default.data.get("default_factory") else MISSING
            given = default.data.get("default", made)
        found.append((name, given, name in by_name))
    return sorted(found, key=lambda parameter: parameter[2])


def _is_passed_on(annotation: ast.expr | None) -> bool:
    """Whether it is no field: `InitVar` names what only `__post_init__` is given."""
    return annotation is not None and "InitVar" in ast.unparse(annotation)


def _parameters(cls: Class) -> dict[str, Value]:
    """What the constructor may be given, with what the class holds under the name, in the order of definition."""
    names, fields = dict[str, None](), field_names(cls)
    for part in reversed(cls.mro):
        if isinstance(part, Class):
            declared = part.scope.names.get("__annotations__", {})
            names.update((n, None) for n, annotation in declared.items() if n in fields or _is_passed_on(annotation))
    names.update((n, None) for n in fields)
    return {name: found[0] if (found := cls.find(name)) else None for name in names}


def _by_name_alone(cls: Class) -> set[str]:
    """Fields that no place stands for: behind `_: KW_ONLY`, or marked so."""
    found: set[str] = set()
    for part in cls.mro:
        behind = False
        for name, annotation in part.scope.names.get("__annotations__", {}).items() if isinstance(part, Class) else ():
            behind = behind or ast.unparse(annotation).endswith("KW_ONLY")
            default = part.scope.names.get(name)
            if behind or (isinstance(default, Object) and default.data.get("kw_only") is True):
                found.add(name)
    return found
