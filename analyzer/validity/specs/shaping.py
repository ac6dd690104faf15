"""Operators that rearrange dimensions: reshape, flatten, transpose, squeeze, expand, tile, pad, resize, depth-space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analyzer.validity.spec import Case, Category, Rule, TensorType, define
from analyzer.validity.specs.common import (
    AXIS_NAMES,
    BROADCAST,
    LENGTH,
    RANK,
    axis_index,
    axis_indices,
    broadcast,
    channels_last,
    each,
    is_plain,
    layout_name,
    need_choice,
    need_layout,
    need_min_rank,
    need_not_negative,
    need_positive,
    need_rank,
    replaced,
    size_of,
)
from analyzer.validity.specs.convolution import joined_layout, split_layout
from analyzer.validity.terms import Poly, Term, any_of, equal, floor_div, mod, product

ELEMENTS = Rule(
    "element-count",
    Category.INCOMPATIBLE_SHAPE,
    "cannot reshape {shape} ({have} elements) to {target} ({want} elements)",
    ("shape", "target_shape"),
)
DIVISIBLE = Rule(
    "divisible",
    Category.INCOMPATIBLE_SHAPE,
    "cannot reshape {shape} ({have} elements) to {target}: {have} is not a multiple of {want}",
    ("shape", "target_shape"),
)
ONE_WILDCARD = Rule(
    "one-wildcard", Category.IMPROPER_VALUE, "the target shape {target} leaves more than one size open", ("shape",)
)
NEGATIVE_SIZE = Rule("negative-size", Category.ILLEGAL_VALUE, "the target shape has the size {size}", ("shape",))
COPIES = Rule(
    "copied-dimension",
    Category.IMPROPER_VALUE,
    "the target shape copies dimension {axis} of an input of {rank} dimensions",
    ("shape",),
)
PERMUTATION = Rule(
    "permutation",
    Category.IMPROPER_VALUE,
    "{perm} is not a permutation of the {rank} dimensions of the input",
    ("perm",),
)
SQUEEZE = Rule("squeezed-size", Category.INCOMPATIBLE_SHAPE, "axis {axis} has size {size}; only size 1 can be squeezed")
PADDED_SIZE = Rule(
    "padded-size", Category.ILLEGAL_SHAPE, "axis {axis} of size {size} becomes {result} by padding {before} and {after}"
)
REFLECTION = Rule(
    "reflection",
    Category.IMPROPER_VALUE,
    "reflecting {padding} elements needs more than that on axis {axis}, which has {size}",
    ("padding",),
)
CROPPING = Rule(
    "cropping",
    Category.ILLEGAL_SHAPE,
    "cropping {before} and {after} from the {axis} of {size} leaves nothing",
    ("cropping",),
)
BLOCK = Rule(
    "block-size", Category.INCOMPATIBLE_SHAPE, "the {axis} of {size} is not a multiple of {block}", ("block_size",)
)
UNFLATTEN = Rule(
    "unflattened-size",
    Category.INCOMPATIBLE_SHAPE,
    "axis {axis} has size {size}, not the product of {sizes}",
    ("sizes",),
)


# ------------------------------------------------------------------------------------------------- reshape


def reshaped(case: Case, x: TensorType, target: Sequence[Term], *, zero_copies: bool = False) -> tuple[Term, ...]:
    """The shape after a reshape; a plain −1 is computed; with `zero_copies` a plain 0 copies the input's size."""
    sizes = list(target)
    for axis, size in enumerate(sizes):
        if zero_copies and is_plain(size) and size == 0:
            case.require(COPIES, axis < x.rank, axis=axis, rank=x.rank)
            sizes[axis] = x.dims[axis]
    open_axes = [i for i, s in enumerate(sizes) if is_plain(s) and s == -1]
    case.require(ONE_WILDCARD, len(open_axes) <= 1, target=tuple(target))
    for axis, size in enumerate(sizes):
        if axis not in open_axes:
            case.require(NEGATIVE_SIZE, size >= 0, size=size)
    have = size_of(x.dims)
    if not open_axes:
        want = product(sizes)
        facts = {"shape": x.dims, "have": have, "target": tuple(sizes), "want": want}
        case.require(ELEMENTS, equal(have, want), **facts)
        return tuple(sizes)
    (open_axis,) = open_axes
    rest = [s for i, s in enumerate(sizes) if i != open_axis]
    left, right = _cancelled(x.dims, rest)
    numerator, denominator = product(left), product(right)
    facts = {"shape": x.dims, "have": have, "target": tuple(sizes), "want": product(rest)}
    case.require(DIVISIBLE, equal(mod(numerator, denominator), 0), **facts)
    if is_plain(denominator) and is_plain(numerator) and denominator == 0:
        case.require(DIVISIBLE, False, **facts)
    sizes[open_axis] = floor_div(numerator, denominator)
    return tuple(sizes)


def _cancelled(left: Sequence[Term], right: Sequence[Term]) -> tuple[list[Term], list[Term]]:
    """Both products without the symbolic factors that they share and that are positive."""
    a, b = list(left), list(right)
    for factor in list(b):
        if isinstance(factor, Poly) and factor.interval.lo > 0 and factor in a:
            a.remove(factor)
            b.remove(factor)
    return a, b


