"""Going over values: what the elements are, how many, and unpacking them into targets."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from analyzer.tracing.language.dictionary_objects import store_of
from analyzer.tracing.language.enumerations import members_of
from analyzer.tracing.language.evaluation import ELEMENTS, call, get_attribute, iterate, seen
from analyzer.tracing.language.known_types import element, elements_of, kind_of, value_of
from analyzer.tracing.language.lazy_iterators import iter_forever, step_through
from analyzer.tracing.language.tensors import OpenSize, Size, Tensor, show_shape
from analyzer.tracing.language.values import (
    CHILDREN,
    Class,
    DictV,
    Function,
    Instance,
    Iterator_,
    Layer,
    ListV,
    Object,
    Unknown,
    Value,
    field_names,
)
from analyzer.tracing.operators.data import elements
from analyzer.tracing.operators.element_types import OBJECTS
from analyzer.tracing.paths.problems import Diagnostic, PyRaise
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.terms import Poly, equal

MOST_FREE = 4096  # elements of a range, of which a longer one counts as steps
FREE_TOGETHER = 16  # elements that count as one step
MOST_ROWS = 64  # a tensor with more rows gives one representative row
MOST_SAMPLED_ROWS = 1024  # in a run on made-up numbers, which knows what each row holds
Elements = tuple[Iterator[Value], bool]


def _counted(tr: Tracer, items: Iterator[Value]) -> Iterator[Value]:
    """Elements that count as steps, a few each, so that a list of them has an end."""
    for number, item in enumerate(items):
        if number % FREE_TOGETHER == 0:
            tr.step()
        yield item


@ELEMENTS.of(Iterator_)
def _of_iterator(tr: Tracer, value: Iterator_, node: ast.AST | None) -> Elements:
    if not value.once:
        many = isinstance(value.length, int) and value.length > MOST_FREE
        return _counted(tr, value.items()) if many else value.items(), value.endless
    tr.touch(value)
    value.begin()
    return _taken(tr, value), value.endless


@ELEMENTS.of(ListV)
def _of_list(tr: Tracer, value: ListV, node: ast.AST | None) -> Elements:
    return (_open_list(tr, value), True) if value.open else (iter(list(value.items)), False)


@ELEMENTS.of(tuple, str, bytes)
def _of_constant(tr: Tracer, value: Any, node: ast.AST | None) -> Elements:
    return iter(value), False


@ELEMENTS.of(DictV)
def _of_dict(tr: Tracer, value: DictV, node: ast.AST | None) -> Elements:
    return (_forever_after(list(value.items), tr), True) if value.open else (iter(list(value.items)), False)


@ELEMENTS.of(Layer)
def _of_layer(tr: Tracer, value: Layer | Instance, node: ast.AST | None) -> Elements:
    items = value.attrs.get(CHILDREN)
    return iterate(tr, items, node) if isinstance(items, (ListV, DictV)) else _of_any(tr, value, node)


@ELEMENTS.of(Instance)
def _of_instance(tr: Tracer, value: Instance, node: ast.AST | None) -> Elements:
    if not value.cls.find("__iter__") and isinstance(value.attrs.get(CHILDREN), (ListV, DictV)):
        return _of_layer(tr, value, node)
    held = store_of(tr, value) if not value.cls.find("__iter__") else None
    if held is not None:
        return iterate(tr, held, node)
    fields = fields_of(value)
    return (iter(fields), False) if fields is not None else _by_methods(tr, value)


@ELEMENTS.of(Class)
def _of_class(tr: Tracer, value: Class, node: ast.AST | None) -> Elements:
    members = members_of(value)
    if members is not None:
        found = list(dict.fromkeys(members.items.values()))
        if "enum.Flag" in value.library_bases:  # those of one bit alone
            values = [member.attrs.get("value") for member in found if isinstance(member, Instance)]
            if not all(type(v) is int for v in values):
                return _of_any(tr, value, node)
            found = [m for m, v in zip(found, values, strict=True) if isinstance(v, int) and v > 0 and not v & (v - 1)]
        return iter(found), False
    return _of_any(tr, value, node)


@ELEMENTS.of(Object)
def _of_object(tr: Tracer, value: Object, node: ast.AST | None) -> Elements:
    return elements(tr, value) or _of_any(tr, value, node)


@ELEMENTS.of(Unknown)
def _of_unknown(tr: Tracer, value: Unknown, node: ast.AST | None) -> Elements:
    return _repeat(tr, value) if not element(kind_of(value)) else elements_of(value), True


@ELEMENTS.of(OpenSize)
def _of_open_size(tr: Tracer, value: OpenSize, node: ast.AST | None) -> Elements:
    return _sizes(tr, value), True


@ELEMENTS.of(object)
def _of_any(tr: Tracer, value: Value, node: ast.AST | None) -> Elements:
    return _repeat(tr, Unknown("an element", getattr(value, "origin", "imprecise"))), True


def _taken(tr: Tracer, value: Iterator_) -> Iterator[Value]:
    """What is left of an iterator that is gone through once."""
    while True:
        tr.touch(value)
        try:
            found = value.take()
        except StopIteration:
            return
        yield found


def fields_of(value: Instance) -> list[Value] | None:
    """The elements of a named tuple."""
    if not value.cls.tuple or value.cls.find("__iter__") is not None:
        return None
    return [value.attrs[name] for name in field_names(value.cls) if name in value.attrs]


def _repeat(tr: Tracer, value: Unknown) -> Iterator[Value]:
    while True:
        tr.step()
        if value.tensor is not None and value.tensor.dims:
            yield Tensor(value.tensor.dims[1:], value.tensor.dtype, value.tensor.framework)
        yield Unknown(
            f"an element of {value.label or 'an unknown value'}",
            value.origin,
            f"{value.label}[]" if value.label else "",
        )


def _sizes(tr: Tracer, value: OpenSize) -> Iterator[Value]:
    axis = 0
    while True:
        yield tr.dimension(value.tensor, axis)
        axis += 1


def _open_list(tr: Tracer, value: ListV) -> Iterator[Value]:
    yield from list(value.items)
    while True:
        tr.step()
        yield value.items[-1] if value.items else tr.unknown("an element")


def _forever_after(items: list[Value], tr: Tracer) -> Iterator[Value]:
    yield from items
    while True:
        tr.step()
        yield tr.unknown("an element")


@ELEMENTS.of(Tensor)
def _rows(tr: Tracer, value: Tensor, node: ast.AST | None) -> Elements:
    dims = value.dims
    if dims is None or not dims:
        return iter_forever(tr, lambda: Tensor(None, value.dtype, value.framework)), True

    def row(known: Value = None) -> Value:
        if known is not None and len(dims) == 1 and value.framework != "torch":
            return known  # a number of NumPy is taken wherever Python's own is
        if value.dtype == OBJECTS and len(dims) == 1:
            return tr.unknown("an object of an array")
        return Tensor(
            dims[1:], value.dtype, value.framework, site=value.site, graph=value.graph, sources=(value,), value=known
        )

    if isinstance(value.value, tuple):
        return map(row, value.value), False

    sampler = tr.sampler
    if isinstance(dims[0], int) and dims[0] <= (MOST_ROWS if sampler is None else MOST_SAMPLED_ROWS):
        if sampler is not None:
            return (sampler.indexed(value, n, row()) for n in range(dims[0])), False
        return iter([row() for _ in range(dims[0])]), False
    return iter_forever(tr, row), True


def _by_methods(tr: Tracer, value: Instance) -> Elements:
    if value.cls.find("__iter__") or value.cls.find("__next__"):
        lazy = step_through(tr, value, None).lazy
        if lazy is not None:
            return iterate(tr, lazy, None)
    if value.cls.find("__iter__"):
        found = call(tr, get_attribute(tr, value, "__iter__"), (), {})
        if found is not value:
            return iterate(tr, found, None)
    count = _length(tr, value)
    if _ends_itself(value):
        count = MOST_ROWS
    if count is not None:
        return _numbered(tr, get_attribute(tr, value, "__getitem__"), count), False
    if value.cls.find("__getitem__"):
        index = tr.unknown("an index", "data", pytype="int")
        return iter_forever(tr, lambda: call(tr, get_attribute(tr, value, "__getitem__"), (index,), {})), True
    return iter_forever(tr, lambda: tr.unknown("an element")), True


def _ends_itself(value: Instance) -> bool:
    """Whether a class of the program's own says by an IndexError of its own where it ends: its length is not asked."""
    method = value.cls.find("__getitem__")
    if method is None or not isinstance(method[0], Function) or not _PLAINLY.issuperset(value.cls.library_bases):
        return False
    raised = (n.exc for n in ast.walk(method[0].node) if isinstance(n, ast.Raise))
    return any("IndexError" in ast.unparse(error) for error in raised if error is not None)


