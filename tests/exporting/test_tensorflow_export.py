"""Keras models, tf.function and TensorFlow 1 graphs: names, values of variables, lines, layers."""

from __future__ import annotations

import numpy as np
import pytest

from analyzer.configuration.config import InputSpec
from analyzer.exporting.manifest import ExportProblem
from analyzer.graph import Role, layer_of, location_of, role_of
from analyzer.graph.model import BINARY, INITIAL_VALUE, SHOWN, SPAN, TRUTHS, layer_class_of

pytest.importorskip("tensorflow")

MODELS = """
    import keras
    import tensorflow as tf
    from keras import layers


    class Block(layers.Layer):
        def __init__(self):
            super().__init__(name="block")
            self.dense = layers.Dense(4, name="inside")

        def call(self, x):
            return tf.math.log(self.dense(x))


    def functional():
        keras.utils.set_random_seed(0)
        x = keras.Input((8, 8, 3), name="image")
        h = layers.Conv2D(4, 3, name="first")(x)
        h = layers.Conv2D(
            4, 3, name="second", activation="relu")(h)
        h = layers.GlobalAveragePooling2D()(h)
        return keras.Model(x, Block()(h))


    class Loss(tf.Module):
        def __init__(self):
            self.weights = tf.Variable([1.0, 2.0, 3.0], name="class_weights")
            self.steps = tf.Variable(0, trainable=False, name="steps")
            self.scale = tf.constant(2.0)

        def __call__(self, p, y):
            return -tf.reduce_mean(self.scale * self.weights * y * tf.math.log(p))


    def loss():
        return Loss(), {"p": tf.ones((2, 3)), "y": tf.ones((2, 3))}


    def graph():
        g = tf.Graph()
        with g.as_default():
            x = tf.compat.v1.placeholder(tf.float32, (None, 4), name="x")
            w = tf.compat.v1.get_variable("w", (4, 2))
            y = tf.nn.softmax(x @ w, name="y")
            tf.reduce_mean(-tf.math.log(y), name="loss")
        return g, {"x": ((None, 4), tf.float32)}, ["loss"]


    def sequence():
        return keras.Sequential([keras.Input((8, 8, 3)), layers.Conv2D(4, 3, name="first"), layers.Flatten()])


    def sequence_by_parts():
        model = keras.Sequential()
        model.add(layers.LSTM(4, input_shape=(5, 3)))
        model.add(layers.Dense(2, name="second"))
        return model


    def sequence_of_unknown_inputs():
        return keras.Sequential([layers.Dense(2)])


    def definition():
        g, inputs, outputs = graph()
        return g.as_graph_def(), inputs, outputs


    def unchecked():
        g = tf.Graph()
        with g.as_default():
            x = tf.compat.v1.placeholder(tf.float32, (None, 3), name="x")
            start = tf.compat.v1.random_uniform((3, 2), name="start")
            w = tf.compat.v1.Variable(start, validate_shape=False, use_resource=False, name="w")
            tf.matmul(x, w, name="y")
        return g, {"x": ((None, 3), tf.float32)}, ["y"]


    def bad():
        inputs = keras.Input((8, 8, 3))
        model = Block()
        return model, (tf.ones((2, 3, 4)), tf.ones(2), "x")
"""


def nodes(graph, op):
    return [n for n in graph.nodes() if n.op_type == op]


def test_a_functional_keras_model(project, export_entry):
    project.write("models/k.py", MODELS)
    graph = export_entry("models/k.py:functional")
    line = lambda text: ("models/k.py", project.line_of("models/k.py", text))  # noqa: E731
    assert graph.framework == "keras"
    assert {"tensorflow", "keras", "keras backend"} <= set(graph.versions)
    assert [v.name for v in graph.graph.inputs] == ["image"]
    assert [str(d) for d in graph.graph.inputs[0].shape] == ["batch", "8", "8", "3"]
    first, second = nodes(graph, "Conv2D")
    assert (layer_of(first), layer_class_of(first)) == ("first", "Conv2D")
    assert (layer_of(second), layer_class_of(second)) == ("second", "Conv2D")
    assert (location_of(first).path, location_of(first).line) == line('name="first"')
    assert location_of(second).line == project.line_of("models/k.py", 'name="second"') - 1
    (log,) = nodes(graph, "Log")
    assert layer_of(log) == "block"
    assert (location_of(log).path, location_of(log).line) == line("tf.math.log(self.dense(x))")
    (product,) = nodes(graph, "MatMul")
    assert layer_of(product) == "block/inside"
    values = {v.name: v for v in graph.graph.initializers.values()}
    assert all(role_of(v) is Role.PARAMETER for v in values.values())
    shapes = sorted(tuple(v.const_value.shape.numpy()) for v in values.values())
    assert shapes == sorted([(3, 3, 3, 4), (4,), (3, 3, 4, 4), (4,), (4, 4), (4,)])


