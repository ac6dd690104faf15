"""ONNX sequences: how many tensors one holds and of what types, as far as that is known."""

from __future__ import annotations

from typing import Any

from analyzer.validity.spec import Case, Category, Rule, TensorType, define
from analyzer.validity.specs.common import axis_index, need_positive, replaced
from analyzer.validity.specs.element_types import onnx_dtype
from analyzer.validity.specs.joining import concatenated, stacked
from analyzer.validity.specs.splitting import parted

MAX_ELEMENTS = 256  # longer sequences are not followed
POSITION = Rule(
    "sequence-position",
    Category.IMPROPER_VALUE,
    "position {position} is out of range; the sequence has {count} tensors",
)


def sequence(dtype: str | None, elements: tuple[TensorType, ...] | None) -> TensorType:
    """The type of a sequence; `elements` None: nobody knows how many there are."""
    return TensorType(None, dtype, elements=elements)


def _position(case: Case, tensor: TensorType | None, count: int, *, end: bool = False) -> int | None:
    """A known position within a sequence of `count` tensors, from its start; `end` may also be the place behind."""
    number = tensor.value if tensor is not None else None
    if isinstance(number, tuple) and len(number) == 1:
        number = number[0]
    if not isinstance(number, int):
        return None
    last = count if end else count - 1
    case.require(POSITION, -count <= number <= last, position=number, count=count)
    return number + count if number < 0 else number


@define("onnx", "SequenceConstruct")
def onnx_sequence_construct(case: Case, *tensors: TensorType) -> TensorType:
    """ONNX SequenceConstruct."""
    return sequence(tensors[0].dtype if tensors else None, tensors)


@define("onnx", "SequenceEmpty")
def onnx_sequence_empty(case: Case, *, dtype: Any = 1) -> TensorType:
    """ONNX SequenceEmpty."""
    return sequence(onnx_dtype(dtype), ())


@define("onnx", "SplitToSequence")
def onnx_split_to_sequence(
    case: Case, x: TensorType, split: TensorType | None = None, *, axis: int = 0, keepdims: int = 1
) -> TensorType:
    """ONNX SplitToSequence: parts of one, of a number, or of a list of sizes."""
    place = axis_index(case, axis, x.rank)
    size = x.dims[place]
    stated = split.value if split is not None else 1
    if isinstance(stated, tuple):
        return sequence(x.dtype, parted(case, x, place, stated) if len(stated) <= MAX_ELEMENTS else None)
    if not isinstance(stated, int) or not isinstance(size, int):
        return sequence(x.dtype, None)
    need_positive(case, split=stated)
    if size > MAX_ELEMENTS * stated:
        return sequence(x.dtype, None)
    if split is None and not keepdims:
        one = x.with_shape((*x.dims[:place], *x.dims[place + 1 :]))
        return sequence(x.dtype, (one,) * size)
    lengths = [min(stated, size - start) for start in range(0, size, stated)]
    return sequence(x.dtype, tuple(x.with_shape(replaced(x.dims, place, n)) for n in lengths))


@define("onnx", "SequenceAt")
def onnx_sequence_at(case: Case, tensors: TensorType, position: TensorType) -> TensorType:
    """ONNX SequenceAt."""
    if tensors.elements is None:
        return TensorType(None, tensors.dtype)
    place = _position(case, position, len(tensors.elements))
    if place is not None:
        return tensors.elements[place]
    same = len(set(tensors.elements)) == 1
    return tensors.elements[0] if same else TensorType(None, tensors.dtype)


@define("onnx", "SequenceLength")
def onnx_sequence_length(case: Case, tensors: TensorType) -> TensorType:
    """ONNX SequenceLength."""
    return TensorType((), "int64", value=None if tensors.elements is None else len(tensors.elements))


@define("onnx", "SequenceInsert")
def onnx_sequence_insert(
    case: Case, tensors: TensorType, tensor: TensorType, position: TensorType | None = None
) -> TensorType:
    """ONNX SequenceInsert: at a position, else behind the last."""
    if tensors.elements is None:
        return tensors
    count = len(tensors.elements)
    place = count if position is None else _position(case, position, count, end=True)
    if place is None:
        return sequence(tensors.dtype or tensor.dtype, None)
    elements = (*tensors.elements[:place], tensor, *tensors.elements[place:])
    return sequence(tensors.dtype or tensor.dtype, elements)


@define("onnx", "SequenceErase")
def onnx_sequence_erase(case: Case, tensors: TensorType, position: TensorType | None = None) -> TensorType:
    """ONNX SequenceErase: at a position, else the last."""
    if tensors.elements is None:
        return tensors
    count = len(tensors.elements)
    case.require(POSITION, count > 0, position=-1, count=count)
    place = count - 1 if position is None else _position(case, position, count)
    if place is None:
        return sequence(tensors.dtype, None)
    return sequence(tensors.dtype, (*tensors.elements[:place], *tensors.elements[place + 1 :]))


@define("onnx", "ConcatFromSequence")
def onnx_concat_from_sequence(case: Case, tensors: TensorType, *, axis: int, new_axis: int = 0) -> TensorType:
    """ONNX ConcatFromSequence: along an axis, or a new one."""
    if not tensors.elements or any(t.shape is None for t in tensors.elements):
        return TensorType(None, tensors.dtype)
    if new_axis:
        return stacked(case, tensors.elements, axis, "axis")
    return concatenated(case, tensors.elements, axis)
