"""Slicing, gathering and scattering."""

from __future__ import annotations

from typing import Any

from analyzer.operators.slicing import TO_THE_END
from analyzer.validity.spec import Case, Category, Rule, TensorType, define
from analyzer.validity.specs.common import (
    INDEX,
    LENGTH,
    RANK,
    axis_index,
    axis_indices,
    is_plain,
    need_dtype,
    need_min_rank,
    need_not_negative,
    need_rank,
    need_size,
    replaced,
    same_dtype,
    target_of,
)
from analyzer.validity.terms import Term, all_of, any_of, ceil_div, choose, equal, maximum, minimum

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
STEP = Rule("step", Category.ILLEGAL_VALUE, "the step is 0", ("steps",))
BATCH_DIMS = Rule(
    "batch-dims", Category.IMPROPER_VALUE, "`batch_dims` {count} does not fit {rank} dimensions", ("batch_dims",)
)


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
        whole = is_plain(stop[index]) and stop[index] >= TO_THE_END and step > 0
        dims[axis] = sliced_size(dims[axis], begin[index], None if whole else stop[index], step)
    value = None
    if x.rank == 1 and isinstance(x.value, tuple) and len(chosen) == 1 and is_plain(begin[0]) and is_plain(stop[0]):
        value = x.value[
            slice(
                begin[0],
                stop[0] if abs(stop[0]) < TO_THE_END else None,
                1 if strides is None else case.concrete(strides[0]),
            )
        ]
        dims = [len(value)]
    return TensorType(tuple(dims), x.dtype, value=value)


@define("torch", "narrow")
def torch_narrow(case: Case, x: TensorType, *, dim: Any, start: Term, length: Term) -> TensorType:
    """``torch.narrow``; a negative start is counted from the end, which the part does not cross."""
    axis = axis_index(case, dim, x.rank, "dim")
    need_not_negative(case, length=length)
    size = x.dims[axis]
    inside = all_of(start >= -size, start + length <= size, any_of(start >= 0, start + length <= 0))
    index = start + size + length if is_plain(start) and start < 0 else start + length
    case.require(INDEX_RANGE, inside, index=index, axis=axis, size=size)
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
        wanted = n - start if case.is_sentinel(length, -1) else length
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
    value: Any = x.value if x.rank == 1 else None
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
    if x.rank == 1 and isinstance(x.value, tuple) and known and all(is_plain(i) for i in known):
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
    if _empty(index) is True:
        return TensorType(index.dims, x.dtype)  # of any type and rank
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
    count = batch_dims + indices.rank if batch_dims < 0 else batch_dims
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
