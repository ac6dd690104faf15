"""Operators that join, cut and pick: concat, stack, split, slice, gather, scatter, one-hot, top-k."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analyzer.validity.spec import Case, Category, Rule, TensorType, define
from analyzer.validity.specs.common import (
    AXIS,
    INDEX,
    LENGTH,
    RANK,
    axis_index,
    axis_indices,
    broadcast,
    is_plain,
    need_dtype,
    need_min_rank,
    need_not_negative,
    need_positive,
    need_rank,
    need_same_shape,
    need_size,
    replaced,
    same_dtype,
)
from analyzer.validity.specs.elementwise import promoted
from analyzer.validity.specs.shaping import target_of
from analyzer.validity.terms import (
    Term,
    all_of,
    any_of,
    ceil_div,
    choose,
    equal,
    floor_div,
    maximum,
    minimum,
    mod,
    total,
)

CONCAT_RANK = Rule(
    "concat-rank",
    Category.INCOMPATIBLE_SHAPE,
    "operand {index} has {rank} dimensions ({shape}) but operand 0 has {first}",
)
CONCAT_SIZE = Rule(
    "concat-size",
    Category.INCOMPATIBLE_SHAPE,
    "dimension {axis} of operand {index} is {size} but of operand 0 it is {expected}; only axis {joined} may differ",
    ("axis",),
)
CONCAT_LAYOUT = Rule(
    "concat-format", Category.UNSUPPORTED_FORMAT, "operand {index} is {format} but operand 0 is {first}"
)
NOTHING = Rule("operands", Category.INCOMPATIBLE_SHAPE, "there is nothing to join")
SPLIT_SUM = Rule(
    "split-sum", Category.INCOMPATIBLE_SHAPE, "the parts {parts} do not add up to the {size} of axis {axis}", ("split",)
)
SPLIT_EQUAL = Rule(
    "split-equal",
    Category.INCOMPATIBLE_SHAPE,
    "axis {axis} of size {size} cannot be cut into {count} equal parts",
    ("split",),
)
INDEX_RANGE = Rule(
    "index-in-range", Category.IMPROPER_VALUE, "index {index} is out of range for axis {axis} of size {size}"
)
GATHER_RANK = Rule("gather-rank", Category.INCOMPATIBLE_SHAPE, "the index has {index} dimensions but the input {rank}")
GATHER_SIZE = Rule(
    "gather-size", Category.INCOMPATIBLE_SHAPE, "the index reads {index} rows of axis {axis}, which has {size}"
)
GATHER_DEPTH = Rule(
    "gather-depth",
    Category.INCOMPATIBLE_SHAPE,
    "the index tuples have {depth} entries for an input of {rank} dimensions",
)
UPDATES = Rule("updates", Category.INCOMPATIBLE_SHAPE, "the updates are {updates}; the indices need {expected}")
TOP_K = Rule("top-k", Category.IMPROPER_VALUE, "k = {k} is larger than the {size} elements of axis {axis}", ("k",))
STEP = Rule("step", Category.ILLEGAL_VALUE, "the step is 0", ("steps",))
BATCH_DIMS = Rule(
    "batch-dims", Category.IMPROPER_VALUE, "`batch_dims` {count} does not fit {rank} dimensions", ("batch_dims",)
)


def concatenated(
    case: Case, tensors: Sequence[TensorType], axis: Any, *, promote: bool = False, name: str = "axis"
) -> TensorType:
    """Join along `axis`; all other sizes must agree."""
    case.require(NOTHING, len(tensors) > 0)
    first = tensors[0]
    rank = first.rank
    place = axis_index(case, axis, rank, name)
    if not promote:
        same_dtype(case, *((f"operand {i}", t) for i, t in enumerate(tensors)))
    dtype = first.dtype
    for index, tensor in enumerate(tensors[1:], 1):
        case.require(CONCAT_RANK, tensor.rank == rank, index=index, rank=tensor.rank, shape=tensor.dims, first=rank)
        ok = tensor.format in (None, first.format) or first.format is None
        case.require(CONCAT_LAYOUT, ok, index=index, format=tensor.format, first=first.format)
        dtype = promoted(dtype, tensor.dtype) if promote else dtype or tensor.dtype
        for i, (a, b) in enumerate(zip(first.dims, tensor.dims, strict=True)):
            if i != place:
                case.require(CONCAT_SIZE, equal(a, b), axis=i, index=index, size=b, expected=a, joined=place)
    joined = first.with_shape(replaced(first.dims, place, total(t.dims[place] for t in tensors)), dtype)
    values = [t.value for t in tensors]
    if rank == 1 and all(isinstance(v, tuple) for v in values):
        return TensorType(joined.shape, dtype, value=tuple(x for v in values for x in v))
    return joined


@define("onnx", "Concat")
def onnx_concat(case: Case, *tensors: TensorType, axis: int = 1) -> TensorType:
    """ONNX Concat."""
    return concatenated(case, tensors, axis)


@define("torch", "cat", "concat", "concatenate")
def torch_cat(case: Case, *tensors: TensorType, dim: Any = 0) -> TensorType:
    """``torch.cat``: element types are promoted; an empty vector joins anything."""
    real = [t for t in tensors if not (t.rank == 1 and is_plain(t.dims[0]) and t.dims[0] == 0)]
    return concatenated(case, real or tensors, dim, promote=True, name="dim")


@define("keras", "Concatenate")
def keras_concatenate(case: Case, *tensors: TensorType, axis: Any = -1) -> TensorType:
    """``keras.layers.Concatenate``: element types are promoted."""
    case.require(NOTHING, len(tensors) >= 1)
    return concatenated(case, tensors, axis, promote=True)


@define("tf", "ConcatV2")
def tf_concat(case: Case, *operands: TensorType, **_others: Any) -> TensorType:
    """GraphDef ConcatV2: the last operand is the axis."""
    *tensors, axis = operands
    value = axis.value[0] if isinstance(axis.value, tuple) else axis.value
    if value is None:
        return TensorType(None, tensors[0].dtype)
    if all(t.rank == 0 for t in tensors):
        case.require(AXIS, False, axis=value, rank=0)
    return concatenated(case, tensors, value)


def stacked(case: Case, tensors: Sequence[TensorType], axis: Any, name: str) -> TensorType:
    """Join along a new axis; all shapes must agree."""
    case.require(NOTHING, len(tensors) > 0)
    for index, tensor in enumerate(tensors[1:], 1):
        need_same_shape(case, tensors[0], tensor, ("operand 0", f"operand {index}"))
    place = axis_index(case, axis, tensors[0].rank + 1, name)
    dims = tensors[0].dims
    values = tuple(t.value for t in tensors)
    value = values if not dims and all(v is not None and not isinstance(v, tuple) for v in values) else None
    return TensorType((*dims[:place], len(tensors), *dims[place:]), tensors[0].dtype, value=value)


@define("torch", "stack")
def torch_stack(case: Case, *tensors: TensorType, dim: Any = 0) -> TensorType:
    """``torch.stack``."""
    return stacked(case, tensors, dim, "dim")


@define("tf", "Pack")
def tf_pack(case: Case, *tensors: TensorType, axis: int = 0, **_others: Any) -> TensorType:
    """GraphDef Pack (``tf.stack``)."""
    same_dtype(case, *((f"operand {i}", t) for i, t in enumerate(tensors)))
    return stacked(case, tensors, axis, "axis")


# ------------------------------------------------------------------------------------------- split and slice


def parted(case: Case, x: TensorType, axis: int, parts: Sequence[Term]) -> tuple[TensorType, ...]:
    """Cut an axis into parts of given sizes, which must add up."""
    for part in parts:
        need_not_negative(case, part=part)
    size = x.dims[axis]
    case.require(SPLIT_SUM, equal(total(parts), size), parts=tuple(parts), size=size, axis=axis)
    return tuple(x.with_shape(replaced(x.dims, axis, part)) for part in parts)


def halved(case: Case, x: TensorType, axis: int, count: int) -> tuple[TensorType, ...]:
    """Cut an axis into `count` equal parts."""
    need_positive(case, parts=count)
    size = x.dims[axis]
    case.require(SPLIT_EQUAL, equal(mod(size, count), 0), axis=axis, size=size, count=count)
    return tuple(x.with_shape(replaced(x.dims, axis, floor_div(size, count))) for _ in range(count))


@define("onnx", "Split")
def onnx_split(
    case: Case,
    x: TensorType,
    split: TensorType | None = None,
    /,
    *,
    axis: int = 0,
    num_outputs: int | None = None,
    outputs: int | None = None,
    **old: Any,
) -> tuple[TensorType, ...]:
    """ONNX Split; `outputs` is the number of outputs that the node has."""
    place = axis_index(case, axis, x.rank)
    stated = old.get("split") if split is None else target_of(split)
    if stated is not None:
        if outputs is not None:
            case.require(LENGTH, len(stated) == outputs, name="split", actual=len(stated), expected=outputs)
        return parted(case, x, place, tuple(stated))
    if num_outputs is not None:
        need_positive(case, num_outputs=num_outputs)
    count = num_outputs or outputs
    if split is not None or count is None:
        return tuple(x.with_shape(replaced(x.dims, place, case.fresh("part"))) for _ in range(outputs or 0))
    if not case.at_least(18):
        return halved(case, x, place, count)
    size = x.dims[place]
    chunk = ceil_div(size, count)
    last = size - chunk * (count - 1)
    case.require(SPLIT_EQUAL, last >= 0, axis=place, size=size, count=count)
    return tuple(x.with_shape(replaced(x.dims, place, chunk if i < count - 1 else last)) for i in range(count))


@define("torch", "split")
def torch_split(case: Case, x: TensorType, *, split_size_or_sections: Any, dim: Any = 0) -> tuple[TensorType, ...]:
    """``torch.split`` by sections or by size."""
    axis = axis_index(case, dim, x.rank, "dim")
    if isinstance(split_size_or_sections, (tuple, list)):
        return parted(case, x, axis, split_size_or_sections)
    need_positive(case, split_size=split_size_or_sections)
    size, step = case.concrete(x.dims[axis]), case.concrete(split_size_or_sections)
    return tuple(x.with_shape(replaced(x.dims, axis, min(step, size - i))) for i in range(0, size, step)) or (x,)


@define("torch", "chunk")
def torch_chunk(case: Case, x: TensorType, *, chunks: Any, dim: Any = 0) -> tuple[TensorType, ...]:
    """``torch.chunk``: the last part may be smaller, and there may be fewer."""
    need_positive(case, chunks=chunks)
    axis = axis_index(case, dim, x.rank, "dim")
    if equal(mod(x.dims[axis], chunks), 0) is True:
        return halved(case, x, axis, case.concrete(chunks))
    step = ceil_div(case.concrete(x.dims[axis]), case.concrete(chunks))
    parts: tuple[TensorType, ...] = torch_split(case, x, split_size_or_sections=max(1, step), dim=dim)
    return parts


@define("torch", "unbind")
def torch_unbind(case: Case, x: TensorType, *, dim: Any = 0) -> tuple[TensorType, ...]:
    """``torch.unbind``."""
    axis = axis_index(case, dim, x.rank, "dim")
    return (x.with_shape((*x.dims[:axis], *x.dims[axis + 1 :])),) * case.concrete(x.dims[axis])


@define("tf", "Split")
def tf_split(case: Case, axis: TensorType, x: TensorType, *, num_split: int, **_others: Any) -> tuple[TensorType, ...]:
    """GraphDef Split: equal parts."""
    value = axis.value[0] if isinstance(axis.value, tuple) else axis.value
    if value is None:
        return (TensorType(None, x.dtype),) * num_split
    return halved(case, x, axis_index(case, value, x.rank), num_split)


@define("tf", "SplitV")
def tf_split_v(
    case: Case, x: TensorType, sizes: TensorType, axis: TensorType, *, num_split: int, **_others: Any
) -> tuple[TensorType, ...]:
    """GraphDef SplitV: given sizes, one of which may be −1."""
    parts, value = target_of(sizes), axis.value[0] if isinstance(axis.value, tuple) else axis.value
    if parts is None or value is None:
        return (TensorType(None, x.dtype),) * num_split
    place = axis_index(case, value, x.rank)
    open_parts = [i for i, p in enumerate(parts) if is_plain(p) and p == -1]
    if open_parts:
        rest = total(p for i, p in enumerate(parts) if i != open_parts[0])
        parts = tuple(x.dims[place] - rest if i == open_parts[0] else p for i, p in enumerate(parts))
    return parted(case, x, place, parts)


@define("tf", "Unpack")
def tf_unpack(case: Case, x: TensorType, *, num: int, axis: int = 0, **_others: Any) -> tuple[TensorType, ...]:
    """GraphDef Unpack (``tf.unstack``)."""
    place = axis_index(case, axis, x.rank)
    case.require(SPLIT_EQUAL, equal(x.dims[place], num), axis=place, size=x.dims[place], count=num)
    return (TensorType((*x.dims[:place], *x.dims[place + 1 :]), x.dtype),) * num


def sliced_size(size: Term, start: Any, end: Any, step: int) -> Term:
    """The length of ``range(size)[start:end:step]`` with Python's clamping; None for an open end."""
    low: Any
    high: Any
    if step > 0:
        low = 0 if start is None else _clamped(start, size, 0, size)
        high = size if end is None else _clamped(end, size, 0, size)
        return maximum(ceil_div(high - low, step), 0) if step > 1 else maximum(high - low, 0)
    low = size - 1 if start is None else _clamped(start, size, -1, size - 1)
    high = -1 if end is None else _clamped(end, size, -1, size - 1)
    return maximum(ceil_div(low - high, -step), 0)


