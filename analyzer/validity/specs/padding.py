"""Padding and cropping: what is added to or cut off an image."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analyzer.validity.spec import Case, Category, Rule, TensorType, define, define_ranks
from analyzer.validity.specs.common import (
    AXIS_NAMES,
    LENGTH,
    axis_indices,
    each,
    need_choice,
    need_not_negative,
    need_rank,
    target_of,
)
from analyzer.validity.specs.window_arguments import joined_layout, split_layout
from analyzer.validity.terms import Term, any_of, equal

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
    return _torch_padded(case, x, tuple(pad), mode)


def _torch_padded(case: Case, x: TensorType, pad: tuple[Term, ...], mode: str) -> TensorType:
    """Constants pad any number of axes; the other modes one to three, of one example or a batch."""
    table = torch_pad_table(case, x, pad)
    if mode == "constant":
        return padded(case, x, table, mode)
    spatial = len(pad) // 2
    case.require(LENGTH, spatial in (1, 2, 3), name="pad", actual=len(pad), expected="2, 4 or 6")
    need_rank(case, x, spatial + 1, spatial + 2)
    result = padded(case, x, table, mode)
    for axis, size in zip(AXIS_NAMES[spatial], result.dims[-spatial:], strict=True):
        case.require(
            PADDED_SIZE, size >= int(mode != "circular"), axis=axis, size=size, result=size, before=pad, after=""
        )
    return result


def _torch_pad_layer(spatial: int, mode: str) -> Any:
    def pad(case: Case, x: TensorType, *, padding: Any, value: Any = 0) -> TensorType:
        """``nn.{Constant,Zero,Reflection,Replication,Circular}Pad{1,2,3}d``: `functional.pad` of what is given.

        Only one number for all sides is counted by the name of the layer.
        """
        amounts = tuple(padding) if isinstance(padding, (tuple, list)) else (padding,) * (2 * spatial)
        if mode == "circular":
            need_rank(case, x, spatial + 1, spatial + 2)
        return _torch_padded(case, x, amounts, mode)

    return pad


torch_constant_pads = define_ranks("torch", "ConstantPad{}d", "ZeroPad{}d")(
    lambda rank: _torch_pad_layer(rank, "constant")
)
torch_reflection_pads = define_ranks("torch", "ReflectionPad{}d")(lambda rank: _torch_pad_layer(rank, "reflect"))
torch_replication_pads = define_ranks("torch", "ReplicationPad{}d")(lambda rank: _torch_pad_layer(rank, "replicate"))
torch_circular_pads = define_ranks("torch", "CircularPad{}d")(lambda rank: _torch_pad_layer(rank, "circular"))


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


@define_ranks("keras", "ZeroPadding{}D")
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


@define_ranks("keras", "Cropping{}D")
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
