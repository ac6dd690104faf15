"""Entry points of nerva-tensorflow: its perceptrons with its losses, which its training sums over a batch."""

import tensorflow as tf
from nerva_tensorflow.activation_functions import ReLUActivation, SReLUActivation
from nerva_tensorflow.layers import (
    ActivationLayer,
    BatchNormalizationLayer,
    LinearLayer,
    LogSoftmaxLayer,
    SoftmaxLayer,
    SReLULayer,
)
from nerva_tensorflow.loss_functions import parse_loss_function
from nerva_tensorflow.multilayer_perceptron import MultilayerPerceptron
from nerva_tensorflow.weight_initializers import set_layer_weights


class _Trained(tf.Module):
    def __init__(self, loss, *layers):
        super().__init__()
        for layer in layers:
            if isinstance(layer, LinearLayer):
                set_layer_weights(layer, "XavierUniform")
        self.variables_ = [v for layer in layers for v in vars(layer).values() if isinstance(v, tf.Variable)]
        self.network, self.loss = MultilayerPerceptron(list(layers)), parse_loss_function(loss)

    def __call__(self, samples, wanted):
        return self.loss(self.network.feedforward(samples), wanted)


def _samples():
    return tf.random.normal((4, 6)), tf.one_hot([0, 2, 1, 1], 3)


def softmax_cross_entropy():
    return _Trained("SoftmaxCrossEntropy", ActivationLayer(6, 8, ReLUActivation()), LinearLayer(8, 3)), _samples()


def cross_entropy():
    return _Trained("CrossEntropy", ActivationLayer(6, 8, ReLUActivation()), SoftmaxLayer(8, 3)), _samples()


def logistic_cross_entropy():
    return _Trained("LogisticCrossEntropy", SReLULayer(6, 8, SReLUActivation()), LinearLayer(8, 3)), _samples()


def normalised():
    layers = BatchNormalizationLayer(6), ActivationLayer(6, 8, ReLUActivation()), LogSoftmaxLayer(8, 3)
    return _Trained("SquaredError", *layers), _samples()


def negative_likelihood():
    return _Trained("NegativeLogLikelihood", ActivationLayer(6, 8, ReLUActivation()), SoftmaxLayer(8, 3)), _samples()
