"""Classes of the library attrs: the constructor that its decorators write of the fields in a class body.

The constructor is made as the library makes it, as a function: who calls it, what its arguments are and what a class
inherits of it are then questions of any constructor.
"""

from __future__ import annotations

import ast
import keyword
from collections.abc import Callable
from typing import Any

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.values import Api, Class, Function, Native, Object, Scope, Unknown, Value
from analyzer.tracing.paths.tracer import Tracer

MODERN = ("define", "mutable", "frozen")
DECORATORS = frozenset(
    (
        *("attr.s", "attr.attrs", "attr.attributes", "attr.dataclass"),
        *(f"{home}.{name}" for home in ("attr", "attrs") for name in MODERN),
    )
)
FIELD = "a field of attrs"
FACTORY = "a factory of attrs"
PART = "a part of a field"  # what `@name.validator` and `@name.default` are

_NOTHING = Api("attr.NOTHING")
_LEFT_OUT = (_NOTHING.name, "attrs.NOTHING")
_SWITCHES = ("auto_attribs", "init", "kw_only", "eq", "cmp", "order")
_UNSETTLED = ("these", "field_transformer", "auto_detect", "on_setattr")


def make_field(given: dict[str, Value]) -> Object:
    """A field that is declared with these arguments; methods of the class may add a validator or the default."""
    default = given.get("default")
    if (isinstance(default, Api) and default.name in _LEFT_OUT) or _is_factory(default):
        given = {key: value for key, value in given.items() if key != "default"}
        given.update(default.data if isinstance(default, Object) else {})
    validator = given.get("validator")
    made = Object(FIELD, data={**given, "validators": [] if validator is None else [validator]})

    def add(c: Any) -> Value:
        made.data["validators"].append(c.get(0))
        return c.get(0)

    def give(c: Any) -> Value:
        made.data["method"] = c.get(0)
        return c.get(0)

    made.attrs.update(validator=Native(PART, add), default=Native(PART, give))
    return made


def decorate(tr: Tracer, name: str, cls: Class, options: dict[str, Value]) -> Class:
    """The class with what the decorator adds; more may be there where an option or a base is not known."""
    modern = name.rpartition(".")[2] in MODERN
    settled = _are_settled(options) and all(map(_has_no_fields, cls.mro[1:]))
    fields = _fields(cls, name, modern, options) if settled else None
    if fields is None or not _in_order(fields) or not _have_arguments(fields):
        cls.mro.append(Unknown("what a class decorator adds"))
        return cls
    tr.touch(cls.scope)
    names = cls.scope.names
    inherited = {n for base in cls.mro[1:] if isinstance(base, Class) for n in base.fields or ()}
    for field in [n for n in fields if n in names and n not in inherited]:
        del names[field]
    for field in [n for n, value in names.items() if _is_field(value)]:
        del names[field]
    cls.fields = fields
    names["__attrs_attrs__"] = tr.unknown("fields", label="__attrs_attrs__")
    by_fields = options.get("eq", options.get("cmp")) is not False
    cls.by_fields = by_fields
    cls.ordered = by_fields and options.get("order", None if modern else True) in (True, None) and not modern
    own = "__init__" in names and (modern or options.get("init") is False)
    generated = options.get("init") is not False and not own
    title = "__init__" if generated else "__attrs_init__"
    names[title] = _constructor(cls, title, fields)
    return cls


def _is_factory(value: Value) -> bool:
    return isinstance(value, Object) and value.kind == FACTORY


def _is_field(value: Value) -> bool:
    return isinstance(value, Object) and value.kind == FIELD


def _are_settled(options: dict[str, Value]) -> bool:
    """Whether it is known what the options make of the class."""
    switches = all(options.get(name) is None or isinstance(options[name], bool) for name in _SWITCHES)
    return switches and all(options.get(name) in (None, True) for name in _UNSETTLED)


_PLAIN = ("torch.", "keras.", "tf.", "builtins.", "collections.", "abc.", "typing.", "enum.")


def _has_no_fields(base: Value) -> bool:
    """Whether a base has no fields but those that are known: one of a library may be such a class itself."""
    return isinstance(base, Class) or (isinstance(base, Api) and base.name.startswith(_PLAIN))


def _fields(cls: Class, name: str, modern: bool, options: dict[str, Value]) -> dict[str, Object] | None:
    """The fields in order, those of the bases first; None where not all can be told."""
    names = cls.scope.names
    annotations: dict[str, ast.expr] = names.get("__annotations__", {})
    annotated = [n for n, a in annotations.items() if "ClassVar" not in ast.unparse(a)]
    marked = [n for n, value in names.items() if _is_field(value)]
    automatic = options.get("auto_attribs", None if modern else name.endswith(".dataclass"))
    if automatic is None:
        automatic = set(marked) <= set(annotated)
    if automatic and not set(marked) <= set(annotated):
        return None
    if not automatic and any(isinstance(v, Unknown) and v.origin == "foreign" for v in names.values()):
        return None  # which may be a field
    found: dict[str, Object] = {}
    for base in reversed(cls.mro[1:]):
        for key, known in (base.fields or {}).items() if isinstance(base, Class) else ():
            found.pop(key, None)
            found[key] = known
    for key in annotated if automatic else marked:
        value = names.get(key)
        given = {"default": value} if key in names else {}
        field = value if isinstance(value, Object) and value.kind == FIELD else make_field(given)
        if options.get("kw_only") is True:
            field.data.setdefault("kw_only", True)
        field.data["annotation"] = annotations.get(key)
        found.pop(key, None)
        found[key] = field
    return found