def target_of(shape: TensorType) -> tuple[Term, ...] | None:
    """The elements of a shape operand, when they are known."""
    return shape.value if isinstance(shape.value, tuple) else None


def of_unknown_target(case: Case, x: TensorType, shape: TensorType) -> TensorType:
    """A tensor whose shape is an unknown vector: its rank is the vector's length."""
    count = shape.shape[0] if shape.shape else None
    if isinstance(count, int):
        return x.with_shape(tuple(case.fresh("size") for _ in range(count)))
    return x.with_shape(None)


@define("onnx", "Reshape")
def onnx_reshape(
    case: Case, x: TensorType, shape: TensorType | None = None, /, *, allowzero: int = 0, **old: Any
) -> TensorType:
    """ONNX Reshape: the target is an operand (an attribute before opset 5)."""
    target = tuple(old["shape"]) if shape is None else target_of(shape)
    if shape is not None:
        need_rank(case, shape, 1, operand="the target shape")
    if target is None:
        assert shape is not None
        return of_unknown_target(case, x, shape)
    return x.with_shape(reshaped(case, x, target, zero_copies=not allowzero))


@define("torch", "reshape", "view")
def torch_reshape(case: Case, x: TensorType, *, shape: Any) -> TensorType:
    """``Tensor.reshape`` and ``view`` (of contiguous tensors)."""
    return x.with_shape(reshaped(case, x, tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)))


@define("tf", "Reshape")
def tf_reshape(case: Case, x: TensorType, shape: TensorType, **_others: Any) -> TensorType:
    """GraphDef Reshape."""
    if shape.shape is not None:
        need_rank(case, shape, 1, operand="the target shape")
    target = target_of(shape)
    return of_unknown_target(case, x, shape) if target is None else x.with_shape(reshaped(case, x, target))


@define("keras", "Reshape")
def keras_reshape(case: Case, x: TensorType, *, target_shape: Any) -> TensorType:
    """``keras.layers.Reshape``: within each sample."""
    need_min_rank(case, x, 1)
    inner = TensorType(x.dims[1:], x.dtype)
    target = tuple(target_shape) if isinstance(target_shape, (tuple, list)) else (target_shape,)
    return x.with_shape((x.dims[0], *reshaped(case, inner, target)))


@define("torch", "Flatten", "flatten")
def torch_flatten(
    case: Case, x: TensorType, *, start_dim: Any = None, end_dim: Any = -1, module: bool = True
) -> TensorType:
    """``nn.Flatten`` (from dimension 1) and ``torch.flatten`` (pass ``start_dim=0``)."""
    if x.rank == 0:
        for axis, name in ((1 if start_dim is None else start_dim, "start_dim"), (end_dim, "end_dim")):
            axis_index(case, axis, 1, name)
        return x.with_shape((1,))
    start = axis_index(case, 1 if start_dim is None else start_dim, x.rank, "start_dim")
    end = axis_index(case, end_dim, x.rank, "end_dim")
    case.require(FLATTEN_ORDER, start <= end, start=start, end=end)
    return x.with_shape((*x.dims[:start], product(x.dims[start : end + 1]), *x.dims[end + 1 :]))


FLATTEN_ORDER = Rule(
    "flatten-order",
    Category.IMPROPER_VALUE,
    "`start_dim` {start} comes after `end_dim` {end}",
    ("start_dim", "end_dim"),
)


@define("torch", "Unflatten", "unflatten")
def torch_unflatten(case: Case, x: TensorType, *, dim: Any, unflattened_size: Any) -> TensorType:
    """``nn.Unflatten``."""
    axis = axis_index(case, dim, x.rank, "dim")
    part = TensorType((x.dims[axis],))
    sizes = reshaped(case, part, tuple(unflattened_size))
    return x.with_shape((*x.dims[:axis], *sizes, *x.dims[axis + 1 :]))


@define("onnx", "Flatten")
def onnx_flatten(case: Case, x: TensorType, *, axis: int = 1) -> TensorType:
    """ONNX Flatten: a matrix, split before `axis`."""
    case.require(FLATTEN_AXIS, -x.rank <= axis <= x.rank, axis=axis, rank=x.rank)
    split = axis + x.rank if axis < 0 else axis
    return x.with_shape((product(x.dims[:split]), product(x.dims[split:])))


FLATTEN_AXIS = Rule(
    "axis-in-range", Category.IMPROPER_VALUE, "axis {axis} is out of range for {rank} dimensions", ("axis",)
)


@define("keras", "Flatten")
def keras_flatten(case: Case, x: TensorType, *, data_format: str | None = None) -> TensorType:
    """``keras.layers.Flatten``."""
    need_min_rank(case, x, 1)
    return x.with_shape((x.dims[0], product(x.dims[1:])))


# ------------------------------------------------------------------------------------- transpose and squeeze


def permuted(case: Case, x: TensorType, perm: Sequence[Any]) -> tuple[Term, ...]:
    numbers = [case.concrete(p, "perm") for p in perm]
    fits = len(numbers) == x.rank and all(-x.rank <= p < x.rank for p in numbers)
    ok = fits and sorted(p % x.rank for p in numbers) == list(range(x.rank)) if x.rank else not numbers
    case.require(PERMUTATION, ok, perm=tuple(numbers), rank=x.rank)
    return tuple(x.dims[p] for p in numbers)


