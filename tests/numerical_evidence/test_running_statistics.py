"""A model with a loss is run as it is trained: each batch normalised by its own statistics, not by running ones."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import onnx_ir as ir
import pytest
from onnx import TensorProto, helper, numpy_helper

from analyzer.configuration.config import TargetConfig
from analyzer.findings import Confidence, Finding, Level
from analyzer.graph import Graph
from analyzer.graph.model import OF_BATCHES
from analyzer.numerical.analysis import analyse
from analyzer.numerical.confirm.batch_statistics import as_training, trained_by_batches
from analyzer.numerical.confirm.confirmation import ConfirmationBudget, Confirmer
from analyzer.numerical.confirm.extract import whole
from analyzer.numerical.confirm.torch_evaluation import PreparedModel, run
from analyzer.numerical.confirm.torch_registry import Mode
from analyzer.numerical.findings import RUNNING

N = helper.make_node


@pytest.fixture(scope="module")
def workers() -> Iterator[Confirmer]:
    with Confirmer(ConfirmationBudget(search=4.0)) as confirmer:
        yield confirmer


def _graph(factor: float, marked: bool, losses: tuple[str, ...] = ("loss",), shape: tuple[int, ...] = (6, 4)) -> Graph:
    """The mean of exp(factor * normalised(x))."""
    nodes = [
        N("BatchNormalization", ["x", "scale", "bias", "mean", "variance"], ["normalised"], name="bn"),
        N("Mul", ["normalised", "factor"], ["scores"]),
        N("Exp", ["scores"], ["grown"], name="exp"),
        N("ReduceMean", ["grown"], ["loss"], keepdims=0),
    ]
    numbers = {"scale": np.ones(4), "bias": np.zeros(4), "mean": np.zeros(4), "variance": np.ones(4), "factor": factor}
    held = [numpy_helper.from_array(np.asarray(v, np.float32), n) for n, v in numbers.items()]
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, list(shape))]
    outputs = [helper.make_tensor_value_info("loss", TensorProto.FLOAT, [])]
    made = [helper.make_tensor_value_info(n, TensorProto.FLOAT, list(shape)) for n in ("normalised", "scores", "grown")]
    proto = helper.make_model(
        helper.make_graph(nodes, "g", inputs, outputs, held, value_info=made),
        opset_imports=[helper.make_opsetid("", 20)],
        ir_version=10,
    )
    model = ir.from_proto(proto)
    if marked:
        model.graph.initializers["mean"].metadata_props[OF_BATCHES] = "1"
    return Graph(model, "torch", losses=losses)


def _overflow(workers: Confirmer, graph: Graph) -> Finding:
    found = analyse(graph, TargetConfig("t"), confirmer=workers, explain=False).findings
    (one,) = [f for f in found if f.node == "exp"]
    return one


def test_statistics_that_fit_no_batch_do_not_block(workers: Confirmer) -> None:
    """Six rows normalised by themselves lie within the root of 5: nothing overflows while the model is trained."""
    found = _overflow(workers, _graph(1.0, marked=True))
    assert (found.level, found.confidence) == (Level.WARNING, Confidence.CONFIRMED)
    assert RUNNING in found.evidence.sentences


@pytest.mark.parametrize(("factor", "marked"), [(60.0, True), (1.0, False)])
def test_what_training_meets_blocks(workers: Confirmer, factor: float, marked: bool) -> None:
    """Scores that overflow in normalised batches too; a layer that stays in evaluation mode while others train."""
    found = _overflow(workers, _graph(factor, marked))
    assert (found.level, found.confidence) == (Level.ERROR, Confidence.CONFIRMED)
    assert RUNNING not in found.evidence.sentences


def test_a_model_without_a_loss_is_run_as_it_was_exported() -> None:
    assert trained_by_batches(_graph(1.0, marked=True)) == {"mean"}
    assert not trained_by_batches(_graph(1.0, marked=True, losses=()))


@pytest.mark.parametrize("shape", [(6, 4), (3, 4, 5), (2, 4, 3, 5)])
def test_the_form_of_training_computes_what_training_does(shape: tuple[int, ...]) -> None:
    """Against the layer of torch in training mode; the running statistics are no leaves any more."""
    torch = pytest.importorskip("torch")
    graph = _graph(0.5, marked=True, shape=shape)
    piece = whole(graph, {}, {"*": 2}, graph.losses)
    assert piece is not None
    changed = as_training(piece, trained_by_batches(graph))
    assert {leaf.name for leaf in changed.leaves} == {"x"}
    x = torch.randn(shape, generator=torch.Generator().manual_seed(0)) * 3 + 1
    layer = {2: torch.nn.BatchNorm1d, 3: torch.nn.BatchNorm1d, 4: torch.nn.BatchNorm2d}[len(shape)](4)
    made = run(PreparedModel(changed.model), {"x": x}, Mode(surrogate=False))["loss"]
    assert torch.allclose(made, (0.5 * layer(x)).exp().mean(), rtol=1e-5)
