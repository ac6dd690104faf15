import numpy as np
import tensorflow as tf

LATENT, BATCH = 16, 64
x = np.load("faces.npy").astype("float32") / 255.0
x = x.reshape(-1, 48, 48, 1)
data = tf.data.Dataset.from_tensor_slices(x).shuffle(1000).batch(BATCH).prefetch(tf.data.AUTOTUNE)

encoder = tf.keras.Sequential([
    tf.keras.Input((48, 48, 1)),
    tf.keras.layers.Conv2D(16, 3, strides=2, padding="same", activation="relu"),
    tf.keras.layers.Conv2D(32, 3, strides=2, padding="same", activation="relu"),
    tf.keras.layers.Flatten(),
    tf.keras.layers.Dense(2 * LATENT),
])
decoder = tf.keras.Sequential([
    tf.keras.Input((LATENT,)),
    tf.keras.layers.Dense(12 * 12 * 32, activation="relu"),
    tf.keras.layers.Reshape((12, 12, 32)),
    tf.keras.layers.Conv2DTranspose(16, 3, strides=2, padding="same", activation="relu"),
    tf.keras.layers.Conv2DTranspose(1, 3, strides=2, padding="same", activation="sigmoid"),
])
optimizer = tf.keras.optimizers.Adam(1e-3)


@tf.function
def train_step(batch):
    with tf.GradientTape() as tape:
        mean, logvar = tf.split(encoder(batch), 2, axis=1)
        z = mean + tf.exp(0.5 * logvar) * tf.random.normal(tf.shape(mean))
        rebuilt = decoder(z)
        error = tf.reduce_sum(tf.square(batch - rebuilt), axis=[1, 2, 3])
        kl = -0.5 * tf.reduce_sum(1 + logvar - tf.square(mean) - tf.exp(logvar), axis=1)
        loss = tf.reduce_mean(error + kl)
    weights = encoder.trainable_variables + decoder.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
    return loss


for epoch in range(10):
    for batch in data:
        loss = train_step(batch)
    tf.print("epoch", epoch, "loss", loss)