@pytest.mark.parametrize(
    ("name", "shape", "layer"),
    [("sequence", ["batch", "8", "8", "3"], "first"), ("sequence_by_parts", ["batch", "5", "3"], "second")],
)
def test_a_sequential_model_knows_its_input(project, export_entry, name, shape, layer):
    project.write("k.py", MODELS)
    graph = export_entry(f"k.py:{name}")
    assert [str(d) for v in graph.graph.inputs for d in v.shape] == shape
    assert layer in {layer_of(n) for n in graph.nodes()}


def test_a_loop_states_no_shape_of_the_weights_that_it_carries(project, export_entry):
    """TensorFlow states the shape of their handles, a scalar."""
    project.write("k.py", MODELS)
    graph = export_entry("k.py:sequence_by_parts")
    (loop,) = nodes(graph, "While")
    carried = [(i, o) for i, o in zip(loop.inputs, loop.outputs, strict=True) if role_of(i) is Role.PARAMETER]
    assert len(carried) == 3
    assert all(o.shape is None or o.shape == i.const_value.shape for i, o in carried)


def test_a_sequential_model_of_unknown_inputs_says_so(project, export_entry):
    project.write("k.py", MODELS)
    with pytest.raises(ExportProblem, match="its inputs are unknown"):
        export_entry("k.py:sequence_of_unknown_inputs")


def test_variables_of_a_function_keep_value_and_role(project, export_entry):
    project.write("k.py", MODELS)
    graph = export_entry("k.py:loss", inputs={"p": InputSpec(shape=("rows", 3))})
    assert [str(d) for v in graph.graph.inputs for d in v.shape] == ["rows", "3", "2", "3"]
    weights = graph.graph.initializers["class_weights"]
    np.testing.assert_array_equal(weights.const_value.numpy(), [1, 2, 3])
    assert role_of(weights) is Role.PARAMETER
    assert graph.losses == tuple(v.name for v in graph.graph.outputs)
    (log,) = nodes(graph, "Log")
    assert location_of(log).line == project.line_of("k.py", "tf.math.log(p)")


def test_a_variable_without_axes_is_a_scalar(project, export_entry):
    text = """
        import numpy as np
        import tensorflow as tf

        def scaled():
            temperature = tf.Variable(2.0, name="temperature")
            return lambda x: x / temperature, (np.ones((2, 3), np.float32),)
    """
    project.write("scale.py", text)
    weights = export_entry("scale.py:scaled").graph.initializers["temperature"]
    assert weights.shape == () == weights.const_value.shape
    assert weights.const_value.numpy() == 2


def test_a_graph_with_inputs_and_outputs(project, export_entry):
    project.write("k.py", MODELS)
    graph = export_entry("k.py:graph")
    assert graph.framework == "tensorflow"
    inputs = {v.name: v for v in graph.graph.inputs}
    assert role_of(inputs["x"]) is Role.INPUT
    assert [str(d) for d in inputs["x"].shape] == ["batch", "4"]
    assert role_of(inputs["w"]) is Role.PARAMETER
    assert INITIAL_VALUE in inputs["w"].metadata_props
    assert [v.name for v in graph.graph.outputs] == ["loss"]
    (softmax,) = nodes(graph, "Softmax")
    assert softmax.name == "y"
    assert location_of(softmax).line == project.line_of("k.py", "tf.nn.softmax")


