"""Writes `detector.onnx`: a one-shot detector's backbone and head, for images of 96 pixels and more."""

from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, numpy_helper

generator = np.random.default_rng(0)


def weight(name, *shape):
    return numpy_helper.from_array(generator.normal(0, 0.1, shape).astype(np.float32), name)


def conv(data, name, result, **attributes):
    return helper.make_node("Conv", [data, f"{name}.weight"], [result], name=name, **attributes)


SIZE = 96
CELLS = 12

nodes = [
    conv("image", "stem", "s1", strides=[2, 2], pads=[1, 1, 1, 1]),
    helper.make_node("Relu", ["s1"], ["r1"], name="stem.relu"),
    conv("r1", "block", "s2", strides=[2, 2], pads=[1, 1, 1, 1]),
    helper.make_node("Relu", ["s2"], ["r2"], name="block.relu"),
    helper.make_node("MaxPool", ["r2"], ["p2"], name="pool", kernel_shape=[2, 2], strides=[2, 2]),
    conv("p2", "boxes", "box_map"),
    conv("p2", "scores", "score_map"),
    helper.make_node("Concat", ["box_map", "score_map"], ["both"], name="join", axis=1),
    helper.make_node("Reshape", ["both", "layout"], ["detections"], name="layout"),
]
graph = helper.make_graph(
    nodes,
    "detector",
    [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["batch", 3, SIZE, SIZE])],
    [helper.make_tensor_value_info("detections", TensorProto.FLOAT, ["batch", 6, CELLS * CELLS])],
    [
        weight("stem.weight", 8, 3, 3, 3),
        weight("block.weight", 16, 8, 3, 3),
        weight("boxes.weight", 4, 16, 1, 1),
        weight("scores.weight", 2, 16, 3, 3),
        numpy_helper.from_array(np.array([-1, 6, CELLS * CELLS], np.int64), "layout"),
    ],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
Path(__file__).with_name("detector.onnx").write_bytes(model.SerializeToString())
