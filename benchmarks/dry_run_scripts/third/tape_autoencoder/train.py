import os
import time

import numpy as np
import tensorflow as tf
from absl import app, flags

FLAGS = flags.FLAGS
flags.DEFINE_integer("batch_size", 64, "Batch size.")
flags.DEFINE_integer("latent", 16, "Latent dimension.")
flags.DEFINE_integer("epochs", 1, "Epochs.")
flags.DEFINE_string("logdir", "logs/ae", "Checkpoints and summaries.")


class Encoder(tf.keras.Model):
    def __init__(self, latent):
        super().__init__()
        self.c1 = tf.keras.layers.Conv2D(32, 3, strides=2, activation="relu")
        self.c2 = tf.keras.layers.Conv2D(64, 3, strides=2, activation="relu")
        self.flat = tf.keras.layers.Flatten()
        self.out = tf.keras.layers.Dense(latent)

    def call(self, x):
        return self.out(self.flat(self.c2(self.c1(x))))


class Decoder(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.d = tf.keras.layers.Dense(7 * 7 * 32, activation="relu")
        self.shape_up = tf.keras.layers.Reshape((7, 7, 32))
        self.t1 = tf.keras.layers.Conv2DTranspose(64, 3, strides=2, padding="same", activation="relu")
        self.t2 = tf.keras.layers.Conv2DTranspose(32, 3, strides=2, padding="same", activation="relu")
        self.t3 = tf.keras.layers.Conv2DTranspose(1, 3, padding="same")

    def call(self, z):
        return self.t3(self.t2(self.t1(self.shape_up(self.d(z)))))


def main(_):
    (x_train, _), (x_test, _) = tf.keras.datasets.fashion_mnist.load_data()
    x_train = (x_train.astype("float32") / 255.0)[..., np.newaxis]
    x_test = (x_test.astype("float32") / 255.0)[..., np.newaxis]
    train = tf.data.Dataset.from_tensor_slices(x_train).shuffle(10000).batch(FLAGS.batch_size)
    test = tf.data.Dataset.from_tensor_slices(x_test).batch(FLAGS.batch_size)

    encoder, decoder = Encoder(FLAGS.latent), Decoder()
    optimizer = tf.keras.optimizers.Adam(1e-4)
    ckpt = tf.train.Checkpoint(step=tf.Variable(0), optimizer=optimizer, encoder=encoder, decoder=decoder)
    manager = tf.train.CheckpointManager(ckpt, FLAGS.logdir, max_to_keep=2)
    ckpt.restore(manager.latest_checkpoint)
    writer = tf.summary.create_file_writer(os.path.join(FLAGS.logdir, "train"))
    mean_loss = tf.keras.metrics.Mean()

    @tf.function
    def train_step(x):
        with tf.GradientTape() as tape:
            rec = decoder(encoder(x))
            loss = tf.reduce_mean(tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=rec), [1, 2, 3]))
        variables = encoder.trainable_variables + decoder.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        mean_loss.update_state(loss)
        return loss

    for epoch in range(FLAGS.epochs):
        start = time.time()
        for batch in train:
            train_step(batch)
            ckpt.step.assign_add(1)
        with writer.as_default():
            tf.summary.scalar("loss", mean_loss.result(), step=epoch)
        errors = [tf.reduce_mean(tf.square(tf.sigmoid(decoder(encoder(b))) - b)) for b in test]
        print(f"Epoch {epoch} loss {mean_loss.result():.3f} mse {np.mean(errors):.4f} time {time.time() - start:.1f}")
        mean_loss.reset_state()
        manager.save()


if __name__ == "__main__":
    app.run(main)