def test_a_graph_definition_keeps_the_lines_that_made_its_nodes(project, export_entry):
    project.write("k.py", MODELS)
    graph = export_entry("k.py:definition")
    (softmax,) = nodes(graph, "Softmax")
    assert location_of(softmax).line == project.line_of("k.py", "tf.nn.softmax")


def test_a_variable_of_unchecked_shape_has_that_of_its_initial_value(project, export_entry):
    project.write("k.py", MODELS)
    graph = export_entry("k.py:unchecked")
    inputs = {v.name: v for v in graph.graph.inputs}
    assert role_of(inputs["w"]) is Role.PARAMETER
    assert [int(d) for d in inputs["w"].shape] == [3, 2]


def test_a_call_that_fails_names_the_line(project, export_entry):
    project.write(
        "k.py",
        MODELS.replace("return -tf.reduce_mean(", "y = tf.reshape(y, (7,))\n            return -tf.reduce_mean("),
    )
    with pytest.raises(ExportProblem, match=r"failed while it was traced: .*(reshape|Reshape|shape)") as caught:
        export_entry("k.py:loss")
    assert caught.value.location.line == project.line_of("k.py", "tf.reshape")
    assert "\n" not in str(caught.value)


@pytest.mark.study
def test_keras_on_torch(project, export_entry):
    pytest.importorskip("torch")
    project.write(
        "k.py",
        """
        import os
        os.environ["KERAS_BACKEND"] = "torch"
        import keras


        def build():
            x = keras.Input((6,), name="features")
            return keras.Model(x, keras.layers.Dense(3, activation="softmax", name="head")(x))
    """,
    )
    graph = export_entry("k.py:build")
    assert graph.versions["keras backend"] == "torch"
    assert len(nodes(graph, "Softmax")) == 1
    assert any(location_of(n) and location_of(n).line == project.line_of("k.py", "Dense(3") for n in graph.nodes())


def test_keras_on_jax_is_read_from_its_architecture(project, export_entry):
    pytest.importorskip("jax")
    project.write(
        "k.py",
        """
        import os
        os.environ["KERAS_BACKEND"] = "jax"
        import jax
        import keras


        def build():
            x = keras.Input((6,), name="features")
            return keras.Model(x, keras.layers.Dense(3, activation="softmax", name="head")(x))
    """,
    )
    graph = export_entry("k.py:build")
    assert graph.versions["keras backend"] == "jax"
    assert "Softmax" in {n.op_type for n in graph.nodes()}
    (product,) = [n for n in graph.nodes() if n.op_type == "MatMul"]
    assert layer_of(product) == "head"
    assert location_of(product).line == project.line_of("k.py", "Dense(3")


FUNCTIONS = """
    import tensorflow as tf


    @tf.function
    def root(x):
        return tf.sqrt(x) + tf.math.log(x)  # first logarithm


    class Compiled(tf.Module):
        def __init__(self):
            self.scale = tf.Variable([2.0, 3.0], name="scale")

        @tf.function
        def __call__(self, x):
            for _ in tf.range(3):
                x = tf.math.log1p(x)  # in the loop
            return root(x * self.scale) + tf.math.log(x)  # second logarithm


    def compiled():
        return Compiled(), (tf.ones((4, 2)),)
"""


def test_functions_that_are_compiled_already_keep_their_lines(project, export_entry):
    project.write("functions.py", FUNCTIONS)
    graph = export_entry("functions.py:compiled")
    places = {
        n.op_type: location_of(n).line for n in graph.nodes() if location_of(n) and n.op_type in ("Sqrt", "Log1p")
    }
    assert places["Sqrt"] == project.line_of("functions.py", "first logarithm")
    assert places["Log1p"] == project.line_of("functions.py", "in the loop")
    logs = sorted(location_of(n).line for n in graph.nodes() if n.op_type == "Log")
    assert logs == [project.line_of("functions.py", f"{w} logarithm") for w in ("first", "second")]


