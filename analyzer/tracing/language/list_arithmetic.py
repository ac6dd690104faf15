"""Lists that are joined and repeated by signs."""

from __future__ import annotations

import ast

from analyzer.tracing.language.evaluation import iterate
from analyzer.tracing.language.lazy_iterators import take_into
from analyzer.tracing.language.plain_data import MOST_ITEMS
from analyzer.tracing.language.rows import Rows
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import (
    DequeV,
    Function,
    Iterator_,
    Layer,
    Lazy,
    ListV,
    TupleV,
    Unknown,
    Value,
    open_like,
)
from analyzer.tracing.paths.tracer import Tracer


def repeated_list(sequence: Value, number: Value) -> tuple[Value, Value] | None:
    """A list and the whole number of PyTorch's that says how often; of NumPy's if it holds something else than numbers.

    None stands for a number that is not known.
    """
    if type(sequence) is not ListV or not isinstance(number, Tensor) or number.framework not in ("numpy", "torch"):
        return None
    if number.framework == "torch":  # which refuses lists, so that Python asks the list
        single = number.dims is None or all(size == 1 for size in number.dims)
        return (sequence, number.value if type(number.value) is int else None) if single else None
    others = any(
        isinstance(v, (Layer, Function, str)) or getattr(v, "framework", "") == "torch" for v in sequence.items
    )
    return (sequence, number.value) if others and number.dims == () and type(number.value) is int else None


def extend(tr: Tracer, owner: ListV, value: Value) -> None:
    """Put the elements behind those of a list, touched before: what makes one may ask for the list under any name."""
    items, before = owner.items, len(owner.items)
    if isinstance(value, Lazy):
        owner.loosen(before)
        take_into(tr, items, value)
        owner.open = owner.open or value.endless
        if value.endless:
            del items[before:]
        return
    found, endless = iterate(tr, value, None)
    owner.loosen(before)
    if endless:
        owner.open = True
    else:
        items.extend(found)


def of_lists(tr: Tracer, op: type[ast.operator], left: Value, right: Value, in_place: bool) -> Value:
    if op is ast.Add and isinstance(left, ListV):
        if in_place and type(left) is ListV and isinstance(right, Lazy):
            tr.touch(left)
            extend(tr, left, right)
            return left
        items, endless = (right.items, right.open) if isinstance(right, ListV) else ([], True)
        if isinstance(right, (tuple, Iterator_, Rows)):
            parts, endless = iterate(tr, right, None)
            items = [next(parts)] if endless and isinstance(right, Rows) else list(parts)
        if isinstance(left, TupleV):
            return TupleV([*left.items, *items], True)
        if in_place:
            tr.touch(left)
            left.items.extend(items)
            left.open = left.open or endless
            if isinstance(left, DequeV):
                left.trim()
            return left
        if isinstance(left, DequeV):
            return DequeV([*left.items, *items], left.open or endless, left.most)
        joined = ListV([*left.items, *items], left.open or endless)
        joined.doubtful = left.doubtful or getattr(right, "doubtful", False)
        return joined
    if op is ast.Add and isinstance(left, tuple) and isinstance(right, TupleV):
        return TupleV([*left, *right.items], True)
    if op is ast.Mult:
        sequence, number = (left, right) if isinstance(left, ListV) else (right, left)
        if isinstance(number, int) and number * len(sequence.items) <= MOST_ITEMS:
            made = sequence.items * number
            if isinstance(sequence, DequeV):
                return DequeV(made, sequence.open, sequence.most)
            return open_like(sequence, made) if sequence.open else ListV(made)
        return open_like(sequence, sequence.items)
    if op is ast.Add and isinstance(left, Unknown):
        return ListV((), True)
    return tr.unknown("a list")
