"""TensorFlow: what functions of Python and files give, of which only a part of the shape is known before a run."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import ListV, Value
from analyzer.tracing.operators.element_types import dtype_name
from analyzer.tracing.operators.operands import items_of, unknown_tensor
from analyzer.tracing.operators.refusals import fail
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.tf_operands import like, tensor
from analyzer.validity.terms import equal


@operator("tf.py_function tf.numpy_function tf.py_func", "func inp Tout *rest")
def called_outside(op: Op, func: Value, inp: Value, Tout: Value, rest: tuple[Value, ...]) -> Value:
    """A tensor for each type that is named: of what shape is not known before a run."""
    if isinstance(Tout, ListV) and Tout.open:
        return op.tr.unknown(f"{op.short}()", "foreign")
    if isinstance(Tout, (ListV, tuple)):
        return ListV([_one(op, kind) for kind in (Tout.items if isinstance(Tout, ListV) else Tout)])
    return _one(op, Tout) if dtype_name(Tout) is not None else op.tr.unknown(f"{op.short}()", "foreign")


def _one(op: Op, kind: Value) -> Tensor:
    return Tensor(None, dtype_name(kind), "tf", site=op.where)


# ------------------------------------------------------------------------------------------------ stitched


@operator("tf.dynamic_stitch tf.raw_ops.DynamicStitch", "indices data *rest")
def stitched(op: Op, indices: Value, data: Value, rest: tuple[Value, ...]) -> Value:
    """Rows put to the places that are named for them; there are as many as the largest place asks for."""
    places, pieces = items_of(indices), items_of(data)
    if not places or len(places) != len(pieces):
        return unknown_tensor(op, "tf")
    rows: list[Any] | None = None
    largest: int | None = -1
    for place, piece in zip(places, pieces, strict=True):
        at, given = tensor(op, place), tensor(op, piece)
        if at is None or given is None or at.dims is None or given.dims is None:
            return unknown_tensor(op, "tf")
        told = f"the places {show_shape(at.dims)} do not begin the shape {show_shape(given.dims)} of what is put there"
        begin = given.dims[: len(at.dims)]
        if len(begin) < len(at.dims) or any(equal(p, q) is False for p, q in zip(at.dims, begin, strict=True)):
            fail(op, "places", told, (at, given))
        inner = list(given.dims[len(at.dims) :])
        if rows is not None and rows != inner:
            return unknown_tensor(op, "tf")
        rows, largest = inner, _larger(largest, at.value)
    count = op.tr.fresh("rows", "unknown", 0) if largest is None else largest + 1
    found = tensor(op, pieces[0])
    return unknown_tensor(op, "tf") if found is None else like(op, found, (count, *(rows or ())), found.dtype)


def _larger(largest: int | None, places: Any) -> int | None:
    """The largest of known numbers; None where one is not known."""
    if type(places) is int:
        return None if largest is None else max(largest, places)
    if not isinstance(places, tuple):
        return None
    for place in places:
        largest = _larger(largest, place)
    return largest


# ------------------------------------------------------------------------------------------------- pictures


@operator(
    " ".join(f"tf.{home}.decode_{kind}" for home in ("io", "image") for kind in ("jpeg", "png", "bmp"))
    + " tf.io.decode_and_crop_jpeg tf.image.decode_and_crop_jpeg",
    "contents *rest channels=0",
)
def picture(op: Op, contents: Value, rest: tuple[Value, ...], channels: Value) -> Value:
    """(height, width, channels): as many channels as are asked for, or as the file has."""
    asked = rest[1 if "crop" in op.short else 0] if len(rest) > (1 if "crop" in op.short else 0) else channels
    depth = asked if type(asked) is int and asked > 0 else op.tr.fresh("channels", "unknown", 1)
    height, width = (op.tr.fresh(name, "unknown", 1) for name in ("height", "width"))
    kind = dtype_name(op.extra["dtype"]) if "dtype" in op.extra else "uint8" if len(rest) < 2 else None
    return Tensor((height, width, depth), kind, "tf", site=op.where)


@operator("tf.io.decode_gif tf.image.decode_gif", "contents *rest")
def pictures(op: Op, contents: Value, rest: tuple[Value, ...]) -> Value:
    """(pictures, height, width, 3)."""
    sizes = (op.tr.fresh(name, "unknown", 1) for name in ("pictures", "height", "width"))
    return Tensor((*sizes, 3), "uint8", "tf", site=op.where)
