"""Items of every kind of value: what a subscript reads, sets and deletes."""

from __future__ import annotations

import ast
from typing import Any

from analyzer.tracing.imports.modules import import_module, module_of
from analyzer.tracing.imports.registries import filled
from analyzer.tracing.language.alternatives import common_type, one_of, set_one
from analyzer.tracing.language.comparisons import compare
from analyzer.tracing.language.dictionary_keys import lacks
from analyzer.tracing.language.dictionary_objects import Attributes, store_of
from analyzer.tracing.language.enumerations import members_of
from analyzer.tracing.language.evaluation import ITEMS, call, get_attribute, get_item, iterate, seen
from analyzer.tracing.language.iteration import fields_of
from analyzer.tracing.language.known_types import element, kind_of, value_of
from analyzer.tracing.language.lazy_iterators import is_plain_iterator
from analyzer.tracing.language.metaclasses import from_metaclass
from analyzer.tracing.language.overwriting import integers, set_somewhere
from analyzer.tracing.language.plain_data import hashable, is_plain
from analyzer.tracing.language.python_version import is_python_version, part
from analyzer.tracing.language.replaced_modules import forget_held
from analyzer.tracing.language.rows import Rows
from analyzer.tracing.language.sets import equals_itself_alone
from analyzer.tracing.language.setting_attributes import delete_attribute, put_into_table
from analyzer.tracing.language.tensor_objects import dispatched, tensor_in
from analyzer.tracing.language.tensors import OpenSize, Size, Tensor, show_shape
from analyzer.tracing.language.values import (
    CHILDREN,
    Api,
    Bound,
    Class,
    DefaultDict,
    DictV,
    Function,
    Instance,
    Iterator_,
    Layer,
    ListV,
    Module,
    Native,
    Object,
    SliceV,
    TupleV,
    Unknown,
    Value,
    open_like,
)
from analyzer.tracing.operators.data import item
from analyzer.tracing.operators.indexing import assign_item, index_tensor
from analyzer.tracing.operators.scipy_sparse_rules import KIND as SPARSE
from analyzer.tracing.operators.scipy_sparse_rules import part as part_of_sparse
from analyzer.tracing.operators.tables import set_column
from analyzer.tracing.operators.torch_modules import Children
from analyzer.tracing.paths.problems import PyRaise
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.terms import Poly

_GENERIC = frozenset(("tuple", "list", "dict", "set", "frozenset", "type"))  # classes that take types in brackets
ITEMS.of(Tensor)(index_tensor)


@ITEMS.of(Iterator_)
def _of_iterator(tr: Tracer, value: Iterator_, index: Value, node: ast.AST | None) -> Value:
    if isinstance(value.length, int) and isinstance(index, SliceV) and not value.once:
        parts = (index.start, index.stop, index.step)
        if all(p is None or isinstance(p, int) for p in parts) and index.step != 0:
            part = range(*value.bounds)[slice(*parts)]
            bounds = (part.start, part.stop, part.step)
            return Iterator_(lambda: iter(part), length=len(part), bounds=bounds)
    if isinstance(value.length, int) and isinstance(index, int) and not value.once:
        if not -value.length <= index < value.length:
            raise PyRaise("IndexError", f"index {index} of a range of {value.length}")
        return range(*value.bounds)[index]
    if is_plain_iterator(value):
        raise PyRaise("TypeError", "an iterator has no elements by number")
    return _of_any(tr, value, index, node)


@ITEMS.of(Class)
def _of_class(tr: Tracer, value: Class, index: Value, node: ast.AST | None) -> Value:
    for own_item in from_metaclass(tr, value, "__getitem__"):
        return call(tr, own_item, (index,), {})
    if (members := members_of(value)) is not None:
        return get_item(tr, members, index, node)
    if (own := value.find("__class_getitem__")) is not None and isinstance(own[0], Function):
        return call(tr, Bound(value, own[0], own[1]), (index,), {})
    generic = any(isinstance(b, ast.Subscript) for c in value.mro if isinstance(c, Class) for b in c.node.bases)
    return value if generic else _of_any(tr, value, index, node)


@ITEMS.of(OpenSize)
def _of_open_size(tr: Tracer, value: OpenSize, index: Value, node: ast.AST | None) -> Value:
    if value.tensor.dims is not None:
        return _of_sequence(tr, Size(value.tensor.dims), index, node)
    if isinstance(index, int):
        return tr.dimension(value.tensor, index)
    return tr.unknown("part of a shape", "data", pytype="list")


