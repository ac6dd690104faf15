"""Models that nobody looks at: a new one that no target names is found, a removed one is said."""

from __future__ import annotations

from typing import Any

import onnx
from onnx import TensorProto, helper

from analyzer.findings import Report
from tests.action.harness import CONFIG, Workbench
from tests.action.reports import report


def net() -> bytes:
    value = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [2]) for n in "xy"]
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", value[:1], value[1:])
    content: bytes = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]).SerializeToString()
    assert onnx.load_from_string(content).graph.node
    return content


def chosen(bench: Workbench) -> tuple[list[str], str]:
    """The targets that the run analyses, and its notes."""
    seen: list[Any] = []

    def analyse(_head: Any, _base: Any, _config: Any, targets: Any, *, notes: Any, **__: Any) -> Report:
        seen.append(([t.id for t in targets], "\n".join(notes)))
        return report()

    bench.analyse = analyse
    assert bench.run().code == 0
    ((targets, notes),) = seen
    return targets, notes


def test_a_new_model_that_no_target_names_is_analysed_and_said(bench: Workbench) -> None:
    bench.open_pull({"exports/new.onnx": net()})
    targets, notes = chosen(bench)
    assert targets == ["exports/new.onnx"]
    assert "No target names `exports/new.onnx`" in notes


def test_with_discover_off_it_is_not(bench: Workbench) -> None:
    bench.base = bench.commit({".assay.yml": CONFIG + "discover: off\n"})
    bench.open_pull({"exports/new.onnx": net(), "models/vae.onnx": "2"})
    targets, notes = chosen(bench)
    assert targets == ["vae-loss"]
    assert "No target names" not in notes


def test_a_removed_model_that_the_configuration_still_names_is_said(bench: Workbench) -> None:
    bench.open_pull({"models/vae.onnx": None, "models/big.onnx": "2"})
    _, notes = chosen(bench)
    assert "models/vae.onnx was removed." in notes


def test_a_removed_model_that_no_target_named_is_said(bench: Workbench) -> None:
    bench.base = bench.commit({"exports/old.onnx": net()})
    bench.open_pull({"exports/old.onnx": None, "models/big.onnx": "2"})
    _, notes = chosen(bench)
    assert "exports/old.onnx was removed." in notes
