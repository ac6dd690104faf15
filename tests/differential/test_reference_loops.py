"""The oracle's `Loop` and `Scan` compute what ONNX Runtime computes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from analyzer.differential.worker.reference_operators import operators_for

node, value = helper.make_node, helper.make_tensor_value_info


def agrees(graph: onnx.GraphProto, feeds: dict[str, np.ndarray]) -> list[np.ndarray]:
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 16)], ir_version=8)
    right = onnxruntime.InferenceSession(model.SerializeToString()).run(None, feeds)
    mine = ReferenceEvaluator(model, new_ops=operators_for(16)).run(None, feeds)
    assert [m.shape for m in mine] == [r.shape for r in right]
    for one, other in zip(mine, right, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)
    return list(right)


@pytest.mark.parametrize("shape", [[], [3], [2, 3], [2, 3, 2]])
@pytest.mark.parametrize("trips", [0, 1, 4])
@pytest.mark.parametrize("limit", [3.0, 100.0])
def test_loops(shape: Sequence[int], trips: int, limit: float) -> None:
    """Each step doubles a state, gives it, and goes on while it is below `limit`."""
    kind = TensorProto.FLOAT
    body = helper.make_graph(
        [
            node("Add", ["v", "v"], ["next"]),
            node("Identity", ["next"], ["given"]),
            node("ReduceMax", ["next"], ["most"], keepdims=0),
            node("Less", ["most", "limit"], ["going"]),
        ],
        "body",
        [value("i", TensorProto.INT64, []), value("c", TensorProto.BOOL, []), value("v", kind, shape)],
        [value("going", TensorProto.BOOL, []), value("next", kind, shape), value("given", kind, shape)],
    )
    weights = [numpy_helper.from_array(np.float32(limit), "limit")]
    loop = node("Loop", ["n", "", "x"], ["last", "all"], body=body)
    outputs = [value("last", kind, None), value("all", kind, None)]
    graph = helper.make_graph(
        [loop], "g", [value("n", TensorProto.INT64, []), value("x", kind, shape)], outputs, weights
    )
    agrees(graph, {"n": np.array(trips), "x": np.ones(shape, np.float32)})


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("backward", [0, 1])
@pytest.mark.parametrize("out", [0, 1, -1])
def test_scans(axis: int, backward: int, out: int) -> None:
    """Running sums of the slices along an axis, from either end."""
    kind = TensorProto.FLOAT
    rest = [3] if axis == 0 else [2]
    body = helper.make_graph(
        [node("Add", ["s", "slice"], ["total"]), node("Identity", ["total"], ["given"])],
        "body",
        [value("s", kind, rest), value("slice", kind, rest)],
        [value("total", kind, rest), value("given", kind, rest)],
    )
    scan = node(
        "Scan", ["start", "x"], ["last", "all"], body=body, num_scan_inputs=1, scan_input_axes=[axis],
        scan_input_directions=[backward], scan_output_axes=[out], scan_output_directions=[1 - backward],
    )  # fmt: skip
    inputs = [value("start", kind, rest), value("x", kind, [2, 3])]
    graph = helper.make_graph([scan], "g", inputs, [value("last", kind, None), value("all", kind, None)])
    x = np.random.default_rng(0).normal(size=(2, 3)).astype(np.float32)
    agrees(graph, {"start": np.zeros(rest, np.float32), "x": x})
