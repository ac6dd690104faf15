"""Entry points of keras-rs-nightly: its layers that cross features, and its losses of rankings, masks included."""

import keras_rs
import tensorflow as tf


class _Ranked(tf.Module):
    """Scores of six items by list."""

    def __init__(self, loss):
        super().__init__()
        self.layer, self.loss = tf.keras.layers.Dense(1), loss

    def __call__(self, features, labels, mask):
        return self.loss({"labels": labels, "mask": mask}, self.layer(features)[..., 0])


def _made(model, *inputs):
    model(*inputs)
    return model, inputs


def _ranked(loss):
    mask = tf.constant([[True] * 6, [True, True, True, True, False, False]])
    labels = tf.cast(tf.random.uniform((2, 6), 0, 4, tf.int32), tf.float32)
    return _made(_Ranked(loss), tf.random.normal((2, 6, 3)), labels, mask)


def hinge():
    return _ranked(keras_rs.losses.PairwiseHingeLoss())


def logistic():
    return _ranked(keras_rs.losses.PairwiseLogisticLoss(temperature=0.5))


def soft_zero_one():
    return _ranked(keras_rs.losses.PairwiseSoftZeroOneLoss())


def squares_of_pairs():
    return _ranked(keras_rs.losses.PairwiseMeanSquaredError())


def likelihood_of_lists():
    return _ranked(keras_rs.losses.ListMLELoss())


def crossed():
    inputs = tf.keras.Input((6,), 4)
    hidden = keras_rs.layers.FeatureCross(projection_dim=3)(inputs)
    hidden = keras_rs.layers.FeatureCross(projection_dim=3)(inputs, hidden)
    return tf.keras.Model(inputs, tf.keras.layers.Dense(1, activation="sigmoid")(hidden))


def dots():
    inputs = [tf.keras.Input((6,), 4) for _ in range(3)]
    return tf.keras.Model(inputs, tf.keras.layers.Dense(1)(keras_rs.layers.DotInteraction()(inputs)))


class _Retrieved(tf.Module):
    """Two towers, whose candidates of a batch are corrected by how often they are drawn."""

    def __init__(self):
        super().__init__()
        self.queries, self.candidates = tf.keras.layers.Dense(4), tf.keras.layers.Dense(4)
        self.correction = keras_rs.layers.SamplingProbabilityCorrection()
        self.hits = keras_rs.layers.RemoveAccidentalHits()

    def __call__(self, queries, candidates, ids, probabilities):
        logits = tf.matmul(self.queries(queries), self.candidates(candidates), transpose_b=True)
        labels = tf.eye(logits.shape[0])
        logits = self.hits(self.correction(logits, probabilities), labels, ids)
        return tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels, logits))


def retrieved():
    ids, probabilities = tf.constant([3, 1, 3, 7]), tf.random.uniform((4,), 0.01, 0.2)
    return _made(_Retrieved(), tf.random.normal((4, 5)), tf.random.normal((4, 6)), ids, probabilities)