def _clamped(index: Any, size: Term, low: Term, high: Term) -> Term:
    positive = choose(index < 0, index + size, index) if not is_plain(index) else index + size if index < 0 else index
    return minimum(maximum(positive, low), high)


@define("onnx", "Slice")
def onnx_slice(
    case: Case,
    x: TensorType,
    starts: TensorType | None = None,
    ends: TensorType | None = None,
    axes: TensorType | None = None,
    steps: TensorType | None = None,
    /,
    **old: Any,
) -> TensorType:
    """ONNX Slice: operands since opset 10, attributes before."""
    begin, stop = (
        (tuple(old["starts"]), tuple(old["ends"])) if starts is None else (target_of(starts), target_of(ends or starts))
    )
    places = old.get("axes") if starts is None else (None if axes is None else target_of(axes))
    strides = None if steps is None else target_of(steps)
    if (
        begin is None
        or stop is None
        or (axes is not None and places is None)
        or (steps is not None and strides is None)
    ):
        return TensorType(tuple(case.fresh("size") for _ in x.dims), x.dtype)
    chosen = axis_indices(case, tuple(places) if places is not None else tuple(range(len(begin))), x.rank)
    ok = len(begin) == len(stop) == len(chosen) and (strides is None or len(strides) == len(chosen))
    case.require(
        LENGTH, ok, name="starts, ends, axes and steps", actual="different numbers of", expected="the same number"
    )
    dims = list(x.dims)
    for index, axis in enumerate(chosen):
        step = 1 if strides is None else case.concrete(strides[index], "steps")
        case.require(STEP, step != 0)
        dims[axis] = sliced_size(dims[axis], begin[index], stop[index], step)
    value = None
    if isinstance(x.value, tuple) and len(chosen) == 1 and is_plain(begin[0]) and is_plain(stop[0]):
        value = x.value[
            slice(
                begin[0], stop[0] if abs(stop[0]) < 2**31 else None, 1 if strides is None else case.concrete(strides[0])
            )
        ]
        dims = [len(value)]
    return TensorType(tuple(dims), x.dtype, value=value)


