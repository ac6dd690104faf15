"""Attributes of objects and classes that the program defines, and what they lack."""

from __future__ import annotations

import ast
from typing import Any

from analyzer.frameworks.api_tables import framework_data
from analyzer.tracing.imports.libraries import MARK
from analyzer.tracing.imports.modules import home_of
from analyzer.tracing.language.absent_attributes import (
    TORCH_MODULE,
    knows_attributes,
    lacks_attribute,
    report_missing,
    set_anywhere,
)
from analyzer.tracing.language.attribute_hooks import READER, own_reader, read, reader_of
from analyzer.tracing.language.called_back import called_back, is_library_method
from analyzer.tracing.language.changing_methods import changing_method
from analyzer.tracing.language.dataclass_fields import fill_dataclass
from analyzer.tracing.language.dictionary_objects import CONTAINERS, container_method, names_held
from analyzer.tracing.language.evaluation import ATTRIBUTES, call, get_attribute, iterate
from analyzer.tracing.language.iteration import fields_of
from analyzer.tracing.language.known_types import PARALLEL
from analyzer.tracing.language.mapping_methods import ABSTRACT, method_of
from analyzer.tracing.language.metaclasses import asks_metaclass, before_own, from_metaclass
from analyzer.tracing.language.qualified_names import qualified_name
from analyzer.tracing.language.setting_attributes import delete_attribute, set_attribute
from analyzer.tracing.language.tensor_objects import (
    HOOK,
    by_default,
    constructed,
    default_hook,
    inherits_tensor,
    method_of_tensor,
    tensor_in,
)
from analyzer.tracing.language.values import (
    REGISTERED,
    Api,
    Bound,
    Class,
    DictV,
    Function,
    Instance,
    Native,
    Partial,
    Scope,
    SuperV,
    Unknown,
    Value,
    field_names,
)
from analyzer.tracing.operators import instance_attribute
from analyzer.tracing.operators.own_gradients import apply_function
from analyzer.tracing.operators.torch_modules import children_by_name
from analyzer.tracing.paths.problems import PyRaise
from analyzer.tracing.paths.tracer import Tracer

_AUTOGRAD = {"torch.autograd.Function", "torch.autograd.function.Function"}


@ATTRIBUTES.of(Instance)
def _of_instance(tr: Tracer, value: Instance, name: str, node: ast.AST | None) -> Value:
    reader = own_reader(value, name)
    return read(tr, reader, name) if reader is not None else _plainly(tr, value, name, node)


def _plainly(tr: Tracer, value: Instance, name: str, node: ast.AST | None) -> Value:
    """An attribute of an object as `object.__getattribute__` reads it."""
    found = value.cls.find(name)
    if found is not None and isinstance(found[0], Function) and found[0].kind == "property":
        return call(tr, Bound(value, found[0], found[1]), (), {})
    named = children_by_name(value)
    if found is not None and isinstance(found[0], Instance) and found[0].cls.find("__set__") is not None:
        return _described(tr, found[0], value, value.cls)  # it comes before what the object itself holds
    if name in value.attrs:
        if value.given and isinstance(value.attrs[name], (bool, int, float, str, type(None))):
            tr.path.guessed = True
        return value.attrs[name]
    if named is not None and name in named.items:
        return named.items[name]
    if name == "module" and PARALLEL in value.attrs:
        return value
    if found is not None and isinstance(found[0], Instance):
        return _described(tr, found[0], value, value.cls)
    if found is not None:
        return _bind(found[0], value, found[1])
    if own := tr.shared.set_on_libraries.items:  # methods that the program has added to a library's class
        added = next((own[n][0] for b in value.cls.library_bases if (n := f"{b}.{name}") in own), None)
        if isinstance(added, Function):
            return Bound(value, added)
    if name == "__class__":
        return kind_of(value)
    if name == "__module__":
        return home_of(value.cls)
    if name == "__doc__":
        return ast.get_docstring(value.cls.node)
    if name == "__dict__":
        return names_held(tr, value)
    if value.cls.tuple and name == "_fields":
        return tuple(field_names(value.cls))
    if value.cls.tuple and name == "_replace":
        return Native(name, lambda c: _replaced(value, c.kwargs))
    if value.cls.tuple and name == "_asdict":
        return Native(name, lambda c: DictV({f: value.attrs[f] for f in field_names(value.cls) if f in value.attrs}))
    if name in ("count", "index") and (parts := fields_of(value)) is not None and not value.open:
        return Bound(tuple(parts), name)
    mixed_in = method_of(value, name) or changing_method(value, name) or container_method(tr, value, name)
    if mixed_in is not None:
        return mixed_in
    if (tensor := tensor_in(value)) is not None and name in framework_data("torch")["attributes"]["torch.Tensor"]:
        return _of_tensor(tr, value, tensor, name, node)
    getter = value.cls.find("__getattr__")
    if getter is not None and not (answers_itself(value) and brought(value.cls, name)):
        if not answers_itself(value):
            return tr.unknown(f"attribute {name}")
        return call(tr, Bound(value, getter[0], getter[1]), (name,), {})

    if name == "__delattr__":
        return Native(name, lambda c: delete_attribute(c.tr, value, c.get(0)))
    modelled = instance_attribute(tr, value, name)
    if modelled is not None:
        return modelled
    if value.cls.closed and not value.open and not name.startswith("__") and knows_attributes(value.cls, name):
        lacks = not value.cls.library_bases or lacks_attribute(tr, value, name)
        if tr.guards and lacks and not set_anywhere(tr, value.cls, name):
            raise PyRaise("AttributeError", name)
        report_missing(tr, value, name, node)
    if is_library_method(value, name):
        return Bound(value, name)
    tr.give(called_back(value))  # it may be a method
    tr.touch(value)
    unknown = tr.unknown(f"attribute {name}", "imprecise", name)
    value.attrs[name] = unknown
    return unknown


