"""Entry points of lambdaranknn: its networks of two documents, as its README builds them, and their training."""

import keras
from LambdaRankNN import LambdaRankNN, RankNetNN


def lambda_rank():
    return LambdaRankNN(input_size=7, hidden_layer_sizes=(16, 8), activation=("relu", "relu"), solver="adam").model


def rank_net():
    return RankNetNN(input_size=4, hidden_layer_sizes=(16,), activation=("tanh",)).model


class _Loss(keras.layers.Layer):
    """Each pair is weighted by how much its order matters."""

    def call(self, probabilities, labels, weights):
        return keras.ops.mean(weights * keras.losses.binary_crossentropy(labels, probabilities))


def lambda_rank_trained():
    model = lambda_rank()
    labels, weights = keras.Input((1,), name="labels"), keras.Input((), name="weights")
    return keras.Model([*model.inputs, labels, weights], _Loss()(model.outputs[0], labels, weights))