@define("onnx", "Transpose")
def onnx_transpose(case: Case, x: TensorType, *, perm: Any = None) -> TensorType:
    """ONNX Transpose; reverses without `perm`."""
    if perm is not None:
        negative = all(p >= 0 for p in perm)
        case.require(PERMUTATION, negative, perm=tuple(perm), rank=x.rank)
    shape = tuple(reversed(x.dims)) if perm is None else permuted(case, x, perm)
    return TensorType(shape, x.dtype)


@define("torch", "permute")
def torch_permute(case: Case, x: TensorType, *, dims: Any) -> TensorType:
    """``Tensor.permute``."""
    return TensorType(permuted(case, x, tuple(dims)), x.dtype)


@define("torch", "transpose", "swapaxes")
def torch_transpose(case: Case, x: TensorType, *, dim0: Any, dim1: Any) -> TensorType:
    """``Tensor.transpose``."""
    a, b = axis_index(case, dim0, max(1, x.rank), "dim0"), axis_index(case, dim1, max(1, x.rank), "dim1")
    dims = list(x.dims)
    if dims:
        dims[a], dims[b] = dims[b], dims[a]
    return TensorType(tuple(dims), x.dtype)


@define("torch", "t")
def torch_t(case: Case, x: TensorType) -> TensorType:
    """``Tensor.t``: at most two dimensions."""
    need_rank(case, x, 0, 1, 2)
    return TensorType(tuple(reversed(x.dims)), x.dtype)


@define("tf", "Transpose")
def tf_transpose(case: Case, x: TensorType, perm: TensorType, **_others: Any) -> TensorType:
    """GraphDef Transpose."""
    order = target_of(perm)
    if order is None:
        return TensorType(tuple(case.fresh("size") for _ in x.dims), x.dtype)
    return TensorType(permuted(case, x, order), x.dtype)


@define("keras", "Permute")
def keras_permute(case: Case, x: TensorType, *, dims: Any) -> TensorType:
    """``keras.layers.Permute``: dimensions of a sample, counted from 1."""
    need_rank(case, x, len(dims) + 1)
    ok = sorted(dims) == list(range(1, len(dims) + 1))
    case.require(PERMUTATION, ok, perm=tuple(dims), rank=len(dims))
    return TensorType((x.dims[0], *(x.dims[d] for d in dims)), x.dtype)


def squeezed(case: Case, x: TensorType, axes: Sequence[int]) -> tuple[Term, ...]:
    for axis in axes:
        case.require(SQUEEZE, equal(x.dims[axis], 1), axis=axis, size=x.dims[axis])
    return tuple(d for i, d in enumerate(x.dims) if i not in axes)


@define("onnx", "Squeeze")
def onnx_squeeze(case: Case, x: TensorType, axes: TensorType | None = None, /, **old: Any) -> TensorType:
    """ONNX Squeeze: the axes are an operand since opset 13."""
    stated = tuple(old["axes"]) if old.get("axes") is not None else None if axes is None else target_of(axes)
    if stated is None:
        if axes is not None or any(not is_plain(d) for d in x.dims):
            return TensorType(None, x.dtype)
        stated = tuple(i for i, d in enumerate(x.dims) if d == 1)
    shape = squeezed(case, x, axis_indices(case, stated, x.rank))
    return TensorType(shape, x.dtype, value=_scalar(x.value))


def _scalar(value: Any) -> Any:
    return value[0] if isinstance(value, tuple) and len(value) == 1 else None if isinstance(value, tuple) else value


@define("onnx", "Unsqueeze")
def onnx_unsqueeze(case: Case, x: TensorType, axes: TensorType | None = None, /, **old: Any) -> TensorType:
    """ONNX Unsqueeze: axes count in the result."""
    stated = tuple(old["axes"]) if old.get("axes") is not None else None if axes is None else target_of(axes)
    if stated is None:
        return TensorType(None, x.dtype)
    rank = x.rank + len(stated)
    places = axis_indices(case, stated, rank)
    rest = iter(x.dims)
    shape = tuple(1 if i in places else next(rest) for i in range(rank))
    value = (x.value,) if x.value is not None and not isinstance(x.value, tuple) and rank == 1 else None
    return TensorType(shape, x.dtype, value=value)


@define("torch", "squeeze")
def torch_squeeze(case: Case, x: TensorType, *, dim: Any = None) -> TensorType:
    """``Tensor.squeeze``: axes that are not 1 stay."""
    axes = range(x.rank) if dim is None else axis_indices(case, dim, max(1, x.rank))
    open_axes = [i for i in axes if i < x.rank and not is_plain(x.dims[i]) and equal(x.dims[i], 1) is not False]
    if open_axes:
        return TensorType(None, x.dtype)
    gone = {i for i in axes if i < x.rank and is_plain(x.dims[i]) and x.dims[i] == 1}
    return TensorType(tuple(d for i, d in enumerate(x.dims) if i not in gone), x.dtype)


