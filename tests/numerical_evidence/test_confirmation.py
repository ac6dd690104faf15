"""Confirmation: only what failed in a real run, inside the ranges, within its time, whatever the model does."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import onnx
import onnx_ir as ir
import pytest
from onnx import TensorProto, helper, numpy_helper

from analyzer.graph import Graph, ValueRange
from analyzer.numerical.confirm.child import Worker, WorkerFailed
from analyzer.numerical.confirm.confirmation import ConfirmationBudget, Confirmer
from analyzer.numerical.confirm.outcome import Confirmation
from analyzer.numerical.result import Alarm, Interval


def model(nodes: list[onnx.NodeProto], shape: list[int], kind: int = TensorProto.FLOAT, **weights: np.ndarray) -> Graph:
    tensors = [numpy_helper.from_array(array, name) for name, array in weights.items()]
    inputs = [helper.make_tensor_value_info("x", kind, shape)]
    outputs = [helper.make_tensor_value_info("y", kind, None)]
    proto = helper.make_model(
        helper.make_graph(nodes, "g", inputs, outputs, tensors), opset_imports=[helper.make_opsetid("", 20)]
    )
    return Graph(ir.from_proto(proto))


@pytest.fixture(scope="module")
def workers() -> Confirmer:
    with Confirmer(ConfirmationBudget(search=4.0)) as confirmer:
        yield confirmer  # type: ignore[misc]


def confirm(workers: Confirmer, graph: Graph, lo: float, hi: float, operand: int = 0) -> Confirmation | None:
    node = list(graph.graph)[-1]
    warning = Alarm("numerical/x", node, operand, Interval(lo, hi), "", "float32")
    return workers.confirm(graph, warning, {"x": ValueRange(lo, hi)}, {}, workers.clock() + 60)


SIGMOID = [
    helper.make_node("Sigmoid", ["x"], ["s"], name="s"),
    helper.make_node("Sub", ["one", "s"], ["d"], name="d"),
    helper.make_node("Log", ["d"], ["y"], name="log"),
]
ONE = np.array(1, np.float32)


def test_a_reachable_failure_is_found_and_its_inputs_stay_in_range(workers: Confirmer) -> None:
    found = confirm(workers, model(SIGMOID, [3], one=ONE), -5.0, 17.5)
    assert found is not None
    assert found.engine.startswith("ONNX Runtime")
    x = np.load(found.work / "found.npz")["x"]
    assert x.dtype == np.float32
    assert x.min() >= -5.0
    assert x.max() <= 17.5


def test_a_failure_between_harmless_points_and_those_that_overflow_before_it_is_found(workers: Confirmer) -> None:
    """The quotient reaches 0 where logits are 104 apart, and from 89 on the exponential itself overflows."""
    nodes = [
        helper.make_node("Exp", ["x"], ["e"], name="exp"),
        helper.make_node("ReduceSum", ["e"], ["s"], name="sum"),
        helper.make_node("Div", ["e", "s"], ["p"], name="div"),
        helper.make_node("Log", ["p"], ["y"], name="log"),
    ]
    found = confirm(workers, model(nodes, [4]), -1e6, 1e6)
    assert found is not None
    assert np.load(found.work / "found.npz")["x"].max() < 89


def test_what_the_ranges_exclude_is_not_confirmed(workers: Confirmer) -> None:
    assert confirm(workers, model(SIGMOID, [3], one=ONE), -5.0, 10.0) is None


def test_an_exact_zero_between_two_signs_is_found(workers: Confirmer) -> None:
    nodes = [
        helper.make_node("Sub", ["x", "c"], ["d"], name="d"),
        helper.make_node("Div", ["c", "d"], ["y"], name="div"),
    ]
    assert confirm(workers, model(nodes, [1], c=np.array([0.375], np.float32)), -1.0, 4.0, operand=1) is not None


def test_failures_upstream_do_not_confirm_a_victim(workers: Confirmer) -> None:
    nodes = [
        helper.make_node("Log", ["x"], ["l"], name="log"),
        helper.make_node("Sqrt", ["l"], ["y"], name="sqrt"),
    ]
    assert confirm(workers, model(nodes, [2]), 0.0, 0.0) is None


def test_integer_division_by_zero_ends_the_process_and_is_told(workers: Confirmer) -> None:
    nodes = [helper.make_node("Div", ["c", "x"], ["y"], name="div")]
    found = confirm(workers, model(nodes, [2], TensorProto.INT64, c=np.array([3, 4])), 0, 5, operand=1)
    assert found is None or "SIGFPE" in found.sentence
    assert confirm(workers, model(SIGMOID, [3], one=ONE), -5.0, 17.5) is not None  # the next one is served again


def test_a_model_that_asks_for_too_much_memory_is_survived(workers: Confirmer) -> None:
    nodes = [
        helper.make_node("Expand", ["x", "huge"], ["e"], name="e"),
        helper.make_node("Log", ["e"], ["y"], name="log"),
    ]
    assert confirm(workers, model(nodes, [1], huge=np.array([1 << 38], np.int64)), 0.0, 1.0) is None
    assert confirm(workers, model(SIGMOID, [3], one=ONE), -5.0, 17.5) is not None


def test_a_worker_that_does_not_answer_is_ended() -> None:
    with Worker() as worker:
        started = time.monotonic()
        with pytest.raises(WorkerFailed, match="no answer within"):
            worker.ask({"do": "search", "folder": "/nowhere", "seed": 0, "seconds": 1, "leaves": []}, 0.0)
        assert time.monotonic() - started < 30
        answer = worker.ask({"do": "nothing"}, 120.0)
        assert answer["status"] == "error"


def test_workers_see_no_secrets(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "ghs_secret")
    with Worker() as worker:
        worker.ask({"do": "nothing"}, 120.0)
        assert worker._process is not None
        environment = Path(f"/proc/{worker._process.pid}/environ").read_bytes()
        assert b"ghs_secret" not in environment


def test_a_discarded_branch_is_confirmed_by_its_gradient(workers: Confirmer) -> None:
    nodes = [
        helper.make_node("Greater", ["x", "zero"], ["c"], name="c"),
        helper.make_node("Log", ["x"], ["l"], name="log"),
        helper.make_node("Where", ["c", "l", "zero"], ["y"], name="where"),
    ]
    graph = model(nodes, [3], zero=np.array(0, np.float32))
    rule = "numerical/where-leaks-nan-gradient"
    warning = Alarm(rule, list(graph.graph)[1], 0, Interval(-1, 1), "x <= 0", "float32", None, True)
    found = workers.confirm(graph, warning, {"x": ValueRange(-1, 1)}, {}, workers.clock() + 60)
    assert found is not None
    assert found.engine.startswith("PyTorch")
    assert "gradient of x" in found.sentence


def test_the_time_of_a_confirmation_is_the_processor_s() -> None:
    """Waiting costs nothing, what a worker computes counts, and what is left of the time decides."""
    with Confirmer(ConfirmationBudget(search=4.0)) as confirmer:
        before = confirmer.clock()
        time.sleep(1.0)
        assert confirmer.clock() - before < 0.9
        before, own = confirmer.clock(), time.process_time()
        assert confirm(confirmer, model(SIGMOID, [3], one=ONE), -5.0, 17.5) is not None
        assert confirmer.clock() - before > time.process_time() - own
        graph = model(SIGMOID, [3], one=ONE)
        warning = Alarm("numerical/x", list(graph.graph)[-1], 0, Interval(-5, 17.5), "", "float32")
        late = confirmer.clock() - 1.0
        assert confirmer.confirm(graph, warning, {"x": ValueRange(-5, 17.5)}, {}, late) is None
        assert confirmer.notes == ["the time for confirmation was spent before everything had been tried"]