@define("torch", "narrow")
def torch_narrow(case: Case, x: TensorType, *, dim: Any, start: Term, length: Term) -> TensorType:
    """``torch.narrow``."""
    axis = axis_index(case, dim, x.rank, "dim")
    need_not_negative(case, length=length)
    size = x.dims[axis]
    case.require(
        INDEX_RANGE, all_of(start >= -size, start + length <= size), index=start + length, axis=axis, size=size
    )
    return x.with_shape(replaced(x.dims, axis, length))


@define("tf", "Slice")
def tf_slice(case: Case, x: TensorType, begin: TensorType, size: TensorType, **_others: Any) -> TensorType:
    """GraphDef Slice: begins and sizes, −1 for the rest."""
    starts, sizes = target_of(begin), target_of(size)
    if starts is None or sizes is None:
        return TensorType(tuple(case.fresh("size") for _ in x.dims), x.dtype)
    ok = len(starts) == len(sizes) == x.rank
    case.require(LENGTH, ok, name="begin", actual=len(starts), expected=x.rank)
    dims: list[Term] = []
    for axis, (n, start, length) in enumerate(zip(x.dims, starts, sizes, strict=True)):
        wanted = n - start if is_plain(length) and length == -1 else length
        inside = all_of(start >= 0, wanted >= 0, start + wanted <= n)
        case.require(INDEX_RANGE, inside, index=start + wanted, axis=axis, size=n)
        dims.append(wanted)
    return TensorType(tuple(dims), x.dtype)


