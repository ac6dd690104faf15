"""Rows of nothing but padding, through attention and a mean over the words that are real: shown, and told once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx_ir as ir
import pytest
from onnx import TensorProto, helper, numpy_helper

from analyzer.configuration.config import InputSpec, TargetConfig
from analyzer.findings import Confidence, Finding, Level
from analyzer.graph import Graph, ValueRange
from analyzer.graph.model import FX_NODE
from analyzer.numerical.analysis import analyse
from analyzer.numerical.confirm.backends import earlier_failure
from analyzer.numerical.confirm.confirmation import ConfirmationBudget, Confirmer
from analyzer.numerical.confirm.extract import Slice
from analyzer.numerical.confirm.hidden_rows import with_hidden_rows
from analyzer.numerical.confirm.torch_evaluation import PreparedModel, run
from analyzer.numerical.confirm.torch_registry import Mode

N = helper.make_node
ATTENTION = "%scaled_dot_product_attention : call_function[target=torch.ops.aten.scaled_dot_product_attention.default]"
DIVISION, SOFTMAX = "numerical/division-by-zero", "numerical/softmax-of-minus-infinity"
RNG = np.random.default_rng(0)
WEIGHTS = {
    "table": RNG.normal(size=(20, 8)),
    "low": -np.inf,
    "one": 1.0,
    "none": 0.0,
    "scale": 0.1,
}
NUMBERS = {"padding": 0, "axis": [1], "last": [2]}


@pytest.fixture(scope="module")
def workers() -> Iterator[Confirmer]:
    with Confirmer(ConfirmationBudget(search=6.0)) as confirmer:
        yield confirmer


def layer(number: int, given: str) -> list[object]:
    """Attention of `given` to itself in which words of padding are hidden."""
    names = {n: f"{n}_{number}" for n in ("turned", "products", "scores", "shown", "weights", "made")}
    return [
        N("Transpose", [given], [names["turned"]], perm=[0, 2, 1]),
        N("MatMul", [given, names["turned"]], [names["products"]]),
        N("Mul", [names["products"], "scale"], [names["scores"]]),
        N("Where", ["hidden", "low", names["scores"]], [names["shown"]]),
        N("Softmax", [names["shown"]], [names["weights"]], axis=-1, name=f"softmax_{number}"),
        N("MatMul", [names["weights"], given], [names["made"]]),
    ]


def found(
    workers: Confirmer, folder: Path, *, own: bool, layers: int = 1, counted: str = "real", guard: bool = False
) -> list[Finding]:
    """The findings of a mean over the words behind attention; `own`: it is PyTorch's own."""
    nodes = [
        N("Equal", ["words", "padding"], ["padded"]),
        N("Unsqueeze", ["padded", "axis"], ["hidden"]),
        N("Not", ["padded"], ["kept"]),
        N("Cast", ["kept"], ["real"], to=TensorProto.FLOAT),
        N("Gather", ["table", "words"], ["made_0"]),
    ]
    for number in range(1, layers + 1):
        nodes += layer(number, f"made_{number - 1}")
    nodes += [
        N("Unsqueeze", ["real", "last"], ["column"]),
        N("Mul", [f"made_{layers}", "column"], ["selected"]),
        N("ReduceSum", ["selected", "axis"], ["total"], keepdims=0),
        N("ReduceSum", [counted, "axis"], ["count"], keepdims=1),
        N("Max", ["count", "one" if guard else "none"], ["divisor"]),
        N("Div", ["total", "divisor"], ["mean"], name="mean"),
        N("Tanh", ["mean"], ["y"]),
    ]
    held = [numpy_helper.from_array(np.asarray(v, np.float32), n) for n, v in WEIGHTS.items()]
    held += [numpy_helper.from_array(np.asarray(v, np.int64), n) for n, v in NUMBERS.items()]
    given = [helper.make_tensor_value_info("words", TensorProto.INT64, [2, 6])]
    inputs = {"words": InputSpec(range=ValueRange(0, 19))}
    if counted != "real":
        given.append(helper.make_tensor_value_info(counted, TensorProto.FLOAT, [2, 6]))
        inputs[counted] = InputSpec(range=ValueRange(0, 1))
    made = [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 8])]
    proto = helper.make_model(
        helper.make_graph(nodes, "g", given, made, held), opset_imports=[helper.make_opsetid("", 20)], ir_version=10
    )
    model = ir.from_proto(proto)
    for node in model.graph:
        if own and node.op_type == "Softmax":
            node.metadata_props[FX_NODE] = ATTENTION
    target = TargetConfig(id="t", path="t.onnx", inputs=inputs)
    graph = Graph(model, "torch", losses=("y",))
    return list(analyse(graph, target, confirmer=workers, output=folder).findings)


