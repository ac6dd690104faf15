"""Pictures of Pillow: their mode and size, what their methods make, and the array that one is."""

from __future__ import annotations

import ast
from typing import Any

from analyzer.tracing.language.tensors import Shape, Tensor
from analyzer.tracing.language.values import Api, ListV, Object, Unknown, Value
from analyzer.tracing.paths.symbols import Site
from analyzer.tracing.paths.tracer import Tracer

PICTURE = "picture"
ENHANCER = "picture enhancer"
NAMES = ("PIL.Image.Image", "PIL.Image.Image.Image")
CHANNELS = {"RGB": 3, "YCbCr": 3, "HSV": 3, "LAB": 3, "RGBA": 4, "CMYK": 4, "RGBX": 4, "LA": 2, "PA": 2}
_TYPES = {"1": "bool", "L": "uint8", "P": "uint8", "I": "int32", "F": "float32", "I;16": "uint16"}
_SAME = frozenset(("copy", "filter", "point", "rotate", "effect_spread", "transpose"))  # but where they turn it
_TURNED = ("ROTATE_90", "ROTATE_270", "TRANSPOSE", "TRANSVERSE")
_KEPT = ("FLIP_LEFT_RIGHT", "FLIP_TOP_BOTTOM", "ROTATE_180")
_NOTHING = frozenset(("save", "show", "close", "verify", "putpixel", "paste", "alpha_composite", "seek"))


def picture(tr: Tracer, mode: Value, width: Value, height: Value, site: Site | None) -> Object:
    """`mode`: None where it is not known; sizes that are not are of data."""
    made = Object(PICTURE, {}, {}, site)
    _settle(tr, made, mode, width, height)
    return made


def _settle(tr: Tracer, made: Object, mode: Value, width: Value, height: Value) -> None:
    known = mode if mode in CHANNELS or mode in _TYPES else None
    sizes = [tr.fresh(label, "unknown", 1) if n is None else n for n, label in ((width, "width"), (height, "height"))]
    made.data["mode"] = known
    told = tr.unknown("the mode of a picture", "data", "mode", "str") if known is None else known
    made.attrs.update(mode=told, size=tuple(sizes), width=sizes[0], height=sizes[1])
    for name in ("format", "info", "filename", "palette", "readonly", "n_frames"):
        made.attrs.setdefault(name, tr.unknown(f"attribute {name}", "data", name))


def told_of(value: Value) -> tuple[Value, Value, Value]:
    """Mode, width and height; None for each that is not known."""
    return (value.data["mode"], *value.attrs["size"]) if is_picture(value) else (None, None, None)


def is_picture(value: Value) -> bool:
    return isinstance(value, Object) and value.kind == PICTURE


def array_of_picture(value: Object) -> Value:
    """The array that NumPy makes of a picture; of one whose mode is not known, an array of unknown axes."""
    mode, (width, height) = value.data["mode"], value.attrs["size"]
    if mode is None:
        return Tensor(Shape(None, vague=True), None, "numpy", site=value.site, name="image")
    dims = (height, width, CHANNELS[mode]) if mode in CHANNELS else (height, width)
    return Tensor(dims, _TYPES.get(mode, "uint8"), "numpy", site=value.site, name="image")


def image_of_picture(value: Object) -> Value:
    """What torchvision's transforms see of it: channels before height and width."""
    mode, (width, height) = value.data["mode"], value.attrs["size"]
    if mode is None:
        return Unknown("a picture", "data", "image")
    return Tensor((CHANNELS.get(mode, 1), height, width), None, "image", site=value.site, name="image")


def picture_method(
    tr: Tracer, owner: Object, name: str, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.Call | None
) -> Value:
    site, mode, (width, height) = tr.site(node), owner.data["mode"], owner.attrs["size"]
    given = dict(zip(_PARAMETERS.get(name, ()), args, strict=False)) | kwargs
    if name == "convert":
        asked = given.get("mode")
        return picture(tr, asked if isinstance(asked, str) else mode if asked is None else None, width, height, site)
    if name in ("resize", "transform"):
        return picture(tr, mode, *sides_of(tr, given.get("size")), site)
    if name == "thumbnail":
        tr.touch(owner)
        _settle(tr, owner, mode, None, None)
        return None
    if name == "putalpha":
        tr.touch(owner)
        _settle(tr, owner, {"RGB": "RGBA", "RGBA": "RGBA", "L": "LA", "LA": "LA"}.get(mode), width, height)
        return None
    if name == "crop":
        sides = (width, height) if given.get("box") is None else _box(given["box"])
        return picture(tr, mode, *sides, site)
    if name == "reduce" or (name == "rotate" and given.get("expand", False) is not False):
        return picture(tr, mode, None, None, site)
    if name == "transpose":
        width, height = _turned(given.get("method"), width, height)
    if name in _SAME and not (name == "point" and given.get("mode") is not None):
        return picture(tr, mode, width, height, site)
    if name == "getchannel":
        return picture(tr, "L", width, height, site)
    if name == "split" and mode in CHANNELS:
        return tuple(picture(tr, "L", width, height, site) for _ in range(CHANNELS[mode]))
    if name == "getbands" and mode in CHANNELS and mode in ("RGB", "RGBA", "LA", "CMYK"):
        return tuple(mode)
    if name == "quantize":
        return picture(tr, "P", width, height, site)
    if name in ("__enter__", "__exit__"):
        return owner if name == "__enter__" else None
    if name in _NOTHING:
        return None
    return tr.unknown_call(f"{PICTURE}.{name}")


_PARAMETERS = {
    "convert": ("mode",), "resize": ("size",), "transform": ("size",), "crop": ("box",), "transpose": ("method",),
    "rotate": ("angle", "resample", "expand"), "point": ("lut", "mode"),
}  # fmt: skip


def sides_of(tr: Tracer, size: Value) -> tuple[Any, Any]:
    """Width and height; None for what is not known."""
    parts = size.items if isinstance(size, ListV) and not size.open else size
    if not isinstance(parts, (list, tuple)) or len(parts) != 2:
        return None, None
    return tr.term_of(parts[0]), tr.term_of(parts[1])


def _box(box: Value) -> tuple[Any, Any]:
    """Width and height of (left, upper, right, lower)."""
    parts = box.items if isinstance(box, ListV) and not box.open else box
    if not isinstance(parts, (list, tuple)) or len(parts) != 4 or not all(type(p) is int for p in parts):
        return None, None
    return max(parts[2] - parts[0], 0), max(parts[3] - parts[1], 0)


def _turned(method: Value, width: Value, height: Value) -> tuple[Value, Value]:
    last = method.name.rpartition(".")[2] if isinstance(method, Api) else ""
    return (width, height) if last in _KEPT else (height, width) if last in _TURNED else (None, None)
