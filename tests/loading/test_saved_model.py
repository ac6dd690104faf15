"""SavedModel folders: what was loaded without TensorFlow computes what TensorFlow computes from the folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")
v1 = tf.compat.v1

from analyzer.graph import Graph, Role, role_of  # noqa: E402
from analyzer.graph.model import NAME, layer_of  # noqa: E402
from analyzer.loading.formats import Format, detect  # noqa: E402
from analyzer.loading.reading import load  # noqa: E402
from analyzer.loading.search import find_models  # noqa: E402
from analyzer.loading.weights import open_weights  # noqa: E402
from tests.loading.tensorflow_evaluation import evaluate  # noqa: E402


def outputs(graph: Graph, **feeds: Any) -> list[np.ndarray]:
    """Values of the graph's outputs; feeds by public name."""
    names = {v.metadata_props.get(NAME, v.name): v.name for v in graph.graph.inputs}
    values = evaluate(graph, {names[k]: np.asarray(v, np.float32) for k, v in feeds.items()})
    return [values[v.name] for v in graph.graph.outputs]


def test_module_with_signature(tmp_path: Path) -> None:
    class Model(tf.Module):
        def __init__(self) -> None:
            self.layers = [tf.Variable(tf.random.normal([3, 3]), name="w") for _ in range(3)]
            self.steps = tf.Variable(0.5, trainable=False, name="w")

        @tf.function(input_signature=[tf.TensorSpec([None, 3], name="x")])
        def __call__(self, x: Any) -> Any:
            for w in self.layers:
                x = tf.nn.relu(tf.matmul(x, w)) + self.steps
            return {"y": x, "z": tf.reduce_sum(x)}

    model = Model()
    tf.saved_model.save(model, str(tmp_path / "m"), signatures=model.__call__)
    assert detect(tmp_path / "m") is Format.SAVED_MODEL
    assert find_models(tmp_path) == [tmp_path / "m"]
    graph = load(tmp_path / "m")
    assert graph.framework == "tensorflow"
    x = np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32)
    expected = model(x)
    y, z = outputs(graph, x=x)
    np.testing.assert_allclose(y, expected["y"].numpy(), rtol=1e-6)
    np.testing.assert_allclose(z, expected["z"].numpy(), rtol=1e-6)
    roles = sorted(role_of(v) for v in graph.graph.initializers.values())
    assert roles == [Role.PARAMETER] * 3 + [Role.STATE]
    assert len(open_weights(tmp_path / "m")) == 4


def test_module_without_signature(tmp_path: Path) -> None:
    class Model(tf.Module):
        def __init__(self) -> None:
            self.w = tf.Variable([[1.0], [2.0]])

        @tf.function(input_signature=[tf.TensorSpec([None, 2], name="features")])
        def __call__(self, x: Any) -> Any:
            return tf.exp(x @ self.w)

    model = Model()
    tf.saved_model.save(model, str(tmp_path))
    x = np.ones((2, 2), np.float32)
    (found,) = outputs(load(tmp_path), features=x)
    np.testing.assert_allclose(found, model(x).numpy(), rtol=1e-6)


def test_keras_export(tmp_path: Path) -> None:
    keras = pytest.importorskip("keras")
    model = keras.Sequential(
        [
            keras.Input((8, 8, 3)),
            keras.layers.Conv2D(4, 3, name="features", activation="relu"),
            keras.layers.BatchNormalization(name="norm"),
            keras.layers.Flatten(),
            keras.layers.Dense(5, activation="softmax", name="head"),
        ]
    )
    model.export(str(tmp_path / "m"), verbose=False)
    graph = load(tmp_path / "m")
    x = np.random.default_rng(0).normal(size=(2, 8, 8, 3)).astype(np.float32)
    (public,) = [v.metadata_props[NAME] for v in graph.graph.inputs]
    (found,) = outputs(graph, **{public: x})
    np.testing.assert_allclose(found, model(x, training=False).numpy(), rtol=1e-5, atol=1e-6)
    layers = {layer_of(node).rpartition("/")[2] for node in graph.nodes()}
    assert {"features_1", "head_1"} <= layers or {"features", "head"} <= {name.split("_")[0] for name in layers}


@pytest.mark.parametrize("resource", [False, True])
def test_tensorflow_1(tmp_path: Path, resource: bool) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        w = v1.get_variable("scope/w", initializer=np.ones([2, 3], np.float32) * 2, use_resource=resource)
        counter = v1.get_variable("global_step", initializer=np.float32(7), trainable=False, use_resource=resource)
        y = tf.matmul(x, w) + counter
        session.run(v1.global_variables_initializer())
        v1.saved_model.simple_save(session, str(tmp_path / "m"), {"x": x}, {"y": y})
    graph = load(tmp_path / "m")
    (found,) = outputs(graph, x=[[1, 2]])
    np.testing.assert_allclose(found, [[13, 13, 13]])
    roles = {v.name: role_of(v) for v in graph.graph.initializers.values()}
    assert roles == {"scope/w": Role.PARAMETER, "global_step": Role.STATE}