@define("tf", "StridedSlice")
def tf_strided_slice(
    case: Case,
    x: TensorType,
    begin: TensorType,
    end: TensorType,
    strides: TensorType,
    *,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    **_others: Any,
) -> TensorType:
    """GraphDef StridedSlice: Python indexing with masks."""
    starts, ends, steps = target_of(begin), target_of(end), target_of(strides)
    if starts is None or ends is None or steps is None:
        return TensorType(None, x.dtype)
    dims: list[Term] = []
    value: Any = x.value
    axis = 0
    explicit = sum(1 for i in range(len(starts)) if not (new_axis_mask | ellipsis_mask) >> i & 1)
    ok = explicit <= x.rank
    case.require(RANK, ok, operand="the input", expected=f"at least {explicit}", rank=x.rank, shape=x.dims)
    for i, (start, stop, stride) in enumerate(zip(starts, ends, steps, strict=True)):
        if ellipsis_mask >> i & 1:
            skipped = x.rank - explicit
            dims.extend(x.dims[axis : axis + skipped])
            axis += skipped
        elif new_axis_mask >> i & 1:
            dims.append(1)
            value = None
        elif shrink_axis_mask >> i & 1:
            n = x.dims[axis]
            case.require(INDEX_RANGE, all_of(start < n, start >= -n), index=start, axis=axis, size=n)
            value = value[start] if isinstance(value, tuple) and is_plain(start) else None
            axis += 1
        else:
            step = case.concrete(stride)
            case.require(STEP, step != 0)
            low = None if begin_mask >> i & 1 else start
            high = None if end_mask >> i & 1 else stop
            dims.append(sliced_size(x.dims[axis], low, high, step))
            plain = all(v is None or is_plain(v) for v in (low, high))
            value = value[low:high:step] if isinstance(value, tuple) and plain else None
            axis += 1
    return TensorType((*dims, *x.dims[axis:]), x.dtype, value=value)