@ITEMS.of(Native)
def _of_function(tr: Tracer, value: Native, index: Value, node: ast.AST | None) -> Value:
    """`tuple[int, int]` makes what `tuple` makes."""
    return value if value.name in _GENERIC else tr.unknown("an item", "imprecise")


@ITEMS.of(Layer)
def _of_layer(tr: Tracer, value: Layer, index: Value, node: ast.AST | None) -> Value:
    """Of a sequence, a list or a dictionary of modules."""
    items = value.attrs.get(CHILDREN)
    if not isinstance(items, (ListV, DictV)):
        return tr.unknown("an item of a layer")
    found = get_item(tr, items, index)
    if not isinstance(index, SliceV) or not isinstance(items, ListV):
        return found
    part = Layer(value.name, {}, value.site)
    part.attrs[CHILDREN] = found
    return part


def _part_of_modules(tr: Tracer, value: Instance, part: Value) -> Value:
    """A slice of a sequence or list of modules is made by the class of the whole, of its modules alone."""
    bases = value.cls.library_bases
    if "torch.nn.ModuleList" in bases:
        return call(tr, value.cls, (part,), {})
    if "torch.nn.Sequential" not in bases:
        return part
    if not isinstance(part, ListV) or part.open or value.cls.find("__init__"):
        return tr.unknown("some of the modules", "imprecise")
    return call(tr, value.cls, tuple(part.items), {})


@ITEMS.of(Instance)
def _of_instance(tr: Tracer, value: Instance, index: Value, node: ast.AST | None) -> Value:
    if (fields := fields_of(value)) is not None:
        return get_item(tr, tuple(fields), index, node)
    if value.cls.find("__getitem__"):
        return call(tr, get_attribute(tr, value, "__getitem__"), (index,), {})
    held = store_of(tr, value)
    if held is not None:
        return get_item(tr, held, index, node)
    if tensor_in(value) is not None:
        function = Native("torch.Tensor.__getitem__", lambda c: get_item(c.tr, c.get(0), c.get(1), node))
        return dispatched(tr, value, function, (value, index), {})
    items = value.attrs.get(CHILDREN)
    if value.cls.library_bases and isinstance(items, (ListV, DictV)):
        found = get_item(tr, items, index, node)
        if isinstance(index, SliceV) and isinstance(items, ListV):
            return _part_of_modules(tr, value, found)
        return found
    return tr.unknown("an item")


@ITEMS.of(Object)
def _of_object(tr: Tracer, value: Object, index: Value, node: ast.AST | None) -> Value:
    if value.kind == "namespace" and isinstance(index, str) and index in value.attrs:
        return value.attrs[index]
    if value.kind == SPARSE:
        return part_of_sparse(tr, value, index, node)
    return item(tr, value, index)


_GENERIC_APIS = frozenset(f"collections.{n}" for n in ("OrderedDict", "defaultdict", "deque", "Counter", "ChainMap"))


@ITEMS.of(Api)
def _of_api(tr: Tracer, value: Api, index: Value, node: ast.AST | None) -> Value:
    """`sys.modules[name]` of a module that is followed."""
    if value.name in _GENERIC_APIS:
        return value
    if value.name == "sys.modules" and isinstance(index, str):
        here = tr.frame.scope.globals
        name = here.names.get("__name__")
        if index == name or (index == module_of(tr.frame.path) and name != "__main__"):
            return Module(index, tr.frame.path, here, complete=False)
        found = import_module(tr, index, whole=True)
        if isinstance(found, Module):
            return found
    if is_python_version(value) and (known := part(value, index)) is not None:
        return known
    return _of_any(tr, value, index, node)


@ITEMS.of(object)
def _of_any(tr: Tracer, value: Value, index: Value, node: ast.AST | None) -> Value:
    return tr.unknown("an item", getattr(value, "origin", "imprecise"))


