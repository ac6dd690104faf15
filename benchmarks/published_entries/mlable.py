"""Entry points of mlable: blocks of its convolutions and attention, in small models of images and of series."""

import keras
from mlable.blocks.attention.transformer import FeedForwardBlock
from mlable.blocks.convolution.resnet import ResnetBlock
from mlable.layers.embedding import RotaryPositionalEmbedding, SinePositionalEmbedding
from mlable.layers.transformer import GatedLinearUnit


def residual_images():
    images = keras.Input((8, 8, 4), 2)
    blocks = ResnetBlock(channel_dim=8, group_dim=2, dropout_rate=0.1)(images)
    return keras.Model(images, ResnetBlock(channel_dim=4, group_dim=2)(blocks))


def series():
    tokens = keras.Input((6, 8), 2)
    placed = keras.layers.Add()([tokens, SinePositionalEmbedding(sequence_axis=1, feature_axis=-1)(tokens)])
    blocks = keras.layers.Add()([placed, FeedForwardBlock(hidden_dim=16)(placed)])
    return keras.Model(tokens, GatedLinearUnit(output_dim=4)(blocks))


def rotated():
    tokens = keras.Input((6, 8), 2)
    rotary = RotaryPositionalEmbedding(sequence_axis=1, feature_axis=-1)
    queries, keys = (rotary(keras.layers.Dense(8)(tokens)) for _ in range(2))
    return keras.Model(tokens, keras.layers.Attention()([queries, tokens, keys]))
