"""Attributes and items of every kind of value."""

from __future__ import annotations

import ast
from typing import Any

from analyzer.tracing.problems import Problem, PyRaise
from analyzer.tracing.tracer import Tracer
from analyzer.tracing.values import (
    Api,
    Bound,
    Class,
    DictV,
    Fields,
    Function,
    Instance,
    Iterator_,
    Layer,
    ListV,
    Module,
    Object,
    OpenSize,
    Partial,
    Size,
    SliceV,
    SuperV,
    Tensor,
    Unknown,
    Value,
    show_shape,
)  # fmt: skip
from analyzer.validity.terms import Poly

_MODULE_LIKE = ("torch.nn.", "keras.")


def get_attribute(tr: Tracer, value: Value, name: str, node: ast.AST | None = None) -> Value:
    if isinstance(value, Unknown) and value.value is not None:
        value = value.value[0]
    if isinstance(value, Api):
        from analyzer.tracing.modules import api_attribute

        return api_attribute(tr, value, name, node)
    if isinstance(value, Module):
        if name in value.scope.names:
            return value.scope.names[name]
        from analyzer.tracing.modules import submodule

        return submodule(tr, value, name, node)
    if isinstance(value, Unknown):
        return _of_unknown(tr, value, name)
    if isinstance(value, Tensor):
        from analyzer.tracing.operators import tensor_attribute

        return tensor_attribute(tr, value, name, node)
    if isinstance(value, Instance):
        return _of_instance(tr, value, name, node)
    if isinstance(value, SuperV):
        return _of_super(tr, value, name)
    if isinstance(value, Class):
        return _of_class(tr, value, name)
    if isinstance(value, Layer):
        from analyzer.tracing.operators import layer_attribute

        return layer_attribute(tr, value, name)
    if isinstance(value, Object):
        if name in value.attrs:
            return value.attrs[name]
        return Bound(value, name)
    if isinstance(value, OpenSize):
        return _of_open_size(tr, value, name)
    if isinstance(value, Function):
        if name == "__name__":
            return value.name
        return value.options.get(f"attribute {name}", tr.unknown(f"attribute {name}"))
    if isinstance(value, Partial):
        return {"func": value.function, "args": value.args}.get(name, tr.unknown(f"attribute {name}"))
    if isinstance(value, (str, bytes, int, float, tuple, ListV, DictV, Iterator_, Poly)) or value is None:
        if isinstance(value, Size) and name in ("rank", "ndims"):
            return len(value)
        if isinstance(value, Fields) and name in value.names:
            return value[value.names.index(name)]
        if value is None:
            raise PyRaise("AttributeError", f"None has no attribute {name}")
        return Bound(value, name)
    if isinstance(value, SliceV):
        return getattr(value, name, None)
    return tr.unknown(f"attribute {name}")


def _of_unknown(tr: Tracer, value: Unknown, name: str) -> Value:
    if name in ("shape",) and value.pytype != "object" and (value.tensor is not None or name not in value.attrs):
        tensor = value.tensor
        if tensor is not None:
            return get_attribute(tr, tensor, name)
        tr.touch(value)
        tensor = tr.tensor_of(value, "unknown")
        return OpenSize(tensor)
    if value.tensor is not None and name in ("ndim", "T", "dtype", "device", "size", "dim"):
        return get_attribute(tr, value.tensor, name)
    if name not in value.attrs:
        tr.touch(value)
        label = f"{value.label}.{name}" if value.label else name
        value.attrs[name] = Unknown(f"attribute {name} of an unknown value", value.origin, label)
    return value.attrs[name]


def _of_open_size(tr: Tracer, value: OpenSize, name: str) -> Value:
    if value.tensor.dims is not None:
        return get_attribute(tr, Size(value.tensor.dims), name)
    if name in ("rank", "ndims"):
        return tr.rank_of(value.tensor)
    return Bound(value, name)