# ------------------------------------------------------------------------------------------ gather and scatter


@define("onnx", "Gather")
def onnx_gather(case: Case, x: TensorType, indices: TensorType, *, axis: int = 0) -> TensorType:
    """ONNX Gather: the indices' shape replaces one axis."""
    need_dtype(case, indices, INDEX, "the indices")
    return gathered(case, x, indices, axis)


def gathered(case: Case, x: TensorType, indices: TensorType, axis: Any) -> TensorType:
    """Pick along one axis, checking indices that are known."""
    need_min_rank(case, x, 1)
    place = axis_index(case, axis, x.rank)
    size = x.dims[place]
    known = indices.value if isinstance(indices.value, tuple) else (indices.value,) if indices.value is not None else ()
    for index in known:
        case.require(INDEX_RANGE, all_of(index < size, index >= -size), index=index, axis=place, size=size)
    value: Any = None
    if isinstance(x.value, tuple) and known and all(is_plain(i) for i in known):
        picked = tuple(x.value[i] for i in known)
        value = picked if isinstance(indices.value, tuple) else picked[0]
    return TensorType((*x.dims[:place], *indices.dims, *x.dims[place + 1 :]), x.dtype, value=value)


@define("onnx", "GatherElements")
def onnx_gather_elements(case: Case, x: TensorType, indices: TensorType, *, axis: int = 0) -> TensorType:
    """ONNX GatherElements."""
    need_dtype(case, indices, INDEX, "the indices")
    return along(case, x, indices, axis)


def along(case: Case, x: TensorType, indices: TensorType, axis: Any) -> TensorType:
    """Pick by an index of the same rank, which may not be larger than the input except along the axis."""
    need_min_rank(case, x, 1)
    case.require(GATHER_RANK, indices.rank == x.rank, index=indices.rank, rank=x.rank)
    place = axis_index(case, axis, x.rank)
    for i, (a, b) in enumerate(zip(indices.dims, x.dims, strict=True)):
        if i != place:
            case.require(GATHER_SIZE, a <= b, index=a, axis=i, size=b)
    return TensorType(indices.dims, x.dtype)


@define("torch", "gather", "take_along_dim")
def torch_gather(case: Case, x: TensorType, index: TensorType, *, dim: Any) -> TensorType:
    """``torch.gather``."""
    need_dtype(case, index, INDEX, "the index")
    place = axis_index(case, dim, max(1, x.rank), "dim")
    case.require(GATHER_RANK, max(1, index.rank) == max(1, x.rank), index=index.rank, rank=x.rank)
    for i, (a, b) in enumerate(zip(index.dims, x.dims, strict=False)):
        if i != place:
            case.require(GATHER_SIZE, any_of(a <= b, _empty(index)), index=a, axis=i, size=b)
    return TensorType(index.dims, x.dtype)


def _empty(tensor: TensorType) -> Any:
    return any_of(*(equal(d, 0) for d in tensor.dims))