EXAMPLES = """
    import keras
    import tensorflow as tf


    def loss(scores, rows, batch, scale=1.0, few=None, targets=None):
        weighed = (scores - rows) * batch["image"] * scale * targets
        return tf.reduce_sum(weighed) + tf.reduce_sum(few) / tf.cast(batch["n"], tf.float32)


    def module():
        rows = tf.one_hot(tf.range(3), 3)
        batch = {"image": tf.random.uniform((3, 3), 0.1, 0.9), "n": tf.constant(3)}
        scores = tf.random.normal((3, 3), seed=1)
        few, targets = tf.constant([0.0, 1.0]), tf.constant([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])[:, None]
        return loss, {"few": few, "scores": scores, "rows": rows, "batch": batch, "targets": targets}


    class Net(keras.Model):
        def call(self, inputs):
            return inputs[0] * inputs[1]


    def net():
        return Net(), [[tf.one_hot(tf.range(3), 3), tf.random.uniform((3, 3), 0.1, 0.9)]]


    def functional():
        x = keras.Input((3,), name="x")
        return keras.Model(x, keras.ops.log(x))
"""


def test_what_examples_show_is_recorded(project, export_entry):
    project.write("shown.py", EXAMPLES)
    graph = export_entry("shown.py:module")
    found = {v.name: v.metadata_props for v in graph.graph.inputs}
    assert set(found) == {"scores", "rows", "batch_image", "batch_n", "few", "targets"}
    assert {name for name, told in found.items() if TRUTHS in told} == {"rows"}
    assert {name for name, told in found.items() if BINARY in told} == {"targets"}
    assert {name for name, told in found.items() if SPAN in told} == {"scores", "rows", "batch_image", "targets"}
    assert found["batch_n"][SHOWN] == "3.0 3.0 1"
    assert found["few"][SHOWN] == "0.0 1.0 2"
    assert 0.1 <= float(found["batch_image"][SPAN].split()[0]) < 0.9


def test_what_examples_of_a_keras_model_show_is_recorded(project, export_entry):
    project.write("shown.py", EXAMPLES)
    rows, image = (v.metadata_props for v in export_entry("shown.py:net").graph.inputs)
    assert TRUTHS in rows
    assert set(image) & {TRUTHS, SPAN} == {SPAN}
    (x,) = export_entry("shown.py:functional").graph.inputs
    assert not {TRUTHS, SPAN, SHOWN} & set(x.metadata_props)


TAKEN_APART = """
    import tensorflow as tf


    class Smooth(tf.Module):
        def __init__(self):
            self.x = tf.Variable([0.1, 0.5])

        def __call__(self, p):
            low, scale = self.x
            first, second = p
            return tf.reduce_mean(first * scale + second * low)


    def sized():
        return Smooth(), (tf.ones((2, 3)),)


    def unsized():
        def function(p):
            low, high = tf.boolean_mask(p, p > 0)
            return low + high
        return function, (tf.ones((2,)),)
"""


def test_tensors_of_known_size_are_taken_apart(project, export_entry):
    project.write("k.py", TAKEN_APART)
    assert len(nodes(export_entry("k.py:sized"), "StridedSlice")) == 4
    notes = export_entry("k.py:unsized").model.metadata_props["assay.notes"]
    assert "Iterating over a symbolic" in notes  # so one run of it is recorded


CONSTANTS = """
    import keras
    import tensorflow as tf


    def of_tensor():
        return lambda x: tf.constant(x, dtype=tf.float32, shape=(6,)) + tf.constant(1.0), (tf.ones((2, 3)),)


    def of_another_type():
        return lambda x: tf.constant(x, dtype=tf.int32), (tf.ones((2, 3)),)


    class Refusing(keras.layers.Layer):
        def call(self, x):
            raise ValueError("the grid has no rows")


    def refusing():
        layer = Refusing()
        return lambda x: layer(x), (tf.ones((2, 3)),)
"""


def test_a_constant_of_a_tensor_is_one_of_the_same_numbers(project, export_entry):
    project.write("k.py", CONSTANTS)
    assert [list(v.shape) for v in export_entry("k.py:of_tensor").graph.outputs] == [[6]]
    with pytest.raises(ExportProblem, match="TypeError: Expected int32, but got a tensor of float32"):
        export_entry("k.py:of_another_type")


def test_why_the_call_of_a_layer_failed_is_told(project, export_entry):
    project.write("k.py", CONSTANTS)
    with pytest.raises(ExportProblem, match="ValueError: the grid has no rows"):
        export_entry("k.py:refusing")
