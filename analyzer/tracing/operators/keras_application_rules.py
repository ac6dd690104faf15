"""keras.applications: published networks by what they make of pictures of the size that a program names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import ListV, Object, Value
from analyzer.tracing.operators.hyperparameters import plain
from analyzer.tracing.operators.keras_models import input_tensor
from analyzer.tracing.operators.table import Op, operator
from analyzer.validity.terms import Poly, floor_div

Size = Any


def _down(size: Size) -> Size:
    """Halved five times, what is over left out."""
    return floor_div(size, 32)


def _up(size: Size) -> Size:
    return floor_div(size + 31, 32)


def _dense(size: Size) -> Size:
    """Twice rounded up, three times rounded down."""
    return floor_div(floor_div(size + 3, 4), 8)


def _mobile(size: Size) -> Size:
    """Once rounded up, four times rounded down."""
    return floor_div(floor_div(size + 1, 2), 16)


# Each with the size of a picture without classes, its channels, and what happens to height and width.
_NETWORKS: dict[str, tuple[int, int, Callable[[Size], Size]]] = {
    "VGG16": (224, 512, _down), "VGG19": (224, 512, _down),
    "ResNet50": (224, 2048, _up), "ResNet101": (224, 2048, _up), "ResNet152": (224, 2048, _up),
    "ResNet50V2": (224, 2048, _up), "ResNet101V2": (224, 2048, _up), "ResNet152V2": (224, 2048, _up),
    "MobileNet": (224, 1024, _mobile), "MobileNetV2": (224, 1280, _up),
    "DenseNet121": (224, 1024, _dense), "DenseNet169": (224, 1664, _dense), "DenseNet201": (224, 1920, _dense),
    "EfficientNetB0": (224, 1280, _up), "EfficientNetB1": (240, 1280, _up), "EfficientNetB2": (260, 1408, _up),
    "EfficientNetB3": (300, 1536, _up), "EfficientNetB4": (380, 1792, _up), "EfficientNetB5": (456, 2048, _up),
    "EfficientNetB6": (528, 2304, _up), "EfficientNetB7": (600, 2560, _up),
    "EfficientNetV2B0": (224, 1280, _up), "EfficientNetV2B1": (240, 1280, _up),
    "EfficientNetV2B2": (260, 1408, _up), "EfficientNetV2B3": (300, 1536, _up),
    "EfficientNetV2S": (384, 1280, _up), "EfficientNetV2M": (480, 1280, _up), "EfficientNetV2L": (480, 1280, _up),
}  # fmt: skip
_FILES = {"ResNet50": "resnet50 resnet", "VGG16": "vgg16", "VGG19": "vgg19", "MobileNet": "mobilenet",
          "MobileNetV2": "mobilenet_v2", "DenseNet121": "densenet", "DenseNet169": "densenet",
          "DenseNet201": "densenet", "ResNet101": "resnet", "ResNet152": "resnet", "ResNet50V2": "resnet_v2",
          "ResNet101V2": "resnet_v2", "ResNet152V2": "resnet_v2"}  # fmt: skip


def _names() -> list[str]:
    beside = [f"{file}.{name}" for name, files in _FILES.items() for file in files.split()]
    beside += [f"efficientnet.{n}" for n in _NETWORKS if n.startswith("EfficientNetB")]
    beside += [f"efficientnet_v2.{n}" for n in _NETWORKS if n.startswith("EfficientNetV2")]
    return [f"keras.applications.{name}" for name in (*_NETWORKS, *beside)]


@operator(
    " ".join(_names()),
    "include_top=True weights='imagenet' input_tensor=None input_shape=None pooling=None classes=1000 *rest",
)
def network(
    op: Op, include_top: Value, weights: Value, input_tensor: Value, input_shape: Value, pooling: Value, classes: Value,
    rest: tuple[Value, ...],
) -> Value:  # fmt: skip
    size, channels, shrunk = _NETWORKS[op.short]
    if op.short.startswith("Mobile") and (rest or not isinstance(include_top, bool) or "alpha" in op.extra):
        return op.tr.unknown("a model")
    given = plain(op.tr, input_shape) if input_shape is not None else None
    if input_tensor is not None or op.tr.machine.get("image_data_format") is not None:
        return op.tr.unknown("a model")
    if given is None and input_shape is None:
        given = (size, size, 3) if include_top is True else (None, None, 3)
    if not isinstance(given, tuple) or len(given) != 3:
        return op.tr.unknown("a model")
    start = _input(op, given)
    if not isinstance(start, Tensor) or not start.dims:
        return op.tr.unknown("a model")
    batch, height, width, _ = start.dims
    if include_top is True:
        count = op.tr.term_of(classes, "classes")
        dims: Any = None if count is None else (batch, count)
    elif include_top is False and pooling in ("avg", "max"):
        dims = (batch, channels)
    elif include_top is False and pooling is None:
        dims = (batch, shrunk(height), shrunk(width), channels)
    else:
        return op.tr.unknown("a model")
    if dims is None:
        return op.tr.unknown("a model")
    end = Tensor(dims, None, "tf", site=op.where, sources=(start,), graph=True)
    attrs = {"inputs": ListV([start]), "outputs": ListV([end]), "input": start, "output": end}
    return Object("model", attrs, {"inputs": start, "outputs": end}, op.where)


def _input(op: Op, shape: tuple[Any, ...]) -> Value:
    known = all(d is None or isinstance(d, (int, Poly)) for d in shape)
    return input_tensor(op, shape) if known else None


_HOMES = """vgg16 vgg19 resnet resnet50 resnet_v2 mobilenet mobilenet_v2 mobilenet_v3 inception_v3 xception
    inception_resnet_v2 densenet efficientnet efficientnet_v2 nasnet imagenet_utils convnext"""


@operator(
    " ".join(f"keras.applications.{home}.preprocess_input" for home in _HOMES.split()),
    "x *rest",
)
def prepared(op: Op, x: Value, rest: tuple[Value, ...]) -> Value:
    if not isinstance(x, Tensor):
        return op.tr.unknown("prepared pictures", "imprecise")
    return Tensor(x.shape, None, x.framework, site=op.where, sources=(x,), graph=x.graph)