@define("torch", "unsqueeze")
def torch_unsqueeze(case: Case, x: TensorType, *, dim: Any) -> TensorType:
    """``Tensor.unsqueeze``."""
    axis = axis_index(case, dim, x.rank + 1, "dim")
    return TensorType((*x.dims[:axis], 1, *x.dims[axis:]), x.dtype)


@define("tf", "Squeeze")
def tf_squeeze(case: Case, x: TensorType, *, squeeze_dims: Any = (), **_others: Any) -> TensorType:
    """GraphDef Squeeze."""
    if squeeze_dims:
        return TensorType(squeezed(case, x, axis_indices(case, tuple(squeeze_dims), x.rank)), x.dtype)
    if any(not is_plain(d) for d in x.dims):
        return TensorType(None, x.dtype)
    return TensorType(tuple(d for d in x.dims if d != 1), x.dtype)


@define("tf", "ExpandDims")
def tf_expand_dims(case: Case, x: TensorType, axis: TensorType, **_others: Any) -> TensorType:
    """GraphDef ExpandDims."""
    value = axis.value[0] if isinstance(axis.value, tuple) else axis.value
    if value is None:
        return TensorType(tuple(case.fresh("size") for _ in range(x.rank + 1)), x.dtype)
    place = axis_index(case, value, x.rank + 1)
    value_out = (x.value,) if x.rank == 0 and x.value is not None else None
    return TensorType((*x.dims[:place], 1, *x.dims[place:]), x.dtype, value=value_out)


@define("keras", "RepeatVector")
def keras_repeat_vector(case: Case, x: TensorType, *, n: Term) -> TensorType:
    """``keras.layers.RepeatVector``: (batch, features) to (batch, n, features)."""
    need_positive(case, n=n)
    need_rank(case, x, 2)
    return TensorType((x.dims[0], n, x.dims[1]), x.dtype)


# ---------------------------------------------------------------------------------------- expand and tile


@define("onnx", "Expand")
def onnx_expand(case: Case, x: TensorType, shape: TensorType) -> TensorType:
    """ONNX Expand: broadcasting with a shape, both ways."""
    need_vector(case, shape, "the target shape")
    target = target_of(shape)
    if target is None:
        count = shape.shape[0] if shape.shape else None
        if not isinstance(count, int):
            return x.with_shape(None)
        rank = max(x.rank, count)
        return TensorType(tuple(case.fresh("size") for _ in range(rank)), x.dtype)
    return TensorType(broadcast(case, x.dims, target), x.dtype)


@define("torch", "expand", "broadcast_to")
def torch_expand(case: Case, x: TensorType, *, size: Any) -> TensorType:
    """``Tensor.expand``: −1 keeps a size; only size 1 grows."""
    target = tuple(size)
    case.require(
        RANK, len(target) >= x.rank, operand="the input", expected=f"at most {len(target)}", rank=x.rank, shape=x.dims
    )
    lead = len(target) - x.rank
    dims: list[Term] = []
    for index, want in enumerate(target):
        if index < lead:
            need_not_negative(case, size=want)
            dims.append(want)
            continue
        have = x.dims[index - lead]
        if is_plain(want) and want == -1:
            dims.append(have)
            continue
        ok = any_of(equal(have, want), equal(have, 1))
        case.require(BROADCAST, ok, left=x.dims, right=target, a=have, b=want)
        dims.append(want)
    return TensorType(tuple(dims), x.dtype)


@define("tf", "BroadcastTo")
def tf_broadcast_to(case: Case, x: TensorType, shape: TensorType, **_others: Any) -> TensorType:
    """GraphDef BroadcastTo."""
    target = target_of(shape)
    return of_unknown_target(case, x, shape) if target is None else torch_expand(case, x, size=target)


def tiled(case: Case, x: TensorType, repeats: Sequence[Term]) -> TensorType:
    ok = len(repeats) == x.rank
    case.require(LENGTH, ok, name="repeats", actual=len(repeats), expected=x.rank)
    for count in repeats:
        need_not_negative(case, repeats=count)
    return TensorType(tuple(d * r for d, r in zip(x.dims, repeats, strict=True)), x.dtype)


@define("onnx", "Tile")
@define("tf", "Tile")
def tile(case: Case, x: TensorType, repeats: TensorType, **_others: Any) -> TensorType:
    """Tile: one count for each dimension."""
    counts = target_of(repeats)
    if counts is None:
        return TensorType(tuple(case.fresh("size") for _ in x.dims), x.dtype)
    return tiled(case, x, counts)


@define("torch", "repeat")
def torch_repeat(case: Case, x: TensorType, *, repeats: Any) -> TensorType:
    """``Tensor.repeat``: at least as many counts as dimensions."""
    counts = tuple(repeats)
    case.require(LENGTH, len(counts) >= x.rank, name="repeats", actual=len(counts), expected=f"at least {x.rank}")
    return tiled(case, TensorType((*((1,) * (len(counts) - x.rank)), *x.dims), x.dtype), counts)


# ------------------------------------------------------------------------------------------------ padding