def _of_instance(tr: Tracer, value: Instance, name: str, node: ast.AST | None) -> Value:
    found = value.cls.find(name)
    if found is not None and isinstance(found[0], Function) and found[0].kind == "property":
        from analyzer.tracing.calls import call_function

        return call_function(tr, found[0], (value,), {}, cls=found[1])
    if name in value.attrs:
        return value.attrs[name]
    if found is not None:
        return _bind(tr, found[0], value, found[1])
    if name == "__class__":
        return value.cls
    if name == "__dict__":
        return DictV(dict(value.attrs), value.open)
    getter = value.cls.find("__getattr__")
    if getter is not None:
        return tr.unknown(f"attribute {name}")
    from analyzer.tracing.operators import instance_attribute

    modelled = instance_attribute(tr, value, name)
    if modelled is not None:
        return modelled
    if value.cls.closed and not value.open and not name.startswith("__") and _knows_attributes(value.cls, name):
        _missing(tr, value, name, node)
    tr.touch(value)
    unknown = tr.unknown(f"attribute {name}", "imprecise", name)
    value.attrs[name] = unknown
    return unknown


def _knows_attributes(cls: Class, name: str) -> bool:
    """Whether every attribute that the bases bring is known, and `name` is none of them."""
    if not cls.library_bases:
        return True
    if any(base not in ("torch.nn.Module", "torch.nn.modules.module.Module") for base in cls.library_bases):
        return False
    from analyzer.tracing.framework_api import framework_data

    return name not in framework_data("torch")["attributes"]["torch.nn.Module"] and not name.startswith("_")


def _missing(tr: Tracer, value: Instance, name: str, node: ast.AST | None) -> None:
    """Only where the object is wholly known and no doubtful branch lies behind."""
    if tr.path.decisions or tr.speculating or node is None or tr.guards:
        return
    if _set_anywhere(value.cls, name) or (value.cls.library_bases and _may_be_abstract(tr, value.cls)):
        return
    message = f"`{value.cls.name}` has no attribute `{name}`: no method, class variable or assignment defines it"
    tr.report(Problem("python/missing-attribute", "warning", message, tr.site(node), operand=name))


def _may_be_abstract(tr: Tracer, cls: Class) -> bool:
    """Whether classes that inherit from it may set what it reads."""
    if cls.name.startswith("_") or any(word in cls.name for word in ("Base", "Abstract", "Mixin")):
        return True
    bases = (base for tree in tr.shared.sources.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)
             for base in node.bases)  # fmt: skip
    return any(ast.unparse(base).rpartition(".")[2] == cls.name for base in bases)


def _set_anywhere(cls: Class, name: str) -> bool:
    for member in cls.mro:
        if not isinstance(member, Class):
            continue
        for node in ast.walk(member.node):
            if isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Store):
                return True
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == name:
                return True
            if isinstance(node, ast.Name) and node.id in ("setattr", "__dict__", "vars", "__slots__"):
                return True
            if isinstance(node, ast.Attribute) and node.attr in ("__dict__", "update", "__setattr__"):
                return True
            if isinstance(node, ast.Call) and _registers(node, name):
                return True
    return False


def _registers(node: ast.Call, name: str) -> bool:
    """Whether a module is told to have an attribute of this name, or of one that is made up as it runs."""
    called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if not called.startswith(("register_", "add_module", "weight_norm", "spectral_norm")):
        return False
    return not any(isinstance(a, ast.Constant) and a.value != name for a in node.args[:1])


def _bind(tr: Tracer, member: Value, owner: Value, cls: Class) -> Value:
    if isinstance(member, Function):
        if member.kind == "staticmethod":
            return member
        if member.kind == "classmethod":
            return Bound(owner.cls if isinstance(owner, Instance) else owner, member, cls)
        return Bound(owner, member, cls)
    return member


def _of_class(tr: Tracer, value: Class, name: str) -> Value:
    found = value.find(name)
    if found is not None:
        member, owner = found
        if isinstance(member, Function) and member.kind == "classmethod":
            return Bound(value, member, owner)
        return member
    if name == "__name__":
        return value.name
    if name == "__init__" and value.library_bases:
        return Api(f"{value.library_bases[0]}.__init__")
    return tr.unknown(f"attribute {name}", label=f"{value.name}.{name}")


def _of_super(tr: Tracer, value: SuperV, name: str) -> Value:
    owner = value.owner
    cls = owner.cls if isinstance(owner, Instance) else owner
    found = cls.find(name, after=value.cls) if isinstance(cls, Class) else None
    if found is not None:
        member, home = found
        if isinstance(member, Function) and member.kind == "property":
            from analyzer.tracing.calls import call_function

            return call_function(tr, member, (owner,), {}, cls=home)
        return _bind(tr, member, owner, home)
    if isinstance(owner, Instance):
        from analyzer.tracing.operators import instance_attribute

        modelled = instance_attribute(tr, owner, name, inherited=True)
        if modelled is not None:
            return modelled
    return Bound(value, name)


