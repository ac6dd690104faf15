"""The oracle's convolution and pooling compute what `onnx.reference` computes."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

from analyzer.differential.worker.reference_operators import OPERATORS, operators_for


@st.composite
def cases(draw: st.DrawFn) -> tuple[onnx.ModelProto, dict[str, np.ndarray]]:
    """One operator with its inputs, over ranks, groups, pads, strides, dilations and opsets."""
    op = draw(st.sampled_from(["Conv", "MaxPool", "AveragePool"]))
    opset = draw(st.sampled_from([11, 17, 22]))
    rank = draw(st.sampled_from([1, 2, 2, 3]))
    groups = draw(st.integers(1, 2)) if op == "Conv" else 1
    kernel = [draw(st.integers(1, 3)) for _ in range(rank)]
    dilated = op == "Conv" or (op == "MaxPool") or opset >= 19
    dilations = [draw(st.integers(1, 2)) if dilated else 1 for _ in range(rank)]
    sizes = [(k - 1) * d + draw(st.integers(1, 4)) for k, d in zip(kernel, dilations, strict=True)]
    pads = [draw(st.integers(0, (k - 1) // 2)) for k in kernel * 2]
    attributes: dict[str, Any] = {
        "kernel_shape": kernel, "pads": pads, "strides": [draw(st.integers(1, 3)) for _ in range(rank)],
    }  # fmt: skip
    if dilated:
        attributes["dilations"] = dilations
    if op == "AveragePool":
        attributes["count_include_pad"] = draw(st.integers(0, 1))
    if op == "Conv":
        attributes["group"] = groups
    if op == "AveragePool" and draw(st.booleans()):
        attributes["ceil_mode"] = 1
    dtype = draw(st.sampled_from([np.float64, np.float32]))
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    channels = groups * draw(st.integers(1, 2))
    feeds = {"x": rng.normal(size=(draw(st.integers(1, 2)), channels, *sizes)).astype(dtype)}
    if op == "Conv":
        outputs = groups * draw(st.integers(1, 2))
        feeds["w"] = rng.normal(size=(outputs, channels // groups, *kernel)).astype(dtype)
        if draw(st.booleans()):
            feeds["b"] = rng.normal(size=outputs).astype(dtype)
    node = helper.make_node(op, list(feeds), ["y"], **attributes)
    values = [helper.make_tensor_value_info(n, kind, a.shape) for n, a in feeds.items()]
    result = helper.make_tensor_value_info("y", TensorProto.UNDEFINED, None)
    graph = helper.make_graph([node], "g", values, [result])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)]), feeds


@given(cases())
def test_same_result_as_the_specification(case: tuple[onnx.ModelProto, dict[str, np.ndarray]]) -> None:
    """ONNX Runtime speaks for max pools: `onnx.reference` is wrong on padded ones."""
    model, feeds = case
    try:
        if model.graph.node[0].op_type == "MaxPool":
            expected = run_on_onnx_runtime(model, feeds)
        else:
            expected = ReferenceEvaluator(model).run(None, feeds)[0]
    except ValueError:  # with `ceil_mode`, a window that holds nothing but padding
        reject()
    result = ReferenceEvaluator(model, new_ops=list(OPERATORS)).run(None, feeds)[0]
    assert result.dtype == expected.dtype
    tolerance = 1e-12 if expected.dtype == np.float64 else 1e-5
    np.testing.assert_allclose(result, expected, rtol=tolerance, atol=tolerance)


def run_on_onnx_runtime(model: onnx.ModelProto, feeds: dict[str, np.ndarray]) -> Any:
    import onnxruntime

    twin = onnx.ModelProto()
    twin.CopyFrom(model)
    twin.ir_version = 8
    twin.graph.output[0].type.CopyFrom(twin.graph.input[0].type)
    twin.graph.output[0].type.tensor_type.ClearField("shape")
    session = onnxruntime.InferenceSession(twin.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, feeds)[0]


def test_not_a_number_passes_through_pooling() -> None:
    x = np.zeros((1, 1, 4, 4))
    x[0, 0, 1, 1] = np.nan
    for op in ("MaxPool", "AveragePool"):
        node = helper.make_node(op, ["x"], ["y"], kernel_shape=[2, 2], strides=[2, 2])
        value = helper.make_tensor_value_info("x", TensorProto.DOUBLE, x.shape)
        out = helper.make_tensor_value_info("y", TensorProto.DOUBLE, None)
        model = helper.make_model(helper.make_graph([node], "g", [value], [out]))
        result = ReferenceEvaluator(model, new_ops=list(OPERATORS)).run(None, {"x": x})[0]
        assert np.isnan(result).tolist() == [[[[True, False], [False, False]]]]


def on_onnx_runtime(op: str, opset: int, feeds: dict[str, np.ndarray], **attributes: Any) -> tuple[Any, Any]:
    """What the oracle says of one operator, and what ONNX Runtime says."""
    node = helper.make_node(op, list(feeds), ["y"], **attributes)
    values = [helper.make_tensor_value_info(n, TensorProto.FLOAT, a.shape) for n, a in feeds.items()]
    out = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    graph = helper.make_graph([node], "g", values, [out])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    ours = ReferenceEvaluator(model, new_ops=list(OPERATORS)).run(None, feeds)[0]
    return ours, run_on_onnx_runtime(model, feeds)


@pytest.mark.parametrize("pads", [[1, 0], [0, 1], [1, 1]])
def test_a_padded_row_is_pooled_as_onnx_runtime_does(pads: list[int]) -> None:
    x = np.array([[[0.5, -0.25, 0.75]]], np.float32)
    ours, expected = on_onnx_runtime("MaxPool", 17, {"x": x}, kernel_shape=[2], pads=pads)
    np.testing.assert_array_equal(ours, expected)


@pytest.mark.parametrize("opset", [7, 8, 9, 13, 14, 15, 22])
def test_batch_normalisation_takes_the_statistics_it_is_given(opset: int) -> None:
    rng = np.random.default_rng(opset)
    feeds = {"x": rng.normal(size=(2, 3, 4)).astype(np.float32)}
    feeds |= {name: rng.uniform(0.5, 2.0, 3).astype(np.float32) for name in ("scale", "bias", "mean", "var")}
    ours, expected = on_onnx_runtime("BatchNormalization", opset, feeds, epsilon=1e-3)
    np.testing.assert_allclose(ours, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("opset", [7, 9, 11, 12, 13, 21])
@pytest.mark.parametrize("attributes", [{}, {"axis": 0}, {"axis": 2}])
@pytest.mark.parametrize("op", ["Softmax", "LogSoftmax", "Hardmax"])
def test_the_softmax_family_over_rows_and_axes(op: str, attributes: dict[str, int], opset: int) -> None:
    x = np.random.default_rng(opset).normal(size=(2, 3, 4, 2)).astype(np.float32)
    ours, expected = on_onnx_runtime(op, opset, {"x": x}, **attributes)
    np.testing.assert_allclose(ours, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("size", [1, 3, 5])
def test_local_response_normalisation_of_every_channel(size: int) -> None:
    x = (30 * np.random.default_rng(size).normal(size=(1, 6, 2, 3))).astype(np.float32)
    ours, expected = on_onnx_runtime("LRN", 13, {"x": x}, size=size)
    np.testing.assert_allclose(ours, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("op", "attributes"),
    [
        ("ConvTranspose", {"auto_pad": "SAME_LOWER", "kernel_shape": [2], "strides": [3]}),
        ("AveragePool", {"auto_pad": "VALID", "ceil_mode": 1, "kernel_shape": [3], "strides": [2]}),
    ],
)
def test_engines_agree_with_the_oracle(op: str, attributes: dict[str, Any]) -> None:
    """A kernel shorter than its stride, and a pool without padding beside `ceil_mode`."""
    x = np.random.default_rng(0).normal(size=(1, 1, 6)).astype(np.float32)
    feeds = {"x": x} | ({"w": np.float32([[[0.5, -2.0]]])} if op == "ConvTranspose" else {})
    values = [helper.make_tensor_value_info(n, TensorProto.FLOAT, a.shape) for n, a in feeds.items()]
    result = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    graph = helper.make_graph([helper.make_node(op, list(feeds), ["y"], **attributes)], "g", values, [result])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 11)], ir_version=8)
    (right,) = onnxruntime.InferenceSession(model.SerializeToString()).run(None, feeds)
    (mine,) = ReferenceEvaluator(model, new_ops=operators_for(11)).run(None, feeds)
    np.testing.assert_allclose(mine, right, rtol=1e-5)