def _of_tensor(tr: Tracer, value: Instance, tensor: Value, name: str, node: ast.AST | None) -> Value:
    """What an object has because it is a tensor."""
    found = get_attribute(tr, tensor, name, node)
    if isinstance(found, Bound):
        return method_of_tensor(value, name)
    return by_default(tr, value.cls, Native(name, lambda c: found), (), {})


def _described(tr: Tracer, descriptor: Instance, owner: Instance | None, cls: Class) -> Value:
    """An object of the class, or what it gives where it describes an attribute; of the class itself without owner."""
    getter = descriptor.cls.find("__get__")
    if getter is None or not isinstance(getter[0], Function):
        return descriptor
    return call(tr, Bound(descriptor, getter[0], getter[1]), (owner, cls), {})


def brought(cls: Class, name: str) -> bool:
    """Whether a base of a library may bring the attribute, which is found before `__getattr__` is asked."""
    return bool(cls.library_bases) and not knows_attributes(cls, name, private=True)


def answers_itself(value: Instance) -> bool:
    """Whether what the object says of an attribute that it has not is known from its own `__getattr__`."""
    getter = value.cls.find("__getattr__")
    if getter is None or not isinstance(getter[0], Function) or value.open:
        return False
    return (ABSTRACT | CONTAINERS | set(TORCH_MODULE)).issuperset(value.cls.library_bases)


def _ask_module(c: Any, owner: Instance) -> Value:
    """`super().__getattr__(name)` of a PyTorch module: of what is set in a way that is not seen, an unknown."""
    name = c.get(0)
    if not isinstance(name, str):
        return c.tr.unknown("a computed attribute")
    if name in owner.attrs:
        return owner.attrs[name]
    seen = not owner.open and (owner.cls.path.startswith(MARK) or c.tr.knows_objects)
    if seen and owner.cls.closed and knows_attributes(owner.cls, name, private=True):
        raise PyRaise("AttributeError", name)
    return c.tr.unknown(f"attribute {name}")


def _replaced(value: Instance, fields: dict[str, Value]) -> Instance:
    """A named tuple with other values in some of its fields."""
    made = Instance(value.cls, value.site)
    made.attrs, made.open = {**value.attrs, **fields}, value.open
    return made


def _made_of(c: Any, cls: Class) -> Value:
    """A named tuple of the elements of something."""
    items, endless = iterate(c.tr, c.get(0), c.node)
    return c.tr.unknown("a named tuple") if endless else call(c.tr, cls, tuple(items), {})


def _bind(member: Value, owner: Value, cls: Class) -> Value:
    if isinstance(member, Function):
        of = owner.cls if isinstance(owner, Instance) else owner
        if member.owner is not None and isinstance(of, Class) and member.owner in of.mro:
            cls = member.owner  # `f = Base.f`: `super()` in it goes on from where it stands
        if member.kind == "staticmethod":
            return member
        if member.kind == "classmethod":
            return Bound(owner.cls if isinstance(owner, Instance) else owner, member, cls)
        return Bound(owner, member, cls)
    if isinstance(member, Partial) and member.method:
        inner = member.function
        if not isinstance(inner, (Function, Unknown)) and not (isinstance(inner, Partial) and inner.method):
            return Partial(inner, (owner, *member.args), member.kwargs)
        return Partial(_bind(member.function, owner, _home(member.function, cls)), member.args, member.kwargs)
    return member


