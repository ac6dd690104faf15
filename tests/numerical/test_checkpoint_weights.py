"""A checkpoint's weights: exactly its values, their range, or widened; unbounded weights and inputs."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from build import Builder
from onnx import helper, numpy_helper

from analyzer.configuration.config import TargetConfig
from analyzer.findings import Confidence
from analyzer.graph import Graph, Role, set_role
from analyzer.loading.reading import load
from analyzer.numerical.analysis import analyse

TARGET = TargetConfig("t", entry="m.py:build")


def scaled(initial: float, operator: str) -> Graph:
    """operator(gain * x) with a gain of four elements that training changes."""
    b = Builder()
    gain = b.const(np.full(4, initial))
    result = b.op(operator, b.op("Mul", b.input("x", ("n", 4)), gain), name="op")
    graph = b.graph(result)
    set_role(graph.graph.initializers[gain], Role.PARAMETER)
    value = graph.graph.initializers.pop(gain)
    value.name = "gain"
    graph.graph.initializers["gain"] = value
    return graph


def saved(folder: Path, values: np.ndarray) -> str:
    from safetensors.numpy import save_file

    save_file({"gain": values.astype(np.float32)}, folder / "w.safetensors")
    return "w.safetensors"


def flagged(graph: Graph, target: TargetConfig, root: Path) -> list[str]:
    result = analyse(graph, target, confirm=False, explain=False, root=root)
    return [f.rule for f in result.findings if "gradient" not in f.rule]


@pytest.mark.parametrize(
    ("weights", "expected"), [("exact", []), ("range", []), ("widened", ["numerical/exp-overflow"])]
)
def test_widened_weights_go_on_from_the_checkpoint(tmp_path: Path, weights: str, expected: list[str]) -> None:
    file = saved(tmp_path, np.array([0.5, 0.5, 0.5, 0.8]))  # widened: [0.2, 1.1]; exp(100 * 0.88) overflows
    assert flagged(scaled(0.1, "Exp"), replace(TARGET, checkpoint=file, weights=weights), tmp_path) == expected


def test_exact_weights_are_known_element_by_element(tmp_path: Path) -> None:
    """Between -2 and 3 lies 0, but no element is near it."""
    file = saved(tmp_path, np.array([-2.0, 1.0, 3.0, -1.0]))

    def reciprocal() -> Graph:
        b = Builder()
        gain = b.const(np.full(4, 1.0))
        graph = b.graph(b.op("Div", b.input("x", ("n", 4)), gain, name="div"))
        value = graph.graph.initializers.pop(gain)
        value.name = "gain"
        graph.graph.initializers["gain"] = value
        set_role(value, Role.PARAMETER)
        return graph

    for weights, expected in (("exact", []), ("range", ["numerical/division-by-zero"])):
        graph = reciprocal()
        target = replace(TARGET, checkpoint=file, weights=weights)
        assert flagged(graph, target, tmp_path) == expected
        held = graph.graph.initializers["gain"].const_value
        assert held is not None
        assert held.numpy().tolist() == [1.0] * 4  # the graph is left as it was


def variable_below(roled: Role = Role.PARAMETER) -> Graph:
    """x / gain, where gain is a TensorFlow 1 variable: an input without a value."""
    b = Builder()
    graph = b.graph(b.op("Div", b.input("x", ("n", 4)), b.input("gain", (4,)), name="div"))
    set_role(graph.graph.inputs[1], roled)
    return graph


@pytest.mark.parametrize("role", [Role.PARAMETER, Role.STATE])
def test_exact_values_of_a_variable_are_known_element_by_element(tmp_path: Path, role: Role) -> None:
    file = saved(tmp_path, np.array([-2.0, 1.0, 3.0, -1.0]))
    for weights, expected in (("exact", []), ("range", ["numerical/division-by-zero"])):
        graph = variable_below(role)
        target = replace(TARGET, checkpoint=file, weights=weights)
        assert flagged(graph, target, tmp_path) == expected
        assert [v.name for v in graph.graph.inputs] == ["x", "gain"]  # the graph is left as it was
        assert not graph.graph.initializers
        assert graph.graph.inputs[1].const_value is None


def test_a_failure_with_exact_values_is_shown_with_these_values(tmp_path: Path) -> None:
    file = saved(tmp_path, np.array([-2.0, 0.0, 3.0, -1.0]))
    target = replace(TARGET, checkpoint=file, weights="exact")
    result = analyse(variable_below(), target, root=tmp_path, output=tmp_path / "out")
    (finding,) = result.findings
    assert finding.confidence is Confidence.CONFIRMED
    assert finding.reproducer is not None
    test = tmp_path / "out" / finding.reproducer
    leaves = np.load(test.parent / (test.stem.removeprefix("reproduce_") + ".npz"))
    assert leaves.files == ["x"]


def test_variables_of_a_checkpoint_of_another_shape_keep_a_range(tmp_path: Path) -> None:
    file = saved(tmp_path, np.array([[1.0, 2.0]]))
    target = replace(TARGET, checkpoint=file, weights="exact")
    assert flagged(variable_below(), target, tmp_path) == []
    assert "gain in [1, 2] (checkpoint)" in analyse(variable_below(), target, root=tmp_path).assumptions


def test_a_tensorflow_checkpoint_gives_a_graph_its_exact_variables(tmp_path: Path) -> None:
    tf = pytest.importorskip("tensorflow")
    graph = tf.Graph()
    with graph.as_default(), tf.compat.v1.Session(graph=graph) as session:
        x = tf.compat.v1.placeholder(tf.float32, (None, 4), name="x")
        start = np.array([-2, 1, 3, -1], np.float32)
        gain = tf.compat.v1.get_variable("gain", initializer=start, use_resource=False)
        tf.divide(x, gain, name="div")
        session.run(tf.compat.v1.global_variables_initializer())
        tf.compat.v1.train.Saver().save(session, str(tmp_path / "model.ckpt"))
    (tmp_path / "g.pb").write_bytes(graph.as_graph_def().SerializeToString())
    for weights, expected in (("exact", []), ("range", ["numerical/division-by-zero"])):
        target = TargetConfig("t", path="g.pb", checkpoint="model.ckpt", weights=weights)
        assert flagged(load(tmp_path / "g.pb"), target, tmp_path) == expected


LARGE = 1 << 24  # 64 MiB


def large_checkpoint(folder: Path, form: str) -> str:
    from safetensors.numpy import save_file

    values = np.linspace(0.25, 0.75, LARGE, dtype=np.float32)
    if form == "safetensors":
        save_file({"gain": values}, folder / "w.safetensors")
        return "w.safetensors"
    tensor = numpy_helper.from_array(values, "gain")
    node = helper.make_node("Identity", ["gain"], ["y"])
    output = helper.make_tensor_value_info("y", tensor.data_type, [LARGE])
    model = helper.make_model(helper.make_graph([node], "g", [], [output], [tensor]), ir_version=10)
    onnx.save(model, folder / "w.onnx", save_as_external_data=True, location="w.data")
    return "w.onnx"


@pytest.mark.parametrize("form", ["safetensors", "external data of ONNX"])
@pytest.mark.parametrize("weights", ["exact", "range", "widened"])
def test_a_checkpoint_is_looked_at_piece_by_piece(tmp_path: Path, weights: str, form: str) -> None:
    """The memory that the analysis takes beside the mapped file is a fraction of it."""
    target = replace(TARGET, checkpoint=large_checkpoint(tmp_path, form), weights=weights)
    b = Builder()
    graph = b.graph(b.op("Exp", b.op("Mul", b.input("x", (LARGE,)), b.input("gain", (LARGE,)))))
    set_role(graph.graph.inputs[1], Role.PARAMETER)
    tracemalloc.start()
    found = flagged(graph, target, tmp_path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == (["numerical/exp-overflow"] if weights == "widened" else [])
    assert peak < 2 * LARGE


def test_bfloat16_weights_have_their_range(tmp_path: Path) -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    array = np.array([0.5, 0.5, 0.5, 0.8]).astype(ml_dtypes.bfloat16)
    data = array.tobytes()
    header = b'{"gain":{"dtype":"BF16","shape":[4],"data_offsets":[0,8]}}'
    (tmp_path / "w.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + data)
    target = replace(TARGET, checkpoint="w.safetensors")
    assert flagged(scaled(2.0, "Exp"), replace(target, weights="range"), tmp_path) == []
    assert flagged(scaled(2.0, "Exp"), replace(target, weights="exact"), tmp_path) == []
    assert flagged(scaled(0.1, "Exp"), replace(target, weights="widened"), tmp_path) == ["numerical/exp-overflow"]


def test_a_widened_variance_stays_a_variance(tmp_path: Path) -> None:
    """Its range in the checkpoint, [0.1, 2], widened by its width reaches below 0; a running variance does not."""
    from safetensors.numpy import save_file

    b = Builder()
    x, scale, bias, mean = b.input("x", ("n", 2)), b.const(np.ones(2)), b.const(np.zeros(2)), b.const(np.zeros(2))
    graph = b.graph(b.op("BatchNormalization", x, scale, bias, mean, b.input("running_var", (2,)), name="norm"))
    set_role(graph.graph.inputs[1], Role.STATE)
    save_file({"running_var": np.array([0.1, 2], np.float32)}, tmp_path / "w.safetensors")
    target = replace(TARGET, checkpoint="w.safetensors", weights="widened")
    assert flagged(graph, target, tmp_path) == []


def test_unbounded_weights_and_inputs() -> None:
    for unbounded in (("parameters",), ("inputs",)):
        target = replace(TARGET, unbounded=unbounded)
        assert flagged(scaled(0.1, "Exp"), target, Path()) == ["numerical/exp-overflow"]
    assert flagged(scaled(0.1, "Exp"), TARGET, Path()) == []


def test_a_finding_names_its_ranges_and_the_one_that_would_help(tmp_path: Path) -> None:
    result = analyse(scaled(1.0, "Exp"), TARGET, confirm=False, root=tmp_path)
    (finding,) = [f for f in result.findings if f.rule == "numerical/exp-overflow"]
    text = repr(finding.evidence)
    assert "x in [-100, 100] (default for inputs)" in text
    assert "gain" in text
    assert "It would vanish if x stayed within" in text


def test_a_broken_checkpoint_does_not_cost_the_analysis(tmp_path: Path) -> None:
    """Its own check tells what is wrong with it; the model is analysed with the weights that it has itself."""
    broken = saved(tmp_path, np.array([0.5, np.nan, 0.5, 0.5]))
    result = analyse(
        scaled(2.0, "Exp"), replace(TARGET, checkpoint=broken), confirm=False, explain=False, root=tmp_path
    )
    assert [f.rule for f in result.findings] == ["numerical/exp-overflow"]
    assert result.notes == ("The initial values of `gain` are analysed: the checkpoint's are not finite.",)


def test_a_checkpoint_of_another_model_does_not_cost_the_analysis(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    save_file({"other": np.ones(3, np.float32)}, tmp_path / "w.safetensors")
    target = replace(TARGET, checkpoint="w.safetensors")
    result = analyse(scaled(2.0, "Exp"), target, confirm=False, explain=False, root=tmp_path)
    assert [f.rule for f in result.findings] == ["numerical/exp-overflow"]
    assert result.notes[0].startswith("Weights are taken from the model, not from its checkpoint:")