def _numbered(tr: Tracer, item: Value, count: int) -> Iterator[Value]:
    """Elements by their numbers, as Python asks for them where there is no `__iter__`: until an IndexError."""
    for index in range(count):
        try:
            found = call(tr, item, (index,), {})
        except PyRaise as error:
            if error.name != "IndexError":
                raise
            return
        yield found


def _length(tr: Tracer, value: Instance) -> int | None:
    """How many elements a sequence has, where its own `__len__` says so."""
    if not value.cls.find("__getitem__") or not _WITHOUT_ITER.issuperset(value.cls.library_bases):
        return None
    length = call(tr, get_attribute(tr, value, "__len__"), (), {}) if value.cls.find("__len__") else None
    return length if isinstance(length, int) and length <= MOST_ROWS else None


_PLAINLY = frozenset(("object", "abc.ABC", "typing.Generic"))  # bases that say nothing of how one goes through it
SLICES = "__slices__"  # among what is known of an unknown row of tensors: a tensor whose rows they are
# Classes of libraries that leave it to Python to go through what inherits from them, or ask for each number themselves.
_WITHOUT_ITER = frozenset(
    [f"{home}.{kind}" for home in ("collections.abc", "typing") for kind in ("Sequence", "MutableSequence", "Sized")]
    + ["torch.utils.data.Dataset", "torch.utils.data.dataset.Dataset", "typing.Generic", "abc.ABC", "object"]
    + [f"{home}.utils.{kind}" for home in ("keras", "tensorflow.keras") for kind in ("Sequence", "PyDataset")]
)


