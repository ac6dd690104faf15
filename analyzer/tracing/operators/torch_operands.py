"""What torch operators share: shapes as arguments, new tensors, axes, reduced shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analyzer.tracing.language.tensors import OpenSize, Size, Tensor, show_shape
from analyzer.tracing.language.values import ListV, Unknown, Value
from analyzer.tracing.operators.element_types import default_float, dtype_name
from analyzer.tracing.operators.hyperparameters import dropped, plain
from analyzer.tracing.operators.refusals import fail
from analyzer.tracing.operators.table import Op
from analyzer.tracing.paths.paths import Condition
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.terms import Poly, interval_of, substitute, symbol


def shape_argument(op: Op, parts: tuple[Value, ...]) -> tuple[Any, ...] | None:
    """`(2, 3)`, `[2, 3]` or `2, 3` as dimensions; None when the number of dimensions is not known."""
    scalar = len(parts) == 1 and isinstance(parts[0], Tensor) and parts[0].dims == ()
    if len(parts) == 1 and isinstance(parts[0], (tuple, ListV, Tensor, OpenSize)) and not scalar:
        value = plain(op.tr, parts[0])
        return (
            value if isinstance(value, tuple) and all(not isinstance(v, (tuple, str, float)) for v in value) else None
        )
    if len(parts) == 1 and isinstance(parts[0], Unknown) and parts[0].pytype != "int" and parts[0].term is None:
        return None
    dims = []
    for part in parts:
        term = op.tr.term_of(part, "size")
        if term is None:
            return None
        dims.append(term)
    return tuple(dims)


def is_size(value: Value) -> bool | None:
    """Whether a type called with it alone, ``torch.Tensor(4)``, takes it as its size, not as data; None: not known.

    An integer of NumPy is a size like Python's, and so is an array of it without axes; an element of a tensor is data.
    """
    if isinstance(value, Unknown):
        return (
            None if value.tensor is not None or (value.pytype not in ("int", "number") and value.term is None) else True
        )
    if isinstance(value, Tensor) and value.framework == "numpy" and not value.dims:
        return None if value.dims is None or value.dtype is None else value.dtype.startswith(("int", "uint"))
    return isinstance(value, (int, Poly, Size, OpenSize))


def may_be_negative(tr: Tracer, size: Poly) -> bool:
    """Whether it may be, for all that layers of the program have demanded of the numbers that it is made of."""
    if size.interval.lo >= 0 or tr.path.assumes(size >= 1) or tr.path.assumes(size >= 0):
        return False
    return interval_of(bounded(tr, size)).lo < 0


def take_as_sizes(op: Op, dims: Sequence[Any]) -> None:
    """An argument that nobody gives stands for a size where a shape is made of it, not for -1; nothing is proved so."""
    tr = op.tr
    for sym in dict.fromkeys(s for d in dims if isinstance(d, Poly) for s in d.symbols):
        positive = Poly({(sym,): 1}) >= 1
        if sym.interval.lo < 1 and tr.symbols.kind(sym.name) == "param" and not tr.path.assumes(positive):
            tr.path.conditions.append(Condition(positive, "definition", op.where, doubtful=True))


def bounded(tr: Tracer, size: Any) -> Any:
    """The size with the bounds that layers have demanded of the numbers that it is made of."""
    if not isinstance(size, Poly):
        return size
    open_ones = [s for s in size.symbols if s.interval.lo < 1]
    known = {s.name: symbol(s.name, 1) for s in open_ones if tr.path.assumes(Poly({(s,): 1}) >= 1)}
    return substitute(size, known) if known else size


def made(op: Op, dims: Any, dtype: str | None = "float32") -> Tensor:
    """A new tensor; of the default type where `dtype` is "float32" and the call asks for none."""
    given = op.extra.get("dtype")
    dtype = default_float(op.tr) if dtype == "float32" else dtype
    if given is not None:
        dtype = dtype_name(given)
    if dims is not None:
        for size in dims:
            if isinstance(size, int) and size < 0:
                fail(op, "positive", f"a dimension of {show_shape(dims)} is negative")
    return Tensor(dims, dtype, "torch", site=op.where)


def cast(source: Tensor, dtype: str | None) -> Tensor:
    """The operand with another element type, as it is converted before anything is computed; None: of any."""
    return Tensor(
        source.shape, dtype, source.framework, site=source.site, name=source.name, sources=(source,),
        graph=source.graph, tags=source.tags,
    )  # fmt: skip


def axis_of(op: Op, source: Tensor, axis: Value) -> int | None:
    """The axis counted from the front; fails where there is none; None when it is not known."""
    if not isinstance(axis, int) or source.dims is None:
        return None
    rank = max(len(source.dims), 1)
    if not -rank <= axis < rank:
        sentence = f"axis {axis} is out of range for a tensor of {len(source.dims)} dimensions"
        fail(op, "axis-in-range", f"{sentence} (shape {show_shape(source.dims)})", (source,))
    return axis % rank


def reduced_dims(op: Op, source: Tensor, axes: Value, keep: Value) -> tuple[Any, ...] | None:
    """The shape after a reduction; None when it is not known."""
    axes = plain(op.tr, axes) if axes is not None else None
    if dropped(axes) or isinstance(keep, Unknown) or source.dims is None:
        return None
    rank = len(source.dims)
    numbers = range(rank) if axes is None or axes == () else axes if isinstance(axes, tuple) else (axes,)
    chosen = set()
    reach = rank if source.framework == "tf" else max(rank, 1)  # a scalar has an axis 0 and -1 but in TensorFlow
    for axis in numbers:
        if not isinstance(axis, int):
            return None
        if not -reach <= axis < reach:
            fail(
                op,
                "axis-in-range",
                (f"axis {axis} is out of range for a tensor of {rank} dimensions (shape {show_shape(source.dims)})"),
                (source,),
            )
        place = axis % rank if rank else 0
        if place in chosen and source.framework in ("torch", "tf") and not source.graph:
            fail(op, "axis-twice", f"axis {axis} is reduced twice (shape {show_shape(source.dims)})", (source,))
        chosen.add(place)
    return tuple(1 if keep else 0 for _ in ()) or tuple(
        d if i not in chosen else 1 for i, d in enumerate(source.dims) if i not in chosen or keep
    )
