"""``keras.ops``: convolutions, pooling and what cuts or resizes pictures; channels last, as Keras 3 computes them."""

from __future__ import annotations

from collections.abc import Callable

from analyzer.operators.windows import Window
from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Value
from analyzer.tracing.operators.hyperparameters import dropped, plain
from analyzer.tracing.operators.keras_backend_rules import stated_format
from analyzer.tracing.operators.keras_ops_rules import keras_ops
from analyzer.tracing.operators.operands import unknown_tensor
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.tf_operands import like, shape_value, tensor
from analyzer.validity.terms import Term, at_least_zero, equal, floor_div, mod, product

Sizes = tuple[Term, ...]


def _each(op: Op, value: Value, count: int) -> tuple[int, ...] | None:
    """A number for every spatial axis; None where it is not known."""
    given = plain(op.tr, value)
    if dropped(given) or given is None:
        return None
    found = (given,) * count if isinstance(given, int) else tuple(given)
    if len(found) == count + 2 and found[0] == found[-1] == 1:
        return None  # TensorFlow's way, with the batch and the channels, which some functions take
    if len(found) != count:
        fail(op, "rank", f"{show_shape(found)} gives {len(found)} numbers for {count} spatial dimensions", ())
    return found if all(isinstance(n, int) and n > 0 for n in found) else None


def _last(op: Op, data_format: Value) -> bool:
    stated = stated_format(op, data_format)
    return isinstance(stated, str) and stated == "channels_last"


def _positions(
    op: Op, source: Tensor, sizes: Sizes, kernel: Sizes, strides: Value, padding: Value, dilation: Value = 1
) -> Sizes | None:
    """Where a window over the spatial axes can stand."""
    step, spread = _each(op, strides, len(sizes)), _each(op, dilation, len(sizes))
    if step is None or spread is None or padding not in ("valid", "same"):
        return None
    windows = [Window(k, s, d) for k, s, d in zip(kernel, step, spread, strict=True)]
    if padding == "same":
        return tuple(w.positions_same(n, floor_div) for w, n in zip(windows, sizes, strict=True))
    for window, size in zip(windows, sizes, strict=True):
        text = f"the window of {window.extent} is larger than the input of {size}"
        require(op, at_least_zero(size - window.extent), "size", text, (source,))
    return tuple(w.positions(n, floor_div) for w, n in zip(windows, sizes, strict=True))


def _operands(op: Op, inputs: Value, kernel: Value) -> tuple[Tensor, Tensor, Sizes, Sizes] | None:
    """An input and a kernel of known ranks, which fit, and their sizes."""
    source, weight = tensor(op, inputs), tensor(op, kernel)
    if source is None or weight is None or source.dims is None or weight.dims is None:
        return None
    given = f"the input {show_shape(source.dims)} and the kernel {show_shape(weight.dims)}"
    if len(source.dims) > len(weight.dims):
        return None  # TensorFlow takes several axes for a batch
    if len(source.dims) < len(weight.dims):
        fail(op, "rank", f"{given} have different ranks", (source, weight))
    return (source, weight, source.dims, weight.dims) if len(source.dims) in (3, 4, 5) else None


def _result(op: Op, sources: tuple[Tensor, ...], dims: Sizes) -> Tensor:
    graph = any(t.graph for t in sources)
    return Tensor(dims, sources[0].dtype, "tf", site=op.where, sources=sources, graph=graph)


def _convolved(
    op: Op, operands: tuple[Value, Value], window: tuple[Value, Value, Value], data_format: Value,
    fits: Callable[[Term, Term], Term], filters: Callable[[Sizes], Term],
) -> Value:  # fmt: skip
    """The result of a kernel (*window, channels, …) that moves over its input. `window`: strides, padding, dilation;
    `fits`: of the input's channels and the kernel's; `filters`: of the kernel's sizes."""
    found = _operands(op, *operands)
    if found is None or not _last(op, data_format):
        return unknown_tensor(op, "tf")
    source, weight, n, k = found
    text = f"the input has {n[-1]} channels but the kernel {show_shape(k)} takes {k[-2]}"
    require(op, fits(n[-1], k[-2]), "channels", text, (source, weight))
    places = _positions(op, source, n[1:-1], k[:-2], *window)
    if places is None:
        return unknown_tensor(op, "tf", (source, weight))
    return _result(op, (source, weight), (n[0], *places, filters(k)))


_CONVOLVED = "strides=1 padding='valid' data_format=None dilation_rate=1"


@operator(keras_ops("conv"), f"inputs kernel {_CONVOLVED}")
def conv(
    op: Op, inputs: Value, kernel: Value, strides: Value, padding: Value, data_format: Value, dilation_rate: Value
) -> Value:
    """The kernel is (*window, channels of a group, filters)."""

    def fits(channels: Term, taken: Term) -> Term:
        return equal(mod(channels, taken), 0)

    window = strides, padding, dilation_rate
    return _convolved(op, (inputs, kernel), window, data_format, fits, lambda k: k[-1])


