"""The search's interpreter computes what ONNX says: its operators against the official node tests."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import onnx.backend.test.loader as loader
import onnx_ir as ir
import pytest
from onnx import helper
from onnx.reference import ReferenceEvaluator

from analyzer.numerical.confirm.torch_dtypes import from_numpy
from analyzer.numerical.confirm.torch_evaluation import PreparedModel, run
from analyzer.numerical.confirm.torch_registry import Mode, UnsupportedOperator, handler_of

# The search needs no more than these to be right: anything else falls back to probes that are run for real.
ROUGH = ("dropout", "training", "bernoulli", "random")


def test_official_node_tests() -> None:
    import torch

    import analyzer.numerical.confirm.torch_operators  # noqa: F401

    torch.set_num_threads(1)
    wrong, right, operators = [], 0, set[str]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = loader.load_model_tests(kind="node")
    for case in cases:
        if any(word in case.name for word in ROUGH) or case.model is None or not case.data_sets:
            continue
        model = ir.from_proto(case.model)
        if any(handler_of(n.domain or "", n.op_type) is None for n in model.graph):
            continue
        given, expected = case.data_sets[0]
        try:
            leaves = {v.name or "": from_numpy(a) for v, a in zip(model.graph.inputs, given, strict=False)}
            values = run(PreparedModel(model), leaves, Mode(surrogate=False))
        except (
            UnsupportedOperator,
            TypeError,
            KeyError,
            NotImplementedError,
            OSError,
            RuntimeError,
            IndexError,
            ValueError,
        ):
            continue  # said so, instead of computing something else
        name = model.graph.outputs[0].name or ""
        found, wanted = values[name], expected[0]
        parts = list(zip(found, wanted, strict=False)) if isinstance(found, list) else [(found, wanted)]
        if (isinstance(found, list) and len(found) != len(wanted)) or not all(_alike(*part) for part in parts):
            wrong.append(case.name)
        else:
            right += 1
            operators.update(n.op_type for n in model.graph)
    assert wrong == []
    assert right >= 300
    assert operators >= {"GRU", "LSTM", "RNN", "SplitToSequence", "NonZero", "ScatterND", "ScatterElements", "IsInf"}
    assert operators >= {"Resize", "SoftmaxCrossEntropyLoss"}


def _alike(found: Any, wanted: np.ndarray) -> bool:
    array = (found.float() if str(found.dtype) == "torch.bfloat16" else found).numpy()
    wide = np.asarray(wanted, np.float64)
    return array.shape == wide.shape and np.allclose(array.astype(np.float64), wide, 1e-2, 1e-3, equal_nan=True)


def test_what_a_sequence_holds_is_taken_apart_again() -> None:
    import torch

    nodes = [
        helper.make_node("SplitToSequence", ["x", "two"], ["s"], axis=1),
        helper.make_node("SequenceAt", ["s", "last"], ["first"]),
        helper.make_node("SequenceErase", ["s", "last"], ["fewer"]),
        helper.make_node("SequenceInsert", ["fewer", "first", "none"], ["turned"]),
        helper.make_node("ConcatFromSequence", ["turned"], ["y"], axis=1),
        helper.make_node("SequenceLength", ["fewer"], ["n"]),
    ]
    given = {"x": np.arange(8, dtype=np.float32).reshape(2, 4), "two": 2, "last": -1, "none": 0}
    inputs = [helper.make_tensor_value_info(n, 1 if n == "x" else 7, np.shape(v)) for n, v in given.items()]
    outputs = [helper.make_tensor_value_info(n, t, None) for n, t in (("y", 1), ("n", 7))]
    model = helper.make_model(helper.make_graph(nodes, "g", inputs, outputs))
    wanted = ReferenceEvaluator(model).run(None, {n: np.array(v) for n, v in given.items()})
    leaves = {n: torch.tensor(v) for n, v in given.items()}
    values = run(PreparedModel(ir.from_proto(model)), leaves, Mode(surrogate=False))
    assert values["y"].tolist() == wanted[0].tolist() == [[2, 3, 0, 1], [6, 7, 4, 5]]
    assert int(values["n"]) == wanted[1] == 1


@pytest.mark.parametrize(("domain", "name"), [("", "Gather"), ("tf", "GatherV2")])
def test_one_element_of_a_vector_is_a_scalar(domain: str, name: str) -> None:
    """As a dimension is read from a shape."""
    import torch

    handler = handler_of(domain, name)
    assert handler is not None
    operands = [torch.tensor([3, 5]), torch.tensor(-1 if domain == "" else 1)] + [torch.tensor(0)] * (domain == "tf")
    made = handler(ir.Node(domain, name, [], []), operands, Mode(surrogate=False))
    assert (made.shape, int(made)) == ((), 5)


@pytest.mark.parametrize("batch", [0, 1, 2])
@pytest.mark.parametrize("name", ["GatherV2", "GatherNd"])
def test_what_is_gathered_batch_by_batch(name: str, batch: int) -> None:
    """Against TensorFlow, whose rankings read rows by the places of their own sorting."""
    import tensorflow as tf
    import torch

    rng = np.random.default_rng(batch)
    x = rng.normal(size=(2, 3, 4, 5)).astype(np.float32)
    places = rng.integers(0, 2, (2, 3, 2) if name == "GatherNd" or batch else (2,))
    if name == "GatherNd":
        wanted = tf.gather_nd(x, places, batch_dims=batch)
    else:
        wanted = tf.gather(x, places, axis=2, batch_dims=batch)
    operands = [torch.tensor(x), torch.tensor(places)] + ([torch.tensor(2)] if name == "GatherV2" else [])
    node = ir.Node("tf" if name == "GatherV2" else "", "GatherV2" if name == "GatherV2" else "GatherND", [], [])
    node.attributes["batch_dims"] = ir.AttrInt64("batch_dims", batch)
    handler = handler_of(node.domain, node.op_type)
    assert handler is not None
    assert handler(node, operands, Mode(surrogate=False)).numpy().tolist() == wanted.numpy().tolist()


@pytest.mark.parametrize(
    ("name", "settings", "inputs"),
    [("from_file", {"shared": 1, "size": 4}, []), ("save", {}, ["x"]), ("relu_", {}, ["x"])],
)
def test_a_file_names_no_operator_of_torch_that_acts(
    tmp_path: Path, name: str, settings: dict[str, int], inputs: list[str]
) -> None:
    """`from_file` opens, and makes, a file; `relu_` writes into its operand."""
    import torch

    target = tmp_path / "taken"
    given = settings if name == "relu_" else {"filename": str(target), **settings}
    node = helper.make_node(name, inputs, ["y"], domain="torch.aten", **given)
    taken = [helper.make_tensor_value_info("x", 1, [None])]
    model = helper.make_model(helper.make_graph([node], "g", taken, [helper.make_tensor_value_info("y", 1, None)]))
    with pytest.raises(UnsupportedOperator):
        run(PreparedModel(ir.from_proto(model)), {"x": torch.tensor([-1.0])}, Mode(surrogate=False))
    assert not target.exists()


def test_operators_of_torch_itself_are_run_by_it() -> None:
    import torch

    nodes = [
        helper.make_node("lgamma", ["x"], ["g"], domain="torch.prims"),
        helper.make_node("searchsorted", ["edges", "g"], ["y"], domain="torch.aten", right=1),
    ]
    nodes[1].metadata_props.add(key="torch.overload", value="Tensor")
    inputs = [helper.make_tensor_value_info(n, 1, [None]) for n in ("x", "edges")]
    outputs = [helper.make_tensor_value_info("g", 1, None), helper.make_tensor_value_info("y", 7, None)]
    model = helper.make_model(helper.make_graph(nodes, "g", inputs, outputs))
    leaves = {"x": torch.tensor([1.0, 5.0], requires_grad=True), "edges": torch.tensor([0.0, 1.0])}
    values = run(PreparedModel(ir.from_proto(model)), leaves, Mode(surrogate=False))
    assert values["y"].tolist() == [1, 2]
    assert torch.autograd.grad(values["g"].sum(), leaves["x"])[0].isfinite().all()
    foreign = ir.from_proto(model)
    foreign.graph[0].domain = "torch.mylib"
    with pytest.raises(UnsupportedOperator):
        run(PreparedModel(foreign), leaves, Mode(surrogate=False))


@pytest.mark.parametrize(("left_out", "expected"), [("01", [[9.0, 1.0], [9.0, 3.0]]), ("1", [[9.0, 9.0], [2.0, 3.0]])])
def test_an_assignment_to_columns_knows_its_axes(left_out: str, expected: list[list[float]]) -> None:
    """``x[:, i] = v`` and ``x[i] = v`` are one operator with the same operands."""
    import torch

    node = helper.make_node("index_put", ["x", "i", "v"], ["y"], domain="torch.aten")
    node.metadata_props.add(key="torch.left_out", value=left_out)
    inputs = [helper.make_tensor_value_info(n, k, None) for n, k in (("x", 1), ("i", 7), ("v", 1))]
    graph = helper.make_graph([node], "g", inputs, [helper.make_tensor_value_info("y", 1, None)])
    leaves = {"x": torch.arange(4.0).view(2, 2), "i": torch.tensor([0]), "v": torch.tensor(9.0)}
    values = run(PreparedModel(ir.from_proto(helper.make_model(graph))), leaves, Mode(surrogate=False))
    assert values["y"].tolist() == expected


@pytest.mark.parametrize(("domain", "expected"), [("", [0.0, 0.0, 1.0]), ("tf", [np.nan, np.nan, 1.0])])
def test_a_rectifier_hands_on_gradients_as_its_framework_does(domain: str, expected: list[float]) -> None:
    """PyTorch selects, TensorFlow multiplies by a mask (the last one is what ``tf.GradientTape`` gives)."""
    import torch

    import analyzer.numerical.confirm.torch_operators  # noqa: F401

    handler = handler_of(domain, "Relu")
    assert handler is not None
    node = ir.node("Relu", [ir.Value(name="x")], domain=domain)
    x = torch.tensor([-1.0, 0.0, 0.25], requires_grad=True)
    handler(node, [x], Mode(surrogate=False)).sqrt().sum().backward()
    assert x.grad is not None
    np.testing.assert_array_equal(x.grad.numpy(), np.array(expected, np.float32))
    ends = torch.tensor([-np.inf, np.inf, np.nan, -1.0])
    made = handler(node, [ends], Mode(surrogate=False)).numpy()
    np.testing.assert_array_equal(made, np.array([0, np.inf, np.nan, 0], np.float32))
    assert not np.signbit(made[3])
