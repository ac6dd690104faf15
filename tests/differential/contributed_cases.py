"""Drawn uses of ONNX Runtime's own operators, and models of one node each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import onnx
from onnx import helper, numpy_helper

F = np.float32
Rng = np.random.Generator


class Drawn(NamedTuple):
    """One node: what it is fed by name in order (None: left out), its attributes, and how many outputs are asked."""

    inputs: tuple[np.ndarray | None, ...]
    attributes: Mapping[str, Any] = {}
    outputs: int = 1
    tolerance: float = 2e-5  # of the largest element


def normal(rng: Rng, *shape: int) -> np.ndarray:
    return np.asarray(rng.standard_normal(shape) * 2, F)


def maybe(rng: Rng, array: np.ndarray) -> np.ndarray | None:
    return array if rng.random() < 0.5 else None


def scale(rng: Rng, *shape: int) -> np.ndarray:
    return np.asarray(rng.uniform(0.01, 0.1, shape), F)


def whole(rng: Rng, dtype: Any, *shape: int) -> np.ndarray:
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max + 1, shape).astype(dtype)


def weight(rng: Rng, dtype: Any, *shape: int) -> np.ndarray:
    """Of 7 bits: products of 8 bits saturate in ONNX Runtime on processors without VNNI."""
    return rng.integers(0, 64, shape).astype(dtype)


def bytes_of(rng: Rng) -> Any:
    return np.uint8 if rng.random() < 0.5 else np.int8


def unary(rng: Rng) -> Drawn:
    return Drawn((normal(rng, 3, 4, 5),))


def biased(rng: Rng) -> Drawn:
    return Drawn((normal(rng, 3, 4, 8), normal(rng, 8)))


def fast_gelu(rng: Rng) -> Drawn:
    return Drawn((normal(rng, 3, 4, 8), maybe(rng, normal(rng, 8))))


def quick_gelu(rng: Rng) -> Drawn:
    return Drawn((normal(rng, 3, 4, 8),), {"alpha": float(rng.uniform(0.5, 2))} if rng.random() < 0.5 else {})


def fused_matmul(rng: Rng) -> Drawn:
    ta, tb = (int(v) for v in rng.integers(0, 2, 2))
    a = normal(rng, 2, *((5, 3) if ta else (3, 5)))
    b = normal(rng, 2, *((4, 5) if tb else (5, 4)))
    return Drawn((a, b), {"transA": ta, "transB": tb, "alpha": float(rng.uniform(0.1, 2))})


def batch_first(rng: Rng) -> Drawn:
    return Drawn((normal(rng, 3, 2, 5), normal(rng, 2, 5, 4)), {"transBatchA": 1})


def fused_conv(rng: Rng) -> Drawn:
    kind = str(rng.choice(["Relu", "Sigmoid", "Tanh", "LeakyRelu", "Clip", "HardSigmoid"]))
    parameters = {"LeakyRelu": [0.2], "Clip": [-0.5, 0.7], "HardSigmoid": [0.3, 0.4]}.get(kind)
    attributes: dict[str, Any] = {"activation": kind, "kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "strides": [1, 1]}
    attributes |= {"activation_params": parameters} if parameters else {}
    added = maybe(rng, normal(rng, 1, 4, 6, 6))
    return Drawn((normal(rng, 1, 3, 6, 6), normal(rng, 4, 3, 3, 3), normal(rng, 4), added), attributes)


def fused_gemm(rng: Rng) -> Drawn:
    return Drawn(
        (normal(rng, 3, 5), normal(rng, 4, 5), maybe(rng, normal(rng, 4))),
        {"activation": "LeakyRelu", "activation_alpha": 0.3, "transB": 1, "alpha": 0.5, "beta": 0.7},
    )


def skip_norm(rng: Rng) -> Drawn:
    more = (maybe(rng, normal(rng, 6)), maybe(rng, normal(rng, 6)))
    return Drawn((normal(rng, 2, 3, 6), normal(rng, 2, 3, 6), normal(rng, 6), *more), {"epsilon": 1e-5}, 1)


def skip_rms(rng: Rng) -> Drawn:
    more = maybe(rng, normal(rng, 6))
    return Drawn((normal(rng, 2, 3, 6), normal(rng, 2, 3, 6), normal(rng, 6), more), {"epsilon": 1e-5}, 1)


def rms(rng: Rng) -> Drawn:
    return Drawn((normal(rng, 2, 3, 6), normal(rng, 6)), {"axis": -1, "epsilon": 1e-5})


def embedded(rng: Rng) -> Drawn:
    ids, segments = rng.integers(0, 9, (2, 4)).astype(np.int32), rng.integers(0, 2, (2, 4)).astype(np.int32)
    mask = np.array([[1, 1, 1, 0], [1, 1, 0, 0]], np.int32)
    return Drawn(
        (ids, segments, normal(rng, 9, 6), normal(rng, 7, 6), normal(rng, 2, 6), normal(rng, 6), normal(rng, 6), mask),
        {"epsilon": 1e-5}, 2,
    )  # fmt: skip


def masks(rng: Rng, queries: int, keys: int) -> np.ndarray | None:
    raw = np.array([[1] * keys, [1] * (keys - 2) + [0, 0]], np.int32)
    kinds = [None, np.array([keys, keys - 1], np.int32), raw, np.repeat(raw[:, None], queries, 1)]
    return kinds[int(rng.integers(len(kinds)))]


def attention(rng: Rng) -> Drawn:
    past = normal(rng, 2, 2, 2, 3, 4) if rng.random() < 0.4 else None
    keys = 5 if past is None else 8
    attributes: dict[str, Any] = {"num_heads": 2, "unidirectional": int(rng.integers(2))}
    attributes |= {"scale": 0.3} if rng.random() < 0.3 else {}
    return Drawn(
        (normal(rng, 2, 5, 6), normal(rng, 6, 24) / 3, normal(rng, 24), masks(rng, 5, keys), past), attributes,
        1 if past is None else 2,
    )  # fmt: skip


def several_heads(rng: Rng) -> Drawn:
    mask = [None, np.array([[1] * 7, [1] * 5 + [0, 0]], np.int32)][int(rng.integers(2))]
    if rng.random() < 0.6:
        added = maybe(rng, normal(rng, 1, 2, 5, 7))
        bias = maybe(rng, normal(rng, 24))
        parts = (normal(rng, 2, 5, 8), normal(rng, 2, 7, 8), normal(rng, 2, 7, 8))
        return Drawn((*parts, bias, mask, added), {"num_heads": 2})
    x, past = normal(rng, 2, 3, 8), normal(rng, 2, 2, 4, 4)
    return Drawn((x, x / 2, x / 3, None, mask, None, past, past / 2), {"num_heads": 2, "unidirectional": 1}, 3)


def rotary(rng: Rng) -> Drawn:
    x = normal(rng, 2, 5, 12) if rng.random() < 0.5 else normal(rng, 2, 3, 5, 4)
    places = np.array([2]) if rng.random() < 0.5 else rng.integers(0, 9, (2, 5))
    return Drawn((x, places, normal(rng, 9, 2), normal(rng, 9, 2)), {"interleaved": int(rng.integers(2))})


def dynamic_matmul(rng: Rng) -> Drawn:
    kind = bytes_of(rng)
    per = (4,) if rng.random() < 0.5 else ()
    zero = maybe(rng, np.full(per, 3, kind))
    return Drawn((normal(rng, 3, 6), weight(rng, kind, 6, 4), scale(rng, *per), zero, maybe(rng, normal(rng, 4))))


def integer_matmul(rng: Rng) -> Drawn:
    kind = bytes_of(rng)
    per = (4,) if rng.random() < 0.5 else ()
    zeros = (maybe(rng, np.array(100, np.uint8)), maybe(rng, np.full(per, 3, kind)))
    a = whole(rng, np.uint8, 3, 6)
    return Drawn((a, weight(rng, kind, 6, 4), scale(rng), scale(rng, *per), *zeros, maybe(rng, normal(rng, 4))))


def gemm(rng: Rng) -> Drawn:
    kind, c = bytes_of(rng), maybe(rng, rng.integers(-900, 900, (4,)).astype(np.int32))
    given = (whole(rng, np.uint8, 3, 6), scale(rng), np.array(90, np.uint8), weight(rng, kind, 4, 6), scale(rng))
    if rng.random() < 0.5:
        return Drawn((*given, np.array(3, kind), c), {"transB": 1})
    return Drawn((*given, np.array(3, kind), c, np.array(0.9, F), np.array(99, np.uint8)), {"transB": 1}, 1, 1.0)


def pair(rng: Rng) -> Drawn:
    kind = bytes_of(rng)
    zeros = [np.array(v, kind) for v in rng.integers(0, 60, 3)]
    a, b = whole(rng, kind, 2, 3, 4), whole(rng, kind, 4)
    return Drawn((a, scale(rng), zeros[0], b, scale(rng), zeros[1], np.array(0.2, F), zeros[2]), {}, 1, 1.0)


def single(rng: Rng) -> Drawn:
    kind = bytes_of(rng)
    given = (whole(rng, kind, 2, 3, 4), scale(rng), np.array(9, kind), np.array(1 / 128, F), np.array(0, kind))
    return Drawn(given, {}, 1, 1.0)


def pool(rng: Rng) -> Drawn:
    kind, last = bytes_of(rng), int(rng.integers(2))
    x = whole(rng, kind, 2, 3, 4, 5)
    return Drawn((x, scale(rng), np.array(9, kind), scale(rng), np.array(1, kind)), {"channels_last": last}, 1, 1.0)


def window(rng: Rng) -> Drawn:
    kind = bytes_of(rng)
    attributes = {"kernel_shape": [2, 2], "strides": [1, 2], "pads": [1, 0, 1, 0]}
    attributes |= {"count_include_pad": int(rng.integers(2))}
    x = whole(rng, kind, 2, 3, 4, 6)
    return Drawn((x, scale(rng), np.array(9, kind), scale(rng), np.array(1, kind)), attributes, 1, 1.0)


def joined(rng: Rng) -> Drawn:
    kind = bytes_of(rng)
    parts = [v for n in (2, 3) for v in (whole(rng, kind, n, 4), scale(rng), np.array(5, kind))]
    return Drawn((np.array(0.07, F), np.array(3, kind), *parts), {"axis": 0}, 1, 1.0)


def softmax(rng: Rng) -> Drawn:
    kind, opset = bytes_of(rng), int(rng.choice([11, 13]))
    given = (whole(rng, kind, 2, 3, 4), scale(rng), np.array(9, kind), np.array(1 / 256, F), np.array(0, kind))
    return Drawn(given, {"axis": int(rng.integers(1, 3)), "opset": opset}, 1, 1.0)


def few_bits(rng: Rng) -> Drawn:
    size, block = int(rng.choice([32, 64, 80])), int(rng.choice([16, 32]))
    blocks = -(-size // block)
    zeros = maybe(rng, whole(rng, np.uint8, 6 * -(-blocks // 2)))
    attributes = {"K": size, "N": 6, "bits": 4, "block_size": block}
    packed = whole(rng, np.uint8, 6, blocks, block // 2)
    return Drawn((normal(rng, 3, size), packed, scale(rng, 6 * blocks), zeros), attributes, 1, 1e-4)


def lstm(rng: Rng) -> Drawn:
    ways = int(rng.integers(1, 3))
    direction = "bidirectional" if ways == 2 else "forward"
    given = (
        normal(rng, 5, 2, 6), weight(rng, np.int8, ways, 6, 32), weight(rng, np.int8, ways, 8, 32),
        maybe(rng, normal(rng, ways, 64)), None, None, None, None, scale(rng, ways) / 40, np.zeros(ways, np.int8),
        scale(rng, ways) / 40, np.zeros(ways, np.int8),
    )  # fmt: skip
    # What ONNX Runtime multiplies is rounded to 8 bits.
    return Drawn(given, {"hidden_size": 8, "direction": direction}, 3, 0.05)


CASES: dict[str, Callable[[Rng], Drawn]] = {
    "Gelu": unary, "BiasGelu": biased, "FastGelu": fast_gelu, "QuickGelu": quick_gelu, "FusedMatMul": fused_matmul,
    "FusedMatMul batch": batch_first,
    "TransposeMatMul": lambda rng: Drawn((normal(rng, 3, 5), normal(rng, 4, 5)), {"transB": 1}),
    "FusedConv": fused_conv, "FusedGemm": fused_gemm, "SkipLayerNormalization": skip_norm,
    "SkipSimplifiedLayerNormalization": skip_rms, "SimplifiedLayerNormalization": rms,
    "EmbedLayerNormalization": embedded, "Attention": attention, "MultiHeadAttention": several_heads,
    "RotaryEmbedding": rotary, "DynamicQuantizeMatMul": dynamic_matmul, "MatMulIntegerToFloat": integer_matmul,
    "QGemm": gemm, "QLinearAdd": pair, "QLinearMul": pair, "QLinearSigmoid": single, "QLinearLeakyRelu": single,
    "QLinearGlobalAveragePool": pool, "QLinearAveragePool": window, "QLinearConcat": joined, "QLinearSoftmax": softmax,
    "MatMulNBits": few_bits, "DynamicQuantizeLSTM": lstm, "QAttention": lambda rng: quantized_attention(rng),
}  # fmt: skip


def quantized_attention(rng: Rng) -> Drawn:
    x, weights = whole(rng, np.uint8, 2, 5, 6), weight(rng, np.int8, 6, 24)
    given = (x, weights, normal(rng, 24), scale(rng) / 10, scale(rng) / 10, masks(rng, 5, 5), np.array(120, np.uint8))
    return Drawn((*given, np.array(2, np.int8)), {"num_heads": 2, "unidirectional": int(rng.integers(2))}, 1, 1e-4)


def model_of(op: str, drawn: Drawn) -> tuple[onnx.ModelProto, dict[str, np.ndarray]]:
    """Everything that stands for weights in such models is a constant: some kernels insist."""
    domain = "" if op.startswith("Simplified") else "com.microsoft"
    names = ["" if a is None else f"i{k}" for k, a in enumerate(drawn.inputs)]
    outputs = [f"o{k}" for k in range(drawn.outputs)]
    node = helper.make_node(op, names, outputs, domain=domain, **drawn.attributes)
    arrays = {n: a for n, a in zip(names, drawn.inputs, strict=True) if a is not None}
    several = op in ("QLinearAdd", "QLinearMul", "QLinearConcat", "MultiHeadAttention")
    fed = [n for n in arrays if (arrays[n].ndim > 1 if several else n == "i0")]
    types = {n: helper.np_dtype_to_tensor_dtype(arrays[n].dtype) for n in fed}
    declared = [helper.make_tensor_value_info(n, types[n], arrays[n].shape) for n in fed]
    graph = helper.make_graph(
        [node], "g", declared, [onnx.ValueInfoProto(name=o) for o in outputs],
        [numpy_helper.from_array(a, n) for n, a in arrays.items() if n not in fed],
    )  # fmt: skip
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9), {n: arrays[n] for n in fed}
