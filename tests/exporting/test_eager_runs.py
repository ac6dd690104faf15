"""TensorFlow code that no trace follows: one run of it is recorded, and what it read from its values is not proved."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from analyzer.configuration.config import TargetConfig
from analyzer.exporting.inside import eager_run
from analyzer.exporting.manifest import ExportProblem
from analyzer.findings import Confidence
from analyzer.graph import is_frozen
from analyzer.numerical.analysis import analyse
from analyzer.numerical.confirm.confirmation import ConfirmationBudget

tf = pytest.importorskip("tensorflow")
keras = pytest.importorskip("keras")


def nothing(_: Iterator[Any]) -> None:
    return None


def recorded(function: Callable[..., Any], *arguments: Any) -> eager_run.EagerRun:
    tensors = tuple(tf.convert_to_tensor(value) for value in arguments)
    specs = tuple(tf.TensorSpec(value.shape, value.dtype) for value in tensors)
    return eager_run.record(function, (specs, {}), (tensors, {}), nothing, tf)


def replayed(record: eager_run.EagerRun, *arguments: Any) -> list[Any]:
    """The results of the recorded graph, its variables at the values that the record holds."""
    for node in record.definition.node:
        if node.op == "VarHandleOp":
            node.attr["shared_name"].s = node.name.encode()
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(record.definition, name="")
        starts = [
            tf.raw_ops.AssignVariableOp(resource=graph.get_tensor_by_name(f"{name}:0"), value=held.numpy())
            for name, (held, _) in record.variables.items()
        ]
        with tf.compat.v1.Session(graph=graph) as session:
            session.run(starts)
            fed = {f"{name}:0": value for name, value in zip(record.inputs, arguments, strict=True)}
            outputs = [name if ":" in name else f"{name}:0" for name in record.outputs]
            return list(session.run(outputs, fed))


def of_new_layers(x: Any) -> Any:
    return keras.layers.Dense(3, kernel_initializer="ones")(x) + 1.0


def by_branch(x: Any) -> Any:
    return tf.sqrt(x) if tf.reduce_sum(x) > 0 else x


def by_gradient(x: Any) -> Any:
    weight = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.math.log(weight * x))
    return tape.gradient(loss, weight), loss


def by_state(x: Any) -> Any:
    steps = tf.Variable(tf.ones(()), trainable=False)
    steps.assign_add(tf.reduce_mean(x))
    first = steps + 0.0
    steps.assign(first * 2.0)
    steps.assign_sub(0.5)
    return first, steps * x


def by_parts(x: Any) -> Any:
    upper, lower = tf.split(x, 2, axis=0)
    return tf.concat([lower, upper], 0), tf.strings.length(tf.constant("abc")), tf.map_fn(lambda v: v * 2.0, x)


@pytest.mark.parametrize("function", [of_new_layers, by_branch, by_gradient, by_state, by_parts])
def test_the_record_computes_what_the_run_computed(function: Callable[..., Any]) -> None:
    x = np.array([[0.5, 2.0], [3.0, 0.25]], np.float32)
    record = recorded(function, x)
    for other in (x, x * 1.5):
        expected = [t.numpy() for t in tf.nest.flatten(function(tf.constant(other)))]
        found = replayed(record, other)
        assert len(found) == len(expected)
        for mine, theirs in zip(found, expected, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-5)


def test_what_training_moves_is_known_of_variables_that_a_run_makes() -> None:
    def function(x: Any) -> Any:
        return keras.layers.BatchNormalization(name="norm")(x, training=False)

    record = recorded(function, np.ones((2, 3), np.float32))
    assert sorted(trainable for _, trainable in record.variables.values()) == [False, False, True, True]


@pytest.mark.parametrize(
    ("formula", "variables"),
    [
        (lambda x, v, w, start: x * tf.math.log(v), ["v"]),  # an operand that TensorFlow reads unseen
        (lambda x, v, w, start: tf.exp(w) + x * tf.exp(v), ["v", "w"]),
        (lambda x, v, w, start: x * tf.math.log(start), []),  # the numbers of a weight, and no weight
        (lambda x, v, w, start: x * tf.math.log(np.array([1.0, 2.0], np.float32)), []),
    ],
)
def test_a_variable_that_is_an_operand_itself_is_read(formula: Callable[..., Any], variables: list[str]) -> None:
    start = tf.constant([1.0, 2.0])
    v, w = tf.Variable(start, name="v"), tf.Variable([3.0, 4.0], name="w")

    def function(x: Any) -> Any:
        return formula(x, v, w, start)

    record = recorded(function, np.ones(2, np.float32))
    assert sorted(record.variables) == variables
    reads = [node.input[0] for node in record.definition.node if node.op == "ReadVariableOp"]
    assert sorted(reads) == variables
    np.testing.assert_allclose(replayed(record, np.ones(2, np.float32))[0], function(tf.ones(2)).numpy(), rtol=1e-6)


def kinds_behind_a_reading(record: eager_run.EagerRun) -> set[str]:
    names = set(eager_run.frozen(record))
    return {node.op for node in record.definition.node if node.name in names}


@pytest.mark.parametrize(
    "reading",
    [
        lambda x: float(tf.reduce_max(x)),
        lambda x: 2.0 if tf.reduce_any(x > 0) else 0.0,
        lambda x: x.numpy()[0],
        lambda x: np.asarray(x).max(),  # NumPy takes the memory, nothing is called
        lambda x: np.sqrt(x)[0],
        lambda x: 1.0 if np.array(x).sum() > 3.0 else 0.0,  # halved it goes the other way
    ],
)
def test_what_comes_behind_a_reading_is_told(reading: Callable[[Any], Any]) -> None:
    def function(x: Any) -> Any:
        return tf.sqrt(tf.math.log(x + 1.0) * 3.0 + reading(x))

    found = kinds_behind_a_reading(recorded(function, np.array([1.0, 3.0], np.float32)))
    assert "Sqrt" in found
    assert "Log" not in found


@pytest.mark.parametrize(
    "reading",
    [
        lambda x: float(tf.constant(2.0) * 3.0),
        lambda x: int(tf.shape(x)[0]),
        lambda x: list(range(tf.size(x)))[-1],
        lambda x: np.asarray(tf.range(3))[1],
        lambda x: tf.while_loop(lambda i: i < 3, lambda i: [i + 1], [tf.constant(0)])[0],
    ],
)
def test_what_is_the_same_in_every_run_may_be_read(reading: Callable[[Any], Any]) -> None:
    def function(x: Any) -> Any:
        return tf.sqrt(tf.math.log(x + 1.0) + tf.cast(reading(x), tf.float32))

    assert not kinds_behind_a_reading(recorded(function, np.array([1.0, 3.0], np.float32)))


MODELS = """
    import keras
    import tensorflow as tf


    class Branching(tf.Module):
        def __init__(self):
            super().__init__()
            self.weight = tf.Variable([1.0, 2.0, 3.0], name="weight")

        def __call__(self, x):
            early = tf.math.log(self.weight * x - 1000.0)
            if bool(tf.reduce_sum(x) > 0.0):
                x = x * 2.0
            return early, tf.math.log(x - 1000.0)


    class Renewing(keras.layers.Layer):
        def call(self, x):
            return tf.math.log(keras.layers.Dense(2)(x) - 1000.0)


    def branching():
        return Branching(), tf.ones((3,))


    def renewing():
        return Renewing(), tf.ones((4, 3))


    def broken():
        return (lambda x: tf.ones(3) @ x if bool(x[0, 0] > 0) else x), tf.ones((4, 3))
