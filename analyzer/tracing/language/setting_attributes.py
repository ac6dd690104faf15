"""Attributes that a program sets and deletes."""

from __future__ import annotations

from analyzer.tracing.imports.lazy_modules import LazyScope
from analyzer.tracing.imports.modules import canonical
from analyzer.tracing.language.dictionary_objects import Attributes, share_attributes, store_of
from analyzer.tracing.language.evaluation import call, get_attribute
from analyzer.tracing.language.known_types import OTHER_CLASS
from analyzer.tracing.language.memory import write
from analyzer.tracing.language.overwriting import fill
from analyzer.tracing.language.rows import Rows
from analyzer.tracing.language.tensors import Shape, Tensor
from analyzer.tracing.language.values import (
    CHILDREN,
    Api,
    Bound,
    Class,
    DictV,
    Function,
    Instance,
    Layer,
    ListV,
    Module,
    Native,
    Object,
    Partial,
    Scope,
    Unknown,
    Value,
    field_names,
)
from analyzer.tracing.operators import layer_attribute_deleted, layer_attribute_set
from analyzer.tracing.operators.layer_attributes import computes_with
from analyzer.tracing.operators.tables import set_names
from analyzer.tracing.operators.torch_modules import Children, children_by_name, register
from analyzer.tracing.operators.trainable import choose_trained, marked
from analyzer.tracing.paths.tracer import Tracer


def put_into_table(tr: Tracer, owner: Layer | Instance, name: str, value: Value) -> None:
    """`module._modules[name] = value`, or `_parameters`: no property or `__setattr__` of the name is asked."""
    tr.touch(owner)
    old = owner.attrs.get(name)
    owner.attrs[name] = value
    if isinstance(owner, Layer):
        layer_attribute_set(owner, name, value)
    register(tr, owner, name, old, value)


def write_through(tr: Tracer, table: Children, method: str, args: tuple[Value, ...], kwargs: dict[str, Value]) -> None:
    """A method of a module's table changes the module."""
    given = args[0] if args else None
    if method == "update" and (not args or (isinstance(given, DictV) and not given.open)):
        for name, value in {**(given.items if isinstance(given, DictV) else {}), **kwargs}.items():
            put_into_table(tr, table.module, name, value)
    elif method == "pop" and isinstance(given, str):
        delete_attribute(tr, table.module, given, plainly=True)
    elif method in ("update", "pop", "popitem", "clear", "setdefault"):
        tr.forget([table.module])


def delete_attribute(tr: Tracer, owner: Value, name: str, plainly: bool = False) -> None:
    found = owner.cls.find(name) if isinstance(owner, Instance) else None
    if not plainly and found is not None and isinstance(found[0], Function) and "attribute deleter" in found[0].options:
        call(tr, Bound(owner, found[0].options["attribute deleter"], found[1]), (), {})
        return
    if not plainly and isinstance(owner, Instance) and (own := owner.cls.find("__delattr__")) is not None:
        call(tr, Bound(owner, own[0], own[1]), (name,), {})
        return
    if isinstance(owner, (Instance, Layer, Object, Unknown)):
        tr.touch(owner)
        old = owner.attrs.pop(name, None)
        if isinstance(owner, Layer):
            layer_attribute_deleted(tr, owner, name)
        items = owner.attrs.get(CHILDREN)
        if isinstance(items, ListV) and any(child is old for child in items.items):
            tr.touch(items)
            items.items = [child for child in items.items if child is not old]
        if isinstance(owner, (Layer, Instance)) and (named := children_by_name(owner)) is not None:
            tr.touch(named)
            named.items.pop(name, None)


