"""Entry points of kimm: small models of its layers, of attention over patches and of convolutions to be merged."""

import keras
from kimm.layers import Attention, LayerScale, LearnableAffine, PositionEmbedding, ReparameterizableConv2D


def patches():
    images = keras.Input((16, 16, 3), 2)
    tokens = keras.layers.Reshape((16, 8))(keras.layers.Conv2D(8, 4, strides=4)(images))
    tokens = PositionEmbedding(4, 4)(tokens)
    attended = Attention(8, num_heads=2, use_qkv_bias=True)(keras.layers.LayerNormalization()(tokens))
    tokens = keras.layers.Add()([tokens, LayerScale()(attended)])
    return keras.Model(images, keras.layers.Dense(3)(tokens[:, 0]))


def mergeable():
    images = keras.Input((12, 12, 3), 2)
    result = ReparameterizableConv2D(4, 3, strides=2, padding="same", has_skip=False)(images)
    result = LearnableAffine()(ReparameterizableConv2D(4, 3, padding="same", activation="relu")(result))
    return keras.Model(images, keras.layers.Dense(3)(keras.layers.GlobalAveragePooling2D()(result)))


def local_attention():
    tokens = keras.Input((2, 5, 8), 3)
    return keras.Model(tokens, Attention(8, num_heads=2)(tokens))