"""


def test_a_model_that_branches_on_its_values_is_analysed(project, export_entry) -> None:
    project.write("models.py", MODELS)
    graph = export_entry("models.py:branching")
    assert [is_frozen(n) for n in graph.nodes() if n.op_type == "Log"] == [False, True]
    notes = graph.model.metadata_props["assay.notes"]
    assert "does not trace the model" in notes
    assert "nothing behind the first such place is proved" in notes
    target = TargetConfig(id="models", entry="models.py:branching")
    result = analyse(graph, target, root=project.root, budget=ConfirmationBudget(search=2.0))
    first = project.line_of("models.py", "early = tf")
    found = {f.location.line - first: f.confidence for f in result.findings if f.location and f.op == "Log"}
    assert found[0] in (Confidence.CONFIRMED, Confidence.PROVED)
    assert found[3] is Confidence.POSSIBLE


def test_layers_made_in_every_call_are_analysed(project, export_entry) -> None:
    project.write("models.py", MODELS)
    graph = export_entry("models.py:renewing")
    assert not any(is_frozen(node) for node in graph.nodes())
    assert "one run of it" in graph.model.metadata_props["assay.notes"]
    target = TargetConfig(id="models", entry="models.py:renewing")
    result = analyse(graph, target, root=project.root, budget=ConfirmationBudget(search=2.0))
    (found,) = [f for f in result.findings if f.rule == "numerical/log-of-nonpositive"]
    assert found.location is not None
    assert found.location.line == project.line_of("models.py", "tf.math.log(keras")


def test_what_fails_eagerly_too_says_why_it_was_not_traced(project, export_entry) -> None:
    project.write("models.py", MODELS)
    with pytest.raises(ExportProblem, match="failed while it was traced"):
        export_entry("models.py:broken")