@operator(keras_ops("depthwise_conv"), f"inputs kernel {_CONVOLVED}")
def depthwise_conv(
    op: Op, inputs: Value, kernel: Value, strides: Value, padding: Value, data_format: Value, dilation_rate: Value
) -> Value:
    """The kernel is (*window, channels, multiplier)."""
    window = strides, padding, dilation_rate
    return _convolved(op, (inputs, kernel), window, data_format, equal, lambda k: product(k[-2:]))


@operator(keras_ops("separable_conv"), f"inputs depthwise_kernel pointwise_kernel {_CONVOLVED}")
def separable_conv(
    op: Op, inputs: Value, depthwise_kernel: Value, pointwise_kernel: Value, strides: Value, padding: Value,
    data_format: Value, dilation_rate: Value,
) -> Value:  # fmt: skip
    between = depthwise_conv(op, inputs, depthwise_kernel, strides, padding, data_format, dilation_rate)
    return conv(op, between, pointwise_kernel, 1, "valid", data_format, 1)


@operator(
    keras_ops("conv_transpose"),
    "inputs kernel strides=1 padding='valid' output_padding=None data_format=None dilation_rate=1",
)
def conv_transpose(
    op: Op, inputs: Value, kernel: Value, strides: Value, padding: Value, output_padding: Value, data_format: Value,
    dilation_rate: Value,
) -> Value:  # fmt: skip
    """The kernel is (*window, filters, channels)."""
    found = _operands(op, inputs, kernel)
    if found is None or not _last(op, data_format):
        return unknown_tensor(op, "tf")
    source, weight, n, k = found
    text = f"the input has {n[-1]} channels but the kernel {show_shape(k)} takes {k[-1]}"
    require(op, equal(n[-1], k[-1]), "channels", text, (source, weight))
    steps = _each(op, strides, len(n) - 2)
    if steps is None or padding not in ("valid", "same") or output_padding is not None or dilation_rate != 1:
        return unknown_tensor(op, "tf", (source, weight))
    if padding == "valid" and not all(isinstance(size, int) for size in k[:-2]):
        return unknown_tensor(op, "tf", (source, weight))
    more = [0 if padding == "same" else max(size - s, 0) for size, s in zip(k, steps, strict=False)]
    places = tuple(size * s + m for size, s, m in zip(n[1:-1], steps, more, strict=True))
    return _result(op, (source, weight), (n[0], *places, k[-2]))


@operator(keras_ops("max_pool average_pool"), "inputs pool_size strides=None padding='valid' data_format=None")
def pool(op: Op, inputs: Value, pool_size: Value, strides: Value, padding: Value, data_format: Value) -> Value:
    source = tensor(op, inputs)
    if source is None or source.dims is None or not _last(op, data_format) or len(source.dims) not in (3, 4, 5):
        return unknown_tensor(op, "tf")
    window = _each(op, pool_size, len(source.dims) - 2)
    if window is None:
        return unknown_tensor(op, "tf", (source,))
    places = _positions(op, source, source.dims[1:-1], window, pool_size if strides is None else strides, padding)
    if places is None:
        return unknown_tensor(op, "tf", (source,))
    return like(op, source, (source.dims[0], *places, source.dims[-1]), source.dtype)


def _image(words: str) -> str:
    return " ".join(f"keras.ops.image.{word}" for word in words.split())


def _picture(op: Op, images: Value, data_format: Value) -> tuple[Tensor, Sizes] | None:
    """Pictures of three dimensions, or a batch of them."""
    source = tensor(op, images)
    if source is None or source.dims is None or not _last(op, data_format):
        return None
    if len(source.dims) not in (3, 4):
        fail(op, "rank", f"the images must have 3 or 4 dimensions and are {show_shape(source.dims)}", (source,))
    return source, source.dims


@operator(_image("extract_patches"), "images size strides=None dilation_rate=1 padding='valid' data_format=None")
def extract_patches(
    op: Op, images: Value, size: Value, strides: Value, dilation_rate: Value, padding: Value, data_format: Value
) -> Value:
    if isinstance(size, tuple) and len(size) == 3:  # of volumes
        return unknown_tensor(op, "tf")
    found = _picture(op, images, data_format)
    window = _each(op, size, 2) if found is not None else None
    if found is None or window is None:
        return unknown_tensor(op, "tf")
    source, n = found
    places = _positions(op, source, n[-3:-1], window, window if strides is None else strides, padding, dilation_rate)
    if places is None:
        return unknown_tensor(op, "tf", (source,))
    return like(op, source, (*n[:-3], *places, product((*window, n[-1]))), source.dtype)


@operator(_image("resize"), "images size interpolation='bilinear' antialias=False *rest")
def resize(
    op: Op, images: Value, size: Value, interpolation: Value, antialias: Value, rest: tuple[Value, ...]
) -> Value:
    found, target = _picture(op, images, op.extra.get("data_format")), shape_value(op, size)
    if found is None or target is None or len(target) != 2:
        return unknown_tensor(op, "tf")
    return like(op, found[0], (*found[1][:-3], *target, found[1][-1]), found[0].dtype)


@operator(_image("rgb_to_grayscale"), "images data_format=None")
def rgb_to_grayscale(op: Op, images: Value, data_format: Value) -> Value:
    found = _picture(op, images, data_format)
    return unknown_tensor(op, "tf") if found is None else like(op, found[0], (*found[1][:-1], 1), found[0].dtype)
