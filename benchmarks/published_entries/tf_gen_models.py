"""Entry points of tf-gen-models: its adversarial losses of entropy and Wasserstein distances on small networks."""

import tensorflow as tf
from tf_gen_models.algorithms.gan import GAN, WGAN_GP, BceGAN


class _Trained(tf.Module):
    """What the two networks are trained by, in the terms of the package's own steps."""

    def __init__(self, kind, output, **options):
        super().__init__()
        generator = tf.keras.Sequential([tf.keras.Input((4,)), *_layers(None, 2)])
        judge = tf.keras.Sequential([tf.keras.Input((2,)), *_layers(output, 1)])
        self.model = kind(generator, judge, latent_dim=4)
        optimizers = (tf.keras.optimizers.RMSprop(0.001) for _ in range(2))
        self.model.compile(*optimizers, **options)

    @tf.function
    def __call__(self, wanted, weights):
        made, real = self.model._arrange_samples(None, wanted, weights)
        return self.model._compute_d_loss(made, real) + self.model._compute_g_loss(made, real)


def _layers(activation, outputs):
    return tf.keras.layers.Dense(8, activation="tanh"), tf.keras.layers.Dense(outputs, activation=activation)


def _made(model, *inputs):
    model(*inputs)
    return model, inputs


def _rows(rows):
    return tf.random.normal((rows, 2)), tf.random.uniform((rows, 1))


def entropy():
    return _made(_Trained(GAN, "sigmoid"), *_rows(6))


def smoothed():
    return _made(_Trained(BceGAN, "sigmoid"), *_rows(8))


def penalised_gradients():
    return _made(_Trained(WGAN_GP, None, grad_penalty=10.0), *_rows(6))
