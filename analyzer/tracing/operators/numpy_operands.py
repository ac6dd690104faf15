"""What the rules of NumPy share: arrays, new ones, axes, and what torch's rules say of the same function."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Api, Fields, ListV, SetV, Unknown, Value
from analyzer.tracing.operators.element_types import array_type
from analyzer.tracing.operators.hyperparameters import plain
from analyzer.tracing.operators.operands import items_of, tensor_of
from analyzer.tracing.operators.refusals import fail
from analyzer.tracing.operators.table import Op
from analyzer.validity.terms import Poly, Term, product


def array(op: Op, value: Value) -> Tensor | None:
    return tensor_of(op.tr, value, "numpy")


def type_of_numbers(value: Value) -> str | None:
    """The element type of the array that NumPy makes of nested lists of whole numbers or truths; None of others.

    It is 64 bits wide, as NumPy 2 has it on every machine. Numbers with a point may be of NumPy's smaller types.
    """
    kinds = _kinds(value)
    return "int64" if kinds in ({int}, {int, bool}) else "bool" if kinds == {bool} else None


def _kinds(value: Value) -> set[type]:
    if type(value) is tuple or (isinstance(value, ListV) and not isinstance(value, SetV) and not value.open):
        found: set[type] = set()
        return found.union(*map(_kinds, value if isinstance(value, tuple) else value.items))
    if isinstance(value, Poly) or (isinstance(value, Unknown) and value.pytype == "int"):
        return {int}
    return {type(value) if type(value) is not int or -(2**63) <= value < 2**63 else Unknown}


def arrays(op: Op, value: Value) -> list[Tensor] | None:
    """The elements of a list or tuple, or the rows of an array; None where one has no known shape."""
    if isinstance(value, Tensor) and value.dims and isinstance(value.dims[0], int) and value.dims[0] <= 64:
        return [of(op, value, value.dims[1:], value.dtype) for _ in range(value.dims[0])] or None
    found = [array(op, p) for p in items_of(value)]
    known = [f for f in found if f is not None and f.dims is not None]
    return known if known and len(known) == len(found) else None


def made(op: Op, dims: Any, dtype: str | None = None) -> Tensor:
    if dims is not None and any(isinstance(d, int) and d < 0 for d in dims):
        fail(op, "positive", f"a dimension of {show_shape(dims)} is negative")
    return Tensor(
        dims,
        array_type(op.extra.get("dtype")) or (dtype if op.extra.get("dtype") is None else None),
        "numpy",
        site=op.where,
    )


def of(op: Op, source: Tensor, dims: Any, dtype: str | None = None) -> Tensor:
    return Tensor(dims, dtype, "numpy", site=op.where, sources=(source,))


def unknown(op: Op) -> Tensor:
    return Tensor(None, None, "numpy", site=op.where)


def flat_dims(source: Tensor) -> tuple[Term, ...] | None:
    """The shape of the elements in a row."""
    return None if source.dims is None else (product(source.dims),)


# Functions that take a scalar for an array of one element where an axis is named.
_OF_SCALARS = frozenset(("take", "squeeze", "repeat", "packbits", "unpackbits", "cumsum", "cumprod", "nancumsum",
                         "nancumprod", "argsort", "argpartition"))  # fmt: skip


def axes_of(
    op: Op, source: Tensor, axes: Value, rank: int | None = None, again: bool = False
) -> tuple[int, ...] | None:
    """One or more axes from the front, of a result of so many dimensions; fails where there is none; None: not known.

    `again`: one may be named more than once.
    """
    given = plain(op.tr, axes)
    numbers = given if isinstance(given, tuple) else (given,)
    dims = source.dims
    if dims is None or not all(isinstance(n, int) and not isinstance(n, bool) for n in numbers):
        return None
    rank = len(dims) if rank is None else rank
    if rank == 0 and op.short in _OF_SCALARS and set(numbers) <= {0, -1}:
        return None
    for number in numbers:
        if not -rank <= number < rank:
            of_what = f"an array of {rank} dimensions" if rank == len(dims) else f"the {rank} dimensions of the result"
            fail(
                op,
                "axis-in-range",
                f"axis {number} is out of range for {of_what} (shape {show_shape(dims)})",
                (source,),
            )
    found = tuple(number % rank for number in numbers)
    if len(set(found)) < len(found) and not again:
        fail(op, "axis-twice", f"an axis of {numbers} is named twice (shape {show_shape(dims)})", (source,))
    return found


def axis_of(op: Op, source: Tensor, axis: Value) -> int | None:
    """One axis from the front; fails where there is none; None where it is not known."""
    found = axes_of(op, source, axis) if isinstance(axis, int) else None
    return found[0] if found else None


def of_length(op: Op, found: Tensor, axis: Value, size: Value) -> Value:
    """The array with so many elements along an axis."""
    at, count = axis_of(op, found, axis), op.tr.term_of(size)
    if at is None or found.dims is None or count is None:
        return unknown(op)
    return of(op, found, (*found.dims[:at], count, *found.dims[at + 1 :]))


_OF_TORCH = {"axis": "dim", "axes": "dim", "keepdims": "keepdim"}


def as_torch(op: Op, name: str, args: tuple[Value, ...], named: dict[str, Value] | None = None) -> Value:
    """What torch's function gives for the same arguments, as an array."""
    given = {_OF_TORCH.get(key, key): value for key, value in (op.extra if named is None else named).items()}
    return as_arrays(call(op.tr, Api(f"torch.{name}"), args, given, op.node))


def common_type(x: Tensor, y: Tensor) -> str | None:
    """The element type of both; None where they differ, as NumPy then takes a larger one."""
    return x.dtype if x.dtype == y.dtype else None


def as_arrays(value: Value) -> Value:
    if isinstance(value, Tensor):
        value.framework = "numpy"
    elif isinstance(value, Fields):
        return Fields([as_arrays(part) for part in value], value.names)
    elif isinstance(value, tuple):
        return tuple(as_arrays(part) for part in value)
    elif isinstance(value, ListV):
        value.items = [as_arrays(part) for part in value.items]
    return value
