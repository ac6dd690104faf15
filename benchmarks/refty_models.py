"""The models of the Refty study (section 4) as layer-level descriptions and as running PyTorch and Keras code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Layers = list[str]


def _conv(
    fw: str, name: str, source: str, c_in: int, c_out: int, kernel: Any, stride: Any = 1, padding: Any = 0
) -> str:
    if fw == "torch":
        return (
            f"{{name: {name}, op: Conv2d, input: {source}, in_channels: {c_in}, out_channels: {c_out},"
            f" kernel_size: {kernel}, stride: {stride}, padding: {padding}}}"
        )
    same = "same" if padding not in (0, "valid") else "valid"
    return (
        f"{{name: {name}, op: Conv2D, input: {source}, filters: {c_out}, kernel_size: {kernel}, strides: {stride},"
        f" padding: {same}}}"
    )


def _pool(fw: str, name: str, source: str, kernel: Any, stride: Any, padding: Any = 0, kind: str = "Max") -> str:
    if fw == "torch":
        return (
            f"{{name: {name}, op: {kind}Pool2d, input: {source}, kernel_size: {kernel}, stride: {stride},"
            f" padding: {padding}}}"
        )
    same = "same" if padding else "valid"
    full = "Average" if kind == "Avg" else kind
    window = f"pool_size: {kernel}, strides: {stride}, padding: {same}"
    return f"{{name: {name}, op: {full}Pooling2D, input: {source}, {window}}}"


def _dense(fw: str, name: str, source: str, c_in: int, c_out: int) -> str:
    if fw == "torch":
        return f"{{name: {name}, op: Linear, input: {source}, in_features: {c_in}, out_features: {c_out}}}"
    return f"{{name: {name}, op: Dense, input: {source}, units: {c_out}, weight: {c_in}}}"


def alexnet(fw: str, k: Any, s: Any, pk: Any, ps: Any) -> Layers:
    """AlexNet: first convolution (k, s) and first pooling (pk, ps) are tuned; the classifier takes 6 x 6 x 64."""
    return [
        _conv(fw, "conv1", "x", 3, 32, k, s, 0),
        _pool(fw, "pool1", "conv1", pk, ps),
        _conv(fw, "conv2", "pool1", 32, 48, 5, 1, 2),
        _pool(fw, "pool2", "conv2", 3, 2),
        _conv(fw, "conv3", "pool2", 48, 64, 3, 1, 1),
        _pool(fw, "pool3", "conv3", 3, 2),
        f"{{name: flat, op: Flatten, input: pool3{', start_dim: 1' if fw == 'torch' else ''}}}",
        _dense(fw, "fc", "flat", 64 * 5 * 5, 10),
    ]


def vgg(fw: str, k: Any, s: Any, pk: Any, ps: Any) -> Layers:
    """VGG-16: PyTorch's has an adaptive pool before its classifier, TensorFlow's has not."""
    layers, source, c_in = [], "x", 3
    for block, (count, c_out) in enumerate(((2, 8), (2, 16), (3, 32), (3, 32), (3, 32)), 1):
        for index in range(1, count + 1):
            first = block == index == 1
            name = f"conv{block}_{index}"
            layers.append(_conv(fw, name, source, c_in, c_out, k if first else 3, s if first else 1, 1))
            source, c_in = name, c_out
        layers.append(_pool(fw, f"pool{block}", source, pk if block == 1 else 2, ps if block == 1 else 2))
        source = f"pool{block}"
    if fw == "torch":
        layers.append("{name: adapt, op: AdaptiveAvgPool2d, output_size: 7}")
    layers.append(f"{{name: flat, op: Flatten{', start_dim: 1' if fw == 'torch' else ''}}}")
    return [*layers, _dense(fw, "fc", "flat", 32 * 7 * 7, 10)]


def inception(
    fw: str, kernels: Sequence[Any] = (3, 3, 3), stride: Any = 2, pool: Any = 3, pool_stride: Any = 2
) -> Layers:
    """Inception-v3's stem and its kinds of blocks (A, B, C, D, E), at an eighth of the width."""
    out: Layers = []

    def conv(name: str, source: str, c_in: int, c_out: int, kernel: Any, step: Any = 1, pad: Any = 0) -> str:
        out.append(_conv(fw, name, source, c_in, c_out, kernel, step, pad))
        return name

    def join(name: str, sources: Sequence[str]) -> str:
        op, axis = ("cat", "dim: 1") if fw == "torch" else ("Concatenate", "axis: -1")
        out.append(f"{{name: {name}, op: {op}, inputs: [{', '.join(sources)}], {axis}}}")
        return name

    def pooled(name: str, source: str, kernel: Any, step: Any, pad: Any = 0, kind: str = "Max") -> str:
        out.append(_pool(fw, name, source, kernel, step, pad, kind))
        return name

    x = conv("stem1", "x", 3, 4, kernels[0], stride)
    x = conv("stem2", x, 4, 4, kernels[1])
    x = conv("stem3", x, 4, 8, kernels[2], 1, 1)
    x = pooled("stem_pool1", x, pool, pool_stride)
    x = conv("stem4", x, 8, 10, 1)
    x = conv("stem5", x, 10, 24, 3)
    x = pooled("stem_pool2", x, 3, 2)
    width = 24
    for i in range(3):  # A
        a = conv(f"a{i}_1", x, width, 8, 1)
        b = conv(f"a{i}_5b", conv(f"a{i}_5a", x, width, 6, 1), 6, 8, 5, 1, 2)
        c = conv(f"a{i}_3b", conv(f"a{i}_3a", x, width, 8, 1), 8, 12, 3, 1, 1)
        d = conv(f"a{i}_p1", pooled(f"a{i}_p", x, 3, 1, 1, "Avg"), width, 4, 1)
        x, width = join(f"a{i}", (a, b, c, d)), 32
    a, b = conv("b_3", x, width, 48, 3, 2), conv("b_3b", conv("b_3a", x, width, 8, 1), 8, 12, 3, 2)
    x, width = join("b", (a, b, pooled("b_p", x, 3, 2))), 48 + 12 + width
    for i in range(4):  # C
        a = conv(f"c{i}_1", x, width, 24, 1)
        b = conv(f"c{i}_7b", conv(f"c{i}_7a", x, width, 16, 1), 16, 24, 7, 1, 3)
        d = conv(f"c{i}_p1", pooled(f"c{i}_p", x, 3, 1, 1, "Avg"), width, 24, 1)
        x, width = join(f"c{i}", (a, b, d)), 72
    a, b = (
        conv("d_3", conv("d_1", x, width, 24, 1), 24, 40, 3, 2),
        conv("d_7", conv("d_7a", x, width, 24, 1), 24, 24, 3, 2),
    )
    x, width = join("d", (a, b, pooled("d_p", x, 3, 2))), 40 + 24 + width
    for i in range(2):  # E
        a = conv(f"e{i}_1", x, width, 40, 1)
        b = conv(f"e{i}_3b", conv(f"e{i}_3a", x, width, 48, 1), 48, 48, 3, 1, 1)
        d = conv(f"e{i}_p1", pooled(f"e{i}_p", x, 3, 1, 1, "Avg"), width, 24, 1)
        x, width = join(f"e{i}", (a, b, d)), 112
    if fw == "torch":
        out.append("{name: gap, op: AdaptiveAvgPool2d, output_size: 1}")
        out.append("{name: flat, op: Flatten, start_dim: 1}")
    else:
        out.append("{name: flat, op: GlobalAveragePooling2D}")
    return [*out, _dense(fw, "fc", "flat", width, 10)]


