"""Entry points of xhydro-lstm: its networks of streamflow over a window of days, with the losses of their training."""

import tensorflow as tf
from xhydro_lstm.lstm_static import _kge_loss, _nse_scaled_loss, _simple_local_lstm, _simple_regional_lstm


class _Regional(tf.Module):
    """Many catchments: standardised flows, weighted by how much each of them varies."""

    def __init__(self):
        super().__init__()
        self.model, _ = _simple_regional_lstm(10, 4, 3, "nse_scaled")

    def __call__(self, weather, catchment, flows):
        return tf.reduce_mean(_nse_scaled_loss(flows, self.model([weather, catchment])))


def regional():
    flows = tf.concat([tf.random.uniform((4, 1)), 0.2 + tf.random.uniform((4, 1))], axis=1)
    return _Regional(), (tf.random.normal((4, 10, 4)), tf.random.normal((4, 3)), flows)


class _Local(tf.Module):
    """One catchment, by the efficiency of Kling and Gupta."""

    def __init__(self):
        super().__init__()
        self.model, _ = _simple_local_lstm(10, 4, "kge")

    def __call__(self, weather, flows):
        return _kge_loss(flows, self.model(weather))


def local():
    return _Local(), (tf.random.normal((8, 10, 4)), 0.1 + tf.random.uniform((8, 1)))
