"""Short training runs: a failure that the loss brings about is shown; a batch that is none of the model ends a run."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
import pytest
from onnx import TensorProto, helper

from analyzer.numerical.confirm import training
from analyzer.numerical.confirm.extract import Leaf
from analyzer.numerical.confirm.objective import LOWEST
from analyzer.numerical.confirm.problem import SearchProblem
from analyzer.numerical.confirm.search import TorchTrials
from analyzer.numerical.confirm.torch_training import TorchTrainer
from analyzer.numerical.confirm.training import ENOUGH, trained

N = helper.make_node


def _problem(sign: float) -> SearchProblem:
    """The mean of rows of a table and a thousandth of log(s), ± s: x picks the rows, and there are four of them."""
    nodes = [
        N("Cast", ["x"], ["rows"], to=TensorProto.INT64),
        N("Gather", ["table", "rows"], ["picked"]),
        N("ReduceMean", ["picked"], ["mean"], keepdims=0),
        N("Log", ["s"], ["l"]),
        N("Mul", ["s", "sign"], ["p"]),
        N("Add", ["l", "p"], ["both"]),
        N("Add", ["mean", "both"], ["loss"]),
    ]
    inputs = [
        helper.make_tensor_value_info(n, TensorProto.FLOAT, d) for n, d in (("x", [5]), ("table", [4]), ("s", []))
    ]
    outputs = [helper.make_tensor_value_info("loss", TensorProto.FLOAT, [])]
    fixed = [helper.make_tensor("sign", TensorProto.FLOAT, [], [sign])]
    model = helper.make_model(
        helper.make_graph(nodes, "g", inputs, outputs, fixed),
        opset_imports=[helper.make_opsetid("", 20)],
        ir_version=10,
    )
    table = np.linspace(0.1, 0.4, 4, dtype=np.float32)
    leaves = (
        Leaf("x", (5,), "FLOAT", -100.0, 100.0, "input", shown=((0.0, 3.0),)),
        Leaf("table", (4,), "FLOAT", -1.0, 1.0, "parameter", table, True),
        Leaf("s", (), "FLOAT", 0.0 - 1.0, 3.0, "parameter", np.float32(1.0), True),
    )
    return SearchProblem(
        ir.from_proto(model), leaves, ("s",), ("loss",), (0, LOWEST), ("loss",), losses=("loss",), backward=True
    )


@pytest.mark.parametrize("sign", [3.0, -3.0])
def test_a_loss_that_pulls_a_deviation_to_0_shows_its_logarithm(sign: float) -> None:
    """Batches of large numbers index outside the table: such runs end, and the others go on."""
    problem = _problem(sign)
    witness = {x.name: TorchTrials(problem).made(x, 0.5) for x in problem.leaves}
    found = trained(TorchTrainer(problem, "l"), witness, 0)
    assert bool(found.failed) == (sign > 0)
    assert found.failed or found.runs >= ENOUGH


@pytest.mark.parametrize(
    ("plans", "again", "failed", "once"),
    [
        ([0], True, "Adam, rate 0.01, ordinary inputs: step 5", ""),
        ([0], False, "", "Adam, rate 0.01, ordinary inputs: step 5"),
        ([0, 4], False, "Adam, rate 0.01, ordinary inputs: step 5", "Adam, rate 0.01, ordinary inputs: step 5"),
        ([], False, "", ""),
    ],
)
def test_a_run_that_fails_alone_shows_nothing(
    monkeypatch: pytest.MonkeyPatch, plans: list[int], again: bool, failed: str, once: str
) -> None:
    """It is repeated with other weights and data; another plan's run that fails counts as well."""
    problem = _problem(3.0)

    def run(task: training.TrainingTask, deadline: float) -> training.TrainingRun:
        return training.TrainingRun(5, True, again if task.anew else training.PLANS.index(task.plan) in plans)

    monkeypatch.setattr(training, "run_of", run)
    found = trained(TorchTrainer(problem, "l"), {}, 0)
    assert found.failed == failed
    assert found.once == ("" if failed else once)


def test_the_same_run_again_starts_from_other_weights() -> None:
    problem = _problem(3.0)
    witness = {x.name: TorchTrials(problem).made(x, 0.5) for x in problem.leaves}
    task = training.TrainingTask(TorchTrainer(problem, "l"), training.PLANS[0], witness, 0)
    assert all(other.anew and other.seed != task.seed for other in training.repeated(task))
