"""Entry points of predflow: its layers of predictions, the energy of what they get wrong and a step of inference."""

import tensorflow as tf
from predflow.pc_utils import energy_and_error, forward_initialize_representations, random_initialize_representations
from predflow.tf_utils import BiasedDense, Dense


class _Forward(tf.Module):
    """The error of what a sweep through the layers predicts."""

    def __init__(self):
        super().__init__()
        self.layers = [BiasedDense(4, 6, activation=tf.identity, stddev=0.3), Dense(6, 2, stddev=0.3)]

    def __call__(self, data, wanted):
        given = forward_initialize_representations(self.layers, data)[-1]
        return tf.reduce_mean(tf.square(given - wanted))


class _Energy(tf.Module):
    """Half the squared errors of every layer about what lies between, which is not known yet."""

    def __init__(self):
        super().__init__()
        self.layers = [BiasedDense(4, 6, activation=tf.nn.tanh, stddev=0.3), Dense(6, 2, stddev=0.3)]

    def __call__(self, data, wanted):
        known = random_initialize_representations(self.layers, data, stddev=0.1, predictions_flow_upward=True)
        energies, _ = energy_and_error(self.layers, [*known[:-1], wanted], predictions_flow_upward=True)
        return tf.reduce_mean(energies)


def _made(model):
    inputs = tf.random.normal((3, 4, 1)), tf.random.normal((3, 2, 1))
    model(*inputs)
    return model, inputs


def sweep():
    return _made(_Forward())


def energy():
    return _made(_Energy())
