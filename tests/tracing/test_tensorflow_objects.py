"""Objects beside tensors, sparse tensors, data sets and rarer functions, held against TensorFlow and Keras."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """
import keras
import tensorflow as tf
import tensorflow.experimental.numpy as tnp
from tensorflow.keras import backend as K
w = tf.ones((3, 4))
v = tf.Variable(tf.ones((3, 4)))
t = tf.data.Dataset.from_tensor_slices(w)

def to_4d(image):
    rank = tf.rank(image)
    left = tf.cast(tf.less_equal(rank, 3), dtype=tf.int32)
    right = tf.cast(tf.equal(rank, 2), dtype=tf.int32)
    ones = [tf.ones(shape=n, dtype=tf.int32) for n in (left, right)]
    return tf.reshape(image, tf.concat([ones[0], tf.shape(image), ones[1]], axis=0))

def pad_around(t, target_shape, axis=1):
    shape = tf.shape(t)
    low = (target_shape - shape + 1) // 2
    return tf.pad(t, tf.stack([low, target_shape - shape - low], axis=axis))

def parsed(texts):
    features = {"a": tf.io.FixedLenFeature((2, 3), tf.float32)}
    return tf.io.parse_single_example(texts, features)["a"]

def written(*rows):
    lists = [tf.train.FloatList(value=[0.0] * 6) for _ in rows]
    features = [tf.train.Features(feature={"a": tf.train.Feature(float_list=l)}) for l in lists]
    return tf.constant([tf.train.Example(features=f).SerializeToString() for f in features])

keys = tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2])
table = tf.lookup.StaticHashTable(keys, -1)
"""
CALLS = """
    keras.metrics.AUC().result()
    m = tf.keras.metrics.BinaryAccuracy(name="x"); m.update_state(w, w); y = m.result()
    keras.metrics.MeanSquaredError()(w, w)
    keras.optimizers.schedules.ExponentialDecay(0.1, decay_steps=10, decay_rate=0.9)(3)
    w * keras.optimizers.schedules.PolynomialDecay(0.1, 10)(tf.constant(3))
    w * keras.optimizers.Adam(0.1).learning_rate
    w * tf.cast(keras.optimizers.get("adam").iterations, "float32")
    tf.zeros((2,), keras.backend.standardize_dtype("float32"))
    tf.zeros((2,), K.dtype(w))
    tf.zeros((K.count_params(v),))
    keras.random.normal((2, 3), seed=keras.random.SeedGenerator(1))
    s = tf.distribute.get_strategy(); y = tf.ones((s.num_replicas_in_sync, 2))
    s = tf.distribute.OneDeviceStrategy("/cpu:0"); y = s.run(lambda a: a[1:], args=(w,))
    tf.as_string(w)
    tf.linalg.global_norm([w, w])
    tf.switch_case(tf.constant(1), [lambda: w + 1, lambda: w + 2])
    tf.debugging.assert_rank(w, 2); tf.debugging.assert_equal(tf.shape(w)[1], 4); y = w
    tf.debugging.assert_less_equal(w, 2.0); y = w
    keras.losses.get("mse")(w, w)
    keras.losses.get("binary_crossentropy")(w, w)
    keras.losses.Poisson()(w, w)
    keras.losses.KLDivergence(reduction="none")(w, w)
    keras.losses.CosineSimilarity()(w, w)
    keras.losses.CategoricalHinge()(w, w)
    keras.losses.SquaredHinge()(w, w)
    keras.losses.LogCosh()(w, w)
    keras.losses.cosine_similarity(w, w)
    keras.losses.CategoricalFocalCrossentropy()(w, w)
    keras.losses.BinaryFocalCrossentropy()(w, w)
    keras.losses.categorical_hinge(w, w)
    K.binary_crossentropy(w, w)
    K.categorical_crossentropy(w, w)
    K.sparse_categorical_crossentropy(tf.constant([0, 1, 2]), w)
    K.conv2d(tf.ones((2, 8, 8, 3)), tf.ones((3, 3, 3, 5)), padding="same")
    K.conv1d(tf.ones((2, 8, 3)), tf.ones((3, 3, 5)))
    K.pool2d(tf.ones((2, 8, 8, 3)), (2, 2), (2, 2))
    K.depthwise_conv2d(tf.ones((2, 8, 8, 3)), tf.ones((3, 3, 3, 2)))
    K.update_add(v, w)
    K.spatial_3d_padding(tf.ones((2, 4, 4, 4, 1)))
    K.moving_average_update(v, w, 0.9)
    K.random_bernoulli((2, 3))
    K.in_top_k(w, tf.constant([0, 1, 2]), 2)
    K.batch_normalization(w, tf.ones(4), tf.ones(4), tf.ones(4), tf.ones(4))
    K.random_normal_variable((2, 3), 0., 1.)
    K.zeros_like(w)
    K.cast(w, K.floatx())
    K.temporal_padding(tf.ones((2, 4, 1)))
    tf.sparse.to_dense(tf.SparseTensor(indices=[[0, 0]], values=[1.0], dense_shape=[3, 4]))
    tf.sparse.to_dense(tf.sparse.from_dense(w))
    tf.sparse.sparse_dense_matmul(tf.sparse.from_dense(w), tf.ones((4, 5)))
    tf.nn.space_to_depth(tf.ones((2, 4, 4, 3)), 2)
    tf.nn.depth_to_space(tf.ones((2, 4, 4, 12)), 2)
    tf.nn.convolution(tf.ones((2, 8, 8, 3)), tf.ones((3, 3, 3, 5)), padding="SAME")
    tf.complex(w, w)
    tf.math.real(tf.complex(w, w))
    tf.math.imag(tf.complex(w, w))
    tf.linalg.cholesky_solve(tf.eye(3), w)
    tf.strided_slice(w, [0, 1], [2, 3])
    tf.nn.compute_average_loss(tf.ones((4,)), global_batch_size=4)
    tf.nest.pack_sequence_as([0, 0], [w, w])[1]
    keras.ops.convert_to_numpy(w)
    tf.IndexedSlices(w, tf.constant([0, 1, 2]), tf.constant([3, 4])).values
    tf.make_ndarray(tf.make_tensor_proto([1.0, 2.0]))
    d = tf.data.Dataset.zip((t, t)); a, b = next(iter(d)); y = a
    d = tf.data.Dataset.zip(t, t).batch(2); a, b = next(iter(d)); y = a
    d = t.batch(2).unbatch(); y = next(iter(d))
    d = t.enumerate(); y = next(iter(d))[1]
    d = tf.data.Dataset.range(5); y = next(iter(d))
    d = t.take(1).concatenate(t); y = next(iter(d))
    to_4d(w)
    to_4d(tf.ones((2, 3, 4)))
    to_4d(tf.ones((2, 3, 4, 5)))
    pad_around(w, (5, 8))
    pad_around(tf.ones(100), (256))
    tnp.reshape(tnp.array([[1, 2], [3, 4]]), (4, 1))
    tnp.einsum('in, ji->nj', tnp.ones((3, 5)), tnp.ones((3, 3)))
    tnp.stack((w, w))
    tnp.repeat(w, 2, axis=0)
    tf.pad(w, tf.stack([tf.constant([1, 2]), tf.constant([0, 0])], axis=1))
    parsed(written(1, 2)[0])
    table.lookup(tf.constant([["a", "c"]]))
    tf.sparse.to_dense(tf.sparse.transpose(tf.sparse.from_dense(w)))
    tf.sparse.reduce_sum(tf.sparse.from_dense(w), axis=1)
    tf.sparse.to_dense(tf.sparse.concat(0, [tf.sparse.from_dense(w), tf.sparse.from_dense(w)]))