@define("torch", "index_select")
def torch_index_select(case: Case, x: TensorType, index: TensorType, *, dim: Any) -> TensorType:
    """``torch.index_select``: a vector of indices."""
    need_dtype(case, index, INDEX, "the index")
    need_rank(case, index, 0, 1, operand="the index")
    axis = axis_index(case, dim, max(1, x.rank), "dim")
    count = index.dims[0] if index.dims else 1
    return x.with_shape(replaced(x.dims, axis, count) if x.dims else ())


@define("torch", "select")
def torch_select(case: Case, x: TensorType, *, dim: Any, index: Term) -> TensorType:
    """``Tensor.select``: one index removes an axis."""
    need_min_rank(case, x, 1)
    axis = axis_index(case, dim, x.rank, "dim")
    size = x.dims[axis]
    case.require(INDEX_RANGE, all_of(index < size, index >= -size), index=index, axis=axis, size=size)
    return TensorType((*x.dims[:axis], *x.dims[axis + 1 :]), x.dtype)


@define("torch", "scatter", "scatter_add")
def torch_scatter(
    case: Case, x: TensorType, index: TensorType, source: TensorType | None = None, *, dim: Any, **_others: Any
) -> TensorType:
    """``Tensor.scatter``: the index fits the source, and the input except along the dimension."""
    need_dtype(case, index, INDEX, "the index")
    place = axis_index(case, dim, max(1, x.rank), "dim")
    case.require(GATHER_RANK, max(1, index.rank) == max(1, x.rank), index=index.rank, rank=x.rank)
    for i, (a, b) in enumerate(zip(index.dims, x.dims, strict=False)):
        if i != place:
            case.require(GATHER_SIZE, any_of(a <= b, _empty(index)), index=a, axis=i, size=b)
    if source is not None:
        case.require(GATHER_RANK, max(1, index.rank) == max(1, source.rank), index=index.rank, rank=source.rank)
        for i, (a, b) in enumerate(zip(index.dims, source.dims, strict=False)):
            case.require(GATHER_SIZE, any_of(a <= b, _empty(index)), index=a, axis=i, size=b)
    return x


@define("tf", "GatherV2", "Gather")
def tf_gather(
    case: Case,
    x: TensorType,
    indices: TensorType,
    axis: TensorType | None = None,
    *,
    batch_dims: int = 0,
    **_others: Any,
) -> TensorType:
    """GraphDef GatherV2."""
    need_dtype(case, indices, (*INDEX, "int16"), "the indices")
    value = 0 if axis is None else axis.value[0] if isinstance(axis.value, tuple) else axis.value
    if value is None:
        return TensorType(None, x.dtype)
    if not batch_dims:
        return gathered(case, x, indices, value)
    count = batch_dims % max(1, indices.rank + 1) if batch_dims < 0 else batch_dims
    place = axis_index(case, value, x.rank)
    ok = 0 <= count <= min(indices.rank, place)
    case.require(BATCH_DIMS, ok, count=batch_dims, rank=indices.rank)
    for i in range(count):
        case.require(GATHER_SIZE, equal(x.dims[i], indices.dims[i]), index=indices.dims[i], axis=i, size=x.dims[i])
    return TensorType((*x.dims[:place], *indices.dims[count:], *x.dims[place + 1 :]), x.dtype)


def gathered_nd(case: Case, x: TensorType, indices: TensorType, batch: int) -> TensorType:
    need_min_rank(case, indices, 1, "the indices")
    case.require(BATCH_DIMS, 0 <= batch < min(x.rank, indices.rank) or batch == 0, count=batch, rank=x.rank)
    for i in range(batch):
        case.require(GATHER_SIZE, equal(x.dims[i], indices.dims[i]), index=indices.dims[i], axis=i, size=x.dims[i])
    if not is_plain(indices.dims[-1]):
        case.require(GATHER_DEPTH, indices.dims[-1] <= x.rank - batch, depth=indices.dims[-1], rank=x.rank - batch)
        return TensorType(None, x.dtype)
    depth = int(indices.dims[-1])
    case.require(GATHER_DEPTH, depth <= x.rank - batch, depth=depth, rank=x.rank - batch)
    return TensorType((*indices.dims[:-1], *x.dims[batch + depth :]), x.dtype)


@define("onnx", "GatherND")
def onnx_gather_nd(case: Case, x: TensorType, indices: TensorType, *, batch_dims: int = 0) -> TensorType:
    """ONNX GatherND."""
    need_dtype(case, indices, ("int64",), "the indices")
    need_min_rank(case, x, 1)
    return gathered_nd(case, x, indices, batch_dims)


