"""Writes `train.pbtxt`: a TensorFlow 1 training graph of a small classifier (placeholders, variables, gradients)."""

from pathlib import Path

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
tf.set_random_seed(0)

graph = tf.Graph()
with graph.as_default():
    x = tf.placeholder(tf.float32, (None, 20), name="x")
    y = tf.placeholder(tf.float32, (None, 3), name="y")
    with tf.variable_scope("hidden"):
        w = tf.get_variable("w", (20, 16), initializer=tf.random_uniform_initializer(-0.3, 0.3))
        b = tf.get_variable("b", (16,), initializer=tf.zeros_initializer())
        h = tf.nn.relu(tf.matmul(x, w) + b)
    with tf.variable_scope("output"):
        w = tf.get_variable("w", (16, 3), initializer=tf.random_uniform_initializer(-0.3, 0.3))
        logits = tf.matmul(h, w, name="logits")
    with tf.name_scope("loss"):
        cross_entropy = tf.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=logits)
        loss = tf.reduce_mean(cross_entropy, name="value")
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, name="train")

Path(__file__).with_name("train.pbtxt").write_text(str(graph.as_graph_def(add_shapes=True)))