def padded(case: Case, x: TensorType, pads: Sequence[tuple[Term, Term]], mode: str) -> TensorType:
    """Each axis grows by its two paddings; negative ones crop. ``reflect`` needs more than it adds on each side."""
    dims = []
    for axis, (size, (before, after)) in enumerate(zip(x.dims, pads, strict=True)):
        if mode in ("reflect", "circular", "wrap", "symmetric"):
            for amount in (before, after):
                room = amount < size if mode == "reflect" else amount <= size
                case.require(REFLECTION, any_of(room, equal(amount, 0)), padding=amount, axis=axis, size=size)
        result = size + before + after
        facts = {"axis": axis, "size": size, "result": result, "before": before, "after": after}
        case.require(PADDED_SIZE, result >= 0, **facts)
        dims.append(result)
    return TensorType(tuple(dims), x.dtype, x.format)


@define("onnx", "Pad")
def onnx_pad(
    case: Case,
    x: TensorType,
    pads: TensorType | None = None,
    value: TensorType | None = None,
    axes: TensorType | None = None,
    /,
    *,
    mode: str = "constant",
    **old: Any,
) -> TensorType:
    """ONNX Pad: all begins, then all ends, optionally of some axes."""
    need_choice(case, mode, ("constant", "reflect", "edge", "wrap"), "mode")
    amounts = tuple(old.get("pads") or old.get("paddings") or ()) if pads is None else target_of(pads)
    places = range(x.rank) if axes is None else target_of(axes)
    if amounts is None or places is None:
        return TensorType(tuple(case.fresh("size") for _ in x.dims), x.dtype)
    chosen = axis_indices(case, tuple(places), x.rank) if axes is not None else tuple(places)
    ok = len(amounts) == 2 * len(chosen)
    case.require(LENGTH, ok, name="pads", actual=len(amounts), expected=2 * len(chosen))
    table: list[tuple[Term, Term]] = [(0, 0)] * x.rank
    for index, axis in enumerate(chosen):
        table[axis] = (amounts[index], amounts[index + len(chosen)])
    return padded(case, x, table, "constant" if mode != "reflect" else mode)


@define("tf", "Pad", "PadV2", "MirrorPad")
def tf_pad(
    case: Case, x: TensorType, pads: TensorType, value: TensorType | None = None, *, mode: str = "", **_others: Any
) -> TensorType:
    """GraphDef Pad, PadV2 and MirrorPad: a (rank, 2) table, here as a flat value."""
    if pads.shape is not None:
        need_rank(case, pads, 2, operand="the paddings")
        ok = equal(pads.dims[0], x.rank)
        case.require(LENGTH, ok, name="paddings", actual=pads.dims[0], expected=x.rank)
    flat = target_of(pads)
    if flat is None or len(flat) != 2 * x.rank:
        return TensorType(tuple(case.fresh("size") for _ in x.dims), x.dtype)
    for amount in flat:
        need_not_negative(case, paddings=amount)
    table = list(zip(flat[0::2], flat[1::2], strict=True))
    return padded(case, x, table, {"REFLECT": "reflect", "SYMMETRIC": "symmetric"}.get(mode, "constant"))


def torch_pad_table(case: Case, x: TensorType, pad: Sequence[Term]) -> list[tuple[Term, Term]]:
    """PyTorch lists paddings from the last dimension backwards."""
    case.require(LENGTH, len(pad) % 2 == 0, name="pad", actual=len(pad), expected="an even number")
    case.require(LENGTH, len(pad) <= 2 * x.rank, name="pad", actual=len(pad), expected=f"at most {2 * x.rank}")
    pairs = list(zip(pad[0::2], pad[1::2], strict=True))
    return [(0, 0)] * (x.rank - len(pairs)) + pairs[::-1]


@define("torch", "pad")
def torch_pad(case: Case, x: TensorType, *, pad: Any, mode: str = "constant", value: Any = None) -> TensorType:
    """``functional.pad``."""
    need_choice(case, mode, ("constant", "reflect", "replicate", "circular"), "mode")
    return padded(case, x, torch_pad_table(case, x, tuple(pad)), mode)


def _torch_pad_layer(spatial: int, mode: str) -> Any:
    def pad(case: Case, x: TensorType, *, padding: Any, value: Any = 0) -> TensorType:
        """``nn.{Constant,Zero,Reflection,Replication,Circular}Pad{1,2,3}d``."""
        amounts = each(case, padding, 2 * spatial, "padding")
        if mode == "constant":
            case.require(
                RANK, x.rank >= spatial, operand="the input", expected=f"at least {spatial}", rank=x.rank, shape=x.dims
            )
        else:
            need_rank(case, x, spatial + 1, spatial + 2)
        result = padded(case, x, torch_pad_table(case, x, amounts), mode)
        for axis, size in zip(AXIS_NAMES[spatial], result.dims[-spatial:], strict=True):
            facts = {"axis": axis, "size": size, "result": size, "before": amounts, "after": ""}
            case.require(PADDED_SIZE, size >= (0 if mode == "constant" else 1), **facts)
        return result

    return pad


