"""The budget of a comparison is processor time, which the workers tell and nobody trusts."""

from __future__ import annotations

import json
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

from analyzer.differential.backend import parse
from analyzer.differential.explain import StudyBudget
from analyzer.differential.pool import Pool
from analyzer.differential.runner import Artefact, Runner
from analyzer.differential.transport import MOST_SPENT, Meter, read_reply


@pytest.mark.parametrize("told", [None, "3", -1.0, float("nan"), float("inf"), MOST_SPENT * 2, [1.0], True])
def test_nonsense_counts_as_nothing(told: object) -> None:
    meter = Meter()
    assert read_reply(json.dumps({"id": 1, "value": 7, "spent": told}), 1, meter) == 7
    assert meter.seconds == 0.0


def test_what_a_worker_spends_is_counted_and_what_it_waits_is_not(tmp_path: Path) -> None:
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [2]) for n in "xy"]
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", ends[:1], ends[1:])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), tmp_path / "m.onnx")
    artefact = Artefact("onnx", {"m.onnx": tmp_path / "m.onnx"}, {"path": "m.onnx"})
    with Pool() as pool:
        budget = StudyBudget(3600.0, pool.clock)
        assert isinstance(pool.get(parse("onnxruntime"), artefact), Runner)
        assert 0.0 < pool.meter.seconds < 60.0
        assert budget.spent >= pool.meter.seconds
        assert not budget.over