@pytest.mark.parametrize("layers", [1, 2])
def test_a_mean_behind_the_frameworks_own_attention_is_shown(workers: Confirmer, layers: int, tmp_path: Path) -> None:
    """That attention gives 0 to a row of padding, where the form of its export gives NaN."""
    (mean,) = found(workers, tmp_path, own=True, layers=layers)
    assert (mean.rule, mean.node, mean.level, mean.confidence) == (DIVISION, "mean", Level.ERROR, Confidence.CONFIRMED)
    assert "from 0, 0" in mean.evidence.sentences[0]
    assert mean.reproducer is not None


def test_a_guarded_mean_behind_it_is_silent(workers: Confirmer, tmp_path: Path) -> None:
    assert found(workers, tmp_path, own=True, guard=True) == []


@pytest.mark.parametrize("layers", [1, 2])
def test_a_mean_behind_a_softmax_of_the_same_padding_is_told_with_it(
    workers: Confirmer, layers: int, tmp_path: Path
) -> None:
    first, *others = found(workers, tmp_path, own=False, layers=layers)
    assert (first.rule, first.node, first.confidence) == (SOFTMAX, "softmax_1", Confidence.CONFIRMED)
    assert first.evidence.data["follows"] == ["mean"]
    assert {other.rule for other in others} <= {SOFTMAX}


def test_a_mask_that_the_model_holds_is_no_earlier_failure() -> None:
    """An operator that receives minus infinity of a buffer passes it on."""
    nodes = [N("Add", ["x", "mask"], ["hidden"], name="hidden"), N("Relu", ["hidden"], ["y"])]
    given = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])]
    made = [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])]
    for masked, earlier in ((-np.inf, None), (0.0, "hidden")):
        held = [numpy_helper.from_array(np.asarray([0, masked], np.float32), "mask")]
        model = ir.from_proto(helper.make_model(helper.make_graph(nodes, "g", given, made, held)))
        values = {"x": np.ones(2, np.float32), "hidden": np.asarray([1, -np.inf], np.float32)}
        assert earlier_failure(model, values, ["y"]) == earlier


def test_a_mean_that_is_guarded_is_not_told_with_it(workers: Confirmer, tmp_path: Path) -> None:
    (first,) = found(workers, tmp_path, own=False, guard=True)
    assert (first.rule, first.evidence.data["follows"]) == (SOFTMAX, [])


def test_a_mean_over_something_else_has_a_run_of_its_own(workers: Confirmer, tmp_path: Path) -> None:
    first, mean = found(workers, tmp_path, own=False, counted="chosen")
    assert (first.rule, first.evidence.data["follows"]) == (SOFTMAX, [])
    assert (mean.rule, mean.node, mean.confidence) == (DIVISION, "mean", Confidence.CONFIRMED)


@pytest.mark.parametrize("bare", [False, True])
def test_slices_compute_what_the_frameworks_own_attention_does(bare: bool) -> None:
    """Its results and its gradients; the softmax itself, where that is under suspicion, stays as it is."""
    torch = pytest.importorskip("torch")
    nodes = [
        N("MatMul", ["q", "k"], ["products"]),
        N("Add", ["products", "mask"], ["scores"]),
        N("Softmax", ["scores"], ["p"], axis=-1),
        N("MatMul", ["p", "v"], ["y"]),
    ]
    given = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [3, 3]) for n in ("q", "k", "mask", "v")]
    made = [helper.make_tensor_value_info("y", TensorProto.FLOAT, [3, 3])]
    opsets = [helper.make_opsetid("", 20)]
    model = ir.from_proto(helper.make_model(helper.make_graph(nodes, "g", given, made), opset_imports=opsets))
    for node in model.graph:
        node.metadata_props[FX_NODE] = ATTENTION
    with_hidden_rows(Slice(model, (), "", (), ("p",) if bare else ("y",), ("y",)))
    torch.manual_seed(0)
    mask = torch.zeros(3, 3)
    mask[0, 1], mask[1] = -torch.inf, -torch.inf
    leaves = {n: torch.randn(3, 3).requires_grad_() for n in ("q", "k", "v")}
    value = run(PreparedModel(model), {**leaves, "mask": mask}, Mode(surrogate=False))["y"]
    attend = torch.nn.functional.scaled_dot_product_attention
    wanted = attend(leaves["q"], leaves["k"].T, leaves["v"], attn_mask=mask, scale=1.0)
    if bare:
        assert bool(value[1].isnan().all())
        return
    torch.testing.assert_close(value, wanted)
    factors = torch.randn(3, 3)
    own, theirs = (torch.autograd.grad((y * factors).sum(), list(leaves.values())) for y in (value, wanted))
    torch.testing.assert_close(own, theirs)