torch_constant_pad1d = define("torch", "ConstantPad1d", "ZeroPad1d")(_torch_pad_layer(1, "constant"))
torch_constant_pad2d = define("torch", "ConstantPad2d", "ZeroPad2d")(_torch_pad_layer(2, "constant"))
torch_constant_pad3d = define("torch", "ConstantPad3d", "ZeroPad3d")(_torch_pad_layer(3, "constant"))
torch_reflection_pad1d = define("torch", "ReflectionPad1d")(_torch_pad_layer(1, "reflect"))
torch_reflection_pad2d = define("torch", "ReflectionPad2d")(_torch_pad_layer(2, "reflect"))
torch_reflection_pad3d = define("torch", "ReflectionPad3d")(_torch_pad_layer(3, "reflect"))
torch_replication_pad1d = define("torch", "ReplicationPad1d")(_torch_pad_layer(1, "replicate"))
torch_replication_pad2d = define("torch", "ReplicationPad2d")(_torch_pad_layer(2, "replicate"))
torch_replication_pad3d = define("torch", "ReplicationPad3d")(_torch_pad_layer(3, "replicate"))
torch_circular_pad1d = define("torch", "CircularPad1d")(_torch_pad_layer(1, "circular"))
torch_circular_pad2d = define("torch", "CircularPad2d")(_torch_pad_layer(2, "circular"))
torch_circular_pad3d = define("torch", "CircularPad3d")(_torch_pad_layer(3, "circular"))


def _sides(case: Case, value: Any, spatial: int, name: str) -> list[tuple[Term, Term]]:
    """Keras paddings and croppings: a number, one for each axis, or pairs."""
    if (
        spatial == 1
        and isinstance(value, (tuple, list))
        and len(value) == 2
        and not isinstance(value[0], (tuple, list))
    ):
        return [(value[0], value[1])]
    parts = each(case, value, spatial, name)
    return [tuple(p) if isinstance(p, (tuple, list)) else (p, p) for p in parts]


def _keras_zero_padding(spatial: int) -> Any:
    def pad(case: Case, x: TensorType, *, padding: Any = 1, data_format: str | None = None) -> TensorType:
        """``keras.layers.ZeroPadding{1,2,3}D``."""
        sides = _sides(case, padding, spatial, "padding")
        channels, sizes, last = split_layout(case, x, spatial, data_format)
        for before, after in sides:
            need_not_negative(case, padding=before)
            need_not_negative(case, padding=after)
        out = [n + b + a for n, (b, a) in zip(sizes, sides, strict=True)]
        return joined_layout(x, channels, out, last)

    return pad


keras_zero_padding1d = define("keras", "ZeroPadding1D")(_keras_zero_padding(1))
keras_zero_padding2d = define("keras", "ZeroPadding2D")(_keras_zero_padding(2))
keras_zero_padding3d = define("keras", "ZeroPadding3D")(_keras_zero_padding(3))


def _keras_cropping(spatial: int) -> Any:
    def crop(case: Case, x: TensorType, *, cropping: Any = 1, data_format: str | None = None) -> TensorType:
        """``keras.layers.Cropping{1,2,3}D``."""
        sides = _sides(case, cropping, spatial, "cropping")
        channels, sizes, last = split_layout(case, x, spatial, data_format)
        out = []
        for axis, size, (before, after) in zip(AXIS_NAMES[spatial], sizes, sides, strict=True):
            need_not_negative(case, cropping=before)
            need_not_negative(case, cropping=after)
            left = size - before - after
            case.require(CROPPING, left >= 1, axis=axis, size=size, before=before, after=after)
            out.append(left)
        return joined_layout(x, channels, out, last)

    return crop


keras_cropping1d = define("keras", "Cropping1D")(_keras_cropping(1))
keras_cropping2d = define("keras", "Cropping2D")(_keras_cropping(2))
keras_cropping3d = define("keras", "Cropping3D")(_keras_cropping(3))


# --------------------------------------------------------------------------------- depth, space and shuffles


def need_block(case: Case, size: Term, block: Term, axis: str) -> None:
    case.require(BLOCK, equal(mod(size, block), 0), axis=axis, size=size, block=block)


@define("onnx", "DepthToSpace")
def onnx_depth_to_space(case: Case, x: TensorType, *, blocksize: Term, mode: str = "DCR") -> TensorType:
    """ONNX DepthToSpace."""
    need_choice(case, mode, ("DCR", "CRD"), "mode")
    need_positive(case, blocksize=blocksize)
    need_rank(case, x, 4)
    n, c, h, w = x.dims
    need_block(case, c, blocksize * blocksize, "channels")
    return x.with_shape((n, floor_div(c, blocksize * blocksize), h * blocksize, w * blocksize))


@define("onnx", "SpaceToDepth")
def onnx_space_to_depth(case: Case, x: TensorType, *, blocksize: Term) -> TensorType:
    """ONNX SpaceToDepth."""
    need_positive(case, blocksize=blocksize)
    need_rank(case, x, 4)
    n, c, h, w = x.dims
    need_block(case, h, blocksize, "height")
    need_block(case, w, blocksize, "width")
    return x.with_shape((n, c * blocksize * blocksize, floor_div(h, blocksize), floor_div(w, blocksize)))