def set_attribute(tr: Tracer, owner: Value, name: str, value: Value) -> None:
    if isinstance(value, Unknown) and not value.label:
        value.label = name
    elif isinstance(value, Tensor) and not value.name:
        value.name = name
    if isinstance(owner, Instance):
        found = owner.cls.find(name)
        if found and isinstance(found[0], Function) and found[0].setter is not None:
            from analyzer.tracing.calls import call_function

            call_function(tr, found[0].setter, (owner, value), {}, cls=found[1])
            return
        tr.touch(owner)
        owner.attrs[name] = value
    elif isinstance(owner, Class):
        tr.touch(owner.scope)
        owner.scope.names[name] = value
    elif isinstance(owner, (Layer, Object, Unknown)):
        tr.touch(owner)
        owner.attrs[name] = value
        if isinstance(owner, Layer):
            from analyzer.tracing.operators import layer_attribute_set

            layer_attribute_set(tr, owner, name, value)
    elif isinstance(owner, Module):
        tr.touch(owner.scope)
        owner.scope.names[name] = value
    elif isinstance(owner, Function):
        owner.options[f"attribute {name}"] = value


# --------------------------------------------------------------------------------------------------- items


def get_item(tr: Tracer, value: Value, index: Value, node: ast.AST | None = None) -> Value:
    if isinstance(value, Unknown) and value.value is not None:
        value = value.value[0]
    if isinstance(index, Unknown) and index.value is not None:
        index = index.value[0]
    if isinstance(value, Tensor):
        from analyzer.tracing.operators.indexing import index_tensor

        return index_tensor(tr, value, index, node)
    if isinstance(value, (ListV, tuple, str)):
        return _of_sequence(tr, value, index, node)
    if isinstance(value, DictV):
        return _of_dict(tr, value, index)
    if isinstance(value, OpenSize):
        if value.tensor.dims is not None:
            return _of_sequence(tr, Size(value.tensor.dims), index, node)
        if isinstance(index, int):
            return tr.dimension(value.tensor, index)
        return tr.unknown("part of a shape", "data", pytype="list")
    if isinstance(value, Layer):
        from analyzer.tracing.operators import layer_item

        return layer_item(tr, value, index)
    if isinstance(value, Instance):
        from analyzer.tracing.iteration import fields_of

        if (fields := fields_of(value)) is not None:
            return get_item(tr, tuple(fields), index, node)
        if value.cls.find("__getitem__"):
            from analyzer.tracing.calls import call

            return call(tr, get_attribute(tr, value, "__getitem__"), (index,), {})
        items = value.attrs.get("items")
        if value.cls.library_bases and isinstance(items, (ListV, DictV)):
            return get_item(tr, items, index, node)
        return tr.unknown("an item")
    if isinstance(value, Unknown):
        return _of_unknown_item(tr, value, index)
    if isinstance(value, Object):
        from analyzer.tracing.operators.data import item

        return item(tr, value, index)
    return tr.unknown("an item", getattr(value, "origin", "imprecise"))


def _of_unknown_item(tr: Tracer, value: Unknown, index: Value) -> Value:
    from analyzer.tracing.displays import hashable

    if value.tensor is not None and value.tensor.framework != "unknown":
        return get_item(tr, value.tensor, index)
    if isinstance(index, SliceV) or not hashable(index):
        return Unknown("an item of an unknown value", value.origin, f"{value.label}[…]" if value.label else "")
    if index not in value.items:
        tr.touch(value)
        label = f"{value.label}[{index!r}]" if value.label else ""
        value.items[index] = Unknown("an item of an unknown value", value.origin, label)
    return value.items[index]


