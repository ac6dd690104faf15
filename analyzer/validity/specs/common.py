"""What many families share: rules on ranks, axes and element types, broadcasting, tuples of hyperparameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analyzer.validity.spec import Case, Category, Rule, TensorType
from analyzer.validity.terms import Term, Truth, all_of, any_of, choose, equal, is_z3, maximum, product

RANK = Rule(
    "rank", Category.INCOMPATIBLE_SHAPE, "{operand} must have {expected} dimensions and has {rank} (shape {shape})"
)
AXIS = Rule(
    "axis-in-range", Category.IMPROPER_VALUE, "axis {axis} is out of range for a tensor of {rank} dimensions", ("axis",)
)
ELEMENT_TYPE = Rule(
    "element-type", Category.INCOMPATIBLE_ELEMENT_TYPE, "{operand} has elements of type {dtype}; expected {expected}"
)
SAME_ELEMENT_TYPE = Rule(
    "same-element-type", Category.INCOMPATIBLE_ELEMENT_TYPE, "{first} is {dtype_first} but {second} is {dtype_second}"
)
BROADCAST = Rule(
    "broadcast", Category.INCOMPATIBLE_SHAPE, "shapes {left} and {right} cannot be broadcast: {a} against {b}"
)
SAME_SHAPE = Rule("same-shape", Category.INCOMPATIBLE_SHAPE, "{first} is {left} but {second} is {right}")
SIZE = Rule("size", Category.INCOMPATIBLE_SHAPE, "{what} is {actual} but must be {expected}")
LENGTH = Rule("length", Category.ILLEGAL_VALUE, "`{name}` has {actual} entries; it needs {expected}")
CHOICE = Rule("choice", Category.ILLEGAL_VALUE, "`{name}` is {value!r}; it must be one of {choices}")
FORMAT = Rule("format", Category.UNSUPPORTED_FORMAT, "the input is {format} but the operator reads {expected}")
POSITIVE = Rule("positive", Category.ILLEGAL_VALUE, "`{name}` is {value}; it must be at least 1")
NOT_NEGATIVE = Rule("not-negative", Category.ILLEGAL_VALUE, "`{name}` is {value}; it must not be negative")
POSITIVE_DIMENSION = Rule(
    "positive-dimension", Category.ILLEGAL_SHAPE, "dimension {axis} of the input is {size}; it must be at least 1"
)

FLOATS = ("float16", "bfloat16", "float32", "float64")
COMPLEX = ("complex64", "complex128")
SIGNED = ("int8", "int16", "int32", "int64")
INTEGERS = (*SIGNED, "uint8", "uint16", "uint32", "uint64")
NUMERIC = (*FLOATS, *INTEGERS, *COMPLEX)
INDEX = ("int32", "int64")

AXIS_NAMES = {1: ("length",), 2: ("height", "width"), 3: ("depth", "height", "width")}


def need_rank(case: Case, tensor: TensorType, *ranks: int, operand: str = "the input") -> None:
    """The tensor must have one of the ranks."""
    expected = " or ".join(map(str, ranks))
    ok = tensor.rank in ranks
    case.require(RANK, ok, operand=operand, expected=expected, rank=tensor.rank, shape=tensor.dims)


def need_min_rank(case: Case, tensor: TensorType, rank: int, operand: str = "the input") -> None:
    expected = f"at least {rank}"
    case.require(RANK, tensor.rank >= rank, operand=operand, expected=expected, rank=tensor.rank, shape=tensor.dims)


def need_vector(case: Case, operand: TensorType | None, name: str) -> None:
    """An operand that lists sizes has one dimension, where its shape is known."""
    if operand is not None and operand.shape is not None:
        need_rank(case, operand, 1, operand=name)


def need_dtype(case: Case, tensor: TensorType, allowed: Sequence[str], operand: str = "the input") -> None:
    """The element type, where it is known, must be one of `allowed`."""
    ok = tensor.dtype is None or tensor.dtype in allowed
    case.require(ELEMENT_TYPE, ok, operand=operand, dtype=tensor.dtype, expected=" or ".join(allowed))


def same_dtype(case: Case, *tensors: tuple[str, TensorType]) -> str | None:
    """All known element types must agree; returns the type."""
    known = [(name, t) for name, t in tensors if t.dtype is not None]
    for name, tensor in known[1:]:
        first, head = known[0]
        ok = tensor.dtype == head.dtype
        case.require(SAME_ELEMENT_TYPE, ok, first=first, dtype_first=head.dtype, second=name, dtype_second=tensor.dtype)
    return known[0][1].dtype if known else None


def axis_index(case: Case, axis: Any, rank: int, name: str = "axis") -> int:
    """`axis` from 0, counted from the end when negative."""
    number = case.concrete(axis, name)
    case.require(AXIS, -rank <= number < rank, axis=number, rank=rank)
    return number % rank


def axis_indices(case: Case, axes: Any, rank: int) -> tuple[int, ...]:
    """Several distinct axes; a single number is one axis."""
    numbers = list(axes) if isinstance(axes, (tuple, list)) else [axes]
    found = tuple(axis_index(case, a, rank) for a in numbers)
    case.require(DISTINCT_AXES, len(set(found)) == len(found), axes=tuple(numbers))
    return found


DISTINCT_AXES = Rule("distinct-axes", Category.IMPROPER_VALUE, "the axes {axes} name a dimension twice", ("axis",))


def each(case: Case, value: Any, count: int, name: str) -> tuple[Term, ...]:
    """A hyperparameter given for all axes at once or for each axis."""
    if not isinstance(value, (tuple, list)):
        return (value,) * count
    if len(value) == 1:
        return (value[0],) * count
    case.require(LENGTH, len(value) == count, name=name, actual=len(value), expected=count)
    return tuple(value)


def need_choice(case: Case, value: Any, choices: Sequence[Any], name: str) -> None:
    case.require(CHOICE, value in choices, name=name, value=value, choices=", ".join(map(str, choices)))


def need_positive(case: Case, **values: Term) -> None:
    """Every named hyperparameter must be at least 1."""
    for name, value in values.items():
        case.require(POSITIVE, value >= 1, name=name, value=value)


def need_not_negative(case: Case, **values: Term) -> None:
    for name, value in values.items():
        case.require(NOT_NEGATIVE, value >= 0, name=name, value=value)


def all_positive(case: Case, tensor: TensorType, *, batch: int | None = None) -> None:
    """Every dimension must be at least 1, but for the axis `batch`: frameworks accept a batch of no examples."""
    for axis, size in enumerate(tensor.dims):
        if axis == batch:
            continue
        case.require(POSITIVE_DIMENSION, size >= 1, axis=axis, size=size)


def need_size(case: Case, actual: Term, expected: Term, what: str) -> None:
    case.require(SIZE, equal(actual, expected), what=what, actual=actual, expected=expected)


def broadcast(case: Case, *shapes: Sequence[Term]) -> tuple[Term, ...]:
    """NumPy broadcasting: dimensions align from the right and must be equal or 1."""
    result: tuple[Term, ...] = tuple(shapes[0])
    for shape in shapes[1:]:
        result = _broadcast_two(case, result, tuple(shape))
    return result


def _broadcast_two(case: Case, left: tuple[Term, ...], right: tuple[Term, ...]) -> tuple[Term, ...]:
    rank = max(len(left), len(right))
    padded_left = (1,) * (rank - len(left)) + left
    padded_right = (1,) * (rank - len(right)) + right
    dims = []
    for a, b in zip(padded_left, padded_right, strict=True):
        same = equal(a, b)
        ok = any_of(same, equal(a, 1), equal(b, 1))
        case.require(BROADCAST, ok, left=left, right=right, a=a, b=b)
        dims.append(broadcast_size(a, b, same))
    return tuple(dims)


def broadcast_size(a: Term, b: Term, same: Truth) -> Term:
    """The size of two dimensions that broadcast."""
    if same is True or (is_plain(b) and b == 1):
        return a
    if is_plain(a):
        return b if a == 1 else a  # a is the size unless b stretches it, which only 1 can
    if is_plain(b):
        return b
    return choose(equal(a, 1), b, a)


def is_plain(value: Any) -> bool:
    """Whether a term is an ordinary number."""
    return isinstance(value, int) and not is_z3(value)


def need_same_shape(case: Case, first: TensorType, second: TensorType, names: tuple[str, str]) -> None:
    """Both shapes must be equal without broadcasting."""
    facts = {"first": names[0], "left": first.dims, "second": names[1], "right": second.dims}
    case.require(SAME_SHAPE, first.rank == second.rank, **facts)
    case.require(SAME_SHAPE, all_of(*(equal(a, b) for a, b in zip(first.dims, second.dims, strict=True))), **facts)


def channels_last(case: Case, data_format: str | None, spatial: int) -> bool:
    """Whether a layout name (Keras or TensorFlow) puts the channels last."""
    last = ("channels_last", "NHWC", "NWC", "NDHWC", None)
    first = ("channels_first", "NCHW", "NCW", "NCDHW")
    need_choice(case, data_format, (*last, *first), "data_format")
    return data_format in last


def layout_name(spatial: int, last: bool) -> str:
    """``NHWC`` and its relatives."""
    axes = {1: "W", 2: "HW", 3: "DHW"}[spatial]
    return f"N{axes}C" if last else f"NC{axes}"


def need_layout(case: Case, tensor: TensorType, expected: str) -> None:
    """A layout that someone stated must be the one the operator reads."""
    case.require(FORMAT, tensor.format in (None, expected), format=tensor.format, expected=expected)


def size_of(shape: Sequence[Term]) -> Term:
    """The number of elements."""
    return product(shape)


def replaced(shape: Sequence[Term], axis: int, size: Term) -> tuple[Term, ...]:
    return (*shape[:axis], size, *shape[axis + 1 :])


def largest(values: Sequence[Term]) -> Term:
    result = values[0]
    for value in values[1:]:
        result = maximum(result, value)
    return result


def target_of(shape: TensorType) -> tuple[Term, ...] | None:
    """The elements of a shape operand, when they are known."""
    return shape.value if isinstance(shape.value, tuple) else None
