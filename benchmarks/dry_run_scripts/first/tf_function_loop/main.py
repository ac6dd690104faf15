import tensorflow as tf
from absl import app, flags

FLAGS = flags.FLAGS
flags.DEFINE_integer("batch_size", 100, "Images in a step")
flags.DEFINE_integer("epochs", 5, "Rounds over the data")
flags.DEFINE_float("learning_rate", 0.01, "Step size")
flags.DEFINE_string("logdir", "/tmp/logs", "For TensorBoard")


class MLP(tf.Module):
    def __init__(self, sizes, name=None):
        super().__init__(name=name)
        self.layers = []
        for i, (a, b) in enumerate(zip(sizes[:-1], sizes[1:])):
            w = tf.Variable(tf.random.truncated_normal([a, b], stddev=a**-0.5), name=f"w{i}")
            self.layers.append((w, tf.Variable(tf.zeros([b]), name=f"b{i}")))

    def __call__(self, x):
        for i, (w, b) in enumerate(self.layers):
            x = tf.matmul(x, w) + b
            if i < len(self.layers) - 1:
                x = tf.nn.relu(x)
        return x


def main(_):
    (x, y), (xt, yt) = tf.keras.datasets.mnist.load_data()
    x = x.reshape(-1, 784).astype("float32") / 255.0
    xt = xt.reshape(-1, 784).astype("float32") / 255.0
    train = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(10000).batch(FLAGS.batch_size, drop_remainder=True)
    test = tf.data.Dataset.from_tensor_slices((xt, yt)).batch(FLAGS.batch_size)
    model = MLP([784, 256, 128, 10])
    optimizer = tf.keras.optimizers.SGD(FLAGS.learning_rate)
    writer = tf.summary.create_file_writer(FLAGS.logdir)
    accuracy = tf.keras.metrics.SparseCategoricalAccuracy()

    @tf.function
    def train_step(images, labels):
        with tf.GradientTape() as tape:
            logits = model(images)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss

    @tf.function
    def test_step(images, labels):
        accuracy.update_state(labels, model(images))

    step = 0
    for epoch in range(FLAGS.epochs):
        for images, labels in train:
            loss = train_step(images, tf.cast(labels, tf.int32))
            step += 1
            if step % 100 == 0:
                with writer.as_default():
                    tf.summary.scalar("loss", loss, step=step)
        accuracy.reset_state()
        for images, labels in test:
            test_step(images, labels)
        print("epoch", epoch, "loss", float(loss), "accuracy", float(accuracy.result()))


if __name__ == "__main__":
    app.run(main)
