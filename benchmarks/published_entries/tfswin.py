"""Entry points of tfswin: its windowed attention over pictures in small, of both versions, with a loss of labels."""

import keras
import tensorflow as tf
from tfswin.basic import BasicLayer
from tfswin.embed import PatchEmbedding
from tfswin.merge import PatchMerging
from tfswin.model import SwinTransformer

SIZES = {"pretrain_size": 32, "window_size": 4, "embed_dim": 8, "depths": [2, 2], "num_heads": [2, 4]}


class _Classifier(tf.Module):
    def __init__(self, model):
        super().__init__()
        self.model, self.loss = model, keras.losses.SparseCategoricalCrossentropy()

    def __call__(self, pictures, labels):
        return self.loss(labels, self.model(pictures, training=True))


def _pictures():
    """Bytes of pictures: the model brings them to the mean and variance that it expects."""
    return tf.floor(tf.random.uniform((2, 32, 32, 3)) * 256), tf.constant([3, 0])


def first_version():
    return _Classifier(SwinTransformer(**SIZES, input_shape=(32, 32, 3), classes=5)), _pictures()


def second_version():
    model = SwinTransformer(**SIZES, input_shape=(32, 32, 3), classes=5, swin_v2=True)
    return _Classifier(model), _pictures()


def features():
    options = {"include_top": False, "pooling": "max", "include_preprocessing": False}
    return SwinTransformer(**SIZES, input_shape=(32, 32, 3), **options)


def layers():
    pictures = keras.Input((12, 12, 3), 2, name="pictures")
    hidden = PatchEmbedding(2, 8, normalize=True)(pictures)
    hidden = BasicLayer(depth=2, num_heads=2, window_size=3, window_pretrain=3)(hidden)
    hidden = PatchMerging()(hidden)
    return keras.Model(pictures, keras.layers.Dense(4)(keras.layers.GlobalAveragePooling2D()(hidden)))