@define("tf", "DepthToSpace")
def tf_depth_to_space(
    case: Case, x: TensorType, *, block_size: Term, data_format: str = "NHWC", **_others: Any
) -> TensorType:
    """GraphDef DepthToSpace."""
    channels, (h, w), last = split_layout(case, x, 2, data_format)
    need_block(case, channels, block_size * block_size, "channels")
    return joined_layout(x, floor_div(channels, block_size * block_size), (h * block_size, w * block_size), last)


@define("tf", "SpaceToDepth")
def tf_space_to_depth(
    case: Case, x: TensorType, *, block_size: Term, data_format: str = "NHWC", **_others: Any
) -> TensorType:
    """GraphDef SpaceToDepth."""
    channels, (h, w), last = split_layout(case, x, 2, data_format)
    need_block(case, h, block_size, "height")
    need_block(case, w, block_size, "width")
    sizes = (floor_div(h, block_size), floor_div(w, block_size))
    return joined_layout(x, channels * block_size * block_size, sizes, last)


@define("torch", "PixelShuffle", "pixel_shuffle")
def torch_pixel_shuffle(case: Case, x: TensorType, *, upscale_factor: Term) -> TensorType:
    """``nn.PixelShuffle``."""
    need_positive(case, upscale_factor=upscale_factor)
    need_min_rank(case, x, 3)
    *lead, c, h, w = x.dims
    need_block(case, c, upscale_factor * upscale_factor, "channels")
    return x.with_shape((*lead, floor_div(c, upscale_factor * upscale_factor), h * upscale_factor, w * upscale_factor))


@define("torch", "PixelUnshuffle", "pixel_unshuffle")
def torch_pixel_unshuffle(case: Case, x: TensorType, *, downscale_factor: Term) -> TensorType:
    """``nn.PixelUnshuffle``."""
    f = downscale_factor
    need_positive(case, downscale_factor=f)
    need_min_rank(case, x, 3)
    *lead, c, h, w = x.dims
    need_block(case, h, f, "height")
    need_block(case, w, f, "width")
    return x.with_shape((*lead, c * f * f, floor_div(h, f), floor_div(w, f)))


@define("torch", "ChannelShuffle", "channel_shuffle")
def torch_channel_shuffle(case: Case, x: TensorType, *, groups: Term) -> TensorType:
    """``nn.ChannelShuffle``."""
    need_positive(case, groups=groups)
    need_min_rank(case, x, 3)
    need_block(case, x.dims[1], groups, "channels")
    return x


# --------------------------------------------------------------------------------------------------- resize


@define("torch", "Upsample", "UpsamplingNearest2d", "UpsamplingBilinear2d", "interpolate")
def torch_interpolate(
    case: Case,
    x: TensorType,
    *,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: Any = None,
    recompute_scale_factor: Any = None,
    antialias: bool = False,
) -> TensorType:
    """``functional.interpolate`` with a size or a factor."""
    ranks = {"nearest": (3, 4, 5), "nearest-exact": (3, 4, 5), "area": (3, 4, 5), "linear": (3,), "bilinear": (4,),
             "bicubic": (4,), "trilinear": (5,)}  # fmt: skip
    need_choice(case, mode, tuple(ranks), "mode")
    need_rank(case, x, *ranks[mode])
    spatial = x.rank - 2
    case.require(SIZE_OR_SCALE, (size is None) != (scale_factor is None))
    if size is not None:
        out = each(case, size, spatial, "size")
    else:
        factors = each(case, scale_factor, spatial, "scale_factor")
        out = tuple(scaled_size(n, f) for n, f in zip(x.dims[2:], factors, strict=True))
    for axis, n in zip(AXIS_NAMES[spatial], out, strict=True):
        case.require(RESIZED, n >= 1, axis=axis, size=n)
    return x.with_shape((*x.dims[:2], *out))


SIZE_OR_SCALE = Rule(
    "size-or-scale", Category.IMPROPER_VALUE, "give one of `size` and `scale_factor`", ("size", "scale_factor")
)
RESIZED = Rule("resized-size", Category.ILLEGAL_SHAPE, "the {axis} would become {size}", ("size", "scale_factor"))


def scaled_size(size: Term, factor: Any) -> Term:
    """⌊size × factor⌋ for a whole or a fractional factor."""
    if isinstance(factor, float) and factor.is_integer():
        factor = int(factor)
    if not isinstance(factor, float):
        return size * factor
    if isinstance(size, int):
        return int(size * factor)
    numerator, denominator = factor.as_integer_ratio()
    return floor_div(size * numerator, denominator)


RESIZE_BY = Rule("resize-by", Category.IMPROPER_VALUE, "Resize needs either `scales` or `sizes`, and not both")


def need_vector(case: Case, operand: TensorType | None, name: str) -> None:
    """An operand that lists sizes has one dimension, where its shape is known."""
    if operand is not None and operand.shape is not None:
        need_rank(case, operand, 1, operand=name)