@ITEMS.of(Unknown)
def _of_unknown(tr: Tracer, value: Unknown, index: Value, node: ast.AST | None) -> Value:
    if value.tensor is not None and value.tensor.framework != "unknown":
        return get_item(tr, value.tensor, index)
    if isinstance(index, SliceV) or not hashable(index):
        label = f"{value.label}[…]" if value.label else ""
        kind = kind_of(value) if isinstance(index, SliceV) else ""
        return value_of(kind, "an item of an unknown value", value.origin, label)
    if index not in value.items:
        tr.touch(value)
        label = f"{value.label}[{index!r}]" if value.label else ""
        kind = element(kind_of(value)) if isinstance(index, int) else ""
        value.items[index] = value_of(kind, "an item of an unknown value", value.origin, label)
    return value.items[index]


@ITEMS.of(ListV, tuple, str, bytes)
def _of_sequence(tr: Tracer, value: Any, index: Value, node: ast.AST | None) -> Value:
    items = value.items if isinstance(value, ListV) else value
    index = _as_number(index)
    if isinstance(index, (bool, int)):
        if (
            isinstance(value, ListV)
            and value.open
            and not 0 <= index < (len(items) if value.firm is None else value.firm)
        ):
            return one_of(items, tr.unknown("an item of a list"))
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
        index = SliceV(*map(_as_number, (index.start, index.stop, index.step)))
        parts = (index.start, index.stop, index.step)
        if all(p is None or (isinstance(p, int)) for p in parts) and not (isinstance(value, ListV) and value.open):
            if index.step == 0:
                raise PyRaise("ValueError", "slice step cannot be zero")
            cut = items[slice(*parts)]
            return ListV(cut) if isinstance(value, ListV) else Size(cut) if isinstance(value, Size) else cut
        if isinstance(value, str):
            return tr.unknown("text", pytype="str")
        return _open_slice(value, index) if isinstance(value, ListV) and value.open else _loose(value, items)
    if items and not isinstance(value, (str, bytes)):
        unknown = tr.unknown("an item of a list", pytype=common_type(items))
        found = one_of(items, unknown)
        return found if not isinstance(found, Unknown) else unknown
    return tr.unknown("an item of a list")


def _as_number(index: Value) -> Value:
    """What `__index__` gives of a tensor of one known number."""
    return index.value if isinstance(index, Tensor) and isinstance(index.value, int) else index


def _loose(value: Value, items: Any) -> ListV:
    """Some of the items, in places that no one knows."""
    found = open_like(value, items)
    found.firm = 0
    return found


def _open_slice(value: ListV, index: SliceV) -> Value:
    """A slice of a list whose end is not known: counted from its beginning, the items keep their places."""
    start, stop, firm = index.start, index.stop, len(value.items) if value.firm is None else value.firm
    start, firm = 0 if start is None else start, 0 if value.doubtful else firm
    if (
        index.step not in (None, 1)
        or not isinstance(start, int)
        or start < 0
        or not isinstance(stop, (int, type(None)))
    ):
        return _loose(value, value.items)
    if stop is not None and 0 <= stop <= firm:
        cut = value.items[start:stop]
        return tuple(cut) if isinstance(value, TupleV) else ListV(cut)
    found = open_like(value, value.items[start:])
    found.firm = max((firm if stop is None or stop >= 0 else firm + stop) - start, 0)
    return found


@ITEMS.of(DictV)
def _of_dict(tr: Tracer, value: DictV, index: Value, node: ast.AST | None) -> Value:
    filled(tr, value, index)
    if hashable(index):
        if index in value.items:
            return value.items[index]
        if isinstance(value, DefaultDict) and not value.open and (is_plain(index) or equals_itself_alone(index)):
            return _made(tr, value, index)
        if not value.open and (value.items or tr.guards) and is_plain(index) and all(map(is_plain, value.items)):
            raise PyRaise("KeyError", repr(index))  # an empty one that no one expects to refuse is filled elsewhere
    if tr.guards and tr.knows_objects and lacks(value, index) and not isinstance(value, DefaultDict):
        raise PyRaise("KeyError", "")  # of a cache, for a key of which a part is not known
    if isinstance(value, DefaultDict) and value.factory is not None:
        if not isinstance(value.factory, int):  # it may get another key
            tr.touch(value)
            value.lose()
        return tr.unknown("a value of a dictionary")
    unknown = tr.unknown("a value of a dictionary")
    if value.items and not value.open and (same := one_of(value.items.values(), unknown)) is not unknown:
        return same
    if (
        isinstance(index, Unknown)
        and not value.open
        and 0 < len(value.items) <= 6
        and index.origin in ("flag", "param")
    ):
        for key, found in list(value.items.items())[:-1]:  # one path for each choice
            if tr.decide(compare(tr, ast.Eq, index, key), None, f"{index.label} == {key!r}"):
                return found
        return list(value.items.values())[-1]
    return unknown


