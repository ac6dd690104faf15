"""Entry points of gated-sae-tf: its gated autoencoder of activations, and the loss of its training steps."""

import tensorflow as tf
from gated_sae import GatedSAE


class _Restored(tf.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def __call__(self, activations):
        return self.model(activations)


class _Trained(_Restored):
    """What its training step minimizes."""

    def __call__(self, activations):
        return self.model._compute_losses(activations)[0]


def _model():
    return GatedSAE(input_dim=8, encoding_dim=32, lambda_sparse=1e-3, aux_weight=0.1)


def restored():
    return _Restored(_model()), (tf.random.normal((4, 8)),)


def trained():
    return _Trained(_model()), (tf.random.normal((4, 8)),)
