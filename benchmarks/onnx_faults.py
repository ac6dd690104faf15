"""Bugs put into one node of the model that an ONNX Runtime worker has loaded; carried into the worker and undone
afterwards. The four kinds of CRADLE come first."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

Weights = dict[str, onnx.TensorProto]
Fault = Callable[[onnx.NodeProto, Weights], bool]


def _attribute(node: onnx.NodeProto, name: str, value: object) -> bool:
    for a in list(node.attribute):
        if a.name == name:
            node.attribute.remove(a)
    node.attribute.append(helper.make_attribute(name, value))
    return True


def _get(node: onnx.NodeProto, name: str, default: Any = None) -> Any:
    return next((helper.get_attribute_value(a) for a in node.attribute if a.name == name), default)


def _weight(node: onnx.NodeProto, weights: Weights, position: int, change: Callable[[np.ndarray], np.ndarray]) -> bool:
    """Give this node alone a changed copy of one of its weights."""
    if len(node.input) <= position or node.input[position] not in weights:
        return False
    old = numpy_helper.to_array(weights[node.input[position]])
    new = np.ascontiguousarray(change(old)).astype(old.dtype)
    if new.shape != old.shape or np.array_equal(new, old):
        return False
    name = f"{node.input[position]}/{node.output[0]}/fault"
    weights[name] = numpy_helper.from_array(new, name)
    node.input[position] = name
    return True


def epsilon_outside(node: onnx.NodeProto, weights: Weights) -> bool:
    """CRADLE: 1 / (sqrt(var) + eps) instead of 1 / sqrt(var + eps), with Keras' eps of 1e-3."""
    return node.op_type == "BatchNormalization" and _weight(node, weights, 4, lambda v: (np.sqrt(v) + 1e-3) ** 2)


def padding_on_the_other_side(node: onnx.NodeProto, weights: Weights) -> bool:
    """CRADLE: all padding before, none after."""
    pads = _get(node, "pads")
    if node.op_type not in ("Conv", "MaxPool", "AveragePool") or not pads or len(pads) != 4 or not any(pads):
        return False
    return _attribute(node, "pads", [pads[0] + pads[2], pads[1] + pads[3], 0, 0])


def pooling_counts_padding(node: onnx.NodeProto, weights: Weights) -> bool:
    """CRADLE: padded cells counted in the mean; where nothing is padded, the maximum instead of the mean."""
    if node.op_type == "AveragePool":
        if any(_get(node, "pads") or []):
            return _attribute(node, "count_include_pad", 1 - int(_get(node, "count_include_pad", 0)))
        node.op_type = "MaxPool"
        for a in list(node.attribute):
            if a.name == "count_include_pad":
                node.attribute.remove(a)
        return True
    if node.op_type == "GlobalAveragePool":
        node.op_type = "GlobalMaxPool"
        return True
    return False


def kernel_flipped(node: onnx.NodeProto, weights: Weights) -> bool:
    """CRADLE: parameters organised for convolution instead of cross-correlation."""
    return node.op_type in ("Conv", "ConvTranspose") and _weight(node, weights, 1, lambda w: w[:, :, ::-1, ::-1])


def epsilon_of_another_size(node: onnx.NodeProto, weights: Weights) -> bool:
    return node.op_type in ("BatchNormalization", "LayerNormalization") and _attribute(node, "epsilon", 0.05)


def input_channels_rolled(node: onnx.NodeProto, weights: Weights) -> bool:
    axis = 0 if node.op_type == "MatMul" else 1
    return node.op_type in ("Conv", "Gemm", "MatMul") and _weight(node, weights, 1, lambda w: np.roll(w, 1, axis=axis))


def bias_lost(node: onnx.NodeProto, weights: Weights) -> bool:
    return node.op_type in ("Conv", "Gemm", "LayerNormalization") and _weight(node, weights, 2, np.zeros_like)


def weights_in_bfloat16(node: onnx.NodeProto, weights: Weights) -> bool:
    """A kernel that takes the upper half of each float32, unasked."""
    kinds = ("Conv", "Gemm", "MatMul")
    return node.op_type in kinds and _weight(
        node, weights, 1, lambda w: (w.view(np.uint32) & 0xFFFF0000).view(np.float32)
    )


def scale_ignored(node: onnx.NodeProto, weights: Weights) -> bool:
    return node.op_type in ("BatchNormalization", "LayerNormalization") and _weight(node, weights, 1, np.ones_like)