def _of_sequence(tr: Tracer, value: Any, index: Value, node: ast.AST | None) -> Value:
    items = value.items if isinstance(value, ListV) else value
    if isinstance(index, Tensor) and isinstance(index.value, int):
        index = index.value
    if isinstance(index, (bool, int)):
        if isinstance(value, ListV) and value.open and not 0 <= index < len(items):
            from analyzer.tracing.agreement import alike

            same = bool(items) and all(alike(items[0], other) for other in items)
            return items[-1] if same else tr.unknown("an item of a list")
        if -len(items) <= index < len(items):
            return items[index]
        if isinstance(value, Size):
            tr.refuse(
                f"dimension {index} of the shape {show_shape(value)} does not exist: it has {len(value)} dimensions",
                node,
                "shape",
            )
        if isinstance(value, tuple) and items and all(isinstance(i, Tensor) for i in items):
            tr.refuse(f"part {index} does not exist: there are {len(items)}", node, "indexing")
        raise PyRaise("IndexError", f"index {index} of a sequence of {len(items)}")
    if isinstance(index, SliceV):
        parts = (index.start, index.stop, index.step)
        if all(p is None or (isinstance(p, int)) for p in parts) and not (isinstance(value, ListV) and value.open):
            if index.step == 0:
                raise PyRaise("ValueError", "slice step cannot be zero")
            cut = items[slice(*parts)]
            return ListV(cut) if isinstance(value, ListV) else Size(cut) if isinstance(value, Size) else cut
        if isinstance(value, str):
            return tr.unknown("text", pytype="str")
        return ListV(items, True)
    if items and not isinstance(value, str):
        first = items[0]
        from analyzer.tracing.agreement import alike

        if all(alike(first, other) for other in items) and not isinstance(first, Unknown):
            return first
    return tr.unknown("an item of a list")


def _of_dict(tr: Tracer, value: DictV, index: Value) -> Value:
    from analyzer.tracing.displays import hashable

    if hashable(index):
        if index in value.items:
            return value.items[index]
        if not value.open and value.items and isinstance(index, (str, int)):
            raise PyRaise("KeyError", repr(index))
    if value.items:
        first = next(iter(value.items.values()))
        from analyzer.tracing.agreement import alike

        if not value.open and all(alike(first, v) for v in value.items.values()):
            return first
    if (
        isinstance(index, Unknown)
        and not value.open
        and 0 < len(value.items) <= 6
        and index.origin in ("flag", "param")
    ):
        for key, found in list(value.items.items())[:-1]:  # one path for each choice
            from analyzer.tracing.comparisons import compare

            if tr.decide(compare(tr, ast.Eq, index, key), None, f"{index.label} == {key!r}"):
                return found
        return list(value.items.values())[-1]
    return tr.unknown("a value of a dictionary")


def set_item(tr: Tracer, owner: Value, index: Value, value: Value) -> None:
    from analyzer.tracing.displays import hashable

    if isinstance(index, Unknown) and index.value is not None:
        index = index.value[0]
    if isinstance(owner, DictV):
        tr.touch(owner)
        if hashable(index):
            owner.items[index] = value
        else:
            owner.open = True
    elif isinstance(owner, ListV):
        tr.touch(owner)
        if isinstance(index, int) and -len(owner.items) <= index < len(owner.items):
            owner.items[index] = value
        else:
            owner.open = True
    elif isinstance(owner, Instance) and owner.cls.find("__setitem__"):
        from analyzer.tracing.calls import call

        call(tr, get_attribute(tr, owner, "__setitem__"), (index, value), {})
    elif isinstance(owner, Layer) or (
        isinstance(owner, Instance) and isinstance(owner.attrs.get("items"), (ListV, DictV))
    ):
        items = owner.attrs.get("items")
        if items is not None:
            set_item(tr, items, index, value)
    elif isinstance(owner, Unknown) and hashable(index):
        tr.touch(owner)
        owner.items[index] = value
    elif isinstance(owner, Tensor):
        from analyzer.tracing.operators.indexing import assign_item

        assign_item(tr, owner, index, value)


def delete_item(tr: Tracer, owner: Value, index: Value) -> None:
    if isinstance(owner, DictV):
        tr.touch(owner)
        owner.items.pop(index, None) if isinstance(index, (str, int)) else None
        owner.open = owner.open or not isinstance(index, (str, int))
    elif isinstance(owner, ListV):
        tr.touch(owner)
        if isinstance(index, int) and -len(owner.items) <= index < len(owner.items):
            del owner.items[index]
        else:
            owner.open = True
