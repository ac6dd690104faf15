"""Entry points of vit-keras: its layers put together as its networks are, in small, with a loss of labels."""

import keras
from vit_keras.layers import AddPositionEmbs, ClassToken, MultiHeadSelfAttention, TransformerBlock


def _patches(pictures):
    hidden = keras.layers.Conv2D(8, 4, strides=4, padding="valid")(pictures)
    return keras.layers.Reshape((hidden.shape[1] * hidden.shape[2], 8))(hidden)


def classified():
    pictures = keras.Input((16, 16, 3), 2, name="pictures")
    hidden = AddPositionEmbs(name="places")(ClassToken(name="class_token")(_patches(pictures)))
    for number in range(2):
        hidden, _ = TransformerBlock(num_heads=2, mlp_dim=16, dropout=0.1, name=f"block_{number}")(hidden)
    hidden = keras.layers.LayerNormalization(epsilon=1e-6)(hidden)[:, 0]
    return keras.Model(pictures, keras.layers.Dense(4, activation="sigmoid")(hidden))


class _Loss(keras.layers.Layer):
    def call(self, logits, labels):
        return keras.ops.mean(keras.losses.sparse_categorical_crossentropy(labels, logits, from_logits=True))


def trained():
    pictures = keras.Input((16, 16, 3), 2, name="pictures")
    labels = keras.Input((), 2, name="labels", dtype="int32")
    hidden = AddPositionEmbs(name="places")(_patches(pictures))
    hidden, _ = TransformerBlock(num_heads=4, mlp_dim=16, dropout=0.1, name="block")(hidden)
    logits = keras.layers.Dense(4)(keras.layers.GlobalAveragePooling1D()(hidden))
    return keras.Model([pictures, labels], _Loss()(logits, labels))


def attended():
    steps = keras.Input((6, 8), 2, name="steps")
    hidden, weights = MultiHeadSelfAttention(num_heads=2)(steps)
    return keras.Model(steps, [keras.layers.Dense(3)(hidden + steps), weights])
