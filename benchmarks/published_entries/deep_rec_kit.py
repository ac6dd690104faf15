"""Entry points of deep-rec-kit: rankers of its layers, put together as its models are, with the loss of clicks."""

import tensorflow as tf
from recsys.layers.aggregation import AttentionLayer
from recsys.layers.core import FeedForwardLayer, PredictLayer
from recsys.layers.interaction import FM, BiLinearLayer, CrossNet, EPNet, PPNet, SENet


class _Ranked(tf.Module):
    """Embeddings of four fields that a subclass lets interact."""

    def __init__(self):
        super().__init__()
        self.fields = [tf.keras.layers.Embedding(20, 4) for _ in range(4)]
        self.head = PredictLayer("binary")

    def __call__(self, fields, clicks):
        embedded = [layer(fields[:, place]) for place, layer in enumerate(self.fields)]
        return tf.reduce_mean(tf.keras.losses.binary_crossentropy(clicks, self.head(self.interact(embedded))))


def _clicks(model):
    inputs = tf.constant([[3, 7, 2, 19], [5, 12, 11, 0], [1, 1, 8, 4]]), tf.constant([[1.0], [0.0], [1.0]])
    model(*inputs)
    return model, inputs


class _Cross(_Ranked):
    def __init__(self, **options):
        super().__init__()
        self.cross, self.dense = (
            CrossNet(layer_num=2, **options),
            FeedForwardLayer([8, 4], l2_reg=1e-5, dropout_rate=0.1),
        )

    def interact(self, embedded):
        together = tf.concat(embedded, -1)
        return tf.concat([self.cross(together), self.dense(together)], -1)


def crossed():
    return _clicks(_Cross(cross_type="matrix", low_rank_dim=2))


class _Bilinear(_Ranked):
    def __init__(self):
        super().__init__()
        self.senet, self.bilinear, self.machine = SENet(), BiLinearLayer(6), FM()

    def interact(self, embedded):
        return tf.concat([self.senet(embedded), self.bilinear(embedded), self.machine(embedded)], -1)


def bilinear():
    return _clicks(_Bilinear())


class _Personal(_Ranked):
    """The last field is the domain, and the one before it the person."""

    def __init__(self):
        super().__init__()
        self.domain, self.person = EPNet(), PPNet(2, [8, 4], "relu")

    def interact(self, embedded):
        adapted = self.domain([embedded[3], tf.concat(embedded[:3], -1)])
        return tf.concat(self.person([adapted, embedded[2]]), -1)


def personal():
    return _clicks(_Personal())


class _History(_Ranked):
    """The first field is the item, and the others what was seen before."""

    def __init__(self):
        super().__init__()
        self.attention = AttentionLayer([8, 4], "relu")

    def interact(self, embedded):
        seen = tf.stack(embedded[1:], 1)
        return self.attention([embedded[0], seen], mask=[None, tf.constant([[True, True, False]] * 3)])


def history():
    return _clicks(_History())
