"""Entry points of keras-climate: small models of series, weather and images from space, on which one trains."""

import keras
import tensorflow as tf
from keras_climate.forecasting import Autoformer, NBeats, PatchTST
from keras_climate.losses.qr import QRLoss
from keras_climate.remote_sensing import UNet
from keras_climate.weather import FourCastNet


class _Trained(tf.Module):
    def __init__(self, model):
        super().__init__()
        self.model, self.loss = model, keras.losses.MeanSquaredError()

    def __call__(self, wanted, *given):
        return self.loss(wanted, self.model(given[0] if len(given) == 1 else list(given), training=True))


def _made(model, *inputs):
    model(*inputs)
    return model, inputs


def patched_series():
    model = PatchTST(24, 6, num_channels=3, patch_len=6, stride=3, d_model=8, depth=1, num_heads=2)
    return _made(_Trained(model), tf.random.normal((2, 6, 3)), tf.random.normal((2, 24, 3)))


def decomposed_series():
    model = Autoformer(16, 8, 4, num_channels=3, d_model=8, num_heads=2, d_ff=16, encoder_layers=1, moving_avg=5)
    series = tf.random.normal((2, 20, 3))
    return _made(_Trained(model), series[:, 16:], series[:, :16], series[:, 8:16])


def trend_and_seasons():
    model = NBeats(16, 4, num_blocks_per_stack=1, hidden_dim=8, num_fc_layers=2)
    series = tf.random.normal((2, 20, *model.input_shape[2:]))
    return _made(_Trained(model), series[:, 16:], series[:, :16])


def weather():
    options = {"in_chans": 3, "out_chans": 3, "embed_dim": 8, "depth": 1, "num_blocks": 2}
    states = tf.random.normal((2, 2, 8, 16, 3))
    return _made(_Trained(FourCastNet((8, 16), patch_size=4, **options)), states[1], states[0])


class _Prior(tf.Module):
    """Classes of land of which only a prior is known at each pixel."""

    def __init__(self):
        super().__init__()
        self.model = UNet((16, 16, 4), num_classes=3, base_filters=4, depth=2, final_activation="softmax")
        self.loss = QRLoss()

    def __call__(self, images, prior):
        return self.loss(tf.transpose(self.model(images, training=True), (0, 3, 1, 2)), prior)


def land_from_priors():
    prior = tf.nn.softmax(tf.random.normal((2, 3, 16, 16)), axis=1)
    return _made(_Prior(), tf.random.uniform((2, 16, 16, 4)), prior)
