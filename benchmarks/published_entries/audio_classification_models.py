"""Entry points of audio-classification-models: its encoders of spectra by attention and by convolutions, classified."""

import tensorflow as tf
from audio_classification_models.models.conformer import ConformerEncoder
from audio_classification_models.models.contextnet import ContextNetEncoder


class _Trained(tf.Module):
    def __init__(self, encoder, classes):
        super().__init__()
        self.encoder, self.head = encoder, tf.keras.layers.Dense(classes)
        self.loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def __call__(self, spectra, labels):
        return self.loss(labels, self.head(tf.reduce_mean(self.encoder(spectra), axis=1)))


class _Padded(_Trained):
    """Attention is told which frames are real, of those that are left."""

    def __call__(self, spectra, labels, lengths):
        real = tf.sequence_mask(lengths, 4)
        given = self.encoder(spectra, mask=real[:, None] & real[:, :, None])
        weights = tf.cast(real, tf.float32)[..., None]
        return self.loss(labels, self.head(tf.reduce_sum(given * weights, 1) / tf.reduce_sum(weights, 1)))


def _made(encoder, kind=_Trained, *lengths):
    inputs = tf.random.normal((2, 16, 8, 1)), tf.constant([2, 0]), *lengths
    model = kind(encoder, 3)
    model(*inputs)
    return model, inputs


def _conformer(kind, **options):
    subsampling = {"type": kind, "filters": 8, "kernel_size": 3, "strides": 2}
    if kind == "vgg":
        subsampling["filters"] = (4, 8)
    sizes = {"dmodel": 8, "num_blocks": 1, "head_size": 4, "num_heads": 2, "kernel_size": 3}
    return ConformerEncoder(subsampling=subsampling, **sizes, **options)


def conformer():
    return _made(_conformer("conv2d"), _Padded, tf.constant([4, 3]))


def conformer_of_pools():
    return _made(_conformer("vgg", mha_type="mha"), _Padded, tf.constant([4, 2]))


def contextnet():
    block = {"nlayers": 2, "kernel_size": 3, "filters": 16, "activation": "silu"}
    blocks = [{**block, "strides": 1, "residual": False}, {**block, "strides": 2, "residual": True}]
    return _made(ContextNetEncoder(blocks=blocks))
