"""Random applications of TensorFlow operators and Keras layers."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from instances import Instance, broadcastable, near, sized


def _strides(rng: random.Random) -> list[int]:
    s = rng.choice([1, 1, 2, 3])
    return [1, s, s, 1]


def tf_conv(rng: random.Random) -> Instance:
    shape = (rng.randint(1, 2), rng.randint(1, 9), rng.randint(1, 9), rng.choice([1, 2, 4]))
    channels = rng.choice([shape[3], shape[3], shape[3], 1, 2, 3])
    weight = (rng.choice([1, 3, 5]), rng.choice([1, 3]), channels, rng.choice([1, 2, 4]))
    if rng.random() < 0.05:
        weight = weight[1:]
    parameters = {"strides": _strides(rng), "padding": rng.choice(["SAME", "VALID"])}
    return Instance("Conv2D", (shape, weight), ("float32", "float32"), parameters)


def tf_depthwise(rng: random.Random) -> Instance:
    shape = (1, rng.randint(1, 7), rng.randint(1, 7), rng.choice([1, 2, 3]))
    weight = (rng.choice([1, 3]), rng.choice([1, 3]), max(1, near(rng, shape[3])), rng.choice([1, 2]))
    parameters = {"strides": _strides(rng), "padding": rng.choice(["SAME", "VALID"])}
    return Instance("DepthwiseConv2dNative", (shape, weight), ("float32", "float32"), parameters)


def tf_pool(rng: random.Random) -> Instance:
    shape = sized(rng, 4 if rng.random() < 0.95 else 3, 1, 8)
    kernel = rng.choice([1, 2, 3, 5])
    parameters = {
        "ksize": [1, kernel, kernel, 1],
        "strides": _strides(rng),
        "padding": rng.choice(["SAME", "VALID"]),
    }
    return Instance(rng.choice(["MaxPool", "AvgPool"]), (shape,), ("float32",), parameters)


def tf_matmul(rng: random.Random) -> Instance:
    inner = rng.randint(1, 4)
    a, b = (rng.randint(1, 4), inner), (max(1, near(rng, inner)), rng.randint(1, 4))
    if rng.random() < 0.1:
        a = (*a, 1)  # type: ignore[assignment]
    parameters = {"transpose_a": False, "transpose_b": False}
    if rng.random() < 0.3:
        a, parameters["transpose_a"] = tuple(reversed(a)), True  # type: ignore[assignment]
    return Instance("MatMul", (a, b), ("float32", "float32" if rng.random() < 0.95 else "int32"), parameters)


def tf_batch_matmul(rng: random.Random) -> Instance:
    inner = rng.randint(1, 3)
    lead = sized(rng, rng.randint(0, 2), 1, 3)
    other = tuple(d if rng.random() < 0.7 else rng.choice([1, d + 1]) for d in lead)
    return Instance("BatchMatMulV2", ((*lead, 2, inner), (*other, max(1, near(rng, inner)), 2)), ("float32",) * 2, {})


def tf_arithmetic(rng: random.Random) -> Instance:
    operator = rng.choice(["AddV2", "Sub", "Mul", "RealDiv", "Maximum", "SquaredDifference", "Less", "Equal"])
    kinds = ("float32", "float32" if rng.random() < 0.93 else "int32")
    return Instance(operator, broadcastable(rng), kinds, {})


def tf_bias(rng: random.Random) -> Instance:
    shape = sized(rng, rng.randint(1, 4), 1, 4)
    return Instance("BiasAdd", (shape, (max(1, near(rng, shape[-1])),)), ("float32",) * 2, {})


def tf_concat(rng: random.Random) -> Instance:
    shape = sized(rng, rng.randint(1, 3), 1, 4)
    axis = rng.randint(-len(shape) - 1, len(shape))
    other = list(shape)
    if -len(shape) <= axis < len(shape):
        other[axis] = rng.randint(1, 4)
    if rng.random() < 0.2:
        other[0] += 1
    return Instance("ConcatV2", (shape, tuple(other)), ("float32",) * 2, {"axis": axis})


def tf_pack(rng: random.Random) -> Instance:
    shape = sized(rng, rng.randint(0, 3), 1, 3)
    other = shape if rng.random() < 0.8 else sized(rng, len(shape), 1, 3)
    return Instance("Pack", (shape, other), ("float32",) * 2, {"axis": rng.randint(-len(shape) - 2, len(shape) + 1)})


def tf_reshape(rng: random.Random) -> Instance:
    shape = sized(rng, rng.randint(0, 3), 1, 6)
    total = 1
    for d in shape:
        total *= d
    first = rng.choice([d for d in range(1, total + 1) if total % d == 0])
    target = [first, total // first if rng.random() < 0.5 else -1]
    if rng.random() < 0.2:
        target[0] += 1
    if rng.random() < 0.1:
        target.append(-1)
    return Instance("Reshape", (shape,), ("float32",), {"shape": tuple(target)})


def tf_axis(rng: random.Random) -> Instance:
    shape = sized(rng, rng.randint(0, 4), 1, 4)
    operator = rng.choice(["Sum", "Mean", "Max", "ExpandDims", "Squeeze", "ArgMax"])
    return Instance(operator, (shape,), ("float32",), {"axis": rng.randint(-5, 4), "keep": rng.random() < 0.5})


def tf_transpose(rng: random.Random) -> Instance:
    shape = sized(rng, rng.randint(1, 4), 1, 4)
    order = list(range(len(shape)))
    rng.shuffle(order)
    if rng.random() < 0.15:
        order[0] = rng.randint(0, 5)
    return Instance("Transpose", (shape,), ("float32",), {"perm": tuple(order)})


def tf_pad(rng: random.Random) -> Instance:
    shape = sized(rng, rng.randint(1, 3), 1, 4)
    count = len(shape) if rng.random() < 0.9 else len(shape) + 1
    pads = tuple(rng.choice([0, 1, 2, 3, -1]) if rng.random() < 0.3 else rng.randint(0, 2) for _ in range(2 * count))
    mode = rng.choice(["", "REFLECT", "SYMMETRIC"])
    return Instance("MirrorPad" if mode else "Pad", (shape,), ("float32",), {"pads": pads, "mode": mode})


def tf_slice(rng: random.Random) -> Instance:
    shape = sized(rng, rng.randint(1, 3), 1, 5)
    begin = tuple(rng.randint(0, d) for d in shape)
    size = tuple(rng.choice([-1, 0, 1, d - b, d - b + 1]) for d, b in zip(shape, begin, strict=True))
    return Instance("Slice", (shape,), ("float32",), {"begin": begin, "size": size})


def tf_strided_slice(rng: random.Random) -> Instance:
    shape = sized(rng, rng.randint(1, 3), 1, 5)
    count = rng.randint(1, len(shape)) if rng.random() < 0.95 else len(shape) + 1
    parameters = {
        "begin": tuple(rng.randint(-6, 6) for _ in range(count)),
        "end": tuple(rng.randint(-6, 6) for _ in range(count)),
        "strides": tuple(rng.choice([1, 1, 2, -1, -2]) for _ in range(count)),
        "begin_mask": rng.randint(0, 3),
        "end_mask": rng.randint(0, 3),
        "shrink_axis_mask": rng.choice([0, 0, 1]),
    }
    if parameters["shrink_axis_mask"]:
        parameters["strides"] = (1, *parameters["strides"][1:])  # type: ignore[index]
        parameters["begin_mask"] &= 2  # type: ignore[operator]
    return Instance("StridedSlice", (shape,), ("float32",), parameters)


def tf_split(rng: random.Random) -> Instance:
    shape = sized(rng, rng.randint(1, 3), 1, 6)
    return Instance("Split", (shape,), ("float32",), {"axis": rng.randint(-4, 3), "num_split": rng.randint(1, 3)})


def tf_gather(rng: random.Random) -> Instance:
    shape = sized(rng, rng.randint(1, 3), 1, 5)
    shared = rng.randint(0, len(shape))
    index = tuple(near(rng, d) if rng.random() < 0.1 else d for d in shape[:shared])
    index += sized(rng, rng.randint(0, 2), 1, 3)
    batch = shared - len(index) if rng.random() < 0.4 else shared if rng.random() < 0.8 else rng.randint(-3, 3)
    return Instance("GatherV2", (shape, index), ("float32", "int32"), {"axis": rng.randint(-4, 3), "batch_dims": batch})


def tf_losses(rng: random.Random) -> Instance:
    shape = sized(rng, rng.choice([1, 2, 2, 2, 3]), 1, 4)
    if rng.random() < 0.5:
        labels = shape[:-1] if rng.random() < 0.8 else shape
        return Instance("SparseSoftmaxCrossEntropyWithLogits", (shape, labels), ("float32", "int32"), {})
    labels = tuple(max(1, near(rng, d)) for d in shape)
    return Instance("SoftmaxCrossEntropyWithLogits", (shape, labels), ("float32",) * 2, {})


def tf_depth(rng: random.Random) -> Instance:
    shape = (1, rng.choice([2, 3, 4]), rng.choice([2, 4, 5]), rng.choice([1, 4, 9, 6]))
    operator = rng.choice(["DepthToSpace", "SpaceToDepth"])
    return Instance(operator, (shape,), ("float32",), {"block_size": rng.choice([2, 3])})


TF: tuple[Callable[[random.Random], Instance], ...] = (
    tf_conv, tf_conv, tf_depthwise, tf_pool, tf_pool, tf_matmul, tf_batch_matmul, tf_arithmetic, tf_bias, tf_concat,
    tf_pack, tf_reshape, tf_axis, tf_transpose, tf_pad, tf_slice, tf_strided_slice, tf_split, tf_gather, tf_losses,
    tf_depth,
)  # fmt: skip


# --------------------------------------------------------------------------------------------------- Keras


def _image(rng: random.Random, spatial: int) -> tuple[int, ...]:
    shape = (rng.randint(1, 2), *sized(rng, spatial, 1, 9), rng.choice([1, 2, 3, 4]))
    return shape if rng.random() < 0.93 else shape[1:]


def _window(rng: random.Random) -> dict[str, Any]:
    return {
        "strides": rng.choice([1, 1, 2, 3, 0]) if rng.random() < 0.3 else rng.choice([1, 1, 2, 3]),
        "padding": rng.choice(["valid", "same", "full"]) if rng.random() < 0.2 else rng.choice(["valid", "same"]),
    }


def keras_conv(rng: random.Random) -> Instance:
    spatial = rng.choice([1, 2, 2, 3])
    parameters = _window(rng) | {
        "filters": rng.choice([1, 2, 4, 0]) if rng.random() < 0.2 else rng.choice([2, 4]),
        "kernel_size": rng.choice([1, 2, 3, 5, 0]) if rng.random() < 0.3 else rng.choice([1, 2, 3, 5]),
        "dilation_rate": rng.choice([1, 1, 2]),
        "groups": rng.choice([1, 1, 1, 2]),
    }
    return Instance(f"Conv{spatial}D", (_image(rng, spatial),), ("float32",), parameters)


def keras_depthwise(rng: random.Random) -> Instance:
    parameters = _window(rng) | {"kernel_size": rng.choice([1, 2, 3, 5]), "depth_multiplier": rng.choice([1, 2])}
    return Instance("DepthwiseConv2D", (_image(rng, 2),), ("float32",), parameters)


def keras_transpose(rng: random.Random) -> Instance:
    parameters = _window(rng) | {"filters": 2, "kernel_size": rng.choice([1, 2, 3, 5])}
    return Instance("Conv2DTranspose", (_image(rng, 2),), ("float32",), parameters)


def keras_pool(rng: random.Random) -> Instance:
    spatial = rng.choice([1, 2, 2, 3])
    parameters = _window(rng) | {"pool_size": rng.choice([1, 2, 3, 5])}
    kind = rng.choice(["MaxPooling", "AveragePooling"])
    return Instance(f"{kind}{spatial}D", (_image(rng, spatial),), ("float32",), parameters)


def keras_global(rng: random.Random) -> Instance:
    kind = rng.choice(["GlobalMaxPooling2D", "GlobalAveragePooling1D"])
    spatial = int(kind[-2])
    return Instance(kind, (_image(rng, spatial),), ("float32",), {"keepdims": rng.random() < 0.5})


def keras_dense(rng: random.Random) -> Instance:
    return Instance(
        "Dense", (sized(rng, rng.choice([2, 2, 3, 4])),), ("float32",), {"units": rng.choice([1, 4, 0, -1])}
    )


def keras_recurrent(rng: random.Random) -> Instance:
    shape = sized(rng, rng.choice([2, 3, 3, 3, 4]), 1, 4)
    parameters = {"units": rng.choice([1, 3, 0]), "return_sequences": rng.random() < 0.5}
    return Instance(rng.choice(["LSTM", "GRU", "SimpleRNN"]), (shape,), ("float32",), parameters)


def keras_merge(rng: random.Random) -> Instance:
    shape = sized(rng, rng.choice([2, 3, 4]), 1, 4)
    other = tuple(d if rng.random() < 0.85 else rng.choice([1, d + 1]) for d in shape)
    shapes = (shape, (shape[0], *other[1:]), shape)[: rng.choice([2, 2, 2, 1, 3])]
    return Instance(rng.choice(["Add", "Multiply", "Maximum", "Subtract"]), shapes, ("float32",) * len(shapes), {})


def keras_concatenate(rng: random.Random) -> Instance:
    shape = sized(rng, rng.choice([2, 3, 4]), 1, 4)
    axis = rng.choice([-1, 1, 2])
    other = list(shape)
    if axis < len(shape):
        other[axis] = rng.randint(1, 4)
    if rng.random() < 0.2:
        other[-1] += 1
    return Instance("Concatenate", (shape, tuple(other)), ("float32",) * 2, {"axis": axis})


def keras_reshape(rng: random.Random) -> Instance:
    shape = (2, *sized(rng, 2, 1, 6))
    total = shape[1] * shape[2]
    first = rng.choice([d for d in range(1, total + 1) if total % d == 0])
    target = (first, total // first) if rng.random() < 0.5 else (near(rng, first) or 1, -1)
    return Instance("Reshape", (shape,), ("float32",), {"target_shape": target})


def keras_shape(rng: random.Random) -> Instance:
    kind = rng.choice(["ZeroPadding2D", "Cropping2D", "UpSampling2D", "Permute", "RepeatVector", "Flatten"])
    parameters: dict[str, Any] = {
        "ZeroPadding2D": {"padding": rng.choice([0, 1, (1, 2), ((0, 1), (2, 1))])},
        "Cropping2D": {"cropping": rng.choice([0, 1, (1, 2), ((0, 1), (2, 1))])},
        "UpSampling2D": {"size": rng.choice([1, 2, (1, 3)])},
        "Permute": {"dims": rng.choice([(2, 1), (1, 2), (3, 1, 2), (1, 1)])},
        "RepeatVector": {"n": rng.choice([1, 3])},
        "Flatten": {},
    }[kind]
    rank = {"Permute": rng.choice([3, 4]), "RepeatVector": rng.choice([2, 3])}.get(kind, 4)
    return Instance(kind, (sized(rng, rank, 1, 5),), ("float32",), parameters)


def keras_norm(rng: random.Random) -> Instance:
    shape = sized(rng, rng.choice([2, 3, 4]), 1, 6)
    if rng.random() < 0.5:
        return Instance("GroupNormalization", (shape,), ("float32",), {"groups": rng.choice([1, 2, 3, -1])})
    kind = rng.choice(["LayerNormalization", "BatchNormalization"])
    return Instance(kind, (shape,), ("float32",), {"axis": rng.choice([-1, 1, 2, 3])})


def keras_attention(rng: random.Random) -> Instance:
    batch, q, k, width = rng.randint(1, 2), rng.randint(1, 3), rng.randint(1, 3), rng.randint(1, 4)
    if rng.random() < 0.5:
        shapes = ((batch, q, width), (batch, k, max(1, near(rng, width))))
        return Instance("Attention", shapes, ("float32",) * 2, {})
    parameters = {"num_heads": rng.choice([1, 2]), "key_dim": rng.choice([1, 3])}
    return Instance("MultiHeadAttention", ((batch, q, width), (batch, k, width + 1)), ("float32",) * 2, parameters)


def keras_embedding(rng: random.Random) -> Instance:
    shape = sized(rng, rng.choice([1, 2, 3]), 1, 3)
    return Instance("Embedding", (shape,), ("int32",), {"input_dim": 4, "output_dim": rng.choice([1, 5])})


KERAS: tuple[Callable[[random.Random], Instance], ...] = (
    keras_conv, keras_conv, keras_depthwise, keras_transpose, keras_pool, keras_pool, keras_global, keras_dense,
    keras_recurrent, keras_merge, keras_concatenate, keras_reshape, keras_shape, keras_norm, keras_attention,
    keras_embedding,
)  # fmt: skip
