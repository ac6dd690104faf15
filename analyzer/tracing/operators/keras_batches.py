"""What a Keras model is given as arrays: one batch of them, and what all batches give together."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import floor

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import DictV, ListV, Value
from analyzer.tracing.operators.element_types import default_float
from analyzer.tracing.operators.operands import tensor_of
from analyzer.tracing.operators.refusals import require
from analyzer.tracing.operators.table import Op
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.terms import Term, equal


def mapped_arrays(value: Value, change: Callable[[Tensor], Tensor]) -> Value:
    """The same tuples, lists and dictionaries with their arrays changed; None where one holds anything else."""
    if isinstance(value, Tensor):
        return change(value)
    if isinstance(value, DictV) and not value.open:
        changed = {key: mapped_arrays(one, change) for key, one in value.items.items()}
        return None if not changed or None in changed.values() else DictV(changed)
    if not isinstance(value, (ListV, tuple)) or (isinstance(value, ListV) and value.open):
        return None
    parts = [mapped_arrays(one, change) for one in (value.items if isinstance(value, ListV) else value)]
    if not parts or any(one is None for one in parts):
        return None
    return ListV(parts) if isinstance(value, ListV) else tuple(parts)


def arrays_of(value: Value) -> Iterator[Tensor]:
    """The arrays that a structure holds, in their order."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, DictV):
        for one in value.items.values():
            yield from arrays_of(one)
    elif isinstance(value, (ListV, tuple)):
        for one in value.items if isinstance(value, ListV) else value:
            yield from arrays_of(one)


@dataclass(frozen=True)
class Batching:
    """How a method of a model takes its arrays: so many examples at a time, of this part of them."""

    size: Value
    part: Value = 1.0

    def first(self, count: Term) -> int | None:
        """How many examples the first batch has; None where it is not known."""
        if type(count) is not int or not isinstance(self.part, (int, float)) or isinstance(self.part, bool):
            return None
        taken = floor(count * self.part)
        return taken if self.size is None else min(taken, self.size) if type(self.size) is int else None


def batching(name: str, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Batching:
    """As `fit`, `evaluate`, `predict` and their likes for one batch are told."""
    if name.endswith("_on_batch"):
        return Batching(None)
    place = 1 if name == "predict" else 2
    size = args[place] if len(args) > place else kwargs.get("batch_size")
    split = kwargs.get("validation_split", 0.0) if name == "fit" and len(args) < 7 else 0.0
    return Batching(32 if size is None else size, 1.0 - split if isinstance(split, (int, float)) else None)


def one_batch(tr: Tracer, given: Value, node: ast.Call | None, how: Batching) -> tuple[Value, Term | None]:
    """The arrays with their examples in a number of their own, and that number; None where they are not known.

    It is at least what the first batch has: how many exactly is nothing that a compiled step sees.
    """
    arrays = list(arrays_of(given))
    if not all(array.dims for array in arrays):
        return None, None
    exact = {how.first((array.dims or (None,))[0]) for array in arrays}
    count = exact.pop() if len(exact) == 1 else None
    rows = tr.symbols.fresh("batch", "derived", count or 1, site=tr.site(node))

    def part(array: Tensor) -> Tensor:
        tags = frozenset(("batch",))
        dims = (rows, *(array.dims or ())[1:])
        kind = default_float(tr) if (array.dtype or "").startswith("float") else array.dtype
        return Tensor(dims, kind, "tf", site=array.site, name=array.name, tags=tags)

    made = mapped_arrays(given, part)
    return made, None if made is None else rows


def equally_many(op: Op, given: Value) -> Term | None:
    """How many examples each of the arrays holds: Keras refuses those that differ."""
    known = [array for one in arrays_of(given) if (array := tensor_of(op.tr, one, "numpy")) is not None and array.dims]
    for array in known[1:]:
        first, other = known[0].dims or (), array.dims or ()
        told = f"one array has {first[0]} rows (shape {show_shape(first)}) but another has {other[0]} "
        told += f"(shape {show_shape(other)})"
        require(op, equal(first[0], other[0]), "rows", told, (known[0], array))
    return (known[0].dims or (None,))[0] if known else None


def of_all_batches(result: Tensor, rows: Term, count: Term | None) -> Tensor:
    """What a batch gives for each of its examples, for all examples."""
    if count is None or not result.dims or result.dims[0] != rows:
        return result
    dims = (count, *result.dims[1:])
    return Tensor(dims, result.dtype, result.framework, site=result.site, name=result.name, sources=(result,))
