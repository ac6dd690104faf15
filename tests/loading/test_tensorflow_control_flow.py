"""Loops, conditionals and functions: the loaded graph computes what TensorFlow computes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")
v1 = tf.compat.v1

from analyzer.graph import Graph  # noqa: E402
from analyzer.loading.reading import load  # noqa: E402
from tests.loading.graph_bytes import from_bytes, to_bytes  # noqa: E402
from tests.loading.tensorflow_evaluation import evaluate  # noqa: E402

Build = Callable[[Any], Any]


@pytest.fixture
def control_flow_v1() -> Any:
    v1.disable_control_flow_v2()
    yield
    v1.enable_control_flow_v2()


def both(tmp_path: Path, build: Build, values: list[Any], text: bool = False) -> Graph:
    """Build a TF1 graph, run it in a session, load it and run what was loaded; the results must agree."""
    graph = tf.Graph()
    with graph.as_default():
        x = v1.placeholder(tf.float32, [None], name="x")
        results = build(x)
        results = results if isinstance(results, list) else [results]
        tf.io.write_graph(graph, str(tmp_path), "graph.pbtxt" if text else "graph.pb", as_text=text)
    loaded = load(tmp_path / ("graph.pbtxt" if text else "graph.pb"))
    again = from_bytes(to_bytes(loaded))
    names = [r.name.removesuffix(":0") for r in results]
    session = v1.Session(graph=graph)
    for value in values:
        value = np.asarray(value, np.float32)
        expected = session.run(results, {x: value})
        for candidate in (loaded, again):
            found = evaluate(candidate, {"x": value}, names)
            for name, array in zip(names, expected, strict=True):
                np.testing.assert_allclose(found[name], array, rtol=1e-6, err_msg=name)
    session.close()
    return loaded


def operators(graph: Graph) -> set[str]:
    return {node.op_type for node in graph.nodes()}


VALUES = [[0.5, -2.0], [3.0, 4.0, 5.0], [-7.0]]


@pytest.mark.usefixtures("control_flow_v1")
@pytest.mark.parametrize("text", [False, True])
def test_while_frame(tmp_path: Path, text: bool) -> None:
    def build(x: Any) -> Any:
        limit = tf.reduce_sum(tf.abs(x)) + 3.0
        _, total, kept = v1.while_loop(
            lambda i, t, k: tf.reduce_sum(tf.abs(t)) + i < limit,
            lambda i, t, k: (i + 1.0, t * 1.25 + x, k),
            [tf.constant(0.0), x, x + 1.0],
        )
        return [total + kept]

    graph = both(tmp_path, build, VALUES, text)
    assert "While" in operators(graph)
    assert not operators(graph) & {"Enter", "Exit", "Merge", "Switch", "NextIteration", "LoopCond"}


@pytest.mark.usefixtures("control_flow_v1")
def test_nested_while_frames(tmp_path: Path) -> None:
    def build(x: Any) -> Any:
        def inner(j: Any, t: Any) -> Any:
            return j + 1, t * 0.5 + x

        def outer(i: Any, t: Any) -> Any:
            _, t = v1.while_loop(lambda j, t: j < i, inner, [0, t])
            return i + 1, t + 1.0

        return v1.while_loop(lambda i, t: i < 4, outer, [0, x])[1]

    graph = both(tmp_path, build, VALUES)
    loops = [node for node in graph.nodes() if node.op_type == "While"]
    assert len(loops) == 2
    assert sum(node.graph is graph.graph for node in loops) == 1


@pytest.mark.usefixtures("control_flow_v1")
def test_conditional_in_loop_and_loop_in_conditional(tmp_path: Path) -> None:
    def build(x: Any) -> Any:
        def body(i: Any, t: Any) -> Any:
            t = v1.cond(tf.reduce_sum(t) > 1.0, lambda: t - 1.0, lambda: tf.exp(t) + x)
            return i + 1, t

        def loop() -> Any:
            return v1.while_loop(lambda i, t: i < 5, body, [0, x * 2.0])[1]

        return v1.cond(tf.reduce_max(x) > 1.0, loop, lambda: x - 3.0)

    graph = both(tmp_path, build, VALUES)
    assert {"While", "If"} <= operators(graph)
    assert not operators(graph) & {"Merge", "Switch"}


@pytest.mark.usefixtures("control_flow_v1")
def test_nested_conditionals_with_several_results_and_constants(tmp_path: Path) -> None:
    def build(x: Any) -> Any:
        def yes() -> Any:
            a = v1.cond(tf.reduce_min(x) > 0.0, lambda: tf.math.log(x), lambda: x * x)
            return a + 1.0, tf.constant(1.0)

        first, second = v1.cond(tf.reduce_sum(x) > 0.0, yes, lambda: (x, tf.constant(2.0)))
        return [first * second, second + 1.0]

    graph = both(tmp_path, build, VALUES)
    assert not operators(graph) & {"Merge", "Switch"}


@pytest.mark.usefixtures("control_flow_v1")
def test_gradients_through_conditional(tmp_path: Path) -> None:
    def build(x: Any) -> Any:
        y = v1.cond(tf.reduce_sum(x) > 0.0, lambda: tf.sin(x) * x, lambda: tf.exp(x))
        return [tf.gradients(tf.reduce_sum(y * x), x)[0]]

    both(tmp_path, build, VALUES)


def test_functional_while_if_and_calls(tmp_path: Path) -> None:
    @tf.function
    def model(x: Any) -> Any:
        total = tf.zeros_like(x)
        for i in tf.range(4):
            if tf.reduce_sum(x) > tf.cast(i, tf.float32):
                total += helper(x)
            else:
                total -= x
        return total

    @tf.function
    def helper(x: Any) -> Any:
        return tf.nn.softmax(x) + tf.split(tf.concat([x, x], 0), 2)[1]

    concrete = model.get_concrete_function(tf.TensorSpec([None], tf.float32, name="x"))
    (tmp_path / "graph.pb").write_bytes(concrete.graph.as_graph_def().SerializeToString())
    graph = load(tmp_path / "graph.pb")
    assert "While" in operators(graph)
    assert not any("PartitionedCall" in op for op in operators(graph))
    for value in VALUES:
        expected = model(tf.constant(value)).numpy()
        found = evaluate(graph, {"x": np.asarray(value, np.float32)}, ["Identity"])
        np.testing.assert_allclose(found["Identity"], expected, rtol=1e-6)


def test_case(tmp_path: Path) -> None:
    @tf.function
    def model(x: Any) -> Any:
        return tf.switch_case(tf.size(x) - 1, [lambda: x, lambda: tf.exp(x), lambda: x[:1] * 2.0])

    concrete = model.get_concrete_function(tf.TensorSpec([None], tf.float32, name="x"))
    (tmp_path / "graph.pb").write_bytes(concrete.graph.as_graph_def().SerializeToString())
    graph = load(tmp_path / "graph.pb")
    for value in VALUES:
        found = evaluate(graph, {"x": np.asarray(value, np.float32)}, ["Identity"])
        np.testing.assert_allclose(found["Identity"], model(tf.constant(value)).numpy(), rtol=1e-6)