def set_attribute(tr: Tracer, owner: Value, name: str, value: Value, plainly: bool = False) -> None:
    """`owner.name = value`; `plainly`: as `object.__setattr__` does it."""
    if isinstance(owner, (Tensor, Unknown)):
        marked(tr, name)
    if name == "requires_grad":
        choose_trained(tr, value)
    if isinstance(value, Unknown) and not value.label:
        value.label = name
    elif isinstance(value, Tensor) and not value.name:
        value.name = name
    if name == "__class__" and isinstance(owner, (Instance, Layer, Tensor)):
        _set_class(tr, owner, value)
        return
    if isinstance(owner, Tensor) and owner.framework == "torch" and name == "data":
        write(tr, owner, followed=False)
        if isinstance(value, Tensor) and value.dims is not None:
            tr.touch(owner)
            owner.shape, owner.strides = Shape(value.dims), value.strides
        return
    if isinstance(owner, Tensor) and owner.framework == "numpy" and name == "shape":
        made = call(tr, get_attribute(tr, owner, "reshape"), (value,), {})
        tr.touch(owner)
        owner.shape = Shape(made.dims if isinstance(made, Tensor) else None, vague=True)
        owner.value = None
        return
    if isinstance(owner, Tensor) and owner.framework == "numpy" and name == "dtype":
        made = call(tr, get_attribute(tr, owner, "view"), (value,), {})
        tr.touch(owner)
        owner.shape = Shape(made.dims if isinstance(made, Tensor) else None, vague=True)
        owner.dtype, owner.value = made.dtype if isinstance(made, Tensor) else None, None
        return
    if isinstance(owner, Instance):
        found = owner.cls.find(name)
        if found and isinstance(found[0], Function) and found[0].setter is not None:
            call(tr, Bound(owner, found[0].setter, found[1]), (value,), {})
            return
        setter = None if plainly else owner.cls.find("__setattr__")
        if setter is not None and isinstance(setter[0], Function):
            call(tr, Bound(owner, setter[0], setter[1]), (name, value), {})
            return
        held = store_of(tr, owner) if setter is not None else None
        if isinstance(held, DictV):  # `__setattr__ = dict.__setitem__`
            tr.touch(held)
            held.items[name] = value
        described = found[0].cls.find("__set__") if found and isinstance(found[0], Instance) else None
        if found and described is not None and isinstance(described[0], Function):
            call(tr, Bound(found[0], described[0], described[1]), (owner, value), {})
            return
        tr.touch(owner)
        if name == "__dict__" and value is owner and (stored := store_of(tr, owner)) is not None:
            share_attributes(tr, owner, stored)
            return
        if name == "__dict__":  # what it holds are its attributes
            shared = isinstance(value, DictV) and not isinstance(value, Attributes)
            if shared:
                Attributes(owner).items = {}
            fill(tr, Attributes(owner), value)
            owner.open = owner.open or shared  # what is set on another object that has it too, this one has
            return
        old = owner.attrs.get(name)
        owner.attrs[name] = value
        register(tr, owner, name, old, value)
        layer = owner.attrs.get("__layer__")
        if isinstance(layer, Layer) and (computes_with(layer, name) or name in ("weight", "bias", "running_mean")):
            put_into_table(tr, layer, name, value)  # with which the library's own `forward` computes
    elif isinstance(owner, Rows) and name == "columns":
        set_names(tr, owner, value)
    elif isinstance(owner, Class):
        tr.touch(owner.scope)
        owner.scope.names[name] = value
    elif isinstance(owner, (Layer, Object, Unknown)):
        tr.touch(owner)
        if isinstance(owner, Layer):
            put_into_table(tr, owner, name, value)
        owner.attrs[name] = value
    elif isinstance(owner, Module):
        if isinstance(owner.scope, LazyScope):
            tr.shared.summaries = None  # its functions are not those that were summarised
        tr.touch(owner.scope)
        owner.scope.names[name] = value
    elif isinstance(owner, Api):
        _set_on_library(tr, owner, name, value)
    elif isinstance(owner, Function):
        owner.options[f"attribute {name}"] = value
        if name in ("__code__", "__defaults__", "__kwdefaults__"):
            tr.path.guessed = True  # what it does afterwards is not followed
    elif isinstance(owner, Bound) and name == "__defaults__" and isinstance(value, tuple):
        _set_field_defaults(tr, owner, value)


def _set_class(tr: Tracer, owner: Instance | Layer | Tensor, cls: Value) -> None:
    """``thing.__class__ = Other``: a tensor or a layer of a library has methods afterwards that are not known here."""
    tr.touch(owner)
    if isinstance(owner, Instance):
        unknown = Class(owner.cls.name, (Unknown("an assigned class"),), Scope(), owner.cls.node, owner.cls.path)
        owner.cls = cls if isinstance(cls, Class) else unknown
    elif isinstance(owner, Layer):
        owner.name = "torch.nn.Module" if owner.name.startswith("torch.") else "keras.layers.Layer"
        owner.attrs[OTHER_CLASS] = True
    else:
        owner.shape, owner.value = Shape(None, vague=True), None


def _set_on_library(tr: Tracer, owner: Api, name: str, value: Value) -> None:
    """``torch.one_hot = one_hot``: from then on the program's own function answers to the name.

    So does what is not understood; settings that are switches and numbers, ``torch.backends.cudnn.benchmark``, do not.
    """
    full, own = canonical(f"{owner.name}.{name}").name, tr.shared.set_on_libraries
    back = isinstance(value, Api) and canonical(value.name).name == full  # as it was kept: `torch.one_hot = before`
    lost = isinstance(value, Unknown) and not value.known_source and not value.pytype
    serves = lost or isinstance(value, (Function, Class, Partial, Bound, Native, Api))
    if full.startswith("torch.nn.") and owner.name.rpartition(".")[2][:1].isupper():
        tr.modes_origin = tr.modes_origin or "imprecise"  # its objects have what they had not
    if full not in own.items and (back or not serves):
        return
    tr.shared.summaries = None  # what libraries call may be this
    tr.touch(own)
    if back:
        del own.items[full]
    else:
        own.items[full] = (value,)
        tr.give((value,))  # the library calls it too


def _set_field_defaults(tr: Tracer, maker: Bound, defaults: tuple[Value, ...]) -> None:
    """`Fields.__new__.__defaults__ = …` of a named tuple: its last fields have them."""
    cls = maker.owner
    if isinstance(cls, Class) and cls.tuple and maker.function == "__new__":
        tr.touch(cls.scope)
        fields = field_names(cls)
        cls.scope.names.update(zip(fields[len(fields) - len(defaults) :], defaults, strict=False))
