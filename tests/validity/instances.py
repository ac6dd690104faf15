"""Random applications of operators, mostly near the edge between valid and invalid."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Instance:
    """An operator with the shapes and element types of its operands."""

    operator: str
    shapes: tuple[Shape, ...]
    dtypes: tuple[str, ...]
    hyperparameters: Mapping[str, Any]


def sized(rng: random.Random, rank: int, low: int = 1, high: int = 9) -> Shape:
    return tuple(rng.randint(low, high) for _ in range(rank))


def window(rng: random.Random, spatial: int) -> dict[str, Any]:
    def one(choices: list[int]) -> Any:
        if rng.random() < 0.3 and spatial > 1:
            return tuple(rng.choice(choices) for _ in range(spatial))
        return rng.choice(choices)

    return {"kernel_size": one([1, 2, 3, 3, 5, 7]), "stride": one([1, 1, 2, 3, 0]), "padding": one([0, 0, 1, 2, 3, -1])}


def near(rng: random.Random, value: int) -> int:
    """`value`, or sometimes something else."""
    return value if rng.random() < 0.8 else max(-1, value + rng.choice([-2, -1, 1, 2, value]))


def dtype(rng: random.Random, usual: str = "float32") -> str:
    return usual if rng.random() < 0.93 else rng.choice(["int64", "float64", "bool"])


def image(rng: random.Random, spatial: int) -> Shape:
    shape = (rng.randint(1, 3), rng.choice([1, 2, 3, 4, 6]), *sized(rng, spatial, 1, 10))
    roll = rng.random()
    if roll < 0.1:
        return shape[1:]
    if roll < 0.15:
        return shape[2:]
    return (*shape, 2) if roll < 0.18 else shape


def torch_conv(rng: random.Random, spatial: int) -> Instance:
    shape = image(rng, spatial)
    channels = shape[max(0, len(shape) - spatial - 1)]
    parameters = {
        **window(rng, spatial),
        "in_channels": near(rng, channels),
        "out_channels": rng.choice([1, 2, 4, 6, 0, -1] if rng.random() < 0.2 else [1, 2, 4, 6]),
        "dilation": rng.choice([1, 1, 1, 2, 3]),
        "groups": rng.choice([1, 1, 1, 2, 3, 0]),
    }
    if rng.random() < 0.1:
        parameters["padding"] = rng.choice(["same", "valid", "full"])
    return Instance(f"Conv{spatial}d", (shape,), (dtype(rng),), parameters)


def torch_conv_transpose(rng: random.Random, spatial: int) -> Instance:
    shape = image(rng, spatial)
    channels = shape[max(0, len(shape) - spatial - 1)]
    parameters = {
        **window(rng, spatial),
        "in_channels": near(rng, channels),
        "out_channels": rng.choice([1, 2, 4, 6]),
        "dilation": rng.choice([1, 1, 2]),
        "groups": rng.choice([1, 1, 2]),
        "output_padding": rng.choice([0, 0, 1, 2]),
    }
    return Instance(f"ConvTranspose{spatial}d", (shape,), (dtype(rng),), parameters)


def torch_pool(rng: random.Random, spatial: int) -> Instance:
    kind = rng.choice(["Max", "Avg"])
    parameters = window(rng, spatial) | {"ceil_mode": rng.random() < 0.4}
    if rng.random() < 0.3:
        parameters["stride"] = None
    if kind == "Max":
        parameters["dilation"] = rng.choice([1, 1, 2])
    return Instance(f"{kind}Pool{spatial}d", (image(rng, spatial),), (dtype(rng),), parameters)


def torch_adaptive(rng: random.Random, spatial: int) -> Instance:
    kind = rng.choice(["Max", "Avg"])
    size = rng.choice([1, 2, 3, (2,) * spatial, (None,) * spatial, 0])
    return Instance(f"Adaptive{kind}Pool{spatial}d", (image(rng, spatial),), ("float32",), {"output_size": size})


def torch_linear(rng: random.Random) -> Instance:
    shape = sized(rng, rng.choice([1, 2, 2, 3, 4]))
    parameters = {"in_features": near(rng, shape[-1]), "out_features": rng.choice([1, 3, 8, 0, -2])}
    return Instance("Linear", (shape,), (dtype(rng),), parameters)


def torch_embedding(rng: random.Random) -> Instance:
    count = rng.choice([1, 4, 10])
    parameters = {"num_embeddings": count, "embedding_dim": rng.choice([1, 3, 8])}
    if rng.random() < 0.3:
        parameters["padding_idx"] = rng.choice([0, count - 1, count, -count, -count - 1])
    return Instance("Embedding", (sized(rng, rng.randint(0, 3)),), (dtype(rng, "int64"),), parameters)


def torch_norm(rng: random.Random) -> Instance:
    kind = rng.choice(["BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "InstanceNorm1d", "InstanceNorm2d"])
    shape = sized(rng, rng.choice([1, 2, 3, 4, 5, 6]), 1, 4)
    spatial = int(kind[-2])
    channel = 1 if kind.startswith("Batch") else max(0, len(shape) - spatial - 1)
    features = near(rng, shape[channel] if len(shape) > channel else 3)
    parameters: dict[str, Any] = {"num_features": features}
    if kind.startswith("Instance"):
        parameters["affine"] = rng.random() < 0.6
    return Instance(kind, (shape,), ("float32",), parameters)


def torch_layer_norm(rng: random.Random) -> Instance:
    shape = sized(rng, rng.choice([1, 2, 3, 4]), 1, 5)
    tail = rng.randint(1, len(shape))
    given = tuple(near(rng, d) for d in shape[-tail:])
    given = tuple(max(1, d) for d in given)
    return Instance(
        "LayerNorm", (shape,), (dtype(rng),), {"normalized_shape": given if rng.random() < 0.7 else given[-1]}
    )


def torch_group_norm(rng: random.Random) -> Instance:
    shape = sized(rng, rng.choice([1, 2, 3, 4]), 1, 8)
    channels = max(1, near(rng, shape[1] if len(shape) > 1 else 4))
    parameters = {"num_groups": rng.choice([1, 2, 3, 4]), "num_channels": channels}
    return Instance("GroupNorm", (shape,), ("float32",), parameters)


def torch_recurrent(rng: random.Random) -> Instance:
    shape = sized(rng, rng.choice([1, 2, 3, 3, 3, 4]), 1, 5)
    parameters = {
        "input_size": max(1, near(rng, shape[-1])),
        "hidden_size": rng.choice([1, 4, 0]) if rng.random() < 0.1 else rng.choice([1, 4]),
        "num_layers": rng.choice([1, 2, 0]) if rng.random() < 0.2 else rng.choice([1, 2]),
        "bidirectional": rng.random() < 0.4,
        "batch_first": rng.random() < 0.5,
    }
    kind = rng.choice(["LSTM", "GRU", "RNN"])
    if kind == "LSTM" and rng.random() < 0.3:
        parameters["proj_size"] = rng.choice([0, 1, 2, 4, 5])
    return Instance(kind, (shape,), (dtype(rng),), parameters)


def torch_attention(rng: random.Random) -> Instance:
    heads = rng.choice([1, 2, 3])
    embed = rng.choice([2, 4, 6])
    batch, q, k = rng.randint(1, 3), rng.randint(1, 4), rng.randint(1, 4)
    first = rng.random() < 0.5
    query = (batch, q, near(rng, embed)) if first else (q, batch, near(rng, embed))
    key = (near(rng, batch), k, near(rng, embed)) if first else (k, near(rng, batch), near(rng, embed))
    value = key if rng.random() < 0.8 else tuple(near(rng, d) for d in key)
    shapes = tuple(tuple(max(1, d) for d in s) for s in (query, key, value))
    parameters = {"embed_dim": embed, "num_heads": heads, "batch_first": first}
    return Instance("MultiheadAttention", shapes, ("float32",) * 3, parameters)


def torch_pad_layer(rng: random.Random) -> Instance:
    spatial = rng.choice([1, 2, 3])
    kind = rng.choice(["Constant", "Reflection", "Replication", "Zero", "Circular"])
    padding = rng.choice([0, 1, 2, 3, -1])
    parameters: dict[str, Any] = {"padding": padding if rng.random() < 0.5 else sized(rng, 2 * spatial, -1, 3)}
    if kind == "Constant":
        parameters["value"] = 0.5
    return Instance(f"{kind}Pad{spatial}d", (image(rng, spatial),), ("float32",), parameters)


def torch_shuffle(rng: random.Random) -> Instance:
    shape = (1, rng.choice([4, 8, 9, 6]), rng.choice([2, 4, 6, 5]), rng.choice([2, 4, 6]))
    if rng.random() < 0.5:
        return Instance("PixelShuffle", (shape,), ("float32",), {"upscale_factor": rng.choice([1, 2, 3])})
    return Instance("PixelUnshuffle", (shape,), ("float32",), {"downscale_factor": rng.choice([1, 2, 3])})


def torch_upsample(rng: random.Random) -> Instance:
    mode = rng.choice(["nearest", "linear", "bilinear", "bicubic", "trilinear", "cubic"])
    shape = sized(rng, rng.choice([2, 3, 4, 4, 5]), 1, 5)
    by_size = rng.random() < 0.5
    parameters: dict[str, Any] = {"mode": mode}
    parameters |= {"size": rng.choice([1, 4, 7])} if by_size else {"scale_factor": rng.choice([1, 2, 0.5, 1.5])}
    return Instance("Upsample", (shape,), ("float32",), parameters)


def torch_flatten(rng: random.Random) -> Instance:
    shape = sized(rng, rng.randint(1, 4), 1, 4)
    parameters = {"start_dim": rng.choice([0, 1, 2, -1]), "end_dim": rng.choice([-1, 1, 2, 0])}
    return Instance("Flatten", (shape,), ("float32",), parameters)


def torch_reshape(rng: random.Random) -> Instance:
    shape = sized(rng, rng.randint(0, 4), 1, 6)
    total = 1
    for d in shape:
        total *= d
    target: list[int] = []
    rest = near(rng, total) if rng.random() < 0.5 else total
    for _ in range(rng.randint(0, 3)):
        divisors = [d for d in range(1, max(1, rest) + 1) if rest > 0 and rest % d == 0] or [1]
        d = rng.choice(divisors)
        target.append(d)
        rest //= d
    target.append(rest if rng.random() < 0.5 else -1)
    if rng.random() < 0.1:
        target.append(rng.choice([-1, 0, 2, -3]))
    rng.shuffle(target)
    return Instance("reshape", (shape,), ("float32",), {"shape": tuple(target)})


def torch_cat(rng: random.Random) -> Instance:
    shape = sized(rng, rng.randint(1, 4), 1, 4)
    dim = rng.randint(-len(shape) - 1, len(shape))
    others = []
    for _ in range(rng.randint(1, 2)):
        other = list(shape)
        if -len(shape) <= dim < len(shape):
            other[dim] = rng.randint(1, 4)
        if rng.random() < 0.2:
            other[rng.randrange(len(other))] = rng.randint(1, 4)
        if rng.random() < 0.05:
            other.append(1)
        others.append(tuple(other))
    return Instance("cat", (shape, *others), (dtype(rng),) * (1 + len(others)), {"dim": dim})


def torch_stack(rng: random.Random) -> Instance:
    shape = sized(rng, rng.randint(0, 3), 1, 3)
    other = shape if rng.random() < 0.8 else sized(rng, len(shape), 1, 3)
    return Instance("stack", (shape, other), ("float32",) * 2, {"dim": rng.randint(-len(shape) - 2, len(shape) + 1)})


def broadcastable(rng: random.Random) -> tuple[Shape, Shape]:
    shape = sized(rng, rng.randint(0, 4), 1, 4)
    other = [d if rng.random() < 0.7 else 1 if rng.random() < 0.7 else d + 1 for d in shape]
    return shape, tuple(other[rng.randint(0, len(other)) :])


def torch_add(rng: random.Random) -> Instance:
    return Instance(rng.choice(["add", "mul", "maximum", "eq"]), broadcastable(rng), ("float32",) * 2, {})


def torch_matmul(rng: random.Random) -> Instance:
    a, b = sized(rng, rng.randint(0, 4), 1, 4), list(sized(rng, rng.randint(0, 4), 1, 4))
    if b and a and rng.random() < 0.85:
        b[-2 if len(b) > 1 else -1] = a[-1]
    for i in range(3, 1 + min(len(a), len(b))):
        if rng.random() < 0.7:
            b[-i] = rng.choice([a[-i], 1])
    return Instance("matmul", (a, tuple(b)), (dtype(rng), "float32"), {})


def torch_mm(rng: random.Random) -> Instance:
    inner = rng.randint(1, 4)
    if rng.random() < 0.5:
        return Instance(
            "bmm", ((near(rng, 2) % 5 + 1, 2, inner), (3, max(1, near(rng, inner)), 3)), ("float32",) * 2, {}
        )
    return Instance("mm", ((2, inner), (max(1, near(rng, inner)), 3)), ("float32",) * 2, {})


def torch_einsum(rng: random.Random) -> Instance:
    equation = rng.choice(
        ["ij,jk->ik", "bij,bjk->bik", "bhid,bhjd->bhij", "i,i->", "ii->i", "...ij,...jk->...ik", "ij->ji"]
    )
    sizes = {c: rng.randint(1, 4) for c in "ijkbhd"}
    shapes = []
    for labels in equation.partition("->")[0].split(","):
        lead = (2,) if "..." in labels else ()
        shape = [*lead, *(sizes[c] if rng.random() < 0.92 else sizes[c] + 1 for c in labels.replace(".", ""))]
        shapes.append(tuple(shape if rng.random() < 0.95 else [*shape, 1]))
    return Instance("einsum", tuple(shapes), ("float32",) * len(shapes), {"equation": equation})


def torch_axes(rng: random.Random) -> Instance:
    shape = sized(rng, rng.randint(0, 4), 1, 4)
    axis = rng.randint(-5, 4)
    function = rng.choice(["sum", "mean", "softmax", "unsqueeze", "squeeze", "argmax", "cumsum", "amax"])
    parameters: dict[str, Any] = {"dim": axis}
    if function in ("sum", "mean", "argmax") and rng.random() < 0.5:
        parameters["keepdim"] = True
    if function in ("sum", "mean") and rng.random() < 0.3:
        parameters["dim"] = (axis, rng.randint(-4, 3))
    return Instance(function, (shape,), ("float32",), parameters)


def torch_permute(rng: random.Random) -> Instance:
    shape = sized(rng, rng.randint(1, 4), 1, 4)
    dims = list(range(len(shape)))
    rng.shuffle(dims)
    if rng.random() < 0.2:
        dims[rng.randrange(len(dims))] = rng.randint(-4, 4)
    return Instance("permute", (shape,), ("float32",), {"dims": tuple(dims)})


def torch_split(rng: random.Random) -> Instance:
    shape = sized(rng, rng.randint(1, 3), 1, 8)
    dim = rng.randint(-len(shape), len(shape))
    if rng.random() < 0.5:
        return Instance("chunk", (shape,), ("float32",), {"chunks": rng.randint(1, 4), "dim": dim})
    size = shape[dim] if -len(shape) <= dim < len(shape) else 3
    part = rng.randint(0, size)
    sections = (part, near(rng, size - part)) if rng.random() < 0.6 else rng.randint(1, 5)
    return Instance("split", (shape,), ("float32",), {"split_size_or_sections": sections, "dim": dim})


def torch_gather(rng: random.Random) -> Instance:
    shape = sized(rng, rng.randint(1, 3), 1, 5)
    index = tuple(max(1, d + rng.choice([0, 0, -1, 1])) for d in shape)
    if rng.random() < 0.1:
        index = (*index, 1)
    kinds = ("float32", dtype(rng, "int64"))
    return Instance("gather", (shape, index), kinds, {"dim": rng.randint(-len(shape) - 1, len(shape))})


def torch_expand(rng: random.Random) -> Instance:
    shape = sized(rng, rng.randint(0, 3), 1, 3)
    size = [d if rng.random() < 0.6 else rng.choice([-1, 4, d + 1]) for d in shape]
    lead = [rng.randint(1, 3) for _ in range(rng.randint(0, 2))]
    return Instance("expand", (shape,), ("float32",), {"size": tuple(lead + size)})


def torch_cross_entropy(rng: random.Random) -> Instance:
    shape = sized(rng, rng.choice([1, 2, 2, 3, 4]), 1, 4)
    target = shape[:1] + shape[2:] if len(shape) > 1 else ()
    kind = "int64"
    if rng.random() < 0.3:
        target, kind = shape, "float32"
    if rng.random() < 0.2:
        target = tuple(max(1, near(rng, d)) for d in target)
    if rng.random() < 0.1:
        target = (*target, 1)
    return Instance("CrossEntropyLoss", (shape, target), ("float32", kind), {"reduction": rng.choice(["mean", "none"])})


def torch_regression(rng: random.Random) -> Instance:
    loss = rng.choice(["MSELoss", "L1Loss", "SmoothL1Loss", "BCEWithLogitsLoss"])
    return Instance(loss, broadcastable(rng), ("float32",) * 2, {"reduction": rng.choice(["mean", "sum", "none"])})


def torch_topk(rng: random.Random) -> Instance:
    shape = sized(rng, rng.randint(1, 3), 1, 5)
    return Instance("topk", (shape,), ("float32",), {"k": rng.randint(0, 6), "dim": rng.randint(-4, 3)})


def torch_unfold(rng: random.Random) -> Instance:
    shape = (2, 3, rng.randint(1, 6), rng.randint(1, 6))
    parameters = {"kernel_size": rng.choice([1, 2, 3]), "stride": rng.choice([1, 2]), "padding": rng.choice([0, 1])}
    return Instance("Unfold", (shape,), ("float32",), parameters)


def torch_transformer(rng: random.Random) -> Instance:
    width = rng.choice([4, 6])
    shape = (rng.randint(1, 3), rng.randint(1, 3), near(rng, width) % 12 + (near(rng, width) < 1))
    shape = (shape[0], shape[1], max(1, shape[2]))
    parameters = {"d_model": width, "nhead": rng.choice([1, 2, 3]), "dim_feedforward": 4}
    return Instance("TransformerEncoderLayer", (shape,), ("float32",), parameters)


def torch_glu(rng: random.Random) -> Instance:
    return Instance("GLU", (sized(rng, rng.randint(1, 3), 1, 6),), ("float32",), {"dim": rng.choice([-1, 0, 1])})


TORCH: tuple[Callable[[random.Random], Instance], ...] = (
    *(lambda rng, n=n: torch_conv(rng, n) for n in (1, 2, 2, 3)),
    *(lambda rng, n=n: torch_conv_transpose(rng, n) for n in (1, 2)),
    *(lambda rng, n=n: torch_pool(rng, n) for n in (1, 2, 2, 3)),
    *(lambda rng, n=n: torch_adaptive(rng, n) for n in (1, 2)),
    torch_linear, torch_embedding, torch_norm, torch_layer_norm, torch_group_norm, torch_recurrent, torch_attention,
    torch_pad_layer, torch_shuffle, torch_upsample, torch_flatten, torch_reshape, torch_cat, torch_stack, torch_add,
    torch_matmul, torch_mm, torch_einsum, torch_axes, torch_permute, torch_split, torch_gather, torch_expand,
    torch_cross_entropy, torch_regression, torch_topk, torch_unfold, torch_glu, torch_transformer,
)  # fmt: skip
