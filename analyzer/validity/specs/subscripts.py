"""Subscripts: ``x[:, 1:k, None, ..., 0]`` as one operator."""

from __future__ import annotations

from typing import Any

from analyzer.validity.spec import Case, Category, Rule, TensorType, define
from analyzer.validity.specs.indexing import INDEX_RANGE, STEP, sliced_size
from analyzer.validity.terms import Term, all_of

SUBSCRIPTS = Rule(
    "subscripts", Category.INCOMPATIBLE_SHAPE, "{count} subscripts for a tensor of {rank} dimensions", ("index",)
)
POSITIVE_STEP = Rule("positive-step", Category.ILLEGAL_VALUE, "the step of a slice is {step}; it must be at least 1")

SLICE = "slice"  # ("slice", start, stop, step); None where one is left out
EVERYTHING = "..."
NEW_AXIS = "newaxis"


def subscripted(case: Case, x: TensorType, index: tuple[Any, ...], *, backwards: bool) -> TensorType:
    """The shape of ``x[index]``; with `backwards` a slice may have a negative step (NumPy, TensorFlow; not PyTorch)."""
    taken = sum(1 for item in index if item not in (EVERYTHING, NEW_AXIS))
    case.require(SUBSCRIPTS, taken <= x.rank, count=taken, rank=x.rank)
    case.require(SUBSCRIPTS, index.count(EVERYTHING) <= 1, count=len(index), rank=x.rank)
    rest = x.rank - taken
    if EVERYTHING not in index:
        index = (*index, EVERYTHING)
    dims: list[Term] = []
    axis = 0
    for item in index:
        if item == EVERYTHING:
            dims.extend(x.dims[axis : axis + rest])
            axis += rest
        elif item == NEW_AXIS:
            dims.append(1)
        elif isinstance(item, tuple):
            _, start, stop, step = item
            number = 1 if step is None else case.concrete(step, "step")
            case.require(STEP, number != 0)
            case.require(POSITIVE_STEP, backwards or number > 0, step=number)
            dims.append(sliced_size(x.dims[axis], start, stop, number))
            axis += 1
        else:
            size = x.dims[axis]
            case.require(INDEX_RANGE, all_of(item < size, item >= -size), index=item, axis=axis, size=size)
            axis += 1
    return x.with_shape(tuple(dims))


@define("torch", "getitem")
def torch_getitem(case: Case, x: TensorType, *, index: Any) -> TensorType:
    """``x[index]`` with numbers, slices, ``None`` and ``...``."""
    return subscripted(case, x, index if _is_list(index) else (index,), backwards=False)


@define("keras", "getitem")
def keras_getitem(case: Case, x: TensorType, *, index: Any) -> TensorType:
    """``x[index]`` of a Keras tensor."""
    return subscripted(case, x, index if _is_list(index) else (index,), backwards=True)


def _is_list(index: Any) -> bool:
    return isinstance(index, tuple) and not (len(index) == 4 and index[0] == SLICE)
