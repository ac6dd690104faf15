import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

LATENT = 8


class Sampling(layers.Layer):
    def call(self, inputs):
        mean, log_var = inputs
        noise = tf.random.normal(tf.shape(mean))
        return mean + tf.exp(0.5 * log_var) * noise


def encoder():
    inputs = keras.Input((28, 28, 1))
    x = layers.Conv2D(32, 3, strides=2, padding="same", activation="relu")(inputs)
    x = layers.Conv2D(64, 3, strides=2, padding="same", activation="relu")(x)
    x = layers.Dense(16, activation="relu")(layers.Flatten()(x))
    mean, log_var = layers.Dense(LATENT)(x), layers.Dense(LATENT)(x)
    return keras.Model(inputs, [mean, log_var, Sampling()([mean, log_var])])


def decoder():
    inputs = keras.Input((LATENT,))
    x = layers.Reshape((7, 7, 64))(layers.Dense(7 * 7 * 64, activation="relu")(inputs))
    x = layers.Conv2DTranspose(64, 3, strides=2, padding="same", activation="relu")(x)
    x = layers.Conv2DTranspose(32, 3, strides=2, padding="same", activation="relu")(x)
    return keras.Model(inputs, layers.Conv2DTranspose(1, 3, padding="same", activation="sigmoid")(x))


class VAE(keras.Model):
    def __init__(self, encoder, decoder, **kwargs):
        super().__init__(**kwargs)
        self.encoder, self.decoder = encoder, decoder
        self.total = keras.metrics.Mean(name="loss")

    @property
    def metrics(self):
        return [self.total]

    def train_step(self, data):
        with tf.GradientTape() as tape:
            mean, log_var, z = self.encoder(data)
            rebuilt = self.decoder(z)
            pixel = keras.losses.binary_crossentropy(data, rebuilt)
            rebuilt_loss = tf.reduce_mean(tf.reduce_sum(pixel, axis=(1, 2)))
            kl = -0.5 * tf.reduce_sum(1 + log_var - tf.square(mean) - tf.exp(log_var), axis=1)
            loss = rebuilt_loss + tf.reduce_mean(kl)
        grads = tape.gradient(loss, self.trainable_weights)
        self.optimizer.apply_gradients(zip(grads, self.trainable_weights))
        self.total.update_state(loss)
        return {m.name: m.result() for m in self.metrics}


(x_train, _), (x_test, _) = keras.datasets.mnist.load_data()
digits = np.concatenate([x_train, x_test], axis=0)
digits = np.expand_dims(digits, -1).astype("float32") / 255

vae = VAE(encoder(), decoder())
vae.compile(optimizer=keras.optimizers.Adam())
vae.fit(digits, epochs=30, batch_size=128)
vae.decoder.save("decoder.keras")
