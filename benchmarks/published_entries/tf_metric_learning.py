"""Entry points of tf-metric-learning: its losses of embeddings that one layer gives."""

import sys
from unittest.mock import MagicMock

import tensorflow as tf

sys.modules["pkg_resources"] = sys.modules["tensorflow_addons"] = MagicMock()  # which no loss here calls

from tf_metric_learning.layers.multisimilarity import MultiSimilarityLoss  # noqa: E402
from tf_metric_learning.layers.proxy_anchor import ProxyAnchorLoss  # noqa: E402
from tf_metric_learning.layers.soft_triple import SoftTripleLoss  # noqa: E402
from tf_metric_learning.layers.triplet import TripletLoss  # noqa: E402


class _Embedded(tf.Module):
    def __init__(self, loss, normalized=False):
        super().__init__()
        self.layer, self.loss, self.normalized = tf.keras.layers.Dense(4), loss, normalized
        if not loss.built:
            loss.build((None, 4))

    def __call__(self, features, labels):
        embeddings = self.layer(features)
        if self.normalized:
            embeddings = tf.nn.l2_normalize(embeddings, axis=1)
        return self.loss.loss_fn(embeddings, labels)


def _made(model, *inputs):
    model(*inputs)
    return model, inputs


def _features():
    return tf.random.normal((6, 5)), tf.constant([[0], [2], [1], [1], [0], [2]])


def proxy_anchor():
    return _made(_Embedded(ProxyAnchorLoss(num_class=3, embeddings_size=4)), *_features())


def soft_triple():
    return _made(_Embedded(SoftTripleLoss(num_class=3, num_centers=2, embeddings_size=4)), *_features())


def many_similarities():
    return _made(_Embedded(MultiSimilarityLoss(), normalized=True), *_features())


class _Triplets(tf.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.loss = tf.keras.layers.Dense(4), TripletLoss(margin=0.2)

    def __call__(self, anchors, positives, negatives):
        return self.loss.loss_fn(self.layer(anchors), self.layer(positives), self.layer(negatives))[0]


def triplets():
    return _made(_Triplets(), *(tf.random.normal((4, 5)) for _ in range(3)))
