"""Real architectures as ONNX graphs with random weights: the light zoo inside the `onnx` package, and two of ours."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

ZOO = (
    "light_squeezenet", "light_shufflenet", "light_resnet50", "light_densenet121", "light_inception_v1",
    "light_inception_v2", "light_bvlc_alexnet", "light_zfnet512", "light_vgg19",
)  # fmt: skip


def zoo(name: str, seed: int = 0) -> onnx.ModelProto:
    """A bundled model whose constant weights are replaced by random ones of a scale that keeps signals alive."""
    path = Path(onnx.__file__).parent / "backend/test/data/light" / f"{name}.onnx"
    model = onnx.load(path)
    graph, rng = model.graph, np.random.default_rng(seed)
    shapes = {i.name: numpy_helper.to_array(i) for i in graph.initializer}
    made: dict[str, np.ndarray] = {}
    keep = []
    users = {i: (n, k) for n in graph.node for k, i in enumerate(n.input)}
    for node in graph.node:
        if node.op_type == "ConstantOfShape" and node.input[0] in shapes:
            shape = [int(n) for n in shapes[node.input[0]]]
            user, position = users.get(node.output[0], (node, 1))
            made[node.output[0]] = _weights(user.op_type, position, shape, rng)
        else:
            keep.append(node)
    del graph.node[:]
    graph.node.extend(keep)
    used = {i for n in keep for i in n.input}
    rest = [i for i in graph.initializer if i.name in used and i.name not in made]
    del graph.initializer[:]
    graph.initializer.extend(rest)
    graph.initializer.extend(numpy_helper.from_array(a, n) for n, a in made.items())
    names = {i.name for i in graph.initializer}
    inputs = [i for i in graph.input if i.name not in names and i.name in used]
    del graph.input[:]
    graph.input.extend(inputs)
    for index, node in enumerate(graph.node):
        node.name = node.name or f"{node.op_type.lower()}_{index}"
    return model


def _weights(op: str, position: int, shape: list[int], rng: np.random.Generator) -> np.ndarray:
    if op == "BatchNormalization":
        values = {1: 1.0, 2: 0.0, 3: 0.0, 4: 1.0}[position] + 0.1 * rng.standard_normal(shape)
        return np.abs(values).astype(np.float32) if position == 4 else values.astype(np.float32)
    if len(shape) > 1:
        fan = float(np.prod(shape[1:])) if len(shape) == 4 else float(max(shape))
        return (rng.standard_normal(shape) * np.sqrt(2.0 / fan)).astype(np.float32)
    return (0.1 * rng.standard_normal(shape)).astype(np.float32)


def transformer(layers: int = 4, width: int = 32, heads: int = 4, length: int = 9, seed: int = 0) -> onnx.ModelProto:
    """A pre-norm transformer encoder, 15 nodes a layer."""
    rng = np.random.default_rng(seed)
    nodes: list[onnx.NodeProto] = []
    weights: dict[str, np.ndarray] = {
        "split": np.array([0, length, heads, width // heads], np.int64),
        "join": np.array([0, length, width], np.int64),
        "scale": np.array((width // heads) ** -0.5, np.float32),
        "half": np.array(0.5, np.float32),
        "root": np.array(2.0**-0.5, np.float32),
        "one": np.array(1.0, np.float32),
    }

    def add(op: str, inputs: list[str], name: str, **attributes: object) -> str:
        nodes.append(helper.make_node(op, inputs, [name], name=name, **attributes))
        return name

    def matrix(name: str, *shape: int) -> str:
        weights[name] = (rng.standard_normal(shape) * shape[0] ** -0.5).astype(np.float32)
        return name

    def norm(x: str, name: str) -> str:
        weights[f"{name}.g"] = np.ones(width, np.float32)
        weights[f"{name}.b"] = np.zeros(width, np.float32)
        return add("LayerNormalization", [x, f"{name}.g", f"{name}.b"], name)

    x = "x"
    for i in range(layers):
        h = norm(x, f"l{i}.norm1")
        parts = {}
        for part in "qkv":
            flat = add("MatMul", [h, matrix(f"l{i}.{part}.w", width, width)], f"l{i}.{part}")
            shaped = add("Reshape", [flat, "split"], f"l{i}.{part}.heads")
            parts[part] = add(
                "Transpose", [shaped], f"l{i}.{part}.t", perm=[0, 2, 3, 1] if part == "k" else [0, 2, 1, 3]
            )
        scores = add("Mul", [add("MatMul", [parts["q"], parts["k"]], f"l{i}.scores"), "scale"], f"l{i}.scaled")
        mixed = add("MatMul", [add("Softmax", [scores], f"l{i}.softmax", axis=-1), parts["v"]], f"l{i}.mix")
        flat = add("Reshape", [add("Transpose", [mixed], f"l{i}.back", perm=[0, 2, 1, 3]), "join"], f"l{i}.joined")
        x = add("Add", [x, add("MatMul", [flat, matrix(f"l{i}.o.w", width, width)], f"l{i}.o")], f"l{i}.sum1")
        up = add("MatMul", [norm(x, f"l{i}.norm2"), matrix(f"l{i}.up.w", width, 2 * width)], f"l{i}.up")
        erf = add("Erf", [add("Mul", [up, "root"], f"l{i}.root")], f"l{i}.erf")
        gelu = add("Mul", [add("Mul", [up, "half"], f"l{i}.half"), add("Add", [erf, "one"], f"l{i}.one")], f"l{i}.gelu")
        x = add("Add", [x, add("MatMul", [gelu, matrix(f"l{i}.down.w", 2 * width, width)], f"l{i}.down")], f"l{i}.sum2")
    return _model(nodes, weights, x, [2, length, width])


def encoder_decoder(depth: int = 3, width: int = 6, seed: int = 0) -> onnx.ModelProto:
    """A U-Net: convolutions, batch norm, pooling down, transposed convolutions and concatenation up."""
    rng = np.random.default_rng(seed)
    nodes: list[onnx.NodeProto] = []
    weights: dict[str, np.ndarray] = {}

    def add(op: str, inputs: list[str], name: str, **attributes: object) -> str:
        nodes.append(helper.make_node(op, inputs, [name], name=name, **attributes))
        return name

    def block(x: str, inward: int, outward: int, name: str) -> str:
        weights[f"{name}.w"] = (rng.standard_normal((outward, inward, 3, 3)) * (2 / (9 * inward)) ** 0.5).astype(
            np.float32
        )
        for key, value in zip("gbmv", (1.0, 0.1, 0.1, 1.0), strict=True):
            weights[f"{name}.{key}"] = (value + 0.05 * np.abs(rng.standard_normal(outward))).astype(np.float32)
        c = add("Conv", [x, f"{name}.w"], f"{name}.conv", pads=[1, 1, 1, 1])
        return add(
            "Relu", [add("BatchNormalization", [c, *(f"{name}.{k}" for k in "gbmv")], f"{name}.bn")], f"{name}.relu"
        )

    x, skips, channels = "x", [], 3
    for i in range(depth):
        x = block(block(x, channels, width, f"d{i}a"), width, width, f"d{i}b")
        skips.append(x)
        x, channels = add("MaxPool", [x], f"d{i}.pool", kernel_shape=[2, 2], strides=[2, 2]), width
    x = block(x, channels, width, "middle")
    for i in reversed(range(depth)):
        weights[f"u{i}.w"] = (rng.standard_normal((width, width, 3, 3)) * (2 / (9 * width)) ** 0.5).astype(np.float32)
        up = add("ConvTranspose", [x, f"u{i}.w"], f"u{i}.up", strides=[2, 2], pads=[1, 1, 1, 1], output_padding=[1, 1])
        x = block(add("Concat", [up, skips[i]], f"u{i}.cat", axis=1), 2 * width, width, f"u{i}a")
    return _model(nodes, weights, add("Sigmoid", [x], "out"), [2, 3, 24, 24])


def _model(
    nodes: list[onnx.NodeProto], weights: dict[str, np.ndarray], output: str, shape: list[int]
) -> onnx.ModelProto:
    graph = helper.make_graph(
        nodes,
        "model",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, None)],
        [numpy_helper.from_array(a, n) for n, a in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
    model.ir_version = 10
    return model


def all_models(only: str = "") -> dict[str, onnx.ModelProto]:
    """Eleven architectures by name, or the one called `only`."""
    made = {n: functools.partial(zoo, n) for n in ZOO} | {
        "transformer": transformer,
        "encoder_decoder": encoder_decoder,
    }
    return {name: make() for name, make in made.items() if only in ("", name)}
