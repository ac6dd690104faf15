"""Entry points of lbn: its boosts of particles into rest frames, in pairs, products and combinations, with features."""

import tensorflow as tf
from lbn import LBN


class _Classifier(tf.Module):
    def __init__(self, features, *args, **options):
        super().__init__()
        self.boosts, self.features = LBN(*args, **options), features
        self.norm = tf.keras.layers.LayerNormalization()
        self.hidden, self.head = tf.keras.layers.Dense(8, activation="elu"), tf.keras.layers.Dense(2)

    def __call__(self, vectors, labels):
        found = self.boosts(vectors, features=self.features)
        self.weights = [self.boosts.particle_weights, self.boosts.restframe_weights, self.boosts.aux_weights]
        logits = self.head(self.hidden(self.norm(found)))
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))


def _made(model, *inputs):
    model(*inputs)
    return model, inputs


def _events(auxiliary=0):
    """Four-vectors of particles, each with an energy above its momentum."""
    momenta, masses = tf.random.normal((4, 5, 3)), tf.random.uniform((4, 5, 1), 0.2, 1.0)
    energies = tf.sqrt(tf.reduce_sum(tf.square(momenta), -1, keepdims=True) + tf.square(masses))
    vectors = tf.concat([energies, momenta, tf.random.uniform((4, 5, auxiliary))], -1)
    return vectors, tf.constant([0, 1, 1, 0])


def pairs():
    return _made(_Classifier(["E", "pt", "eta", "phi", "m", "pair_cos"], 4, boost_mode=LBN.PAIRS), *_events())


def product():
    options = {"boost_mode": LBN.PRODUCT, "abs_particle_weights": False, "clip_particle_weights": True}
    return _made(_Classifier(["E", "px", "py", "pz", "gamma"], 3, n_restframes=2, **options), *_events())


def combinations():
    return _made(_Classifier(["p", "beta", "pair_ds"], 3, boost_mode=LBN.COMBINATIONS), *_events())


def with_auxiliary_inputs():
    return _made(_Classifier(["E", "pt", "pair_dy"], 4, boost_mode=LBN.PAIRS), *_events(auxiliary=2))