@define("tf", "GatherNd")
def tf_gather_nd(case: Case, x: TensorType, indices: TensorType, **_others: Any) -> TensorType:
    """GraphDef GatherNd."""
    need_dtype(case, indices, (*INDEX, "int16"), "the indices")
    return gathered_nd(case, x, indices, 0)


@define("onnx", "ScatterElements", "Scatter")
def onnx_scatter_elements(
    case: Case, x: TensorType, indices: TensorType, updates: TensorType, *, axis: int = 0, reduction: str = "none"
) -> TensorType:
    """ONNX ScatterElements: indices and updates of one shape."""
    need_dtype(case, indices, INDEX, "the indices")
    same_dtype(case, ("the input", x), ("the updates", updates))
    need_min_rank(case, x, 1)
    case.require(GATHER_RANK, indices.rank == x.rank, index=indices.rank, rank=x.rank)
    axis_index(case, axis, x.rank)
    case.require(UPDATES, indices.rank == updates.rank, updates=updates.dims, expected=indices.dims)
    same = all_of(*(equal(a, b) for a, b in zip(indices.dims, updates.dims, strict=True)))
    case.require(UPDATES, same, updates=updates.dims, expected=indices.dims)
    return x


@define("onnx", "ScatterND")
def onnx_scatter_nd(
    case: Case, x: TensorType, indices: TensorType, updates: TensorType, *, reduction: str = "none"
) -> TensorType:
    """ONNX ScatterND."""
    need_dtype(case, indices, ("int64",), "the indices")
    same_dtype(case, ("the input", x), ("the updates", updates))
    need_min_rank(case, x, 1)
    need_min_rank(case, indices, 1, "the indices")
    depth = indices.dims[-1]
    case.require(GATHER_DEPTH, depth <= x.rank, depth=depth, rank=x.rank)
    if is_plain(depth):
        expected = (*indices.dims[:-1], *x.dims[depth:])
        case.require(UPDATES, updates.rank == len(expected), updates=updates.dims, expected=expected)
        same = all_of(*(equal(a, b) for a, b in zip(expected, updates.dims, strict=True)))
        case.require(UPDATES, same, updates=updates.dims, expected=expected)
    return x


@define("onnx", "TensorScatter")
def onnx_tensor_scatter(
    case: Case,
    past: TensorType,
    update: TensorType,
    indices: TensorType | None = None,
    *,
    axis: int = -2,
    mode: str = "linear",
) -> TensorType:
    """ONNX TensorScatter: an update of a cache along a sequence axis."""
    same_dtype(case, ("the cache", past), ("the update", update))
    need_rank(case, update, past.rank, operand="the update")
    if indices is not None and indices.shape is not None:
        need_rank(case, indices, 1, operand="the write indices")
        need_size(case, indices.dims[0], past.dims[0], "the number of write indices")
    place = axis_index(case, axis, past.rank)
    for i, (a, b) in enumerate(zip(past.dims, update.dims, strict=True)):
        case.require(GATHER_SIZE, b <= a if i == place else equal(a, b), index=b, axis=i, size=a)
    return past


@define("onnx", "Compress")
def onnx_compress(case: Case, x: TensorType, condition: TensorType, *, axis: int | None = None) -> TensorType:
    """ONNX Compress: picks where a vector of booleans holds."""
    need_rank(case, condition, 1, operand="the condition")
    need_dtype(case, condition, ("bool",), "the condition")
    if axis is None:
        return TensorType((case.fresh("kept"),), x.dtype)
    place = axis_index(case, axis, x.rank)
    return TensorType(replaced(x.dims, place, case.fresh("kept")), x.dtype)


@define("onnx", "OneHot")
def onnx_one_hot(
    case: Case, indices: TensorType, depth: TensorType, values: TensorType, *, axis: int = -1
) -> TensorType:
    """ONNX OneHot: a new axis of `depth`."""
    if depth.shape is not None:
        ok = depth.rank == 0 or depth.dims == (1,)
        case.require(RANK, ok, operand="the depth", expected="0 or 1 element", rank=depth.rank, shape=depth.dims)
    if values.shape is not None:
        need_rank(case, values, 1, operand="the values")
        case.require(LENGTH, equal(values.dims[0], 2), name="values", actual=values.dims[0], expected=2)
    place = axis_index(case, axis, indices.rank + 1)
    count = depth.value[0] if isinstance(depth.value, tuple) else depth.value
    size = case.fresh("depth") if count is None else count
    return TensorType((*indices.dims[:place], size, *indices.dims[place:]), values.dtype)