def _of_no_object(member: Partial) -> bool:
    """Whether it is a `partialmethod` of a static or a class method."""
    return member.method and isinstance(member.function, Function) and member.function.kind in _OF_CLASSES


_OF_CLASSES = ("staticmethod", "classmethod")


def _home(function: Value, cls: Class) -> Class:
    """The class whose body defines a method that another class has among its own: `super()` goes on from there."""
    homes = (c for c in cls.mro if isinstance(c, Class) and any(v is function for v in c.scope.names.values()))
    return next(homes, cls)


def class_tuple(cls: Class, name: str) -> tuple[Value, ...] | None:
    """`__bases__` or `__mro__` of a class whose bases are known, with `object` where it stands."""
    written = [b for b in cls.node.bases if ast.unparse(b) != "object"]
    if not cls.closed or len(written) != len(cls.bases):
        return None
    return (cls.bases or (OBJECT,)) if name == "__bases__" else (*cls.mro, OBJECT)


_OBJECT = Class("object", (), Scope(), ast.ClassDef("object", [], [], [ast.Pass()], []), "")
OBJECT = Native("object", lambda c: c.tr.made(Instance(_OBJECT, c.tr.site(c.node))))  # one that is like no other


def kind_of(value: Instance) -> Value:
    """The class of an object: that of `object()` is Python's own."""
    return OBJECT if value.cls is _OBJECT else value.cls


_WRITTEN = ("__init__", "__eq__", "__repr__", "__dataclass_fields__", "__dataclass_params__", "__match_args__")


def _names_of(tr: Tracer, cls: Class) -> DictV:
    """`__dict__` of a class: what its body binds, and what Python and `@dataclass` add."""
    in_statement = bool(cls.node.body)
    told: dict[str, Value] = {"__module__": home_of(cls)} if in_statement else {}
    if in_statement and (text := ast.get_docstring(cls.node)) is not None:
        told["__doc__"] = text
    annotated = any(isinstance(part, ast.AnnAssign) for part in cls.node.body)
    told.update((n, v) for n, v in cls.scope.names.items() if n not in ("__qualname__", "__annotations__"))
    added = ["__module__", *(("__dict__", "__weakref__") if _has_namespace(cls) else ()), *_WRITTEN * cls.generated]
    added += ["__annotations__"] if annotated or (not in_statement and "__annotations__" in cls.scope.names) else []
    behind = {name: tr.unknown(name, label=name) for name in added if name not in told}
    return DictV({**told, **behind, "__doc__": told.get("__doc__")})


def _has_namespace(cls: Class) -> bool:
    """Whether a class is the first of its bases whose objects have a dictionary of their own."""
    return cls.bases in ((), (OBJECT,)) and "__slots__" not in cls.scope.names


def _is_abstract(cls: Class) -> bool:
    """Whether other classes can be registered for it: abstract classes of the library are among its bases."""
    statements = [c.node for c in cls.mro if isinstance(c, Class)]
    own = any("ABC" in ast.unparse(base) for node in statements for base in (*node.bases, *node.keywords))
    return own or any(base.startswith(("collections.abc.", "numbers.")) for base in cls.library_bases)


def _registered(cls: Class, heir: Value) -> Value:
    """`register` of an abstract class: from then on others count as its heirs."""
    cls.mro.append(Unknown(REGISTERED))
    return heir


def _of_config(c: Any, cls: Class) -> Value:
    """What `from_config` of Keras's own `Layer` makes: an object of the class of the arguments that are kept."""
    config = c.get(0)
    whole = isinstance(config, DictV) and not config.open and all(isinstance(name, str) for name in config.items)
    return call(c.tr, cls, (), dict(config.items)) if whole else c.tr.unknown("a layer")


