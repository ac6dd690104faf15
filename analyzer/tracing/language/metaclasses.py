"""Metaclasses: what a class has of the one that it is of, and how one with its own `__call__` makes objects."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from analyzer.tracing.language.captured import changed_by
from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.values import Bound, Class, Function, Instance, SuperV, Value
from analyzer.tracing.paths.tracer import Tracer

_MAKING = ("__new__", "__init__", "__prepare__", "__getattr__", "__getattribute__", "mro")


def leaves_names(kind: Value) -> bool:
    """Whether a metaclass leaves what its classes hold as their bodies have it."""
    if not isinstance(kind, Class) or any(kind.find(name) for name in _MAKING):
        return False
    return all(_from_type(base) for base in kind.mro if isinstance(base, Class))


def changed_by_making(kind: Class, cls: Class) -> Iterator[Value]:
    """Lists and dictionaries into which a metaclass may write when it makes a class, a registry of classes say."""
    for name in _MAKING:
        found = kind.find(name)
        if found is not None and isinstance(found[0], Function):
            yield from changed_by(found[0], kind)
            yield from changed_by(found[0], cls)


def _from_type(kind: Class) -> bool:
    plainly = sum(ast.unparse(base) == "type" or "ABC" in ast.unparse(base) for base in kind.node.bases)
    return plainly + sum(isinstance(base, Class) for base in kind.bases) == len(kind.node.bases)


def metaclass_of(cls: Class) -> Class | None:
    """The one that its own statement names, or that of a base."""
    return next((c.metaclass for c in cls.mro if isinstance(c, Class) and c.metaclass is not None), None)


def from_metaclass(tr: Tracer, cls: Class, name: str, after: Class | None = None) -> Iterator[Value]:
    """What the class has because its metaclass defines it, or a base of that after one; nothing where none does."""
    kind = metaclass_of(cls)
    found = kind.find(name, after) if kind is not None else None
    if found is None:
        return
    member, home = found
    if not isinstance(member, Function) or member.kind == "staticmethod":
        yield member
    elif member.kind == "property":
        yield call(tr, Bound(cls, member, home), (), {})
    else:
        yield Bound(kind if member.kind == "classmethod" else cls, member, home)


def before_own(tr: Tracer, cls: Class, name: str) -> Iterator[Value]:
    """What the metaclass describes by a property or an object that is set too: it comes before the class's own."""
    kind = metaclass_of(cls)
    member = (kind.find(name) or (None,))[0] if kind is not None else None
    if isinstance(member, Function) and member.kind == "property":
        yield from from_metaclass(tr, cls, name)
    elif isinstance(member, Instance) and member.cls.find("__set__") is not None:
        yield tr.unknown(f"attribute {name}", label=f"{cls.name}.{name}")


def asks_metaclass(value: SuperV) -> bool:
    """Whether `super()` stands in a method of a metaclass, which a class of it was given to."""
    own = metaclass_of(value.owner) if isinstance(value.owner, Class) else None
    return own is not None and value.cls in own.mro


def caller_of(cls: Class) -> tuple[Function, Class] | None:
    """The `__call__` with which its metaclass makes objects, where it defines one."""
    kind = metaclass_of(cls)
    found = kind.find("__call__") if kind is not None else None
    return (found[0], found[1]) if found is not None and isinstance(found[0], Function) else None


def plain_call(cls: Class) -> Bound:
    """`type.__call__` of a class: an object as one of no metaclass is made."""
    return Bound(SuperV(metaclass_of(cls) or cls, cls), "__call__")


def made_plainly(function: Bound) -> Class | None:
    """The class that `plain_call` is of, or `super().__call__` in a metaclass that derives from `type`."""
    owner = function.owner
    if function.function != "__call__" or not isinstance(owner, SuperV) or not isinstance(owner.owner, Class):
        return None
    return owner.owner if asks_metaclass(owner) or owner.cls is owner.owner else None
