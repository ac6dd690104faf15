"""The models of the Refty study (section 4) as layer-level descriptions, for PyTorch and for Keras.

All layers are there, at an eighth of the published width (the rules do not depend on it, the time of a real run does).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Layers = list[str]
WIDTH = 8  # published channels over ours


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


def _flatten(fw: str, source: str) -> str:
    return f"{{name: flat, op: Flatten, input: {source}{', start_dim: 1' if fw == 'torch' else ''}}}"


def _classifier(fw: str, features: int) -> Layers:
    """The three linear layers of AlexNet and VGG."""
    hidden = 4096 // WIDTH
    sizes = ((features, hidden), (hidden, hidden), (hidden, 1000))
    sources = ("flat", "fc1", "fc2")
    return [_dense(fw, f"fc{i}", s, n, m) for i, (s, (n, m)) in enumerate(zip(sources, sizes, strict=True), 1)]


def alexnet(fw: str, k: Any, s: Any, pk: Any, ps: Any) -> Layers:
    """AlexNet: its first convolution (k, s) and first pooling (pk, ps) are tuned. PyTorch's pools adaptively before the
    classifier, TensorFlow's has not got that layer."""
    layers = [
        _conv(fw, "conv1", "x", 3, 64 // WIDTH, k, s, 2 if fw == "torch" else 0),
        _pool(fw, "pool1", "conv1", pk, ps),
        _conv(fw, "conv2", "pool1", 64 // WIDTH, 192 // WIDTH, 5, 1, 2),
        _pool(fw, "pool2", "conv2", 3, 2),
        _conv(fw, "conv3", "pool2", 192 // WIDTH, 384 // WIDTH, 3, 1, 1),
        _conv(fw, "conv4", "conv3", 384 // WIDTH, 256 // WIDTH, 3, 1, 1),
        _conv(fw, "conv5", "conv4", 256 // WIDTH, 256 // WIDTH, 3, 1, 1),
        _pool(fw, "pool3", "conv5", 3, 2),
    ]
    if fw == "torch":
        layers.append("{name: adapt, op: AdaptiveAvgPool2d, output_size: 6}")
        return [*layers, _flatten(fw, "adapt"), *_classifier(fw, 256 // WIDTH * 6 * 6)]
    return [*layers, _flatten(fw, "pool3"), *_classifier(fw, 256 // WIDTH * 5 * 5)]


def vgg(fw: str, k: Any, s: Any, pk: Any, ps: Any) -> Layers:
    """VGG-16: PyTorch's has an adaptive pool before its classifier, TensorFlow's has not."""
    layers, source, c_in = [], "x", 3
    for block, (count, full) in enumerate(((2, 64), (2, 128), (3, 256), (3, 512), (3, 512)), 1):
        for index in range(1, count + 1):
            first = block == index == 1
            name = f"conv{block}_{index}"
            layers.append(_conv(fw, name, source, c_in, full // WIDTH, k if first else 3, s if first else 1, 1))
            source, c_in = name, full // WIDTH
        layers.append(_pool(fw, f"pool{block}", source, pk if block == 1 else 2, ps if block == 1 else 2))
        source = f"pool{block}"
    if fw == "torch":
        layers.append("{name: adapt, op: AdaptiveAvgPool2d, output_size: 7}")
        source = "adapt"
    return [*layers, _flatten(fw, source), *_classifier(fw, 512 // WIDTH * 7 * 7)]


class _Net:
    """Collects the layers of a network of branches; sizes are published widths."""

    def __init__(self, fw: str) -> None:
        self.fw = fw
        self.layers: Layers = []
        self.width: dict[str, int] = {"x": 3}

    def conv(self, name: str, source: str, full: int, kernel: Any, step: Any = 1, same: bool = False) -> str:
        """A convolution; `same` pads a kernel of odd sizes so that the image keeps its size."""
        sides = kernel if isinstance(kernel, list) else None
        padding: Any = 0 if not same else [k // 2 for k in sides] if sides else kernel // 2
        self.layers.append(_conv(self.fw, name, source, self.width[source], full // WIDTH, kernel, step, padding))
        self.width[name] = full // WIDTH
        return name

    def chain(self, name: str, source: str, *parts: tuple[int, Any]) -> str:
        """Convolutions of (width, kernel) after each other, all of stride 1 and `same` padding."""
        for index, (full, kernel) in enumerate(parts, 1):
            source = self.conv(f"{name}_{index}", source, full, kernel, same=True)
        return source

    def pool(self, name: str, source: str, kernel: Any, step: Any, kind: str = "Max", same: bool = False) -> str:
        self.layers.append(_pool(self.fw, name, source, kernel, step, 1 if same else 0, kind))
        self.width[name] = self.width[source]
        return name

    def join(self, name: str, *sources: str) -> str:
        op, axis = ("cat", "dim: 1") if self.fw == "torch" else ("Concatenate", "axis: -1")
        self.layers.append(f"{{name: {name}, op: {op}, inputs: [{', '.join(sources)}], {axis}}}")
        self.width[name] = sum(self.width[s] for s in sources)
        return name


def inception(
    fw: str, kernels: Sequence[Any] = (3, 3, 3), stride: Any = 2, pool: Any = 3, pool_stride: Any = 2
) -> Layers:
    """Inception-v3 without its auxiliary head: stem and blocks A x 3, B, C x 4, D, E x 2; 94 convolutions."""
    net = _Net(fw)
    x = net.conv("stem1", "x", 32, kernels[0], stride)
    x = net.conv("stem2", x, 32, kernels[1])
    x = _padded(net, "stem3", x, 64, kernels[2])
    x = net.pool("stem_pool1", x, pool, pool_stride)
    x = net.conv("stem4", x, 80, 1)
    x = net.conv("stem5", x, 192, 3)
    x = net.pool("stem_pool2", x, 3, 2)
    for i, pooled in enumerate((32, 64, 64)):
        a = net.chain(f"a{i}a", x, (64, 1))
        b = net.chain(f"a{i}b", x, (48, 1), (64, 5))
        c = net.chain(f"a{i}c", x, (64, 1), (96, 3), (96, 3))
        d = net.chain(f"a{i}d", net.pool(f"a{i}pool", x, 3, 1, "Avg", same=True), (pooled, 1))
        x = net.join(f"a{i}", a, b, c, d)
    b = net.conv("b_b3", net.chain("b_b", x, (64, 1), (96, 3)), 96, 3, 2)
    x = net.join("b", net.conv("b_a", x, 384, 3, 2), b, net.pool("b_pool", x, 3, 2))
    row, column = [1, 7], [7, 1]
    for i, c7 in enumerate((128, 160, 160, 192)):
        a = net.chain(f"c{i}a", x, (192, 1))
        b = net.chain(f"c{i}b", x, (c7, 1), (c7, row), (192, column))
        c = net.chain(f"c{i}c", x, (c7, 1), (c7, column), (c7, row), (c7, column), (192, row))
        d = net.chain(f"c{i}d", net.pool(f"c{i}pool", x, 3, 1, "Avg", same=True), (192, 1))
        x = net.join(f"c{i}", a, b, c, d)
    a = net.conv("d_a2", net.chain("d_a", x, (192, 1)), 320, 3, 2)
    b = net.conv("d_b4", net.chain("d_b", x, (192, 1), (192, row), (192, column)), 192, 3, 2)
    x = net.join("d", a, b, net.pool("d_pool", x, 3, 2))
    for i in range(2):
        a = net.chain(f"e{i}a", x, (320, 1))
        stem = net.chain(f"e{i}b", x, (384, 1))
        b = net.join(f"e{i}bj", net.chain(f"e{i}bl", stem, (384, [1, 3])), net.chain(f"e{i}br", stem, (384, [3, 1])))
        stem = net.chain(f"e{i}c", x, (448, 1), (384, 3))
        c = net.join(f"e{i}cj", net.chain(f"e{i}cl", stem, (384, [1, 3])), net.chain(f"e{i}cr", stem, (384, [3, 1])))
        d = net.chain(f"e{i}d", net.pool(f"e{i}pool", x, 3, 1, "Avg", same=True), (192, 1))
        x = net.join(f"e{i}", a, b, c, d)
    if fw == "torch":
        net.layers += ["{name: gap, op: AdaptiveAvgPool2d, output_size: 1}", _flatten(fw, "gap")]
    else:
        net.layers.append("{name: flat, op: GlobalAveragePooling2D}")
    return [*net.layers, _dense(fw, "fc", "flat", net.width[x], 1000)]


def _padded(net: _Net, name: str, source: str, full: int, kernel: Any) -> str:
    """The stem's third convolution pads by one row in PyTorch whatever its kernel is, and keeps the size in Keras."""
    net.layers.append(_conv(net.fw, name, source, net.width[source], full // WIDTH, kernel, 1, 1))
    net.width[name] = full // WIDTH
    return name


def torch_seq2seq(kind: str) -> Layers:
    """Encoder and decoder of PyTorch: sizes (he, hd) and numbers of layers (le, ld) are tuned."""
    carried = ["enc:1"] if kind == "GRU" else ["enc:1", "enc:2"]
    return [
        f"{{name: enc, op: {kind}, input: x, input_size: 12, hidden_size: he, num_layers: le}}",
        f"{{name: dec, op: {kind}, inputs: [y, {', '.join(carried)}], input_size: 10, hidden_size: hd,"
        " num_layers: ld}",
        "{name: out, op: Linear, input: dec, in_features: hd, out_features: 7}",
    ]


def keras_seq2seq(kind: str, encoders: int, decoders: int) -> Layers:
    """Keras stacks its layers one by one. Decoder layer i starts from encoder layer i, or from the last one."""
    states = 1 if kind == "GRU" else 2
    layers, source = [], "x"
    for i in range(1, encoders + 1):
        layers.append(
            f"{{name: enc{i}, op: {kind}, input: {source}, units: he, return_state: true, return_sequences: true}}"
        )
        source = f"enc{i}"
    source = "y"
    for i in range(1, decoders + 1):
        carried = ", ".join(f"enc{min(i, encoders)}:{j}" for j in range(1, states + 1))
        layers.append(f"{{name: dec{i}, op: {kind}, inputs: [{source}, {carried}], units: hd, return_sequences: true}}")
        source = f"dec{i}"
    return [*layers, f"{{name: out, op: Dense, input: {source}, units: 7}}"]


def model_text(fw: str, inputs: Mapping[str, str], layers: Sequence[str]) -> str:
    """The YAML of a model."""
    lines = ["version: 1", "model:", f"  framework: {fw}", "  inputs:"]
    lines += [f"    {name}: {text}" for name, text in inputs.items()]
    return "\n".join([*lines, "  layers:", *(f"    - {layer}" for layer in layers)]) + "\n"