@define("tf", "OneHot")
def tf_one_hot(
    case: Case,
    indices: TensorType,
    depth: TensorType,
    on: TensorType,
    off: TensorType,
    *,
    axis: int = -1,
    **_others: Any,
) -> TensorType:
    """GraphDef OneHot."""
    same_dtype(case, ("the on value", on), ("the off value", off))
    place = axis_index(case, axis, indices.rank + 1)
    count = depth.value[0] if isinstance(depth.value, tuple) else depth.value
    size = case.fresh("depth") if count is None else count
    case.require(NON_NEGATIVE_DEPTH, size >= 0, depth=size)
    return TensorType((*indices.dims[:place], size, *indices.dims[place:]), on.dtype)


NON_NEGATIVE_DEPTH = Rule("depth", Category.ILLEGAL_VALUE, "the depth is {depth}; it must not be negative", ("depth",))


@define("torch", "one_hot")
def torch_one_hot(case: Case, x: TensorType, *, num_classes: Any = -1) -> TensorType:
    """``functional.one_hot``."""
    need_dtype(case, x, ("int64",))
    size = case.fresh("classes", 1) if is_plain(num_classes) and num_classes == -1 else num_classes
    return TensorType((*x.dims, size), "int64")


def topped(case: Case, x: TensorType, k: Any, axis: int) -> tuple[TensorType, ...]:
    """Largest elements along an axis: values and indices."""
    size = case.fresh("k") if k is None else k
    if k is not None:
        need_not_negative(case, k=k)
        case.require(TOP_K, k <= x.dims[axis], k=k, size=x.dims[axis], axis=axis)
    shape = replaced(x.dims, axis, size)
    return TensorType(shape, x.dtype), TensorType(shape, "int64")


@define("onnx", "TopK")
def onnx_top_k(
    case: Case, x: TensorType, k: TensorType | None = None, /, *, axis: int = -1, **old: Any
) -> tuple[TensorType, ...]:
    """ONNX TopK: k is an operand since opset 10."""
    count = old.get("k") if k is None else k.value[0] if isinstance(k.value, tuple) else k.value
    return topped(case, x, count, axis_index(case, axis, x.rank))


@define("torch", "topk", "kthvalue")
def torch_topk(case: Case, x: TensorType, *, k: Any, dim: Any = -1, **_others: Any) -> tuple[TensorType, ...]:
    """``torch.topk``."""
    if x.rank == 0:
        return x, TensorType((), "int64")
    return topped(case, x, k, axis_index(case, dim, x.rank, "dim"))


@define("tf", "TopKV2")
def tf_top_k(case: Case, x: TensorType, k: TensorType, **_others: Any) -> tuple[TensorType, ...]:
    """GraphDef TopKV2: along the last axis."""
    need_min_rank(case, x, 1)
    values, indices = topped(case, x, k.value, x.rank - 1)
    return values, TensorType(indices.shape, "int32")


@define("onnx", "NonZero")
def onnx_non_zero(case: Case, x: TensorType) -> TensorType:
    """ONNX NonZero: (rank, count)."""
    return TensorType((x.rank, case.fresh("count")), "int64")


@define("onnx", "ReverseSequence")
def onnx_reverse_sequence(
    case: Case, x: TensorType, lengths: TensorType, *, batch_axis: int = 1, time_axis: int = 0
) -> TensorType:
    """ONNX ReverseSequence: the first two axes are batch and time, in either order."""
    need_min_rank(case, x, 2)
    need_rank(case, lengths, 1, operand="the lengths")
    need_dtype(case, lengths, ("int64",), "the lengths")
    ok = {batch_axis, time_axis} == {0, 1}
    case.require(AXIS, ok, axis=batch_axis, rank=2)
    size = x.dims[batch_axis]
    case.require(GATHER_SIZE, equal(lengths.dims[0], size), index=lengths.dims[0], axis=batch_axis, size=size)
    return x


@define("onnx", "Unique")
def onnx_unique(case: Case, x: TensorType, *, axis: int | None = None, sorted: int = 1) -> tuple[TensorType, ...]:
    """ONNX Unique."""
    count = case.fresh("distinct")
    if axis is None:
        values = TensorType((count,), x.dtype)
    else:
        values = TensorType(replaced(x.dims, axis_index(case, axis, x.rank), count), x.dtype)
    return values, *(TensorType((case.fresh("distinct"),), "int64") for _ in range(3))


def broadcast_all(case: Case, *tensors: TensorType) -> tuple[Term, ...]:
    return broadcast(case, *(t.dims for t in tensors))