def _is_taken(field: Object) -> bool:
    return field.data.get("init") is not False


def _has_default(field: Object) -> bool:
    return field.data.get("factory") is not None or any(key in field.data for key in ("default", "method"))


def _in_order(fields: dict[str, Object]) -> bool:
    """Whether no field without a default follows one that has it, which attrs refuses."""
    placed = [_has_default(f) for f in fields.values() if _is_taken(f) and f.data.get("kw_only") is not True]
    return placed == sorted(placed)


def _have_arguments(fields: dict[str, Object]) -> bool:
    """Whether each field has an argument of its own in the constructor, which attrs cannot write otherwise."""
    names = [_argument(name, field) for name, field in fields.items() if _is_taken(field)]
    return len(set(names)) == len(names) and not any(map(keyword.iskeyword, names))


def _argument(name: str, field: Object) -> str:
    alias = field.data.get("alias")
    return alias if isinstance(alias, str) and alias.isidentifier() else name.lstrip("_") or name


def _constructor(cls: Class, title: str, fields: dict[str, Object]) -> Function:
    """`__init__` of the fields: each is converted and set, then all are validated, then the class's own hook runs."""
    taken = {name: field for name, field in fields.items() if _is_taken(field)}
    placed = {_argument(n, f): f for n, f in taken.items() if f.data.get("kw_only") is not True}
    named = {_argument(n, f): f for n, f in taken.items() if f.data.get("kw_only") is True}
    scope = Scope(cls.scope.parent, cls.scope.globals)
    body = []
    if (before := cls.find("__attrs_pre_init__")) is not None:
        alone = isinstance(before[0], Function) and len(before[0].node.args.args) + len(before[0].node.args.kwonlyargs)
        given = [*placed, *(f"{n}={n}" for n in named)] if alone != 1 else []
        body.append(f"self.__attrs_pre_init__({', '.join(given)})")
    for name, field in fields.items():
        given = [_argument(name, field)] if name in taken else []
        if given and not _has_default(field) and field.data.get("converter") is None:
            body.append(f"self.{name} = {given[0]}")
        elif given or _has_default(field):
            scope.names[f"_attrs_value_{name}"] = Native("a field's value", _valued(field))
            body.append(f"self.{name} = _attrs_value_{name}({', '.join(['self', *given])})")
    for name, field in fields.items():
        if field.data["validators"]:
            scope.names[f"_attrs_check_{name}"] = Native("a field's validator", _checked(name, field))
            body.append(f"_attrs_check_{name}(self, self.{name})")
    if cls.find("__attrs_post_init__") is not None:
        body.append("self.__attrs_post_init__()")
    parameters = ["self", *(f"{n}=NOTHING" if _has_default(f) else n for n, f in placed.items())]
    parameters += ["*"] * bool(named) + [f"{n}=NOTHING" if _has_default(f) else n for n, f in named.items()]
    text = f"def {title}({', '.join(parameters)}):\n " + "\n ".join(body or ["pass"])
    node = ast.parse(text).body[0]
    assert isinstance(node, ast.FunctionDef)
    for part in ast.walk(node):
        if isinstance(part, ast.arg) and part.arg != "self":
            field = (placed | named)[part.arg]
            part.annotation = field.data.get("annotation") if field.data.get("converter") is None else None
        if hasattr(part, "lineno"):
            ast.copy_location(part, cls.node)
    return Function(
        title,
        node,
        scope,
        cls.path,
        tuple(_shown_default(f) for f in placed.values() if _has_default(f)),
        {n: _shown_default(f) for n, f in named.items() if _has_default(f)},
        owner=cls,
    )


def _shown_default(field: Object) -> Value:
    return field.data.get("default", _NOTHING) if "method" not in field.data else _NOTHING


def _valued(field: Object) -> Callable[[Any], Value]:
    """What an object has where the constructor is given a value, or none."""

    def run(c: Any) -> Value:
        value = c.args[1] if len(c.args) > 1 else _shown_default(field)
        if isinstance(value, Api) and value.name in _LEFT_OUT:
            method, factory = field.data.get("method"), field.data.get("factory")
            takes_self = method is not None or field.data.get("takes_self") is True
            value = call(c.tr, factory if method is None else method, c.args[:1] if takes_self else (), {})
        converter = field.data.get("converter")
        for step in getattr(converter, "items", [converter]) if converter is not None else ():
            value = call(c.tr, step, (value,), {})
        return value

    return run


def _checked(name: str, field: Object) -> Callable[[Any], Value]:
    """The field's validators, each called with the object, the field and the value."""

    def run(c: Any) -> Value:
        told = Object("attribute", {"name": name, "alias": _argument(name, field)})
        checks = [v for given in field.data["validators"] for v in getattr(given, "items", [given])]
        for check in checks:
            if not isinstance(check, (Unknown, Api)):
                call(c.tr, check, (c.args[0], told, c.args[1]), {})
        return None

    return run
