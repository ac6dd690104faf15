"""Entry points of keras-nac: attention by neuronal circuits, in models as its README builds them, and its loss."""

import tensorflow as tf
from keras_nac import layers, losses


def _model(layer, flat=False):
    steps = tf.keras.Input((6, 3), 4)
    hidden = layer(steps)
    return tf.keras.Model(steps, tf.keras.layers.Dense(2)(tf.keras.layers.Flatten()(hidden) if flat else hidden))


def liquid_attention():
    return _model(layers.LAN(d_model=8, num_heads=2, topk=4, euler_steps=3, activation="sigmoid"))


def fluid_transformer():
    layer = layers.FLUID(d_model=8, num_heads=2, ff_dim=16, topk=4, euler_steps=3, expansion_rate=2, max_len=20)
    return _model(layer, flat=True)


def circuit():
    return _model(layers.NAC(d_model=16, num_heads=2, topk=4, mode="exact", activation="sigmoid"))


def circuit_by_euler():
    return _model(layers.NAC(d_model=16, num_heads=2, topk=4, mode="euler", euler_steps=3, use_riemann_sum=False))


class _Uncertain(tf.Module):
    """Means and logarithms of spreads, sampled on rows in and out of the distribution, with the loss of both."""

    def __init__(self):
        super().__init__()
        self.mean, self.spread = tf.keras.layers.Dense(1), tf.keras.layers.Dense(1)
        self.loss = losses.NSACLoss(lambda_reg=0.5)

    def __call__(self, rows, others, wanted):
        given = [(self.mean(r), self.spread(r)) for r in tf.unstack(rows)]
        apart = [(self.mean(r), self.spread(r)) for r in tf.unstack(others)]
        return self.loss(wanted, [given, apart])[0]


def uncertainty():
    rows = tf.random.normal((3, 4, 5))
    model, inputs = _Uncertain(), (rows, rows + 3 * tf.random.normal((3, 4, 5)), tf.random.normal((4, 1)))
    model(*inputs)
    return model, inputs
