import numpy as np
import tensorflow as tf
tf1 = tf.compat.v1
tf1.disable_eager_execution()
flags = tf1.app.flags
flags.DEFINE_integer("vocab", 100, "size")
flags.DEFINE_integer("dim", 16, "dim")
flags.DEFINE_integer("neg", 5, "negatives")
FLAGS = flags.FLAGS

def main(_):
    inputs = tf1.placeholder(tf.int32, shape=[32])
    labels = tf1.placeholder(tf.int32, shape=[32, 1])
    emb = tf1.get_variable("emb", [FLAGS.vocab, FLAGS.dim])
    w = tf1.get_variable("w", [FLAGS.vocab, FLAGS.dim])
    b = tf1.get_variable("b", [FLAGS.vocab])
    embed = tf.nn.embedding_lookup(emb, inputs)
    loss = tf.reduce_mean(tf.nn.nce_loss(weights=w, biases=b, labels=labels, inputs=embed, num_sampled=FLAGS.neg, num_classes=FLAGS.vocab))
    with tf1.Session() as sess:
        sess.run(tf1.global_variables_initializer())
        print(sess.run(loss, {inputs: np.zeros(32), labels: np.zeros((32, 1))}))

if __name__ == "__main__":
    tf1.app.run(main, argv=["x"])