"""
REFUSED = """
    tf.debugging.assert_rank(w, 3)
    tf.debugging.assert_equal(tf.shape(w)[1], 5)
    tf.sparse.sparse_dense_matmul(tf.sparse.from_dense(w), tf.ones((3, 5)))
    tf.SparseTensor([[0, 0], [1, 1]], [1.0], [3, 4])
    keras.losses.Poisson()(w, tf.ones((3, 5)))
    K.categorical_crossentropy(w, tf.ones((3, 5)))
    K.conv2d(tf.ones((2, 8, 8, 3)), tf.ones((3, 3, 4, 5)))
    next(iter(tf.data.Dataset.zip((t, t))))[0] + tf.ones(5)
    next(iter(t.batch(2).unbatch())) + tf.ones(5)
    next(iter(t.flat_map(lambda row: tf.data.Dataset.from_tensors(row)))) + tf.ones(5)
    tf.distribute.OneDeviceStrategy("/cpu:0").run(lambda a: a + tf.ones((3, 5)), args=(w,))
    tf.switch_case(tf.constant(1), [lambda: w + 1, lambda: w + tf.ones((3, 5))])
    tf.nn.space_to_depth(tf.ones((2, 5, 4, 3)), 2)
    pad_around(tf.ones((3, 4, 2)), 5, axis=0)
    to_4d(w) + tf.ones((2, 3, 5, 1))
    tnp.einsum("in, jix->nj", tnp.ones((3, 5)), tnp.ones((3, 3)))
    parsed(written(1, 2)[0]) + tf.ones((2, 4))
    tf.strided_slice(w, [0, 1], [2, 3]) + tf.ones((2, 3))
    keras.optimizers.SGD(0.1).minimize(lambda: tf.reduce_sum(v + tf.ones((4, 3))), [v])
"""


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines()]


def program(line: str) -> str:
    """With the last value in `y`, on a line of its own."""
    *before, last = line.split("; ")
    return HEAD + "".join(f"{step}\n" for step in before) + (last if last.startswith("y = ") else f"y = {last}") + "\n"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", lines(CALLS))
def test_a_call_has_the_shape_that_the_library_gives(call: str, tmp_path: Path) -> None:
    text = program(call)
    scope: dict[str, Any] = {}
    exec(text, scope)
    shared = explore(tmp_path, "program.py", ast.parse(text), Versions())
    assert not shared.problems
    assert not shared.unknown_calls
    last = text.count("\n")
    found = [t.dims for (_, line, _), tensors in shared.assigned.items() if line == last for t in tensors]
    assert set(found) == {tuple(scope["y"].shape)}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", lines(REFUSED))
def test_what_the_library_refuses_is_found(call: str, tmp_path: Path) -> None:
    text = program(call)
    with pytest.raises(Exception):  # noqa: B017
        exec(text, {})
    shared = explore(tmp_path, "program.py", ast.parse(text), Versions())
    assert [p.proved for p in shared.problems.values() if p.level == "error"] == [True]
