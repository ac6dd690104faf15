"""Keras Tuner's examples, written after their published description."""

import keras
from keras import layers


def cnn(hp):
    """The tuner's CIFAR-10 example: blocks of convolution and pooling, a dense layer, an optimizer's rate."""
    inputs = keras.Input(shape=(32, 32, 3))
    x = inputs
    for i in range(hp.Int("conv_blocks", 3, 5, default=3)):
        filters = hp.Int("filters_" + str(i), 32, 256, step=32)
        for _ in range(2):
            x = layers.Convolution2D(filters, kernel_size=(3, 3), padding="same")(x)
            x = layers.BatchNormalization()(x)
            x = layers.ReLU()(x)
        if hp.Choice("pooling_" + str(i), ["avg", "max"]) == "max":
            x = layers.MaxPool2D()(x)
        else:
            x = layers.AvgPool2D()(x)
    x = layers.GlobalAvgPool2D()(x)
    x = layers.Dense(hp.Int("hidden_size", 30, 100, step=10, default=50), activation="relu")(x)
    x = layers.Dropout(hp.Float("dropout", 0, 0.5, step=0.1, default=0.5))(x)
    outputs = layers.Dense(10, activation="softmax")(x)
    model = keras.Model(inputs, outputs)
    model.compile(optimizer=keras.optimizers.Adam(hp.Float("learning_rate", 1e-4, 1e-2, sampling="log")), loss="mse")
    return model


def sequential(hp):
    """A Sequential network whose kernels and pools may leave nothing of a small image."""
    model = keras.Sequential([keras.Input((28, 28, 1))])
    for i in range(hp.Int("layers", 1, 3)):
        model.add(
            layers.Conv2D(
                hp.Int(f"filters_{i}", 8, 32, step=8),
                hp.Choice(f"kernel_{i}", [3, 5, 7]),
                padding=hp.Choice("padding", ["valid", "same"]),
                groups=hp.Choice("groups", [1, 2]),
            )
        )
        model.add(layers.MaxPooling2D(hp.Int("pool", 1, 4)))
    model.add(layers.Flatten())
    if hp.Boolean("dropout"):
        model.add(layers.Dropout(rate=0.25))
    model.add(layers.Dense(10, activation=hp.Choice("activation", ["relu", "tanh"])))
    return model


def transformer(width, heads, key, tokens, merge):
    """A block of attention with a sum or a product of what it reads and gives."""
    inputs = keras.Input((tokens, width))
    x = layers.MultiHeadAttention(heads, key)(inputs, inputs)
    x = keras.ops.reshape(x, (-1, tokens * 2, width // 2)) if merge == "halves" else layers.LayerNormalization()(x)
    y = keras.ops.transpose(inputs, (0, 2, 1)) if merge == "turned" else inputs
    if merge == "halves":
        y = keras.ops.concatenate([inputs[:, :, : width // 2], inputs[:, :, width // 2 :]], axis=1)
    return keras.Model(inputs, layers.Dense(4)(layers.GlobalAveragePooling1D()(layers.Add()([x, y]))))
