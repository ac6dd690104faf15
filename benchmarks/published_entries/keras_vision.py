"""Entry points of keras-vision: separable self-attention and its relatives on small feature maps."""

import keras
from keras_vision.fastvit.multihead_self_attention import MHSA
from keras_vision.MobileViT_v1.multihead_self_attention_2D import MultiHeadSelfAttention
from keras_vision.MobileViT_v2.linear_attention import LinearSelfAttention


def _on(layer, *shape):
    given = keras.Input(shape, 2, name="features")
    return keras.Model(given, layer(given))


def linear_attention():
    return _on(LinearSelfAttention(embedding_dim=6), 4, 5, 6)


def heads_of_patches():
    return _on(MultiHeadSelfAttention(num_heads=2, embedding_dim=6), 5, 6)


def heads_of_maps():
    return _on(MHSA(dim=6, head_dim=3), 4, 4, 6)
