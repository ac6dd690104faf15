"""Entry points of k3im: its classifiers of pictures, series and films in small, with losses of their training."""

import keras
import tensorflow as tf
from k3im.cct import CCT
from k3im.fnet_1d import FNet1DModel
from k3im.gmlp_3d import gMLP3DModel
from k3im.simple_vit_with_register_tokens import SimpleViT_RT
from k3im.swint import SwinTModel


class _Classifier(tf.Module):
    def __init__(self, model):
        super().__init__()
        self.model, self.loss = model, keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def __call__(self, samples, labels):
        return self.loss(labels, self.model(samples, training=True))


def _images():
    return tf.random.uniform((2, 16, 16, 3)), tf.constant([3, 0])


def shifted_windows():
    model = SwinTModel((16, 16), (2, 2), 8, 2, 4, 16, True, 0.1, 2, 4)
    return _Classifier(model), _images()


def registers():
    return _Classifier(SimpleViT_RT((16, 16), (4, 4), 4, 16, 1, 2, 32, dim_head=8)), _images()


def convolutional_tokens():
    model = CCT((16, 16, 3), 2, 8, 3, 1, 1, [16, 8], 0.1, 2, 4, positional_emb=True)
    return _Classifier(model), _images()


def series():
    model = FNet1DModel(seq_len=16, patch_size=4, num_classes=4, dim=8, depth=2, channels=2)
    return _Classifier(model), (tf.random.normal((3, 16, 2)), tf.constant([1, 3, 0]))


def films():
    model = gMLP3DModel((8, 8), (4, 4), 4, 2, 4, 8, 1, 8, 0.1)
    return _Classifier(model), (tf.random.uniform((2, 4, 8, 8, 3)), tf.constant([1, 3]))
