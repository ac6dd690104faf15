"""Entry points of tf-metric-learning: its losses of embeddings that one layer gives."""

import tensorflow as tf
from tf_metric_learning.layers.contrastive import ContrastiveLoss
from tf_metric_learning.layers.multisimilarity import MultiSimilarityLoss
from tf_metric_learning.layers.proxy_anchor import ProxyAnchorLoss
from tf_metric_learning.layers.soft_triple import SoftTripleLoss
from tf_metric_learning.layers.triplet import TripletLoss


class _Embedded(tf.Module):
    def __init__(self, loss):
        super().__init__()
        self.layer, self.loss = tf.keras.layers.Dense(4), loss
        if not loss.built:
            loss.build((None, 4))

    def __call__(self, features, labels):
        return self.loss.loss_fn(self.layer(features), labels)


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
    return _made(_Embedded(MultiSimilarityLoss()), *_features())


class _Triplets(tf.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.loss = tf.keras.layers.Dense(4), TripletLoss(margin=0.2)

    def __call__(self, anchors, positives, negatives):
        return self.loss.loss_fn(self.layer(anchors), self.layer(positives), self.layer(negatives))


def triplets():
    return _made(_Triplets(), *(tf.random.normal((4, 5)) for _ in range(3)))


class _Pairs(tf.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.loss = tf.keras.layers.Dense(4), ContrastiveLoss()

    def __call__(self, first, second, same):
        first, second = (tf.nn.l2_normalize(self.layer(x), axis=1) for x in (first, second))
        return self.loss.loss_fn(first, second, same)


def pairs():
    return _made(_Pairs(), tf.random.normal((4, 5)), tf.random.normal((4, 5)), tf.constant([1.0, 0.0, 1.0, 0.0]))
