import tensorflow as tf
from tensorflow.keras import layers

model = tf.keras.Sequential(
    [
        layers.Dense(64, activation="relu", input_shape=(13,)),
        layers.Dense(64, activation="relu"),
        layers.Dense(1),
    ]
)
optimizer = tf.keras.optimizers.Adam(1e-3)


def train_step(features, prices):
    with tf.GradientTape() as tape:
        predicted = model(features)
        loss = tf.reduce_mean(tf.square(predicted - prices))  # <- expected: tracing/suspicious-broadcast
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


features = tf.random.normal([128, 13])
prices = tf.random.normal([128])
for epoch in range(10):
    print(epoch, float(train_step(features, prices)))
