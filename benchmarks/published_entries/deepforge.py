"""Entry points of deepforge: networks of Keras that it builds of settings, as in its README, with a loss of labels."""

import deepforge as df
import keras


def _built(network):
    network.setModelConfiguration(optimizer="adam", loss="mse")
    network.build()
    return network.getModel()


def _dense(*sizes, last="linear"):
    return [{"units": size, "activation": "elu"} for size in sizes[:-1]] + [{"units": sizes[-1], "activation": last}]


def several_inputs():
    network = df.multivariateDNN(name="Prices", inputN=2)
    network.setInputs([{"shape": (2,), "name": "sizes"}, {"shape": (3,), "name": "places"}])
    network.setLayers([_dense(16, 16, 3), _dense(8, 3)])
    network.setOutLayers(_dense(8, 1))
    return _built(network)


def recurrent():
    network = df.RNN(name="Series", inputN=1)
    network.setInputs([{"shape": (6, 2), "name": "steps"}])
    network.setRecurrentLayers([[{"units": 8, "return_sequences": True}, {"units": 4}]])
    network.setOutLayers(_dense(8, 1))
    return _built(network)


def _convolutions(network):
    network.setInputs([{"shape": (16, 16, 1), "name": "pictures"}])
    shared = {"kernel_size": (3, 3), "activation": "relu"}
    network.setConvLayers([[{"filters": 4, **shared}, {"filters": 4, **shared}]])
    network.setPoolLayers([[{"pool_size": (2, 2)}]])


class _Loss(keras.layers.Layer):
    def call(self, probabilities, labels):
        return keras.ops.mean(keras.losses.sparse_categorical_crossentropy(labels, probabilities))


def convolved():
    network = df.CNN(name="Pictures", inputN=1)
    _convolutions(network)
    network.setOutLayers(_dense(8, 3, last="softmax"))
    return _built(network)


def convolved_and_trained():
    model, labels = convolved(), keras.Input((), name="labels", dtype="int32")
    return keras.Model([*model.inputs, labels], _Loss()(model.outputs[0], labels))


def convolved_and_recurrent():
    network = df.CRNN(name="Films", inputN=1)
    _convolutions(network)
    network.setRecurrentLayers([{"units": 4}])
    network.setOutLayers(_dense(8, 3, last="softmax"))
    return _built(network)