@define("onnx", "Resize", "Upsample")
def onnx_resize(
    case: Case,
    x: TensorType,
    roi: TensorType | None = None,
    scales: TensorType | None = None,
    sizes: TensorType | None = None,
    *,
    axes: Any = None,
    mode: str = "nearest",
    keep_aspect_ratio_policy: str = "stretch",
    **_others: Any,
) -> TensorType:
    """ONNX Resize by sizes; scales are floating-point operands whose result is not followed."""
    given = [t for t in (scales, sizes) if t is not None and t.shape != (0,)]
    if case.at_least(11):  # before, the scales were the second operand
        known = all(t.shape is not None for t in given)
        case.require(RESIZE_BY, len(given) == 1 or (len(given) > 1 and not known))
    for name, operand in (("the scales", scales), ("the sizes", sizes)):
        need_vector(case, operand, name)
    places = axis_indices(case, tuple(axes), x.rank) if axes is not None else tuple(range(x.rank))
    target = target_of(sizes) if sizes is not None else None
    for name, operand in (("scales", scales), ("sizes", sizes)):
        if operand is not None and operand.shape and isinstance(operand.shape[0], int) and operand.shape[0] > 0:
            ok = operand.shape[0] == len(places)
            case.require(LENGTH, ok, name=name, actual=operand.shape[0], expected=len(places))
    if target is not None and keep_aspect_ratio_policy == "stretch" and len(target) == len(places):
        dims = list(x.dims)
        for axis, size in zip(places, target, strict=True):
            case.require(RESIZED, size >= 0, axis=f"axis {axis}", size=size)
            dims[axis] = size
        return x.with_shape(dims)
    return x.with_shape(tuple(case.fresh("size", 0) if i in places else d for i, d in enumerate(x.dims)))


@define("tf", "ResizeBilinear", "ResizeNearestNeighbor", "ResizeBicubic", "ResizeArea")
def tf_resize(case: Case, x: TensorType, size: TensorType, **_others: Any) -> TensorType:
    """GraphDef Resize*: (batch, height, width, channels) to a size of two numbers."""
    need_rank(case, x, 4)
    need_layout(case, x, "NHWC")
    target = target_of(size)
    if target is None:
        target = (case.fresh("height", 1), case.fresh("width", 1))
    case.require(LENGTH, len(target) == 2, name="size", actual=len(target), expected=2)
    for axis, n in zip(AXIS_NAMES[2], target, strict=True):
        case.require(RESIZED, n >= 1, axis=axis, size=n)
    return TensorType((x.dims[0], *target, x.dims[3]), x.dtype, x.format)


def _keras_upsampling(spatial: int) -> Any:
    def upsample(
        case: Case, x: TensorType, *, size: Any = 2, data_format: str | None = None, interpolation: str = "nearest"
    ) -> TensorType:
        """``keras.layers.UpSampling{1,2,3}D``."""
        factors = each(case, size, spatial, "size")
        for factor in factors:
            need_positive(case, size=factor)
        channels, sizes, last = split_layout(case, x, spatial, data_format)
        return joined_layout(x, channels, [n * f for n, f in zip(sizes, factors, strict=True)], last)

    return upsample


keras_upsampling1d = define("keras", "UpSampling1D")(_keras_upsampling(1))
keras_upsampling2d = define("keras", "UpSampling2D")(_keras_upsampling(2))
keras_upsampling3d = define("keras", "UpSampling3D")(_keras_upsampling(3))


@define("keras", "Resizing", "CenterCrop", "RandomCrop")
def keras_resizing(
    case: Case, x: TensorType, *, height: Term, width: Term, data_format: str | None = None, **_others: Any
) -> TensorType:
    """``keras.layers.Resizing`` and croppers: an image, batched or not."""
    need_positive(case, height=height, width=width)
    need_rank(case, x, 3, 4)
    last = channels_last(case, data_format, 2)
    if x.rank == 4:
        need_layout(case, x, layout_name(2, last))
    if last:
        return x.with_shape((*x.dims[:-3], height, width, x.dims[-1]))
    return x.with_shape((*x.dims[:-2], height, width))


# ------------------------------------------------------------------------------------------- shapes as values


@define("onnx", "Shape")
def onnx_shape(case: Case, x: TensorType, *, start: int = 0, end: int | None = None) -> TensorType:
    """ONNX Shape: the sizes, as a vector of int64."""
    dims = x.dims[slice(start, end)]
    return TensorType((len(dims),), "int64", value=tuple(dims))


@define("onnx", "Size")
def onnx_size(case: Case, x: TensorType) -> TensorType:
    """ONNX Size: the number of elements."""
    return TensorType((), "int64", value=size_of(x.dims))


@define("tf", "Shape")
def tf_shape(case: Case, x: TensorType, *, out_type: Any = "int32", **_others: Any) -> TensorType:
    """GraphDef Shape."""
    return TensorType((x.rank,), out_type if isinstance(out_type, str) else None, value=x.dims)


@define("tf", "Rank")
def tf_rank(case: Case, x: TensorType, **_others: Any) -> TensorType:
    """GraphDef Rank."""
    return TensorType((), "int32", value=x.rank)


@define("tf", "Size")
def tf_size(case: Case, x: TensorType, *, out_type: Any = "int32", **_others: Any) -> TensorType:
    """GraphDef Size."""
    return TensorType((), out_type if isinstance(out_type, str) else None, value=size_of(x.dims))


def replaced_axis(x: TensorType, axis: int, size: Term) -> TensorType:
    return x.with_shape(replaced(x.dims, axis, size))