def relu_leaks(node: onnx.NodeProto, weights: Weights) -> bool:
    if node.op_type != "Relu":
        return False
    node.op_type = "LeakyRelu"
    return _attribute(node, "alpha", 0.1)


def activation_approximated(node: onnx.NodeProto, weights: Weights) -> bool:
    cheap = {"Sigmoid": "HardSigmoid", "Erf": "Tanh", "Tanh": "Softsign"}
    if node.op_type not in cheap:
        return False
    node.op_type = cheap[node.op_type]
    return True


def gelu_by_tanh(node: onnx.NodeProto, weights: Weights) -> bool:
    other = "none" if _get(node, "approximate") == b"tanh" else "tanh"
    return node.op_type == "Gelu" and _attribute(node, "approximate", other)


def softmax_over_another_axis(node: onnx.NodeProto, weights: Weights) -> bool:
    return node.op_type == "Softmax" and _attribute(node, "axis", 0)


def sum_is_a_maximum(node: onnx.NodeProto, weights: Weights) -> bool:
    if node.op_type not in ("Add", "Sum") or len(node.input) != 2 or any(i in weights for i in node.input):
        return False
    node.op_type = "Max"
    return True


def concatenated_backwards(node: onnx.NodeProto, weights: Weights) -> bool:
    if node.op_type != "Concat" or len(set(node.input)) < 2 or any(i in weights for i in node.input):
        return False
    names = list(node.input)[::-1]
    del node.input[:]
    node.input.extend(names)
    return True


def response_norm_alpha(node: onnx.NodeProto, weights: Weights) -> bool:
    return node.op_type == "LRN" and _attribute(node, "alpha", 50 * float(_get(node, "alpha", 1e-4)))


FAULTS: tuple[Fault, ...] = (
    epsilon_outside, padding_on_the_other_side, pooling_counts_padding, kernel_flipped, epsilon_of_another_size,
    input_channels_rolled, bias_lost, weights_in_bfloat16, scale_ignored, relu_leaks, activation_approximated,
    gelu_by_tanh, softmax_over_another_axis, sum_is_a_maximum, concatenated_backwards, response_norm_alpha,
)  # fmt: skip


def inject(engine: Any, number: int, seed: list[int]) -> list[list[str]]:
    """Put `number` faults into different nodes; gives [tensor that the node makes, kind] for each."""
    restore(engine)
    if number == 0:
        return []
    rng = np.random.default_rng(seed)
    nodes, weights = engine.model.proto.graph.node, engine.model.initializers
    done: list[list[str]] = []
    engine.undo = []
    for index in rng.permutation(len(FAULTS)):
        for place in rng.permutation(len(nodes)):
            node = nodes[int(place)]
            if node.output[0] in [d[0] for d in done] or not _computes(node, engine):
                continue
            before = onnx.NodeProto()
            before.CopyFrom(node)
            if FAULTS[index](node, weights):
                engine.undo.append((int(place), before))
                done.append([node.output[0], FAULTS[index].__name__])
                break
        if len(done) == number:
            break
    engine.healthy, engine.path = engine.path, _written(engine)
    engine.sessions.clear()
    return done


def _written(engine: Any) -> Path:
    """The whole model with its faults: the engine opens a file where nobody asks for hidden tensors."""
    model = onnx.ModelProto()
    model.CopyFrom(engine.model.proto)
    del model.graph.initializer[:]
    model.graph.initializer.extend(engine.model.initializers.values())
    path = Path(tempfile.gettempdir()) / "faulty.onnx"
    onnx.save(model, path)
    return path


def restore(engine: Any) -> None:
    for place, before in getattr(engine, "undo", ()):
        engine.model.proto.graph.node[place].CopyFrom(before)
    for name in [n for n in engine.model.initializers if n.endswith("/fault")]:
        del engine.model.initializers[name]
    engine.undo = []
    engine.path = getattr(engine, "healthy", engine.path)
    engine.sessions.clear()


def _computes(node: onnx.NodeProto, engine: Any) -> bool:
    """Not the arithmetic of shapes: only nodes that an output of the model's own depends on through its inputs."""
    if not hasattr(engine, "varying"):
        varying = set(engine.model.declared)
        for each in engine.model.proto.graph.node:
            if each.op_type != "Shape" and varying.intersection(each.input):
                varying.update(each.output)
        engine.varying = varying
    return bool(engine.varying.intersection(node.input))
