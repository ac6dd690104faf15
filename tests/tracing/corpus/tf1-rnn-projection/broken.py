import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_integer("batch_size", 32, "examples in a step")
flags.DEFINE_integer("steps", 1000, "training steps")
flags.DEFINE_integer("hidden", 64, "width of the recurrent layer")
FLAGS = flags.FLAGS

TIME, WIDTH = 20, 8


def build(inputs, labels):
    cell = tf.nn.rnn_cell.BasicLSTMCell(FLAGS.hidden)
    outputs, state = tf.nn.dynamic_rnn(cell, inputs, dtype=tf.float32)
    last = outputs[:, -1, :]
    weights = tf.get_variable("weights", [128, 2])
    bias = tf.get_variable("bias", [2], initializer=tf.zeros_initializer())
    logits = tf.matmul(last, weights) + bias  # <- expected
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    return logits, loss


def main(_):
    inputs = tf.placeholder(tf.float32, [None, TIME, WIDTH], name="inputs")
    labels = tf.placeholder(tf.int32, [None], name="labels")
    logits, loss = build(inputs, labels)
    train = tf.train.AdamOptimizer().minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(FLAGS.steps):
            x = np.random.rand(FLAGS.batch_size, TIME, WIDTH)
            y = np.random.randint(0, 2, size=FLAGS.batch_size)
            _, value = sess.run([train, loss], {inputs: x, labels: y})
            if step % 100 == 0:
                print(step, value)


if __name__ == "__main__":
    tf.app.run()
