"""Entry points of tensorflow-context-based-norm: its three normalisations by contexts inside classifiers."""

import importlib

import tensorflow as tf

norms = importlib.import_module("tensorflow-context-based-norm")


class _Classifier(tf.Module):
    def __init__(self, norm, classes=3):
        super().__init__()
        self.norm = norm
        self.hidden, self.head = tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(classes)

    def __call__(self, features, contexts, labels):
        hidden = self.hidden(self.norm(features, contexts))
        if len(hidden.shape) == 4:
            hidden = tf.reduce_mean(hidden, axis=(1, 2))
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, self.head(hidden)))


def _made(model, *inputs):
    model(*inputs)
    return model, inputs


def _given():
    return tf.constant([[0], [2], [1], [0], [1], [2]]), tf.constant([0, 1, 2, 2, 0, 1])


class _ByBatches(tf.Module):
    def __init__(self, **options):
        super().__init__()
        self.layer = norms.ContextNorm(num_contexts=3, **options)

    def __call__(self, features, contexts):
        return self.layer((features, contexts), training=True)


def by_batches():
    return _made(_Classifier(_ByBatches(priors=[0.5, 0.25, 0.25])), tf.random.normal((6, 5)), *_given())


class _Extended(tf.Module):
    def __init__(self):
        super().__init__()
        self.layer = norms.ContextExtendedNorm(num_contexts=3)

    def __call__(self, features, contexts):
        return self.layer((features, contexts))


def extended_images():
    return _made(_Classifier(_Extended()), tf.random.uniform((6, 4, 4, 3)), *_given())


class _Adaptive(tf.Module):
    def __init__(self, training):
        super().__init__()
        self.layer, self.training = norms.AdaptiveContextNorm(num_contexts=3), training

    def __call__(self, features, contexts):
        return self.layer(features, training=self.training)


def adaptive():
    return _made(_Classifier(_Adaptive(False)), tf.random.normal((6, 5)), *_given())
