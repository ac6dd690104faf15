import numpy as np
import tensorflow as tf
from tensorflow import keras

class Regressor(keras.Model):
    def __init__(self, units=32):
        super().__init__()
        self.hidden = keras.layers.Dense(units, activation="relu")
        self.out = keras.layers.Dense(1)
    def call(self, x):
        return self.out(self.hidden(x))
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            pred = self(x, training=True)
            loss = tf.reduce_mean(tf.square(y - pred))  # <- expected: tracing/suspicious-broadcast
        grads = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
        return {"loss": loss}

x = np.random.rand(64, 6).astype("float32")
y = np.random.rand(64).astype("float32")
m = Regressor()
m.compile("sgd")
m.fit(x, y, batch_size=16, verbose=0)
