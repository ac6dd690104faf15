"""What a Keras model is given as arrays: one batch of them, and what all batches give together."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import DictV, ListV, Value
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


def one_batch(tr: Tracer, given: Value, node: ast.Call | None) -> tuple[Value, Term | None]:
    """The arrays with their examples in a number of their own, and that number; None where they are not known."""
    if not all(array.dims for array in arrays_of(given)):
        return None, None
    rows = tr.symbols.fresh("batch", "derived", 1, site=tr.site(node))

    def part(array: Tensor) -> Tensor:
        tags = frozenset(("batch",))
        dims = (rows, *(array.dims or ())[1:])
        return Tensor(dims, array.dtype, "tf", site=array.site, name=array.name, tags=tags)

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
