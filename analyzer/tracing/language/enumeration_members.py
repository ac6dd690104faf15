"""What the body of an enumeration binds becomes its members: numbered, made by `__new__`, told by `__init__`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from analyzer.tracing.language.enumerations import AUTO, MIXED_IN, NO_MEMBER, OF_MEMBERS, OF_PLAIN
from analyzer.tracing.language.function_calls import call_function
from analyzer.tracing.language.plain_data import NotPlain, is_plain, plain_data
from analyzer.tracing.language.values import Api, Class, DictV, Function, Instance, ListV, SuperV, Unknown, Value
from analyzer.tracing.paths.tracer import Tracer


def fill_enumeration(tr: Tracer, cls: Class) -> None:
    """Members of what the body of a class has bound, where it is an enumeration."""
    if not set(OF_MEMBERS).isdisjoint(cls.library_bases):
        _make_members(tr, cls)
    elif not set(OF_PLAIN).isdisjoint(cls.library_bases):
        _number(tr, cls)


def _make_members(tr: Tracer, cls: Class) -> None:
    members = DictV({})
    bound = list(_bound(cls, members))
    cls.scope.names["__members__"] = members
    for name, value in _numbered(tr, cls, bound):
        made = _member(tr, cls, name, value)
        told = made.attrs.get("_value_")
        same = (m for m in members.items.values() if isinstance(m, Instance) and _equal(m.attrs["value"], told))
        members.items[name] = cls.scope.names[name] = next(same, made)


def _numbered(tr: Tracer, cls: Class, bound: list[tuple[str, Value]]) -> Iterator[tuple[str, Value]]:
    """Names with their values; each `auto()` is the next one, the same where two names have been bound to one."""
    numbers: dict[int, Value] = {}
    before: list[Value] = []
    for name, value in bound:
        if isinstance(value, Unknown) and value.reason == AUTO:
            if id(value) not in numbers:
                numbers[id(value)] = _next(tr, cls, name, before)
            value = numbers[id(value)]
        before.append(value)
        yield name, value


def _equal(a: Value, b: Value) -> bool:
    return a is b if not (is_plain(a) and is_plain(b)) else bool(plain_data(a) == plain_data(b))


def _member(tr: Tracer, cls: Class, name: str, value: Value) -> Instance:
    args = value if type(value) is tuple else (value,)
    maker, initializer = cls.find("__new__"), cls.find("__init__")
    made = Instance(cls)
    if maker is not None:
        own = maker[0]
        found = call_function(tr, own, (cls, *args), {}, cls=maker[1]) if isinstance(own, Function) else None
        if isinstance(found, Instance) and found.cls is cls:
            made = found
        else:
            made.open = True
    mixed = [base for base in cls.library_bases if base not in OF_MEMBERS]
    if "_value_" not in made.attrs:
        made.attrs["_value_"] = tr.unknown("the value of a member") if made.open else _of_mixed(tr, cls, mixed, value)
    made.attrs.update(_name_=name, name=name, value=made.attrs["_value_"])
    if initializer is not None and isinstance(initializer[0], Function):
        call_function(tr, initializer[0], (made, *args), {}, cls=initializer[1])
    elif any(isinstance(base, Class) and base.dataclass for base in cls.mro):
        made.open = True
    made.attrs["value"] = made.attrs["_value_"]
    return made


def _of_mixed(tr: Tracer, cls: Class, mixed: list[str], value: Value) -> Value:
    """The value of a member: what the type that is mixed in makes of the one that is written."""
    if not mixed and not any(isinstance(base, Class) and base.dataclass for base in cls.mro):
        return value
    args = value if type(value) is tuple else (value,)
    if len(mixed) == 1 and mixed[0] in MIXED_IN:
        with suppress(NotPlain, ValueError, TypeError):
            made: Value = MIXED_IN[mixed[0]](*map(plain_data, args))
            return made
    return tr.unknown("the value of a member")


def _bound(cls: Class, members: DictV) -> Iterator[tuple[str, Value]]:
    """What the body has bound that is no method, no descriptor, no class of its own and not left out by its name."""
    left_out = _ignored(cls.scope.names.get("_ignore_"))
    for name in left_out & cls.scope.names.keys():
        del cls.scope.names[name]
    own = {s.name for s in cls.node.body if isinstance(s, ast.ClassDef)}
    for name, value in list(cls.scope.names.items()):
        private = name.startswith(f"_{cls.name.lstrip('_')}__")
        if (name[:1] == name[-1:] == "_" and len(name) > 2) or name.startswith("__") or private or name in own:
            continue
        if isinstance(value, Api) and _is_function(value):
            members.open = True  # of Python, which is a method, or of C, which is a member
        elif not _is_descriptor(value):
            yield name, value


def _ignored(value: Value) -> set[str]:
    names = value.items if isinstance(value, ListV) else value
    if isinstance(names, str):
        names = names.replace(",", " ").split()
    return {"_ignore_", *(n for n in names if isinstance(n, str))} if isinstance(names, (list, tuple)) else set()


def _is_function(value: Api) -> bool:
    last = value.name.rpartition(".")[2]
    return last.islower() and value.name not in ("torch.device", "torch.dtype")


def _is_descriptor(value: Value) -> bool:
    if isinstance(value, Instance):
        return any(value.cls.find(name) for name in ("__get__", "__set__", "__delete__"))
    if isinstance(value, Unknown):
        return value.reason in (NO_MEMBER, "a property", "staticmethod()", "classmethod()")
    return isinstance(value, (Function, SuperV))


def _next(tr: Tracer, cls: Class, name: str, before: list[Value]) -> Value:
    """What `auto()` stands for."""
    own = cls.find("_generate_next_value_")
    if own is not None:
        if not isinstance(own[0], Function):
            return tr.unknown("the value of a member")
        return call_function(tr, own[0], (name, 1, len(before), tr.made(ListV(before))), {}, cls=own[1])
    if "enum.StrEnum" in cls.library_bases:
        return name.lower()
    numbers: list[Any] = [value for value in before if isinstance(value, int)]
    if len(numbers) < len(before) or not cls.closed:
        return tr.unknown("the value of a member")
    if not {"enum.Flag", "enum.IntFlag"}.isdisjoint(cls.library_bases):
        return 1 << max((number.bit_length() for number in numbers), default=0)
    rising = not numbers or numbers[-1] == max(numbers)  # else it depends on the version of Python
    return (numbers[-1] + 1 if numbers else 1) if rising else tr.unknown("the value of a member")


def _number(tr: Tracer, cls: Class) -> None:
    """Members that are numbers or texts, and stay these; unknown ones where the class itself says how they behave."""
    behave = any(
        isinstance(base, Class) and any(_of_python(name) for name, v in base.scope.names.items() if _is_descriptor(v))
        for base in cls.mro
    )
    for name, value in _numbered(tr, cls, list(_bound(cls, DictV({})))):
        alone = isinstance(value, (int, str)) and not behave
        cls.scope.names[name] = value if alone else tr.unknown("a member of an enumeration")


def _of_python(name: str) -> bool:
    return name.startswith("__") and name.endswith("__") and name not in ("__init_subclass__", "__set_name__")
