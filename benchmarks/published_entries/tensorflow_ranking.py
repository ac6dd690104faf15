"""Entry points of tensorflow-ranking: its losses of lists, scores of one layer beside graded relevance."""

import sys
import types

import tensorflow as tf

# The package asks for the estimators that TensorFlow has no longer; its losses do without them.
for _name in ("tensorflow_ranking", "tensorflow_ranking.python"):
    sys.modules[_name] = types.ModuleType(_name)
    sys.modules[_name].__path__ = [_name.replace(".", "/")]

from tensorflow_ranking.python import losses_impl  # noqa: E402


class _Ranking(tf.Module):
    def __init__(self, loss):
        super().__init__()
        self.weight = tf.Variable(tf.random.normal((3, 1)))
        self.loss = loss

    def __call__(self, features, labels):
        scores = tf.squeeze(tf.matmul(features, self.weight), -1)
        return self.loss.compute(labels, scores, None, tf.compat.v1.losses.Reduction.SUM_BY_NONZERO_WEIGHTS)


def _entry(loss, **options):
    graded = tf.constant([[2.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 3.0]])
    return _Ranking(loss("loss", **options)), (tf.random.normal((2, 4, 3)), graded)


def approximate_gain():
    return _entry(losses_impl.ApproxNDCGLoss)


def approximate_reciprocal():
    return _entry(losses_impl.ApproxMRRLoss)


def softmax():
    return _entry(losses_impl.SoftmaxLoss)


def poly_softmax():
    return _entry(losses_impl.PolyOneSoftmaxLoss)


def unique_softmax():
    return _entry(losses_impl.UniqueSoftmaxLoss)


def likelihood():
    return _entry(losses_impl.ListMLELoss)


def sorted_gain():
    return _entry(losses_impl.NeuralSortNDCGLoss)


def sorted_crossentropy():
    return _entry(losses_impl.NeuralSortCrossEntropyLoss)


def pairwise_logistic():
    weight = losses_impl.DCGLambdaWeight(normalized=True, smooth_fraction=0.25)
    return _entry(losses_impl.PairwiseLogisticLoss, lambda_weight=weight)


def pairwise_squared():
    return _entry(losses_impl.PairwiseMSELoss)


def sigmoid():
    return _entry(losses_impl.SigmoidCrossEntropyLoss)