def seq2seq(fw: str, kind: str, hidden_e: Any, layers_e: Any, hidden_d: Any, layers_d: Any) -> Layers:
    """Encoder and decoder, which starts from the encoder's states: sizes and numbers of layers must agree."""
    states = "1" if kind == "GRU" else "2"
    if fw == "torch":
        carried = ["enc:1"] if states == "1" else ["enc:1", "enc:2"]
        return [
            f"{{name: enc, op: {kind}, input: x, input_size: 12, hidden_size: {hidden_e}, num_layers: {layers_e}}}",
            f"{{name: dec, op: {kind}, inputs: [y, {', '.join(carried)}], input_size: 10, hidden_size: {hidden_d},"
            f" num_layers: {layers_d}}}",
            f"{{name: out, op: Linear, input: dec, in_features: {hidden_d}, out_features: 7}}",
        ]
    raise NotImplementedError("the Keras form depends on the number of layers; see refty.keras_seq2seq")


def model_text(fw: str, inputs: Mapping[str, str], layers: Sequence[str]) -> str:
    """The YAML of a model."""
    lines = ["version: 1", "model:", f"  framework: {fw}", "  inputs:"]
    lines += [f"    {name}: {text}" for name, text in inputs.items()]
    return "\n".join([*lines, "  layers:", *(f"    - {layer}" for layer in layers)]) + "\n"
