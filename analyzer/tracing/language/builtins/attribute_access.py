"""Builtins that ask for, set and list attributes: ``hasattr``, ``getattr``, ``setattr``, ``dir``, ``vars``."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Container

from analyzer.frameworks.api_tables import framework_data
from analyzer.tracing.checkers.framework_api import has_name
from analyzer.tracing.imports.lazy_modules import provide
from analyzer.tracing.language.absent_attributes import class_has, lacks_attribute
from analyzer.tracing.language.attribute_hooks import own_reader, read
from analyzer.tracing.language.attributes import function_lacks, names_of_module
from analyzer.tracing.language.builtins.call import Call
from analyzer.tracing.language.dictionary_objects import Attributes, names_held
from analyzer.tracing.language.evaluation import call, get_attribute
from analyzer.tracing.language.namespaces import ScopeNames
from analyzer.tracing.language.object_attributes import answers_itself, brought
from analyzer.tracing.language.overwriting import set_somewhere
from analyzer.tracing.language.setting_attributes import delete_attribute, set_attribute
from analyzer.tracing.language.values import (
    COMPLETE,
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
    SetV,
    Unknown,
    Value,
)
from analyzer.tracing.operators.layer_attributes import has_attribute, lacks_private
from analyzer.tracing.operators.layer_attributes import lacks_attribute as layer_lacks
from analyzer.tracing.operators.trainable import lacks_mark
from analyzer.tracing.paths.problems import PyRaise


def hasattr_(c: Call) -> Value:
    value, name = c.get(0), c.get(1)
    if isinstance(name, str):
        reader = own_reader(value, name) if isinstance(value, Instance) else None
        if reader is not None:
            return _answers(c, reader, name)
        if _asks_itself(value, name):
            found = value.cls.find("__getattr__")
            return _answers(c, Bound(value, found[0], found[1]), name) if found is not None else False
        if isinstance(value, Instance) and not value.open:
            found = value.cls.find(name)
            if found is not None and isinstance(found[0], Function) and found[0].kind == "property":
                return _computed(c, Bound(value, found[0], found[1]))
            if name in value.attrs or found is not None:
                return True
            if lacks_attribute(c.tr, value, name):
                return False
        plainly = _has(value, name)
        if plainly is not None:
            return plainly
        known = class_has(value, name) if isinstance(value, Class) else None
        if known is not None:
            return known
        if isinstance(value, Module):
            return provide(c.tr, value.scope, name) or c.tr.unknown("an attribute test", pytype="bool")
        if isinstance(value, Layer) and (has_attribute(value, name) or lacks_private(value, name)):
            return has_attribute(value, name)
        if (isinstance(value, Layer) and layer_lacks(c.tr, value, name)) or lacks_mark(c.tr, value, name):
            return False
        if isinstance(value, Api) and has_name(f"{value.name}.{name}", c.tr.shared.versions):
            return True
        if isinstance(value, Api) and value.name == "torch.Tensor" and name in _of_torch_tensors():
            return True
        if isinstance(value, Unknown):
            key = ("hasattr", name)
            if key not in value.items:
                c.tr.touch(value)
                value.items[key] = c.tr.unknown(
                    "an attribute test", "imprecise", f"hasattr({value.label}, {name!r})", "bool"
                )
            return value.items[key]
    return c.tr.unknown("an attribute test", pytype="bool")


def _of_torch_tensors() -> Container[str]:
    """The attributes of PyTorch's tensors."""
    found: Container[str] = framework_data("torch")["attributes"]["torch.Tensor"]
    return found


def _asks_itself(value: Value, name: str) -> bool:
    """Whether what an object says of the attribute is known from its class's own `__getattr__`."""
    if not isinstance(value, Instance) or name in value.attrs or value.cls.find(name) or brought(value.cls, name):
        return False
    return answers_itself(value)


def _answers(c: Call, reader: Bound, name: str) -> Value:
    """Whether a class that reads its attributes itself finds one."""
    try:
        with c.tr.guarded(True):
            found = read(c.tr, reader, name)
    except PyRaise as error:
        return False if error.name == "AttributeError" else c.tr.unknown("an attribute test", pytype="bool")
    return c.tr.unknown("an attribute test", pytype="bool") if isinstance(found, Unknown) else True


def _computed(c: Call, getter: Bound) -> Value:
    """Whether there is a property's value: Python asks for it, and where it raises AttributeError there is none."""
    try:
        with c.tr.guarded(True):
            found = call(c.tr, getter, (), {})
    except PyRaise as error:
        return False if error.name == "AttributeError" else c.tr.unknown("an attribute test", pytype="bool")
    lost = isinstance(found, Unknown) and found.reason.startswith("attribute ")  # one that may be absent itself
    return c.tr.unknown("an attribute test", pytype="bool") if lost else True


