"""The loss that a Keras model was compiled with is exported beside its graph, which stays what it is without one."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest

from analyzer.exporting.annotate import NOTES
from analyzer.graph import Graph

MODEL = """
    import keras
    from keras import layers


    class Own(keras.Model):
        def train_step(self, data):
            return {}


    def build():
        inputs = keras.Input((4,), name="features")
        hidden = layers.Dense(6, activation="relu", name="hidden")(inputs)
        first, second = layers.Dense(5, name="first")(hidden), layers.Dense(1, name="second")(hidden)
        model = keras.Model(inputs, first)
        MORE
        return model
"""


def nodes(graph: Graph) -> list[tuple[str, str | None]]:
    return [(node.op_type, node.name) for node in graph.graph]


def exported(project, export_entry, more: str) -> Graph:
    project.write("net.py", textwrap.dedent(MODEL).replace("MORE", more))
    return export_entry("net.py:build")


@pytest.mark.parametrize(
    ("more", "targets"),
    [
        ("model.compile(loss='mse')", [["batch", 5]]),
        ("model.compile(loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True))", [["batch"]]),
        (
            "model = keras.Model(inputs, [first, second]); model.compile(loss=['mse', 'binary_crossentropy'])",
            [["batch", 5], ["batch", 1]],
        ),
        ("model.compile(loss=lambda target, made: keras.ops.mean(made * keras.ops.square(target)))", [["batch", 5]]),
    ],
)
def test_the_compiled_loss_has_a_graph_of_its_own(project, export_entry, more: str, targets: list[list[Any]]) -> None:
    graph = exported(project, export_entry, more)
    assert (graph.losses, [v.name for v in graph.graph.inputs]) == ((), ["features"])
    assert graph.training is not None
    assert len(graph.training.losses) == 1
    given = {v.name: [str(d) if not isinstance(d, int) else d for d in v.shape] for v in graph.training.graph.inputs}
    assert given.pop("features") == ["batch", 4]
    assert sorted(given.values(), key=str) == sorted(targets, key=str)
    assert set(nodes(graph)) <= set(nodes(graph.training))


@pytest.mark.parametrize(
    "more",
    [
        "pass",
        "model.compile('adam')",
        "model = Own(inputs, first); model.compile(loss='mse')",  # what that trains is its own
        "model.compile(loss=lambda target, made: 1 / 0)",
    ],
)
def test_a_model_without_a_loss_that_is_known_has_none(project, export_entry, more: str) -> None:
    graph = exported(project, export_entry, more)
    assert graph.training is None
    said = graph.model.metadata_props.get(NOTES, "")
    assert ("compiled with" in said) is ("1 / 0" in more)