def unpack(tr: Tracer, value: Value, count: int, starred: int | None, node: ast.AST) -> list[Value]:
    """`count` values for as many targets; the one at `starred` takes the rest as a list."""
    value = seen(value)
    tr.read(value)
    if isinstance(value, OpenSize) and starred is None:
        tr.set_rank(value.tensor, count)
        assert value.tensor.dims is not None
        return list(value.tensor.dims)
    if isinstance(value, Unknown) and starred is None:
        value = value.attrs.get(SLICES, value)
    if isinstance(value, Unknown):
        if value.parts and starred is None and value.parts != count:
            message = f"a tensor is cut into {value.parts} parts, which are unpacked into {count} names"
            tr.report(Diagnostic("tracing/incompatible-shape", "warning", message, tr.site(node), "unpack", (), False))
        return _parts(tr, value, count, starred)
    if isinstance(value, Tensor) and value.dims and starred is None and not isinstance(value.value, tuple):
        first = value.dims[0]
        if isinstance(first, int) and first != count:
            tr.refuse(f"a tensor of {first} rows is unpacked into {count} names", node, "unpack")
        if isinstance(first, Poly):
            tr.assume(equal(first, count), "operator")
        row = value.dims[1:]
        if value.dtype == OBJECTS and not row:
            return [tr.unknown("an object of an array") for _ in range(count)]
        rows = [Tensor(row, value.dtype, value.framework, graph=value.graph, sources=(value,)) for _ in range(count)]
        return rows if tr.sampler is None else [tr.sampler.indexed(value, n, row) for n, row in enumerate(rows)]
    items, endless = iterate(tr, value, node)
    if endless:
        found = [next(items, tr.unknown("an item")) for _ in range(count)]
        if starred is not None:
            found[starred] = ListV([found[starred]], True)
        return found
    parts = list(items)
    if starred is not None:
        tail = count - starred - 1
        if len(parts) < count - 1:
            raise PyRaise("ValueError", "not enough values to unpack")
        middle = parts[starred : len(parts) - tail]
        return [*parts[:starred], ListV(middle), *parts[len(parts) - tail :]]
    if len(parts) == count and node is not None and not tr.speculating:
        tr.pass_operator(tr.site(node), "unpack")
    if len(parts) != count:
        if isinstance(value, Size):
            shape = show_shape(value)
            tr.refuse(
                f"the shape {shape} has {len(value)} dimensions but is unpacked into {count} names", node, "unpack"
            )
        if isinstance(value, (tuple, Iterator_, ListV)) and parts and all(isinstance(p, Tensor) for p in parts):
            tr.refuse(f"{len(parts)} tensors are unpacked into {count} names", node, "unpack")
        raise PyRaise("ValueError", f"cannot unpack {len(parts)} values into {count} names")
    return parts


def _parts(tr: Tracer, value: Unknown, count: int, starred: int | None) -> list[Value]:
    parts: list[Value] = []
    for index in range(count):
        if index not in value.items:
            tr.touch(value)
            label = f"{value.label}[{index}]" if value.label else ""
            value.items[index] = value_of(element(kind_of(value)), value.reason, value.origin, label)
        parts.append(value.items[index])
    if starred is not None:
        parts[starred] = ListV([parts[starred]], True)
    return parts
