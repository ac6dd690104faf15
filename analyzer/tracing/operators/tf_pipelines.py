"""Pipelines of `tf.data`: what their methods make of the element that stands for all."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.nested import Leaves, Open, rebuilt
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import DictV, ListV, Object, Unknown, Value
from analyzer.tracing.operators.data import part_of
from analyzer.tracing.operators.operands import as_numpy, tensor_of
from analyzer.tracing.paths.attained import record
from analyzer.tracing.paths.tracer import Tracer


def _as_arrays(tr: Tracer, element: Value) -> Value:
    try:
        return rebuilt(element, Leaves(), lambda leaf: as_numpy(leaf) if isinstance(leaf, Tensor) else leaf)
    except Open:
        return tr.unknown("an element")


def data_method(tr: Tracer, owner: Object, name: str, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
    """Methods of tf.data pipelines and of TF1's MNIST reader."""
    if owner.kind == "data":
        if name == "next_batch":
            size = tr.term_of(args[0] if args else kwargs.get("batch_size"), "batch")
            return tuple(_rows(t, size) for t in owner.data["arrays"])
        return tr.unknown(f"{name}()", "foreign")
    if owner.kind != "tfdataset":
        return tr.unknown(f"{name}()", "foreign")
    element, count = owner.data.get("element"), owner.data.get("count")
    if name in ("batch", "padded_batch"):
        size = args[0] if args else kwargs.get("batch_size")
        last = args[1] if len(args) > 1 else kwargs.get("drop_remainder", False)
        term = tr.term_of(size, "batch")
        if type(count) is int and type(term) is int and term > 0:
            term, count = min(term, max(count, 1)), _batches_of(count, term, last)
        else:
            count = None
        element = _batched(tr, element, term if term is not None else tr.fresh("batch", "derived"))
        if name == "padded_batch":
            element = _padded(tr, element)
    elif name == "map" and args:
        element = call(tr, args[0], element if isinstance(element, tuple) else (element,), {})
    elif name == "unbatch":
        element, count = _first_of(tr, element), None
    elif name == "enumerate":
        element = (Tensor((), "int64", "tf"), element)
    elif name in ("flat_map", "interleave") and args:
        inner = call(tr, args[0], element if isinstance(element, tuple) else (element,), {})
        made = isinstance(inner, Object) and inner.kind == "tfdataset"
        element, count = inner.data.get("element") if made else tr.unknown("an element"), None
    elif name == "apply" and args:
        return call(tr, args[0], (owner,), {})
    elif name == "concatenate":
        count = None
    elif name == "reduce" and len(args) > 1:
        taken = call(tr, args[1], (args[0], element), {})
        return taken if isinstance(taken, Tensor) else tr.unknown("what a data set is reduced to", "imprecise")
    elif name == "cardinality":
        return Tensor((), "int64", "tf", value=count if type(count) is int else None)
    elif name == "window":
        size, last = args[0] if args else kwargs.get("size"), kwargs.get("drop_remainder", False)
        element, count = _windows(element, size if last is True and type(size) is int else None), None
    elif name in ("flat_map", "interleave", "apply"):
        element, count = tr.unknown("an element"), None
    elif name in ("make_one_shot_iterator", "make_initializable_iterator", "as_numpy_iterator", "__iter__"):
        element = _as_arrays(tr, element) if name == "as_numpy_iterator" else element
        return Object("tfdataset", data={"element": element})
    elif name in ("get_next", "next", "__next__"):
        return element
    elif name not in (
        "shuffle",
        "repeat",
        "prefetch",
        "cache",
        "take",
        "skip",
        "filter",
        "with_options",
        "shard",
        "snapshot",
        "ignore_errors",
    ):
        return tr.unknown(f"dataset.{name}()", "foreign")
    if name in ("take", "skip", "repeat", "filter", "shard") and type(count) is int:
        number = args[0] if args else kwargs.get("count")
        count = _number_of(name, count, number) if type(number) is int and number >= 0 else None
    return Object("tfdataset", data={"element": element, "count": count})


def _batches_of(count: int, size: int, last: Value) -> int | None:
    """How many batches there are; `last`: whether the shorter one is left out."""
    return (count // size if last else -(-count // size)) if isinstance(last, bool) else None


def _number_of(name: str, count: int, number: int) -> int | None:
    if name == "take":
        return min(count, number)
    if name == "skip":
        return max(count - number, 0)
    return count * number if name == "repeat" else None


def _rows(value: Tensor, size: Any) -> Tensor:
    return Tensor((size, *(value.dims or ())[1:]), value.dtype, "numpy", name=value.name)


def _first_of(tr: Tracer, value: Value) -> Value:
    """An element of a batch."""
    if isinstance(value, tuple):
        return tuple(_first_of(tr, v) for v in value)
    if isinstance(value, DictV):
        return DictV({k: _first_of(tr, v) for k, v in value.items.items()}, value.open)
    return part_of(value, "tf") if isinstance(value, Tensor) and value.dims else tr.unknown("an element")


def _windows(element: Value, size: int | None) -> Value:
    """A data set for each part of an element, of so many elements."""
    if isinstance(element, tuple):
        return tuple(_windows(part, size) for part in element)
    if isinstance(element, DictV):
        return DictV({key: _windows(part, size) for key, part in element.items.items()}, element.open)
    return Object("tfdataset", data={"element": element, "count": size})


def _padded(tr: Tracer, batch: Value) -> Value:
    """A batch whose rows are as long as the longest of them, or as the program says."""
    if isinstance(batch, tuple):
        return tuple(_padded(tr, part) for part in batch)
    if not isinstance(batch, Tensor) or not batch.dims:
        return tr.unknown("a padded batch")
    dims = (batch.dims[0], *(tr.fresh("padded", "unknown", 0) for _ in batch.dims[1:]))
    return Tensor(dims, batch.dtype, "tf", name=batch.name, tags=batch.tags)


def _batched(tr: Tracer, value: Value, size: Any) -> Value:
    if isinstance(value, tuple):
        return tuple(_batched(tr, v, size) for v in value)
    if isinstance(value, DictV):
        return DictV({k: _batched(tr, v, size) for k, v in value.items.items()})
    if isinstance(value, Tensor):
        made = Tensor(
            None if value.dims is None else (size, *value.dims),
            value.dtype,
            "tf",
            name=value.name,
            tags=frozenset(("batch",)),
        )
        made.written = value.written
        return record("stack", (value,), {}, made)
    return tr.unknown("a batch", value.origin if isinstance(value, Unknown) else "imprecise")


def sliced(tr: Tracer, value: Value) -> Value:
    """The elements of `from_tensor_slices`."""
    if isinstance(value, (tuple, ListV)) and not (
        isinstance(value, ListV) and all(isinstance(v, (int, float, str)) for v in value.items)
    ):
        return tuple(sliced(tr, v) for v in (value.items if isinstance(value, ListV) else value))
    found = tensor_of(tr, value, "tf") if isinstance(value, (Tensor, ListV)) else None
    if found is not None and found.dims:
        part = part_of(found, "tf")
        part.written = part.written or isinstance(value, ListV)
        return part
    return tr.unknown("an element", value.origin if isinstance(value, Unknown) else "imprecise")