_TYPES = ((bool, bool), (int, int), (str, str), (bytes, bytes), (SetV, set), (ListV, list))


_OF_ROWS = frozenset((*dir(deque), *dir(array)))  # what else a row of values may be


def _has(value: Value, name: str) -> bool | None:
    """Whether a value of a builtin type has an attribute; None where it is of another, or may be of a subclass."""
    if value is None:
        return hasattr(None, name)
    if type(value) is tuple:
        return hasattr(tuple, name)
    if isinstance(value, Object) and value.data.get(COMPLETE):
        return name in value.attrs or hasattr(object, name)
    plain = next((kind for of, kind in _TYPES if isinstance(value, of)), None)
    if plain is None or name == "value" or (plain is list and name in _OF_ROWS and not hasattr(list, name)):
        return None
    return hasattr(plain, name)


def getattr_(c: Call) -> Value:
    value, name = c.get(0), c.get(1)
    if not isinstance(name, str):
        return c.tr.unknown("a computed attribute")
    if len(c.args) > 2:
        reader = own_reader(value, name) if isinstance(value, Instance) else None
        if reader is None and _asks_itself(value, name):
            found = value.cls.find("__getattr__")
            reader = Bound(value, found[0], found[1]) if found is not None else None
        if reader is not None:
            try:
                with c.tr.guarded(True):
                    return read(c.tr, reader, name)
            except PyRaise as error:
                if error.name != "AttributeError":
                    raise
                return c.args[2]
        if isinstance(value, Instance) and name not in value.attrs and not value.cls.find(name):
            return c.args[2] if lacks_attribute(c.tr, value, name) else c.tr.unknown("an attribute")
        if _has(value, name) is False or (isinstance(value, Class) and class_has(value, name) is False):
            return c.args[2]
        if (isinstance(value, Layer) and lacks_private(value, name)) or function_lacks(value, name):
            return c.args[2]
        if (isinstance(value, Layer) and layer_lacks(c.tr, value, name)) or lacks_mark(c.tr, value, name):
            return c.args[2]
        if isinstance(value, Layer) and not has_attribute(value, name):
            return c.tr.unknown("an attribute")
        if isinstance(value, Unknown) and value.attrs.get(name) is None:
            return get_attribute(c.tr, value, name)
    return get_attribute(c.tr, value, name, c.node)


def dir_(c: Call) -> Value:
    """The names of a class or an object, in order; more may follow where a class of another library is among them."""
    value = c.get(0)
    cls = value.cls if isinstance(value, Instance) else value
    if not isinstance(cls, Class):
        return c.tr.unknown("dir()", "imprecise", pytype="list")
    names = {*dir(object), *(value.attrs if isinstance(value, Instance) else ())}
    for base in cls.mro:
        names.update(base.scope.names if isinstance(base, Class) else ())
    whole = cls.closed and not cls.library_bases and not (isinstance(value, Instance) and value.open)
    return ListV(sorted(names), not whole)


def setattr_(c: Call) -> Value:
    owner, name = c.get(0), c.get(1)
    if isinstance(name, str):
        set_attribute(c.tr, owner, name, c.get(2))
    elif isinstance(owner, Instance):
        set_somewhere(c.tr, Attributes(owner), c.get(2))
    return None


def delattr_(c: Call) -> Value:
    if isinstance(c.get(1), str):
        delete_attribute(c.tr, c.get(0), c.get(1))
    return None


def locals_(c: Call) -> Value:
    """All names of a function. What a closure or a method has besides is not among those of the scope."""
    frame = c.tr.frame
    if frame.function is None:
        return ScopeNames(frame.scope, True)
    whole = frame.owner is None and frame.scope.parent in (None, frame.scope.globals)
    return DictV(dict(frame.scope.names), not whole or frame.cut or bool(frame.vague or frame.endless))


def vars_(c: Call) -> Value:
    """`vars(args)` of a namespace or an object is what it holds."""
    subject = c.get(0)
    if isinstance(subject, Module):
        return names_of_module(c.tr, subject)
    if isinstance(subject, Instance) and not subject.open and not subject.cls.library_bases:
        return names_held(c.tr, subject)
    if isinstance(subject, (Object, Instance)):
        whole = isinstance(subject, Object) and subject.kind == "namespace" and "lost" not in subject.data
        held = Attributes(subject).items if isinstance(subject, Instance) else subject.attrs
        return DictV(dict(held), not whole)
    if isinstance(subject, Layer):
        c.tr.forget([subject])  # what is written into it is not followed
        return c.tr.unknown("vars()", "imprecise")
    return c.tr.unknown("vars()", getattr(subject, "origin", "imprecise")) if c.args else locals_(c)