def _made(tr: Tracer, value: DefaultDict, index: Value) -> Value:
    """What a dictionary with defaults makes of a key that it lacks."""
    if isinstance(value.factory, int):
        return value.factory
    if value.factory is None:
        raise PyRaise("KeyError", repr(index))
    tr.touch(value)
    value.items[index] = call(tr, value.factory, (), {})
    return value.items[index]


def set_item(tr: Tracer, owner: Value, index: Value, value: Value) -> None:
    index = seen(index)
    if isinstance(owner, Children) and isinstance(index, str):
        put_into_table(tr, owner.module, index, value)
    if isinstance(owner, Rows):
        set_column(tr, owner, index)
    elif isinstance(owner, DictV):
        tr.touch(owner)
        if not hashable(index):
            set_somewhere(tr, owner, value)
            return
        if isinstance(index, Poly) and (others := integers(owner)):
            set_somewhere(tr, owner, value, others)
        if isinstance(owner, Attributes):
            owner.items = {**owner.items, index: value}
            return
        owner.items[index] = value
    elif isinstance(owner, ListV):
        tr.touch(owner)
        if isinstance(index, int) and -len(owner.items) <= index < len(owner.items):
            owner.items[index] = value
        elif isinstance(index, SliceV) and not owner.open:
            _set_slice(tr, owner, index, value)
        elif not isinstance(index, (int, SliceV)):
            owner.items = set_one(owner.items, value, tr.unknown("an item of a list"))
        else:
            owner.open = True
    elif isinstance(owner, Instance) and owner.cls.find("__setitem__"):
        call(tr, get_attribute(tr, owner, "__setitem__"), (index, value), {})
    elif (held := store_of(tr, owner)) is not None:
        set_item(tr, held, index, value)
    elif (tensor := tensor_in(owner)) is not None:
        set_item(tr, tensor, index, tensor_in(value) or value)
    elif isinstance(owner, Layer) or (
        isinstance(owner, Instance) and isinstance(owner.attrs.get(CHILDREN), (ListV, DictV))
    ):
        items = owner.attrs.get(CHILDREN)
        if items is not None:
            set_item(tr, items, index, value)
    elif isinstance(owner, Unknown) and hashable(index):
        tr.touch(owner)
        owner.items[index] = value
    elif isinstance(owner, Tensor):
        assign_item(tr, owner, index, value)
    elif isinstance(owner, Api) and owner.name == "sys.modules":
        forget_held(tr, value)


def _set_slice(tr: Tracer, owner: ListV, index: SliceV, value: Value) -> None:
    parts = (index.start, index.stop, index.step)
    items, endless = iterate(tr, value, None)
    if endless or not all(p is None or isinstance(p, int) for p in parts):
        owner.items, owner.open = [], True
        return
    try:
        owner.items[slice(*parts)] = list(items)
    except ValueError as error:
        raise PyRaise("ValueError", str(error)) from error


def delete_item(tr: Tracer, owner: Value, index: Value) -> None:
    if isinstance(owner, (Layer, Instance)) and CHILDREN in owner.attrs:
        delete_item(tr, owner.attrs[CHILDREN], index)
    elif isinstance(owner, Instance) and owner.cls.find("__delitem__"):
        call(tr, get_attribute(tr, owner, "__delitem__"), (index,), {})
    elif (held := store_of(tr, owner)) is not None:
        delete_item(tr, held, index)
    elif isinstance(owner, Children) and isinstance(index, str):
        delete_attribute(tr, owner.module, index, plainly=True)
    elif isinstance(owner, DictV):
        tr.touch(owner)
        if hashable(index):
            owner.items.pop(index, None)
        else:
            owner.items, owner.open = {}, True
    elif isinstance(owner, ListV):
        tr.touch(owner)
        if owner.open and not (isinstance(index, int) and index >= 0):
            owner.lose()  # where it ends is not known
        elif isinstance(index, int) and -len(owner.items) <= index < len(owner.items):
            del owner.items[index]
        elif isinstance(index, SliceV) and all(
            p is None or isinstance(p, int) for p in (index.start, index.stop, index.step)
        ):
            del owner.items[slice(index.start, index.stop, index.step)]
        else:
            owner.lose()