@ATTRIBUTES.of(Class)
def _of_class(tr: Tracer, value: Class, name: str, node: ast.AST | None) -> Value:
    found = value.find(name)
    for held in before_own(tr, value, name):
        return held
    if found is not None:
        member, owner = found
        if isinstance(member, Function) and member.kind == "classmethod":
            return Bound(value, member, owner)
        if isinstance(member, Partial) and _of_no_object(member):
            return _bind(member, value, owner)
        if isinstance(member, Partial) and member.method:  # its object is the first argument
            return Native(name, lambda c: call(c.tr, _bind(member, c.get(0), owner), c.args[1:], c.kwargs, c.node))
        return _described(tr, member, None, value) if isinstance(member, Instance) else member
    if name in ("__name__", "__qualname__"):
        return value.name if name == "__name__" else qualified_name(tr, value)
    if name == "__module__":
        return home_of(value)
    if name == "__doc__":
        return ast.get_docstring(value.node)
    if name in ("__bases__", "__mro__"):
        told = class_tuple(value, name)
        return told if told is not None else tr.unknown(name, label=f"{value.name}.{name}")
    if name == "__dict__":
        return _names_of(tr, value)
    if value.tuple and name == "_fields":
        return tuple(field_names(value))
    if value.tuple and name == "_make":
        return Native(name, lambda c: _made_of(c, value))
    if value.tuple and name == "__new__":
        return Bound(value, name)
    if name == "from_config" and "keras.layers.Layer" in value.library_bases:
        return Native(name, lambda c: _of_config(c, value))
    if name == "register" and value.closed and _is_abstract(value):
        return Native(name, lambda c: _registered(value, c.get(0)))
    if name == "apply" and _AUTOGRAD & set(value.library_bases):
        return Native(name, lambda c: apply_function(c, value), any_number=True)
    if name == "__init__" and value.library_bases:
        return Api(f"{value.library_bases[0]}.__init__")
    for held in from_metaclass(tr, value, name):
        return held
    return tr.unknown(f"attribute {name}", label=f"{value.name}.{name}")


def read_by_base(tr: Tracer, owner: Instance, name: str) -> Value:
    dunder = name.startswith("__") and name.endswith("__")
    if not dunder and name not in owner.attrs and owner.cls.find(name) is None and lacks_attribute(tr, owner, name):
        raise PyRaise("AttributeError", name)
    return _plainly(tr, owner, name, None)


@ATTRIBUTES.of(SuperV)
def _of_super(tr: Tracer, value: SuperV, name: str, node: ast.AST | None) -> Value:
    owner = value.owner
    if isinstance(owner, Class) and asks_metaclass(value):
        return next(from_metaclass(tr, owner, name, after=value.cls), Bound(value, name))
    cls = owner.cls if isinstance(owner, Instance) else owner
    found = cls.find(name, after=value.cls) if isinstance(cls, Class) else None
    if name == "__new__" and found is None and inherits_tensor(cls):
        return Native(name, lambda c: constructed(c.tr, c.get(0), c.args[1:], c.kwargs))
    if name == "__new__" and found is None:
        return Native(name, _plain_object)
    if found is not None and not _provided_before(cls, value.cls, found[1], name):
        member, home = found
        if isinstance(member, Function) and member.kind == "property":
            return call(tr, Bound(owner, member, home), (), {})
        return _bind(member, owner, home)
    if name == HOOK and isinstance(owner, Class):
        return default_hook(owner)
    if isinstance(owner, Instance):
        if (tensor := tensor_in(owner)) is not None and name in framework_data("torch")["attributes"]["torch.Tensor"]:
            return _of_tensor(tr, owner, tensor, name, node)
        if name == READER:
            return reader_of(owner, read_by_base)
        mixed_in = method_of(owner, name) or changing_method(owner, name) or container_method(tr, owner, name)
        if mixed_in is not None:
            return mixed_in
        if name == "__setattr__":
            return Native(name, lambda c: _set_plainly(c, owner))
        if name == "__getattr__":
            return Native(name, lambda c: _ask_module(c, owner))
        modelled = instance_attribute(tr, owner, name, inherited=True)
        if modelled is not None:
            return modelled
    return Bound(value, name)


def _plain_object(c: Any) -> Value:
    """What `object.__new__` makes, or the constructor that a named tuple has."""
    cls = c.get(0)
    if not isinstance(cls, Class):
        return None
    made = Instance(cls, c.tr.site(c.node))
    if cls.tuple:
        fill_dataclass(c.tr, made, c.args[1:], c.kwargs, c.open_args)
    return made


def _set_plainly(c: Any, owner: Value) -> None:
    if isinstance(c.get(0), str):
        set_attribute(c.tr, owner, c.get(0), c.get(1), plainly=True)
    else:
        c.tr.forget([owner])


_BARE = ("torch.utils.data.Dataset", "torch.utils.data.IterableDataset")  # which define no method that one overrides


def _provided_before(cls: Class, after: Class, home: Class, name: str) -> bool:
    """Whether a class of a library comes first that has, or may have, a member of this name."""
    order = cls.mro
    start = order.index(after) + 1 if after in order else 0
    for base in order[start : order.index(home)]:
        if isinstance(base, Unknown):
            return True
        if isinstance(base, Api) and base.name not in _BARE:
            known = framework_data("torch")["attributes"]["torch.nn.Module"]
            if base.name not in TORCH_MODULE or name in known or name.startswith("__"):
                return True
    return False
